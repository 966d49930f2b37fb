//! Simple tree matching (Yang 1991; Zhai & Liu, DEPTA, Figure 9): the most pairs of nodes with
//! equal labels, parents first, in order.
//!
//! `STM(A, B) = 0` if the roots' labels differ, else `1 + M[m, n]` with `M[i, j] = max(M[i, j-1],
//! M[i-1, j], M[i-1, j-1] + STM(Ai, Bj))`. Put as a cost, |A| + |B| - 2 STM, it is Selkow's
//! distance without renames, and runs as the same program. Ties go to the earliest pairs.

use super::top_down::{run, Meeting, Rule};
use super::Restricted;
use crate::classes::classes;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// The cost |A| + |B| - 2 STM, and the pairs.
pub fn simple(
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
            } else if old.label[a] != new.label[b] {
                Meeting::Apart((old.size_of(a) + new.size_of(b)) as u64)
            } else {
                Meeting::Open(0)
            }
        },
        delete: |a: usize| old.size_of(a) as u64,
        insert: |b: usize| new.size_of(b) as u64,
    };
    run(old, new, &rule, wants_pairs, limits, watch)
}

/// The number of pairs, a document that holds a forest not counted.
pub fn score(old: &Shape, new: &Shape, found: &Restricted) -> u64 {
    ((old.size() + new.size()) as u64 - found.distance) / 2
}
