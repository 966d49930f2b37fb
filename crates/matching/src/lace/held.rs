//! Places that the neighbours hold: rows that look like many others are told apart by what stands
//! on both sides of them.
//!
//! Two siblings that stand out by themselves and have partners under one parent, as far apart there
//! as here, leave no doubt about the rows between them, if these are alike one by one. The ends of
//! two lists are as good as a sibling.

use super::evidence::Evidence;
use super::side::Side;
use treelace_tree::tree::NONE;

/// A sibling that has this much to say, of 1, holds places beside it.
const HOLDS: f32 = 0.5;
/// At most so many places from one sibling to the next.
const PLACES: usize = 12;

/// For each old row the new row that its neighbours hold for it, or [`NONE`]. Linear.
pub(super) fn held(evidence: &Evidence, to_new: &[u32], voice: &[f32]) -> Vec<u32> {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut place = vec![0usize; new.len()];
    for parent in 0..new.len() {
        for (at, &child) in new.children(parent).iter().enumerate() {
            place[child as usize] = at;
        }
    }
    let mut held = vec![NONE; old.len()];
    for parent in (0..old.len()).filter(|&parent| to_new[parent] != NONE) {
        let (mine, yours) = (old.children(parent), new.children(to_new[parent] as usize));
        let mut hold = |from: Option<(usize, usize)>, to: Option<(usize, usize)>| {
            let (i, j) = from.map_or((0, 0), |(i, j)| (i + 1, j + 1));
            let (i_end, j_end) = to.unwrap_or((mine.len(), yours.len()));
            let is_held = i_end - i <= PLACES && j <= j_end && i_end - i == j_end - j;
            if is_held && (from.is_some() || to.is_some()) {
                for (&i, &j) in mine[i..i_end].iter().zip(&yours[j..j_end]) {
                    if evidence.is_alike(i as usize, j as usize) {
                        held[i as usize] = j;
                    }
                }
            }
        };
        let mut last = None;
        for (at, &child) in mine.iter().enumerate() {
            let to = to_new[child as usize];
            if to != NONE
                && new.parent[to as usize] == to_new[parent]
                && voice[child as usize] >= HOLDS
            {
                let here = Some((at, place[to as usize]));
                hold(last, here);
                last = here;
            }
        }
        hold(last, None);
    }
    held
}

impl Evidence {
    /// Whether two rows may be one that changed little: equal, or equal in themselves or in all
    /// they hold where neither stands elsewhere as it is.
    fn is_alike(&self, i: usize, j: usize) -> bool {
        let (old, new) = (&self.old, &self.new);
        old.digest[i] == new.digest[j]
            || (old.label[i] == new.label[j]
                && (old.alone[i] == new.alone[j] || hold_the_same(old, new, i, j))
                && !self.is_in_both(old.digest[i])
                && !self.is_in_both(new.digest[j]))
    }
}

fn hold_the_same(old: &Side, new: &Side, i: usize, j: usize) -> bool {
    let (mine, yours) = (old.children(i), new.children(j));
    !mine.is_empty()
        && mine.len() == yours.len()
        && mine.iter().zip(yours).all(|(&a, &b)| old.digest[a as usize] == new.digest[b as usize])
}
