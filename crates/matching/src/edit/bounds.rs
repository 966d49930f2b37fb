//! Numbers that the unit-cost edit distance never falls below, cheap enough to ask first.
//!
//! - *labels*: each edit changes at most one node's label, so the distance is at least max(n, m)
//!   minus the labels in both (Kailing et al. 2004, sharpened).
//! - *degrees*: an insertion or deletion changes the number of children of one node and adds or
//!   removes another: three counts at most. So the distance is at least a third of what the
//!   histograms of child counts differ by.
//! - *binary branches*: a node with its first child and its next sibling; one edit changes at most
//!   five (Yang, Kalnis, Tung 2005).
//! - *traversals*: the strings of labels in pre-order and in post-order are as near as the trees
//!   (Guha et al. 2002).

use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// What the first three bounds need of one tree: sorted lists. Linear memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    labels: Vec<u32>,
    degrees: Vec<u32>,
    branches: Vec<[u32; 3]>,
}

impl Profile {
    /// Of a shape.
    pub fn new(shape: &Shape) -> Profile {
        let n = shape.len();
        let mut degrees = vec![0; n];
        let mut branches = Vec::with_capacity(n);
        for i in 0..n {
            let label = |j: usize| shape.label[j];
            let first = if shape.is_leaf(i) { NONE } else { label(i + 1) };
            let end = shape.end[i] as usize;
            let is_last = i == 0 || end == shape.end[shape.parent[i] as usize] as usize;
            branches.push([label(i), first, if is_last { NONE } else { label(end) }]);
            if i > 0 {
                degrees[shape.parent[i] as usize] += 1;
            }
        }
        let mut labels = shape.label.clone();
        labels.sort_unstable();
        degrees.sort_unstable();
        branches.sort_unstable();
        Profile { labels, degrees, branches }
    }

    /// At least the labels that are not in both.
    pub fn labels(&self, other: &Profile) -> u32 {
        (self.labels.len().max(other.labels.len()) - shared(&self.labels, &other.labels)) as u32
    }

    /// A third of the difference in numbers of children.
    pub fn degrees(&self, other: &Profile) -> u32 {
        (self.degrees.len() + other.degrees.len() - 2 * shared(&self.degrees, &other.degrees))
            .div_ceil(3) as u32
    }

    /// A fifth of the difference in binary branches.
    pub fn branches(&self, other: &Profile) -> u32 {
        (self.branches.len() + other.branches.len() - 2 * shared(&self.branches, &other.branches))
            .div_ceil(5) as u32
    }

    /// The largest of the three.
    pub fn lower(&self, other: &Profile) -> u32 {
        self.labels(other).max(self.degrees(other)).max(self.branches(other))
    }
}

/// How many entries of two sorted lists are in both, each as often as in the list that has it less
/// often.
pub(super) fn shared<T: Ord>(left: &[T], right: &[T]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < left.len() && j < right.len() {
        match left[i].cmp(&right[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                i += 1;
                j += 1;
            }
        }
    }
    both
}

/// The larger of the string edit distances of the labels in pre-order and in post-order. O(nm)
/// time, linear memory.
pub fn traversals(old: &Shape, new: &Shape, watch: &dyn Watch) -> Result<u32> {
    let post = |shape: &Shape| -> Vec<u32> {
        let depths = shape.depths();
        let mut labels = vec![0; shape.len()];
        for (i, &depth) in depths.iter().enumerate() {
            labels[i + shape.size_of(i) - 1 - depth as usize] = shape.label[i];
        }
        labels
    };
    Ok(strings(&old.label, &new.label, watch)?.max(strings(&post(old), &post(new), watch)?))
}

fn strings(left: &[u32], right: &[u32], watch: &dyn Watch) -> Result<u32> {
    let mut row: Vec<u32> = (0..=right.len() as u32).collect();
    for (i, a) in left.iter().enumerate() {
        if i.is_multiple_of(256) {
            watch.check()?;
        }
        let mut diagonal = std::mem::replace(&mut row[0], i as u32 + 1);
        for (j, b) in right.iter().enumerate() {
            let best = (row[j].min(row[j + 1]) + 1).min(diagonal + u32::from(a != b));
            diagonal = std::mem::replace(&mut row[j + 1], best);
        }
    }
    Ok(row[right.len()])
}
