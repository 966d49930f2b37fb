//! The program that the top-down distances share: a pair of nodes, then their children lined up,
//! and so on downwards.
//!
//! ```text
//! D(a, b) = base(a, b) + E(children of a, children of b; delete, insert, D)
//! ```
//!
//! Only pairs whose parents are a pair that was opened can matter, so the pairs of a level are the
//! child pairs of the open pairs above it, block by block. They are listed from the root down and
//! valued from the leaves up: no recursion. Memory is one number for each pair listed and four for
//! each one opened.

use super::children::{cost, line_up};
use super::Restricted;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// What a distance says about two nodes that meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Their subtrees are equal: cost 0, paired node for node.
    Equal,
    /// They are paired, and so is nothing below them; this is the cost.
    Alone(u64),
    /// They are not paired, nor is anything below them; this is the cost.
    Apart(u64),
    /// They are paired at this cost, and their children are lined up.
    Open(u64),
}

/// A top-down distance.
pub struct Rule<M, D, I> {
    /// What two nodes that meet are to each other.
    pub meet: M,
    /// Cost of deleting an old subtree.
    pub delete: D,
    /// Cost of inserting a new subtree.
    pub insert: I,
}

/// A pair whose children are lined up: its place in its own level, and where its block starts in
/// the level below.
struct Open {
    old: u32,
    new: u32,
    place: u32,
    start: u32,
}

/// The distance, with its mapping if it is wanted.
pub fn run<M, D, I>(
    old: &Shape,
    new: &Shape,
    rule: &Rule<M, D, I>,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted>
where
    M: Fn(usize, usize) -> Meeting,
    D: Fn(usize) -> u64,
    I: Fn(usize) -> u64,
{
    let degree = |shape: &Shape| -> Vec<u32> {
        let mut degrees = vec![0; shape.len()];
        shape.parent.iter().skip(1).for_each(|&p| degrees[p as usize] += 1);
        degrees
    };
    let (old_degree, new_degree) = (degree(old), degree(new));
    // levels of open pairs, and the values of all pairs of each level
    let mut levels: Vec<Vec<Open>> = Vec::new();
    let mut values: Vec<Vec<u64>> = Vec::new();
    let mut used = 0u64;
    let mut level = vec![(0u32, 0u32)];
    loop {
        let mut open = Vec::new();
        let mut value = Vec::with_capacity(level.len());
        let mut below = 0u64;
        for (place, &(a, b)) in level.iter().enumerate() {
            if place.is_multiple_of(4096) {
                watch.check()?;
            }
            value.push(match (rule.meet)(a as usize, b as usize) {
                Meeting::Equal => 0,
                Meeting::Alone(cost) | Meeting::Apart(cost) => cost,
                Meeting::Open(base) => {
                    open.push(Open { old: a, new: b, place: place as u32, start: below as u32 });
                    below += u64::from(old_degree[a as usize]) * u64::from(new_degree[b as usize]);
                    base
                }
            });
        }
        used += level.len() as u64 * 8 + open.len() as u64 * 16;
        // the pairs below, while they are listed, and their values
        Limits::check("memory", limits.memory, used + below * 16)?;
        Limits::check("nodes", u64::from(u32::MAX), below)?;
        let mut next = Vec::with_capacity(below as usize);
        for pair in &open {
            for a in old.children(pair.old as usize) {
                next.extend(new.children(pair.new as usize).map(|b| (a as u32, b as u32)));
            }
            watch.check()?;
        }
        levels.push(open);
        values.push(value);
        level = next;
        if level.is_empty() {
            break;
        }
    }

    let (mut deletes, mut inserts, mut row) = (Vec::new(), Vec::new(), Vec::new());
    for depth in (0..levels.len()).rev() {
        let (above, below) = values.split_at_mut(depth + 1);
        let below: &[u64] = below.first().map_or(&[], |values| values);
        for pair in &levels[depth] {
            watch.check()?;
            lists(old, new, rule, pair, &mut deletes, &mut inserts);
            let block = &below[(pair.start as usize).min(below.len())..];
            let columns = inserts.len();
            above[depth][pair.place as usize] +=
                cost(&deletes, &inserts, |i, j| block[i * columns + j], &mut row);
        }
    }
    let mut pairs = Vec::new();
    if wants_pairs {
        walk(old, new, rule, &levels, &values, &mut pairs, watch)?;
        pairs.sort_unstable();
    }
    Ok(Restricted { distance: values[0][0], pairs })
}

fn lists<M, D: Fn(usize) -> u64, I: Fn(usize) -> u64>(
    old: &Shape,
    new: &Shape,
    rule: &Rule<M, D, I>,
    pair: &Open,
    deletes: &mut Vec<u64>,
    inserts: &mut Vec<u64>,
) {
    deletes.clear();
    deletes.extend(old.children(pair.old as usize).map(&rule.delete));
    inserts.clear();
    inserts.extend(new.children(pair.new as usize).map(&rule.insert));
}

/// From the root down, the pairs that the cheapest line-ups keep.
fn walk<M, D, I>(
    old: &Shape,
    new: &Shape,
    rule: &Rule<M, D, I>,
    levels: &[Vec<Open>],
    values: &[Vec<u64>],
    pairs: &mut Vec<(u32, u32)>,
    watch: &dyn Watch,
) -> Result<()>
where
    M: Fn(usize, usize) -> Meeting,
    D: Fn(usize) -> u64,
    I: Fn(usize) -> u64,
{
    let (mut deletes, mut inserts) = (Vec::new(), Vec::new());
    // level, place in it, and the two nodes
    let mut open = vec![(0usize, 0u32, 0usize, 0usize)];
    while let Some((depth, place, a, b)) = open.pop() {
        watch.check()?;
        match (rule.meet)(a, b) {
            Meeting::Equal => {
                pairs.extend((0..old.size_of(a)).map(|k| ((a + k) as u32, (b + k) as u32)))
            }
            Meeting::Alone(_) => pairs.push((a as u32, b as u32)),
            Meeting::Apart(_) => {}
            Meeting::Open(_) => {
                pairs.push((a as u32, b as u32));
                let Ok(found) = levels[depth].binary_search_by_key(&place, |pair| pair.place)
                else {
                    continue;
                };
                let pair = &levels[depth][found];
                lists(old, new, rule, pair, &mut deletes, &mut inserts);
                if deletes.is_empty() || inserts.is_empty() {
                    continue;
                }
                let (block, columns) = (&values[depth + 1][pair.start as usize..], inserts.len());
                let (olds, news): (Vec<usize>, Vec<usize>) =
                    (old.children(a).collect(), new.children(b).collect());
                for (i, j) in line_up(&deletes, &inserts, |i, j| block[i * columns + j]) {
                    open.push((depth + 1, pair.start + (i * columns + j) as u32, olds[i], news[j]));
                }
            }
        }
    }
    Ok(())
}
