//! The distance of Nierman & Jagadish ("Evaluating structural similarity in XML documents", WebDB
//! 2002): top-down, and a whole subtree is inserted or deleted at cost 1 where the other tree has
//! it already.
//!
//! A tree P is *contained* in another if some node t of it has the label of P's root and the
//! children of P are contained, in order, in some of the children of t: extra siblings are allowed,
//! missing ones and skipped levels are not. `graft(b) = 1` if T(b) is contained in the old tree,
//! else `1 + Σ graft(children)`; `prune(a)` likewise in the new tree; `D(a, b) = [a ≠ b] +
//! E(children; prune, graft, D)`.
//!
//! Time O(nm), memory at most a bit for each pair of nodes beside the top-down program.

use super::top_down::{run, Meeting, Rule};
use super::Restricted;
use crate::classes::classes;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// The distance and its mapping.
pub fn nierman(
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    let (old_class, new_class) = classes(old, new);
    let prune = costs(old, &contained(old, &old_class, new, &new_class, limits, watch)?);
    let graft = costs(new, &contained(new, &new_class, old, &old_class, limits, watch)?);
    let rule = Rule {
        meet: |a: usize, b: usize| {
            if old_class[a] == new_class[b] {
                Meeting::Equal
            } else if !same_kind(old.label[a], new.label[b]) {
                Meeting::Apart(prune[a] + graft[b])
            } else {
                Meeting::Open(u64::from(old.label[a] != new.label[b]))
            }
        },
        delete: |a: usize| prune[a],
        insert: |b: usize| graft[b],
    };
    run(old, new, &rule, wants_pairs, limits, watch)
}

/// The distinct subtrees of a shape: one example of each class, and the number of each node's
/// class.
struct Distinct {
    example: Vec<usize>,
    of_node: Vec<u32>,
}

impl Distinct {
    fn new(class: &[u32]) -> Distinct {
        let mut number: Map<u32, u32> = Map::default();
        let mut example = Vec::new();
        let mut of_node = Vec::with_capacity(class.len());
        for (i, &class) in class.iter().enumerate() {
            of_node.push(*number.entry(class).or_insert_with(|| {
                example.push(i);
                example.len() as u32 - 1
            }));
        }
        Distinct { example, of_node }
    }
}

/// For each subtree of `parts` whether it is contained in `whole`; classes are those of
/// [`classes`].
///
/// A subtree that occurs as it is needs no search. For the others every different subtree of the
/// whole is tried that is not too small; taking the first child that will do for each child of the
/// part is enough, for whatever a later choice leaves for those after it, the earlier one leaves as
/// well. What was found is kept as a bit, for the part's parent.
fn contained(
    parts: &Shape,
    part_class: &[u32],
    whole: &Shape,
    whole_class: &[u32],
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<bool>> {
    let occurring: std::collections::HashSet<u32> = whole_class.iter().copied().collect();
    let (part, place) = (Distinct::new(part_class), Distinct::new(whole_class));
    let mut is_contained: Vec<bool> =
        part.example.iter().map(|&i| occurring.contains(&part_class[i])).collect();
    let (part_height, height) = (heights(parts), heights(whole));
    // different places by label, and the largest subtree of each label
    let mut places: Map<u32, Vec<usize>> = Map::default();
    let mut largest: Map<u32, (usize, u32)> = Map::default();
    for (t, &at) in place.example.iter().enumerate() {
        places.entry(whole.label[at]).or_default().push(t);
        let (size, tall) = largest.entry(whole.label[at]).or_default();
        *size = whole.size_of(at).max(*size);
        *tall = height[at].max(*tall);
    }
    // parts to be searched: those not found yet, and the children of searched ones; each gets a row
    // of bits
    const NOT: usize = usize::MAX;
    let mut row = vec![NOT; part.example.len()];
    let mut searched = Vec::new();
    for i in 0..parts.len() {
        let number = part.of_node[i] as usize;
        let fits = largest
            .get(&parts.label[i])
            .is_some_and(|&(size, tall)| size >= parts.size_of(i) && tall >= part_height[i]);
        let asked = i > 0 && row[part.of_node[parts.parent[i] as usize] as usize] != NOT;
        if row[number] == NOT && fits && (asked || !is_contained[number]) {
            row[number] = searched.len();
            searched.push(number);
        }
    }
    // small ones first: the children of a part before it
    searched.sort_unstable_by_key(|&number| (parts.size_of(part.example[number]), number));
    let m = place.example.len();
    Limits::check("memory", limits.memory, searched.len() as u64 * m as u64 / 8)?;
    let mut bits = vec![0u64; (searched.len() * m).div_ceil(64)];
    for &number in &searched {
        watch.check()?;
        let i = part.example[number];
        for &t in places.get(&parts.label[i]).map_or(&[][..], |list| list) {
            let at = place.example[t];
            if whole.size_of(at) < parts.size_of(i) || height[at] < part_height[i] {
                continue;
            }
            let mut children = whole.children(at);
            let embeds = parts.children(i).all(|child| {
                let line = row[part.of_node[child] as usize];
                line != NOT
                    && children.any(|other| {
                        let cell = line * m + place.of_node[other] as usize;
                        bits[cell / 64] >> (cell % 64) & 1 == 1
                    })
            });
            if embeds {
                let cell = row[number] * m + t;
                bits[cell / 64] |= 1 << (cell % 64);
                is_contained[number] = true;
            }
        }
    }
    Ok(part.of_node.iter().map(|&number| is_contained[number as usize]).collect())
}

/// Levels of each subtree.
fn heights(shape: &Shape) -> Vec<u32> {
    let mut heights = vec![1; shape.len()];
    for i in (1..shape.len()).rev() {
        let parent = shape.parent[i] as usize;
        heights[parent] = heights[parent].max(heights[i] + 1);
    }
    heights
}

fn costs(shape: &Shape, is_contained: &[bool]) -> Vec<u64> {
    let mut costs = vec![1; shape.len()];
    for i in (0..shape.len()).rev() {
        if is_contained[i] {
            costs[i] = 1;
        }
        if i > 0 {
            costs[shape.parent[i] as usize] += costs[i];
        }
    }
    costs
}
