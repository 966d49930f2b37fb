//! Partners for what the rounds leave out: blank texts, comments, instructions, the doctype, and
//! texts where texts do not count.
//!
//! They follow their parents. Between two siblings that are matched, nodes of one kind are paired
//! in order.

use super::tokens::ByHash;
use treelace_tree::tree::{Kind, Tree, NONE};

/// Adds pairs to `to_new` (by tree index, [`NONE`] for no partner) below parents that are matched.
/// Linear.
pub(super) fn pair(old: &Tree, new: &Tree, to_new: &mut [u32]) {
    let mut is_taken = vec![false; new.len()];
    for &partner in to_new.iter().filter(|&&partner| partner != NONE) {
        is_taken[partner as usize] = true;
    }
    // what waits in the new tree after a matched sibling (or at the start), by kind; taken from the
    // front
    let mut waiting: ByHash<(Vec<u32>, usize)> = ByHash::default();
    let key = |slot: u32, kind: Kind| {
        (u64::from(slot) << 3 | kind as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    for parent in 0..old.len() {
        let other = to_new[parent];
        if other == NONE
            || old.first_child(parent).is_none()
            || new.first_child(other as usize).is_none()
        {
            continue;
        }
        waiting.clear();
        let mut slot = NONE;
        for child in new.children(other as usize) {
            if is_taken[child] {
                slot = child as u32;
            } else if new.kind(child) != Kind::Element {
                waiting.entry(key(slot, new.kind(child))).or_default().0.push(child as u32);
            }
        }
        if waiting.is_empty() {
            continue;
        }
        slot = NONE;
        let mut at = parent + 1;
        while at < old.end(parent) {
            let child = at;
            at = old.end(child);
            if to_new[child] != NONE {
                slot = to_new[child];
            } else if old.kind(child) != Kind::Element {
                if let Some((nodes, next)) = waiting.get_mut(&key(slot, old.kind(child))) {
                    if *next < nodes.len() {
                        to_new[child] = nodes[*next];
                        *next += 1;
                    }
                }
            }
        }
    }
}
