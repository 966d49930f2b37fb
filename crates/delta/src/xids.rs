//! XIDs: node identities that survive versions.
//!
//! In a first version the XID of a node is its position in post-order from 1; the document has 0. A
//! matched node keeps its XID, a new one gets the next free number in post-order of the new
//! document, and a number is never used again (Marian et al. 2001).

use std::fmt::Write;

use treelace_tree::error::{Error, Result};
use treelace_tree::tree::Tree;

/// The XIDs of all nodes of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xids {
    /// XID by node index; `of[0]` is 0.
    pub of: Vec<u64>,
    /// The first number that was never used.
    pub next: u64,
}

impl Xids {
    /// The XIDs of a first version.
    pub fn first(tree: &Tree) -> Self {
        let mut of = vec![0; tree.len()];
        let mut next = 1;
        for node in tree.post_order() {
            if node != 0 {
                of[node as usize] = next;
                next += 1;
            }
        }
        Xids { of, next }
    }

    /// Whether these are the numbers a first version has.
    pub fn is_first(&self, tree: &Tree) -> bool {
        self.next == tree.len() as u64 && *self == Xids::first(tree)
    }

    /// The XIDs in post-order, the document left out, as runs: `1-2;9-13;8`.
    pub fn to_map(&self, tree: &Tree) -> String {
        runs(
            tree.post_order()
                .into_iter()
                .filter(|&node| node != 0)
                .map(|node| self.of[node as usize]),
        )
    }

    /// Reads what [`Xids::to_map`] wrote for a tree of this shape.
    pub fn from_map(tree: &Tree, map: &str, next: u64) -> Result<Self> {
        let listed = read_runs(map, tree.len())?;
        if listed.len() + 1 != tree.len() {
            return Err(Error::Damaged(format!(
                "XID map: {} numbers for {} nodes",
                listed.len(),
                tree.len() - 1
            )));
        }
        let mut of = vec![0; tree.len()];
        for (node, xid) in tree.post_order().into_iter().filter(|&node| node != 0).zip(&listed) {
            of[node as usize] = *xid;
        }
        let xids = Xids { of, next };
        xids.check()?;
        Ok(xids)
    }

    /// Every number is used once, is not 0 (but for the document) and lies below `next`.
    pub fn check(&self) -> Result<()> {
        let mut sorted = self.of.clone();
        sorted.sort_unstable();
        let is_fine = self.of.first() == Some(&0)
            && sorted.windows(2).all(|pair| pair[0] < pair[1])
            && sorted.last() < Some(&self.next);
        if is_fine || (self.of.len() == 1 && self.of[0] == 0) {
            return Ok(());
        }
        Err(Error::Damaged("XIDs: a number is used twice, or was never given out".to_string()))
    }
}

/// Numbers as runs: `3-7;9`.
pub fn runs(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut out = String::new();
    let mut run: Option<(u64, u64)> = None;
    let close = |run: (u64, u64), out: &mut String| {
        let separator = if out.is_empty() { "" } else { ";" };
        let written = if run.0 == run.1 {
            write!(out, "{separator}{}", run.0)
        } else {
            write!(out, "{separator}{}-{}", run.0, run.1)
        };
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    };
    for number in numbers {
        run = match run {
            Some((from, to)) if to.checked_add(1) == Some(number) => Some((from, number)),
            Some(finished) => {
                close(finished, &mut out);
                Some((number, number))
            }
            None => Some((number, number)),
        };
    }
    if let Some(finished) = run {
        close(finished, &mut out);
    }
    out
}

/// Reads runs; at most `most` numbers, so that a hostile `1-999999999999` costs nothing.
pub fn read_runs(text: &str, most: usize) -> Result<Vec<u64>> {
    let wrong = || {
        Error::Damaged(format!(
            "XID map: '{}' is no list of runs",
            text.chars().take(40).collect::<String>()
        ))
    };
    let mut numbers = Vec::new();
    for part in text.split(';').filter(|part| !part.is_empty()) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (u64, u64) =
            (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
        if to < from
            || to == u64::MAX
            || (to - from) >= most as u64
            || numbers.len() + (to - from) as usize >= most
        {
            return Err(wrong());
        }
        numbers.extend(from..=to);
    }
    Ok(numbers)
}
