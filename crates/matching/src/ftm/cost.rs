//! What a whole matching costs (eq. 1), once it is known.

use super::{members, Found, Problem, Side};

/// The cost of each pair and of the whole, for the partner of each old node.
pub(super) fn priced(problem: &Problem<'_>, partner: &[Option<usize>]) -> Found {
    let [old, new] = &problem.sides;
    let mut back = vec![None; new.len()];
    for (i, j) in partner.iter().enumerate().filter_map(|(i, j)| j.map(|j| (i, j))) {
        back[j] = Some(i);
    }
    let options = problem.options;
    let mut pairs = Vec::new();
    for (i, j) in partner.iter().enumerate().filter_map(|(i, j)| j.map(|j| (i, j))) {
        let ancestry = strays(old, new, i, j, partner) + strays(new, old, j, i, &back);
        let siblings = torn(old, new, i, j, partner) + torn(new, old, j, i, &back);
        let cost = options.rename * problem.rename(i, j)
            + options.ancestry * ancestry
            + options.siblings * siblings;
        pairs.push((i as u32, j as u32, cost));
    }
    let alone = old.len() + new.len() - 2 * pairs.len();
    let cost =
        pairs.iter().map(|&(_, _, cost)| cost).sum::<f64>() + alone as f64 * options.no_match;
    Found { cost, pairs }
}

/// Half of c_a(m, n): the children of m whose partners are not children of n.
fn strays(me: &Side, you: &Side, m: usize, n: usize, partner: &[Option<usize>]) -> f64 {
    members(me.children[m])
        .filter(|&x| partner[x].is_some_and(|y| you.children[n] >> y & 1 == 0))
        .count() as f64
}

/// Half of c_s(m, n): |D| / (|I| |F|), with D and I the siblings of m whose partners are not, and
/// are, siblings of n, and F the families they all went to.
fn torn(me: &Side, you: &Side, m: usize, n: usize, partner: &[Option<usize>]) -> f64 {
    let (mut outside, mut inside) = (0, 0);
    let mut families: Vec<u32> = Vec::new();
    for y in members(me.siblings[m]).filter_map(|x| partner[x]) {
        match you.siblings[n] >> y & 1 {
            0 => outside += 1,
            _ => inside += 1,
        }
        if !families.contains(&you.parent[y]) {
            families.push(you.parent[y]);
        }
    }
    if outside == 0 {
        return 0.0;
    }
    f64::from(outside) / (f64::from(inside) * families.len() as f64)
}
