//! Which lists of the old tree share matched rows with which lists of the new one.
//!
//! The list of a row holds the rows that have the same nearest matched ancestor.

use super::context::Context;
use treelace_tree::tree::NONE;

/// New lists remembered that rows of one old list went to.
const LISTS: usize = 8;

/// Which lists go together: how much the pairs have to say that stand in each pair of lists.
pub(super) struct SharedLists {
    /// For each old row the span of what its list has in common with new lists.
    start: Vec<u32>,
    shared: Vec<(u32, f32)>,
    /// How much all matched rows of each list have to say.
    old_total: Vec<f32>,
    new_total: Vec<f32>,
}

impl SharedLists {
    pub(super) fn new(
        (old_voice, new_voice): (&[f32], &[f32]),
        to_new: &[u32],
        old_owner: &[u32],
        new_owner: &[u32],
    ) -> SharedLists {
        let (mut old_total, mut new_total) = (vec![0.0; to_new.len()], vec![0.0; new_owner.len()]);
        let mut start = vec![0u32; to_new.len() + 1];
        for i in (1..to_new.len()).filter(|&i| to_new[i] != NONE) {
            start[old_owner[i] as usize + 1] += 1;
        }
        for i in 0..to_new.len() {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut shared = vec![(NONE, 0.0f32); start[to_new.len()] as usize];
        for i in (1..to_new.len()).filter(|&i| to_new[i] != NONE) {
            let (a, b) = (old_owner[i] as usize, new_owner[to_new[i] as usize]);
            let (mine, yours) = (old_voice[i], new_voice[to_new[i] as usize]);
            old_total[a] += mine;
            new_total[b as usize] += yours;
            let list = &mut shared[start[a] as usize..next[a] as usize];
            let said = mine + yours;
            if let Some(known) = list.iter_mut().rev().take(LISTS).find(|known| known.0 == b) {
                known.1 += said;
            } else {
                shared[next[a] as usize] = (b, said);
                next[a] += 1;
            }
        }
        SharedLists { start, shared, old_total, new_total }
    }

    /// How much the other rows of both lists say for these lists, and how much against.
    pub(super) fn of(&self, context: &Context, i: usize, j: usize) -> (f32, f32) {
        let (a, b) = (context.old_owner[i] as usize, context.new_owner[j]);
        let list = &self.shared[self.start[a] as usize..self.start[a + 1] as usize];
        let mut together = list
            .iter()
            .take_while(|known| known.0 != NONE)
            .take(LISTS)
            .find(|known| known.0 == b)
            .map_or(0.0, |known| known.1);
        let mut total = self.old_total[a] + self.new_total[b as usize];
        let (to, from) = (context.to_new[i], context.to_old[j]);
        if to != NONE {
            total -= context.old_voice[i];
        }
        if from != NONE {
            total -= context.new_voice[j];
        }
        if to != NONE && context.new_owner[to as usize] == b {
            together -= context.old_voice[i] + context.new_voice[to as usize];
            if to != j as u32 {
                total -= context.new_voice[to as usize];
            }
        }
        if from != NONE && from != i as u32 && context.old_owner[from as usize] == a as u32 {
            together -= context.old_voice[from as usize] + context.new_voice[j];
            total -= context.old_voice[from as usize];
        }
        let together = together.max(0.0);
        (together, (total - together).max(0.0))
    }
}
