//! Shapes: what a subtree is made of, as a small set that is quickly compared; and the path to each
//! node as a number.

use std::ops::Range;

use super::rules::roles;
use super::view::{OTHER, TEXT};
use super::{Run, View};
use treelace_tree::hash;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;

/// The shapes of a page's subtrees, each a sorted set of (depth inside, tag with its parent's tag),
/// formatting left out. Made on demand, each kept once: equal numbers are equal shapes.
#[derive(Debug)]
pub(crate) struct Shapes<'v> {
    view: &'v View,
    most_nodes: usize,
    /// Number of the path of tags from the top to each node.
    pub(crate) path: Vec<u32>,
    pair: Vec<u32>,
    of_node: Vec<u32>,
    of_run: Map<Run, u32>,
    /// Numbers by the hash of the set; where another set has that hash, by the next free one.
    numbers: Map<u64, u32>,
    /// The sets one after the other, and the end of each.
    pieces: Vec<u64>,
    ends: Vec<usize>,
    known: Map<(u32, u32), f64>,
    scratch: Vec<u64>,
    /// For `closeness`: where each shape stands among those that were counted, else [`NONE`].
    place_in_counts: Vec<u32>,
}

impl<'v> Shapes<'v> {
    pub(crate) fn new(view: &'v View, most_nodes: usize) -> Self {
        let n = view.len();
        let mut paths: Map<(u32, u32), u32> = Map::default();
        let mut pairs: Map<(u32, u32), u32> = Map::default();
        let (mut path, mut pair) = (vec![0; n], vec![NONE; n]);
        for i in 0..n {
            let (parent, tag) = (view.parent(i), view.tag[i]);
            let next = paths.len() as u32 + 1;
            path[i] = *paths.entry((path[parent], tag)).or_insert(next);
            let is_dressing =
                view.is(i, roles::DRESS) || tag == OTHER || tag == TEXT && !view.shown[i];
            if !is_dressing {
                let next = pairs.len() as u32;
                pair[i] = *pairs.entry((view.tag[parent], tag)).or_insert(next);
            }
        }
        Shapes {
            view,
            most_nodes,
            path,
            pair,
            of_node: vec![NONE; n],
            of_run: Map::default(),
            numbers: Map::default(),
            pieces: Vec::new(),
            ends: Vec::new(),
            known: Map::default(),
            scratch: Vec::new(),
            place_in_counts: Vec::new(),
        }
    }

    /// The shape of one subtree.
    pub(crate) fn of(&mut self, i: usize) -> u32 {
        if self.of_node[i] == NONE {
            let tree = &self.view.tree;
            let depth = tree.depth(i);
            let stop = tree.end(i).min(i + self.most_nodes);
            self.scratch.clear();
            self.scratch.extend(
                (i..stop)
                    .filter(|&j| self.pair[j] != NONE)
                    .map(|j| u64::from(tree.depth(j) - depth) << 32 | u64::from(self.pair[j])),
            );
            self.of_node[i] = self.numbered();
        }
        self.of_node[i]
    }

    /// The shape of a record.
    pub(crate) fn of_record(&mut self, record: Run) -> u32 {
        if record.len == 1 {
            return self.of(self.view.kids[record.start as usize] as usize);
        }
        if let Some(&known) = self.of_run.get(&record) {
            return known;
        }
        let parts: Vec<u32> =
            record.places().map(|place| self.of(self.view.kids[place] as usize)).collect();
        self.scratch.clear();
        for part in parts {
            let Range { start, end } = self.range(part);
            self.scratch.extend_from_slice(&self.pieces[start..end]);
        }
        let number = self.numbered();
        self.of_run.insert(record, number);
        number
    }

    /// How many pieces a shape has.
    pub(crate) fn size(&self, shape: u32) -> usize {
        self.range(shape).len()
    }

    /// 2 |left ∩ right| / (|left| + |right|), by Dice.
    pub(crate) fn alike(&mut self, left: u32, right: u32) -> f64 {
        if left == right {
            return 1.0;
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (a, b) = (&self.pieces[self.range(left)], &self.pieces[self.range(right)]);
        let alike = 2.0 * common(a, b) as f64 / (a.len() + b.len()).max(1) as f64;
        self.known.insert(key, alike);
        alike
    }

    /// For each of the shapes of some records, how alike it is to the others, on average over the
    /// `most` most frequent shapes there are.
    pub(crate) fn closeness(&mut self, shapes: &[u32], most: usize) -> Vec<f64> {
        let mut counts: Vec<(u32, u32)> = Vec::new(); // shape, how many; in order of appearance
        self.place_in_counts.resize(self.ends.len(), NONE);
        for &shape in shapes {
            let place = &mut self.place_in_counts[shape as usize];
            if *place == NONE {
                *place = counts.len() as u32;
                counts.push((shape, 0));
            }
            counts[*place as usize].1 += 1;
        }
        let mut common = counts.clone();
        common.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        common.truncate(most);
        let total = f64::from(common.iter().map(|&(_, count)| count).sum::<u32>());
        let known: Vec<f64> = counts
            .iter()
            .map(|&(shape, _)| {
                common
                    .iter()
                    .map(|&(other, count)| f64::from(count) * self.alike(shape, other))
                    .sum::<f64>()
                    / total
            })
            .collect();
        let close = shapes
            .iter()
            .map(|&shape| known[self.place_in_counts[shape as usize] as usize])
            .collect();
        for (shape, _) in counts {
            self.place_in_counts[shape as usize] = NONE;
        }
        close
    }

    /// Where a shape stands in `pieces`.
    fn range(&self, shape: u32) -> Range<usize> {
        let shape = shape as usize;
        (if shape == 0 { 0 } else { self.ends[shape - 1] })..self.ends[shape]
    }

    /// The number of the set in `scratch`.
    fn numbered(&mut self) -> u32 {
        self.scratch.sort_unstable();
        self.scratch.dedup();
        let mut key = self.scratch.iter().fold(0, |sum, &piece| hash::pair(sum, piece));
        while let Some(&known) = self.numbers.get(&key) {
            if self.pieces[self.range(known)] == self.scratch {
                return known;
            }
            key = key.wrapping_add(1);
        }
        let number = self.ends.len() as u32;
        self.pieces.extend_from_slice(&self.scratch);
        self.ends.push(self.pieces.len());
        self.numbers.insert(key, number);
        number
    }
}

/// Size of the intersection of two sorted sets.
fn common(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        both += usize::from(a[i] == b[j]);
        let (left, right) = (a[i], b[j]);
        i += usize::from(left <= right);
        j += usize::from(right <= left);
    }
    both
}
