//! The way back: which nodes an optimal mapping pairs.
//!
//! The gains of all pairs of subtrees are known. The table of a pair is filled once more, this time
//! keeping for each cell the direction its best value came from, in two bits; the walk through it
//! names pairs of nodes, and pairs of subtrees to be opened next. Pairs of subtrees that are opened
//! together lie side by side, so all tables together are hardly larger than the first.
//!
//! Among equal mappings: a pair before a deletion, a deletion before an insertion, from the root on
//! in document order.

use super::costs::{Costs, Gain};
use super::side::{Rows, Side};
use super::solve::Solved;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

const PAIR: u8 = 0;
const DELETE: u8 = 1;
const INSERT: u8 = 2;

/// Two bits for each cell.
#[derive(Default)]
struct Directions(Vec<u8>);

impl Directions {
    fn reset(&mut self, cells: usize) {
        self.0.clear();
        self.0.resize(cells / 4 + 1, 0);
    }
    fn put(&mut self, cell: usize, direction: u8) {
        self.0[cell / 4] |= direction << (cell % 4 * 2);
    }
    fn get(&self, cell: usize) -> u8 {
        self.0[cell / 4] >> (cell % 4 * 2) & 3
    }
}

/// The pairs of an optimal mapping, in the order of the old tree.
pub fn mapping<C: Costs>(
    old: &Shape,
    new: &Shape,
    costs: &C,
    solved: &Solved<C::Gain>,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>> {
    let zero = C::Gain::default();
    let sides = [Side::new(old, &old.depths(), false), Side::new(new, &new.depths(), false)];
    let mut rows = Rows::<C::Gain>::new(sides[0].levels(), new.len() + 1);
    let mut directions = Directions::default();
    let mut pairs = Vec::new();
    let mut open = vec![(0, 0)];
    while let Some((v, w)) = open.pop() {
        watch.check()?;
        let (height, width) = (old.size_of(v), new.size_of(w));
        if solved.gain(v, w) <= zero {
            continue;
        }
        if costs.is_uniform()
            && height == width
            && solved.gain(v, w).as_f64() == 2.0 * height as f64
        {
            pairs.extend((0..height).map(|i| ((v + i) as u32, (w + i) as u32)));
            continue;
        }
        directions.reset(height * width);
        rows.first(width + 1).fill(zero);
        rows.grow(&sides[0], v, v + height, width + 1, |i, after, jump, row| {
            row[width] = zero;
            let line = (i - v) * width;
            let is_tree = old.end[i] as usize == v + height;
            for j in (0..width).rev() {
                let end = new.end[w + j] as usize - w;
                let paired = if is_tree && end == width {
                    Some(costs.gain(i, w + j))
                        .filter(|&gain| gain > zero)
                        .map(|gain| gain + after[j + 1])
                } else {
                    Some(solved.gain(i, w + j))
                        .filter(|&gain| gain > zero)
                        .map(|gain| gain + jump[end])
                };
                let (deleted, inserted) = (after[j], row[j + 1]);
                let unpaired = deleted.or(inserted);
                let (value, direction) = match paired {
                    Some(paired) if paired >= unpaired => (paired, PAIR),
                    _ if deleted >= inserted => (deleted, DELETE),
                    _ => (inserted, INSERT),
                };
                row[j] = value;
                directions.put(line + j, direction);
            }
        });
        let (mut i, mut j) = (v, w);
        while i < v + height && j < w + width {
            match directions.get((i - v) * width + (j - w)) {
                DELETE => i += 1,
                INSERT => j += 1,
                _ if old.end[i] as usize == v + height && new.end[j] as usize == w + width => {
                    pairs.push((i as u32, j as u32));
                    i += 1;
                    j += 1;
                }
                _ => {
                    open.push((i, j));
                    i = old.end[i] as usize;
                    j = new.end[j] as usize;
                }
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}
