//! What stands in two equal subtrees that are partners belongs together.

use super::evidence::Evidence;
use treelace_tree::tree::NONE;

/// Pairs the rows of equal subtrees that are partners one by one. Linear.
pub(super) fn pair_inside(evidence: &Evidence, to_new: &mut [u32], to_old: &mut [u32]) {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut i = 1;
    while i < old.len() {
        let j = to_new[i];
        if j == NONE || old.digest[i] != new.digest[j as usize] {
            i += 1;
            continue;
        }
        let end = old.end[i] as usize;
        for (inside, partner) in (i + 1..end).zip(j + 1..) {
            let (lost, evicted) = (to_new[inside], to_old[partner as usize]);
            if lost == partner {
                continue;
            }
            if lost != NONE {
                to_old[lost as usize] = NONE;
            }
            if evicted != NONE {
                to_new[evicted as usize] = NONE;
            }
            to_new[inside] = partner;
            to_old[partner as usize] = inside as u32;
        }
        i = end;
    }
}

/// Makes the margins of what stands in equal subtrees those of the subtrees, where these are
/// higher.
pub(super) fn follow(evidence: &Evidence, to_new: &[u32], margins: &mut [f32]) {
    let (old, new) = (&evidence.old, &evidence.new);
    for i in 1..to_new.len() {
        let parent = old.parent[i] as usize;
        let to = to_new[parent];
        if to_new[i] != NONE && to != NONE && old.digest[parent] == new.digest[to as usize] {
            margins[i] = margins[i].max(margins[parent]);
        }
    }
}
