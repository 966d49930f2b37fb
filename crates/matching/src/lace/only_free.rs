//! A last look at elements without a partner: the only one of its name between two partners, on
//! both sides.
//!
//! Scores ask for likeness. What a site rewrote in its place has none left, and yet nothing else
//! could be meant: the parents are partners, so are the siblings before, and no other element of
//! the name is free there. Where something in the one has a partner, something in the other must be
//! it.

use super::evidence::Evidence;
use super::tokens::ByHash;
use treelace_tree::tree::NONE;

/// Rows looked at inside each of two elements.
const INSIDE: usize = 256;

/// Who is free after a sibling: nobody yet, one, or several.
#[derive(Clone, Copy, Default)]
struct Free {
    old: u32,
    new: u32,
    old_count: u32,
    new_count: u32,
}

/// Adds such pairs, parents before children, and says for which old rows. Linear.
pub(super) fn pair(evidence: &Evidence, to_new: &mut [u32]) -> Vec<u32> {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut to_old = vec![NONE; new.len()];
    for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        to_old[j as usize] = i as u32;
    }
    let mut added = Vec::new();
    let mut free: ByHash<Free> = ByHash::default();
    for parent in 0..old.len() {
        let other = to_new[parent];
        let is_free =
            |child: &u32| to_new[*child as usize] == NONE && !old.is_text(*child as usize);
        if other == NONE || !old.children(parent).iter().any(is_free) {
            continue;
        }
        free.clear();
        let key = |after: u32, label: u64| {
            label ^ (u64::from(after) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        };
        let mut after = NONE;
        for &child in old.children(parent) {
            let to = to_new[child as usize];
            if to != NONE && new.parent[to as usize] == other {
                after = to;
            } else if to == NONE {
                let here = free.entry(key(after, old.label[child as usize])).or_default();
                here.old = child;
                here.old_count += 1;
            }
        }
        after = NONE;
        for &child in new.children(other as usize) {
            let from = to_old[child as usize];
            if from != NONE && old.parent[from as usize] == parent as u32 {
                after = child;
            } else if from == NONE {
                let here = free.entry(key(after, new.label[child as usize])).or_default();
                here.new = child;
                here.new_count += 1;
            }
        }
        for here in free.values() {
            let (i, j) = (here.old as usize, here.new as usize);
            if (here.old_count, here.new_count) == (1, 1)
                && !old.is_text(i)
                && may_be(evidence, (to_new, &to_old), i, j)
            {
                to_new[i] = j as u32;
                to_old[j] = i as u32;
                added.push(i as u32);
            }
        }
    }
    added
}

/// Whether what has a partner in the one has it in the other, or nothing has one.
fn may_be(evidence: &Evidence, (to_new, to_old): (&[u32], &[u32]), i: usize, j: usize) -> bool {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut inside =
        (i + 1..old.end[i] as usize).take(INSIDE).map(|row| to_new[row]).filter(|&to| to != NONE);
    let mut back =
        (j + 1..new.end[j] as usize).take(INSIDE).map(|row| to_old[row]).filter(|&to| to != NONE);
    let mut has_any = false;
    let mut goes = inside.by_ref().inspect(|_| has_any = true);
    if goes.any(|to| new.holds(j as u32, to)) {
        return true;
    }
    !has_any && back.next().is_none()
}
