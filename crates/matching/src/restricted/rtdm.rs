//! RTDM (Reis, Golgher, Silva, Laender, "Automatic web news extraction using tree edit distance",
//! WWW 2004): top-down, renaming only where one side is a leaf, equal subtrees for nothing.
//!
//! The cost of two nodes that meet: 0 if their subtrees are equal; `[a ≠ b] + (|T(a)| - 1) +
//! (|T(b)| - 1)` if either is a leaf; children lined up if both are inner nodes with equal labels.
//! Inner nodes with two labels never meet; where they are the roots, the distance is |T1| + |T2|.
//! The paper also stops above a threshold, which is left out.

use super::top_down::{run, Meeting, Rule};
use super::Restricted;
use crate::classes::classes;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// The distance and its mapping.
pub fn rtdm(
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    let (old_class, new_class) = classes(old, new);
    let rule = Rule {
        meet: |a: usize, b: usize| {
            let apart = (old.size_of(a) + new.size_of(b)) as u64;
            let same = old.label[a] == new.label[b];
            if old_class[a] == new_class[b] {
                Meeting::Equal
            } else if !same_kind(old.label[a], new.label[b]) {
                Meeting::Apart(apart)
            } else if old.is_leaf(a) || new.is_leaf(b) {
                Meeting::Alone(apart - 2 + u64::from(!same))
            } else if same {
                Meeting::Open(0)
            } else {
                Meeting::Apart(apart)
            }
        },
        delete: |a: usize| old.size_of(a) as u64,
        insert: |b: usize| new.size_of(b) as u64,
    };
    run(old, new, &rule, wants_pairs, limits, watch)
}
