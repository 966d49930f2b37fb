//! Which node is which: pairs of nodes of two versions of a page.
//!
//! Every matcher gives [`Pairs`]: one-to-one, of equal kind, sorted by old index. [`check`] holds
//! them to it.

mod blanks;
pub mod buld;
pub mod classes;
pub mod common;
pub mod document;
pub mod edit;
pub mod ftm;
pub mod lace;
pub mod leaves;
mod random;
pub mod restricted;
pub mod same_path;
pub mod sftm;
pub mod shape;
pub mod subtrees;

use treelace_tree::error::{Error, Result};
use treelace_tree::tree::{Tree, NONE};

/// Pairs of nodes of an old and a new tree, as three columns of equal length, sorted by old index.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// Indexes of the old tree, increasing.
    pub old: Vec<u32>,
    /// The partner of each in the new tree.
    pub new: Vec<u32>,
    /// How sure the matcher is of each, in [0, 1].
    pub confidence: Vec<f64>,
}

impl Pairs {
    /// Adds a pair; pairs must come in the order of their old index.
    pub fn push(&mut self, old: usize, new: usize, confidence: f64) {
        debug_assert!(self.old.last().is_none_or(|&last| (last as usize) < old));
        self.old.push(old as u32);
        self.new.push(new as u32);
        self.confidence.push(confidence);
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.old.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty()
    }
}

/// Fails unless the pairs are what [`Pairs`] promises for these two trees; the words of the first
/// promise broken.
pub fn check(
    old_tree: &Tree,
    new_tree: &Tree,
    old: &[u32],
    new: &[u32],
    confidence: &[f64],
) -> Result<()> {
    let broken = |what: String| Err(Error::Match(what));
    if old.len() != new.len() || old.len() != confidence.len() {
        return broken(format!(
            "{} old nodes, {} new nodes, {} confidences: the columns of a matching have one length",
            old.len(),
            new.len(),
            confidence.len()
        ));
    }
    let mut taken = vec![false; new_tree.len()];
    for (row, (&a, &b)) in old.iter().zip(new).enumerate() {
        if a as usize >= old_tree.len() || b as usize >= new_tree.len() {
            return broken(format!(
                "pair ({a}, {b}) names a node that is not there: the trees have {} and {} nodes",
                old_tree.len(),
                new_tree.len()
            ));
        }
        if row > 0 && old[row - 1] >= a {
            return broken(format!("old node {a} is paired twice, or out of order"));
        }
        if std::mem::replace(&mut taken[b as usize], true) {
            return broken(format!("new node {b} is paired twice"));
        }
        if old_tree.kind(a as usize) != new_tree.kind(b as usize) {
            return broken(format!("pair ({a}, {b}) joins two kinds of node"));
        }
        if !(0.0..=1.0).contains(&confidence[row]) {
            return broken(format!(
                "the confidence of pair ({a}, {b}) is {}, not in [0, 1]",
                confidence[row]
            ));
        }
    }
    Ok(())
}

/// The pairs of elements, by element index (elements in document order from 0, template contents
/// left out), and the row of each among the pairs given.
pub fn element_pairs(
    old_tree: &Tree,
    new_tree: &Tree,
    old: &[u32],
    new: &[u32],
) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let (old_index, new_index) = (old_tree.element_index(), new_tree.element_index());
    let (mut olds, mut news, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for (row, (&a, &b)) in old.iter().zip(new).enumerate() {
        let (a, b) = (old_index[a as usize], new_index[b as usize]);
        if a != NONE && b != NONE {
            olds.push(a);
            news.push(b);
            rows.push(row as u32);
        }
    }
    (olds, news, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::{brackets, Limits};

    #[test]
    fn a_broken_promise_is_named() {
        let tree = brackets::parse("{a{b}{c}}", Limits::default()).unwrap();
        let wrong =
            |old: &[u32], new: &[u32]| match check(&tree, &tree, old, new, &vec![1.0; old.len()]) {
                Err(Error::Match(words)) => words,
                other => panic!("{other:?}"),
            };
        assert!(wrong(&[1, 2], &[1]).contains("one length"));
        assert!(wrong(&[9], &[1]).contains("not there"));
        assert!(wrong(&[2, 1], &[1, 2]).contains("order"));
        assert!(wrong(&[1, 2], &[2, 2]).contains("twice"));
        assert!(wrong(&[0], &[1]).contains("kinds"));
        assert!(check(&tree, &tree, &[0, 1], &[0, 3], &[1.0, 1.5]).is_err());
        assert!(check(&tree, &tree, &[0, 1], &[0, 3], &[1.0, 0.5]).is_ok());
    }
}
