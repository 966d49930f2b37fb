//! The edit distance of two ordered, labelled trees: the cheapest way to turn one into the other by
//! deleting, inserting and renaming nodes, and the mapping that goes with it.
//!
//! Deleting a node gives its children to its parent, in place; inserting is the reverse. A mapping
//! pairs nodes one to one and keeps order and ancestry; its cost is what is deleted, inserted and
//! renamed, and the distance is the least cost (Tai 1979; Zhang & Shasha 1989). Time between O(nm)
//! and O(n³) by the shape of the trees, memory one number for each pair of nodes.
//!
//! - [`shape`](super::shape): what a node and a label are.
//! - `costs`: costs, turned into gains. `side`: one table. `strategy`: which tables. `inner`: the
//!   program for inner paths. `solve`: all pairs of subtrees. `mapping`: the way back. `bounded`:
//!   near trees. `strip`: what is shared at the rim. `bounds`, `search`: near trees in a
//!   collection.

mod bounded;
pub mod bounds;
mod columns;
pub mod costs;
mod inner;
mod mapping;
pub mod prices;
pub mod search;
mod side;
mod solve;
mod strategy;
mod strip;

pub use bounded::bounded;
pub use solve::{least_memory, Strategy};
pub use strategy::{Choice, Path};

use self::costs::{Costs, Gain, Unit};
use super::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// A unit-cost distance, and the pairs of a mapping that costs it, in the order of the old shape.
pub type Mapped = (u32, Vec<(u32, u32)>);

/// The distance of two shapes.
pub fn distance<C: Costs>(
    old: &Shape,
    new: &Shape,
    costs: &C,
    strategy: Strategy,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<f64> {
    let solved = solve::solve(old, new, costs, strategy, limits, watch)?;
    Ok(costs.total() - solved.gain(0, 0).as_f64())
}

/// The distance, and the pairs of an optimal mapping in the order of the old shape.
pub fn mapping<C: Costs>(
    old: &Shape,
    new: &Shape,
    costs: &C,
    strategy: Strategy,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<(f64, Vec<(u32, u32)>)> {
    let solved = solve::solve(old, new, costs, strategy, limits, watch)?;
    let pairs = mapping::mapping(old, new, costs, &solved, watch)?;
    Ok((costs.total() - solved.gain(0, 0).as_f64(), pairs))
}

/// The unit-cost distance of two shapes, `None` if it is more than `most`; and the pairs of an
/// optimal mapping if they are wanted.
///
/// What the trees share at their rim is taken off first; then near trees are tried with a small
/// bound that doubles, as long as that is much cheaper than solving all pairs.
pub fn unit(
    old: &Shape,
    new: &Shape,
    most: Option<u32>,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Option<Mapped>> {
    let Some(left) = strip::strip(old, new) else {
        return unit_unstripped(old, new, most, wants_pairs, limits, watch);
    };
    let Some((distance, pairs)) =
        unit_unstripped(&left.old, &left.new, most, wants_pairs, limits, watch)?
    else {
        return Ok(None);
    };
    if !wants_pairs {
        return Ok(Some((distance, Vec::new())));
    }
    let mut all = left.pairs;
    all.extend(
        pairs.iter().map(|&(i, j)| (left.old_index[i as usize], left.new_index[j as usize])),
    );
    all.sort_unstable();
    Ok(Some((distance, all)))
}

fn unit_unstripped(
    old: &Shape,
    new: &Shape,
    most: Option<u32>,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Option<Mapped>> {
    let (old_tables, new_tables) = (tables(old), tables(new));
    let all_pairs = old_tables * new_tables;
    let worth = |bound: usize| bounded::cells(old_tables.min(new_tables), bound) * 8.0 < all_pairs;
    let most = most.map(|most| most as usize);
    if let Some(most) = most.filter(|&most| worth(most)) {
        return bounded::bounded(old, new, most, wants_pairs, limits, watch);
    }
    let mut bound = old.len().abs_diff(new.len()).max(2) * 2;
    while worth(bound) {
        if let Some(found) = bounded::bounded(old, new, bound, wants_pairs, limits, watch)? {
            return Ok(Some(found));
        }
        bound *= 2;
    }
    let costs = Unit { old: &old.label, new: &new.label };
    let (distance, pairs) = match wants_pairs {
        true => mapping(old, new, &costs, Strategy::Best, limits, watch)?,
        false => (self::distance(old, new, &costs, Strategy::Best, limits, watch)?, Vec::new()),
    };
    Ok(Some((distance as u32, pairs)).filter(|_| most.is_none_or(|most| distance as usize <= most)))
}

/// Nodes of all subtrees that have a sibling after them, and of the root: the work of one tree.
fn tables(shape: &Shape) -> f64 {
    let is_key = |i: usize| i == 0 || shape.end[i] != shape.end[shape.parent[i] as usize];
    (0..shape.len()).filter(|&i| is_key(i)).map(|i| shape.size_of(i) as f64).sum()
}
