//! Nodes that stand at the same place: equal names and equal ranks on the whole way down from the
//! root.
//!
//! The rank of a node counts the siblings before it that have its kind and name, as the steps of an
//! absolute XPath do.

use super::Pairs;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{Kind, Tree};
use treelace_tree::watch::Watch;

/// Kind, namespace, local name: what one step of a path says, beside its rank.
type Step<'t> = (Kind, &'t str, &'t str);

/// Pairs the nodes with equal absolute paths. Linear; confidence 1 throughout.
pub fn pairs(old: &Tree, new: &Tree, watch: &dyn Watch) -> Result<Pairs> {
    let mut pairs = Pairs::default();
    let mut partner = vec![None; old.len()];
    partner[0] = Some(0);
    // children of the pair in hand, by step and rank
    let mut waiting: Map<(Step, u32), usize> = Map::default();
    let mut ranks: Map<Step, u32> = Map::default();
    for parent in 0..old.len() {
        if parent.is_multiple_of(4096) {
            watch.check()?;
        }
        let Some(other) = partner[parent] else { continue };
        pairs.push(parent, other, 1.0);
        if old.first_child(parent).is_none() || new.first_child(other).is_none() {
            continue;
        }
        waiting.clear();
        ranks.clear();
        for child in new.children(other) {
            let step = step(new, child);
            waiting.insert((step, next(&mut ranks, step)), child);
        }
        ranks.clear();
        for child in old.children(parent) {
            let step = step(old, child);
            partner[child] = waiting.get(&(step, next(&mut ranks, step))).copied();
        }
    }
    Ok(pairs)
}

fn step(tree: &Tree, i: usize) -> Step<'_> {
    (tree.kind(i), tree.names().namespace(tree.name(i)), tree.local(i))
}

fn next<'t>(ranks: &mut Map<Step<'t>, u32>, step: Step<'t>) -> u32 {
    let rank = ranks.entry(step).or_insert(0);
    *rank += 1;
    *rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;
    use treelace_tree::{brackets, Limits};

    #[test]
    fn the_second_of_a_name_meets_the_second() {
        let read = |text| brackets::parse(text, Limits::default()).unwrap();
        let (old, new) = (read("{a{b}{c}{b{d}}}"), read("{a{c}{b}{b{d}{d}}{e}}"));
        let pairs = pairs(&old, &new, &Unwatched).unwrap();
        assert_eq!(pairs.old, [0, 1, 2, 3, 4, 5]);
        assert_eq!(pairs.new, [0, 1, 3, 2, 4, 5]);
    }
}
