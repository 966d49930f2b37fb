//! Selkow's distance ("The tree-to-tree editing problem", 1977): insertions and deletions take
//! whole subtrees, node by node, so roots are always paired and children only below paired parents.
//! `S(a, b) = [a ≠ b] + E(children; |T|, |T|, S)`. O(nm).

use super::top_down::{run, Meeting, Rule};
use super::Restricted;
use crate::classes::classes;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// The distance and its mapping.
pub fn selkow(
    old: &Shape,
    new: &Shape,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Restricted> {
    let (old_class, new_class) = classes(old, new);
    let rule = Rule {
        meet: |a: usize, b: usize| {
            if old_class[a] == new_class[b] {
                Meeting::Equal
            } else if !same_kind(old.label[a], new.label[b]) {
                Meeting::Apart((old.size_of(a) + new.size_of(b)) as u64)
            } else {
                Meeting::Open(u64::from(old.label[a] != new.label[b]))
            }
        },
        delete: |a: usize| old.size_of(a) as u64,
        insert: |b: usize| new.size_of(b) as u64,
    };
    run(old, new, &rule, wants_pairs, limits, watch)
}
