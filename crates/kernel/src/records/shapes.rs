//! Shapes: what a subtree is made of, as a small set that is quickly compared; and the path to each node as a number.

use super::rules::roles;
use super::view::{OTHER, TEXT};
use super::{Run, View};
use crate::matching::shape::Map;
use crate::tree::NONE;

/// The shapes of a page's subtrees, each a sorted set of (depth inside, tag with its parent's tag), formatting left out. Made on
/// demand, each kept once: equal numbers are equal shapes.
#[derive(Debug)]
pub(crate) struct Shapes<'v> {
    view: &'v View,
    most_nodes: usize,
    /// Number of the path of tags from the top to each node.
    pub(crate) path: Vec<u32>,
    pair: Vec<u32>,
    of_node: Vec<u32>,
    of_run: Map<Run, u32>,
    numbers: Map<Box<[u64]>, u32>,
    shapes: Vec<Box<[u64]>>,
    known: Map<(u32, u32), f64>,
    scratch: Vec<u64>,
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
            let is_dressing = view.is(i, roles::DRESS) || tag == OTHER || tag == TEXT && !view.shown[i];
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
            shapes: Vec::new(),
            known: Map::default(),
            scratch: Vec::new(),
        }
    }

    /// The shape of one subtree.
    pub(crate) fn of(&mut self, i: usize) -> u32 {
        if self.of_node[i] == NONE {
            let tree = &self.view.tree;
            let depth = tree.depth(i);
            let stop = tree.end(i).min(i + self.most_nodes);
            self.scratch.clear();
            self.scratch
                .extend((i..stop).filter(|&j| self.pair[j] != NONE).map(|j| u64::from(tree.depth(j) - depth) << 32 | u64::from(self.pair[j])));
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
        let parts: Vec<u32> = record.places().map(|place| self.of(self.view.kids[place] as usize)).collect();
        self.scratch.clear();
        for part in parts {
            self.scratch.extend_from_slice(&self.shapes[part as usize]);
        }
        let number = self.numbered();
        self.of_run.insert(record, number);
        number
    }

    /// How many pieces a shape has.
    pub(crate) fn size(&self, shape: u32) -> usize {
        self.shapes[shape as usize].len()
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
        let (a, b) = (&self.shapes[left as usize], &self.shapes[right as usize]);
        let alike = 2.0 * common(a, b) as f64 / (a.len() + b.len()).max(1) as f64;
        self.known.insert(key, alike);
        alike
    }

    /// For each record, how alike it is to the others, on average over the `most` most frequent shapes there are.
    pub(crate) fn closeness(&mut self, records: &[Run], most: usize) -> Vec<f64> {
        let shapes: Vec<u32> = records.iter().map(|&record| self.of_record(record)).collect();
        let mut places: Map<u32, usize> = Map::default();
        let mut counts: Vec<(u32, u32)> = Vec::new(); // shape, how many; in order of appearance
        for &shape in &shapes {
            let place = *places.entry(shape).or_insert(counts.len());
            match counts.get_mut(place) {
                Some(entry) => entry.1 += 1,
                None => counts.push((shape, 1)),
            }
        }
        let mut common = counts.clone();
        common.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        common.truncate(most);
        let total = f64::from(common.iter().map(|&(_, count)| count).sum::<u32>());
        let known: Vec<f64> = counts
            .iter()
            .map(|&(shape, _)| common.iter().map(|&(other, count)| f64::from(count) * self.alike(shape, other)).sum::<f64>() / total)
            .collect();
        shapes.iter().map(|shape| known[places[shape]]).collect()
    }

    /// The number of the set in `scratch`.
    fn numbered(&mut self) -> u32 {
        self.scratch.sort_unstable();
        self.scratch.dedup();
        if let Some(&known) = self.numbers.get(self.scratch.as_slice()) {
            return known;
        }
        let (number, shape): (u32, Box<[u64]>) = (self.shapes.len() as u32, self.scratch.as_slice().into());
        self.shapes.push(shape.clone());
        self.numbers.insert(shape, number);
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
