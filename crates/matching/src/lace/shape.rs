//! What a subtree is built of, as a sketch: what tells two list rows apart that say nothing rare.
//!
//! Every row below a node says two things about it: its own hash (name and attributes, or text),
//! and its name with the name of its parent. The sketch counts them; of more than [`SIZE`]
//! different ones those with the smallest hashes are kept, the same on both sides.

use super::side::Side;
use super::tokens::{mix, ByHash};

/// Different things kept for a subtree.
const SIZE: usize = 20;
/// A thing on one node in e⁶ says all that a thing can say; one that is everywhere still says a
/// little.
const RARITY: (f32, f32) = (0.3, 6.0);

/// Things in the order of their hashes, with their weights: shared by both sides.
pub(super) struct Things {
    weight: Vec<f32>,
}

/// The sketches of one side.
pub(super) struct Shapes {
    spans: Vec<(u32, u32)>,
    /// Number of the thing, increasing inside a sketch, and how often it is there.
    counted: Vec<(u32, u32)>,
}

/// The sketches of both sides.
pub(super) fn shapes(old: &Side, new: &Side) -> (Things, Shapes, Shapes) {
    let mut numbers: ByHash<u32> = ByHash::default();
    for side in [old, new] {
        for i in 1..side.len() {
            for thing in things(side, i) {
                *numbers.entry(thing).or_insert(0) += 1;
            }
        }
    }
    let mut sorted: Vec<(u64, u32)> =
        numbers.iter().map(|(&thing, &count)| (thing, count)).collect();
    sorted.sort_unstable();
    for (number, (thing, _)) in sorted.iter().enumerate() {
        numbers.insert(*thing, number as u32);
    }
    let total = (old.len() + new.len()) as f32;
    let weight = sorted
        .iter()
        .map(|&(_, count)| (total / count as f32).ln().clamp(RARITY.0, RARITY.1))
        .collect();
    (Things { weight }, Shapes::new(old, &numbers), Shapes::new(new, &numbers))
}

/// What a row says about its ancestors.
fn things(side: &Side, i: usize) -> [u64; 2] {
    let above = side.parent[i] as usize;
    [side.alone[i], mix(side.label[above], side.label[i])]
}

impl Shapes {
    fn new(side: &Side, numbers: &ByHash<u32>) -> Shapes {
        let n = side.len();
        let mut shapes = Shapes { spans: vec![(0, 0); n], counted: Vec::new() };
        let mut gathered: Vec<(u32, u32)> = Vec::new();
        for i in (0..n).rev() {
            if side.children(i).is_empty() {
                continue;
            }
            gathered.clear();
            for &child in side.children(i) {
                let (from, to) = shapes.spans[child as usize];
                gathered.extend_from_slice(&shapes.counted[from as usize..to as usize]);
                gathered.extend(things(side, child as usize).map(|thing| (numbers[&thing], 1)));
                if gathered.len() > 64 * SIZE {
                    keep_smallest(&mut gathered);
                }
            }
            keep_smallest(&mut gathered);
            let from = shapes.counted.len() as u32;
            shapes.counted.extend_from_slice(&gathered);
            shapes.spans[i] = (from, shapes.counted.len() as u32);
        }
        shapes
    }

    fn get(&self, i: usize) -> &[(u32, u32)] {
        let (from, to) = self.spans[i];
        &self.counted[from as usize..to as usize]
    }
}

/// Counts equal things together and keeps the first ones.
fn keep_smallest(gathered: &mut Vec<(u32, u32)>) {
    gathered.sort_unstable();
    gathered.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    gathered.truncate(SIZE);
}

/// How alike two subtrees are built, in [0, 1]; None where neither has anything below it. What a
/// full sketch does not reach is not compared.
pub(super) fn alike(
    things: &Things,
    left: (&Shapes, usize),
    right: (&Shapes, usize),
) -> Option<f32> {
    let (left, right) = (left.0.get(left.1), right.0.get(right.1));
    if left.is_empty() && right.is_empty() {
        return None;
    }
    let horizon =
        |sketch: &[(u32, u32)]| if sketch.len() >= SIZE { sketch[SIZE - 1].0 } else { u32::MAX };
    let last = horizon(left).min(horizon(right));
    let (mut a, mut b) = (0, 0);
    let (mut shared, mut total) = (0.0f32, 0.0f32);
    loop {
        let x = left.get(a).map_or(u32::MAX, |thing| thing.0);
        let y = right.get(b).map_or(u32::MAX, |thing| thing.0);
        let low = x.min(y);
        if low > last || low == u32::MAX {
            break;
        }
        let weight = things.weight[low as usize];
        let (mut here, mut there) = (0.0, 0.0);
        if x == low {
            here = left[a].1 as f32;
            a += 1;
        }
        if y == low {
            there = right[b].1 as f32;
            b += 1;
        }
        shared += weight * here.min(there);
        total += weight * here.max(there);
    }
    Some(if total > 0.0 { shared / total } else { 1.0 })
}
