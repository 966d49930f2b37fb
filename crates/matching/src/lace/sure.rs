//! How sure each pair is, once all pairs are made.
//!
//! By how much a pair beats its rivals is log-odds already. But what was matched around a pair and
//! inside it only echoes it: of two copies beside each other either is as good, whatever the
//! children say. So a second forest of small trees also looks at what stands beside either of the
//! pair and would do as well by itself, at the pairs that hold this one, and at how much of the
//! page is gone, was added, or was added beside something like it. Which nodes are paired does not
//! depend on it.

use super::evidence::Evidence;
use super::forest::{read_all, Forest};
use super::rounds::Candidate;
use treelace_tree::tree::NONE;

/// How many numbers there are to see of a pair: by how much it beats its rivals, and the least by
/// which one that holds it does; how near a free sibling of the old row comes, of the new row, of
/// either of a pair that holds it, and a sibling that has another partner; the share of the old
/// rows, and of the new rows, without a partner; of the largest such subtrees the share beside
/// something like it, old and new; and whether it is a text.
pub const SEEN: usize = 11;
/// A pair that beats its rivals by this much could not be surer.
const MOST: f32 = 20.0;
/// A rival that says this much less than a pair by itself would not do as well.
const CLEAR: f32 = 3.0;
/// One that comes this near is like it.
const LIKE: f32 = 0.8;
/// So few subtrees without a partner say little of a page.
const FEW: usize = 3;

/// The forest for matching with texts or without.
pub(super) fn forest(with_text: bool) -> &'static Forest<SEEN> {
    static FORESTS: std::sync::OnceLock<[Forest<SEEN>; 2]> = std::sync::OnceLock::new();
    let forests = FORESTS.get_or_init(|| read_all(include_bytes!("generated/confidence.bin")));
    &forests[usize::from(!with_text)]
}

/// The probability that each matched old row is right.
pub(super) fn confidence(seen: &[[f32; SEEN]], forest: Option<&Forest<SEEN>>) -> Vec<f64> {
    let probability = |odds: f32| 1.0 / (1.0 + f64::from(-odds).exp());
    let mut last = ([f32::NAN; SEEN], 0.0);
    let mut ask = |seen: &[f32; SEEN]| {
        // most of a page looks the same
        if last.0 != *seen {
            last = (*seen, probability(forest.map_or(seen[0], |forest| forest.ask(seen))));
        }
        last.1
    };
    seen.iter().map(&mut ask).collect()
}

/// What there is to see of each matched old row.
pub(super) fn seen(
    evidence: &Evidence,
    candidates: &[Vec<Candidate>],
    to_new: &[u32],
    margins: &[f32],
) -> Vec<[f32; SEEN]> {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut to_old = vec![NONE; new.len()];
    for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        to_old[j as usize] = i as u32;
    }
    let beside = Beside::of(evidence, candidates, to_new, &to_old);
    let [gone, added, gone_beside, added_beside] = [
        free(to_new),
        free(&to_old),
        free_beside(to_new, &old.parent, &beside.old_is_like),
        free_beside(&to_old, &new.parent, &beside.new_is_like),
    ];
    let mut seen = vec![[0.0; SEEN]; old.len()];
    let (mut weakest, mut around) = (vec![MOST; old.len()], vec![0.0f32; old.len()]);
    for i in 1..old.len() {
        let parent = old.parent[i] as usize;
        let has_partner = parent != 0 && to_new[parent] != NONE;
        weakest[i] = weakest[parent].min(if has_partner { margins[parent] } else { MOST });
        around[i] = around[parent].max(beside.free_old[parent]).max(beside.free_new[parent]);
        if to_new[i] != NONE {
            seen[i] = [
                margins[i].min(MOST),
                weakest[i],
                beside.free_old[i],
                beside.free_new[i],
                around[i],
                beside.taken[i],
                gone,
                added,
                gone_beside,
                added_beside,
                f32::from(u8::from(old.is_text(i))),
            ];
        }
    }
    seen
}

/// The share of the rows without a partner.
fn free(to: &[u32]) -> f32 {
    to.iter().filter(|&&to| to == NONE).count() as f32 / to.len() as f32
}

/// Of the rows without a partner whose parent has one, the share that stands beside something like
/// it.
fn free_beside(to: &[u32], parent: &[u32], is_like: &[bool]) -> f32 {
    let is_top = |&i: &usize| to[i] == NONE && to[parent[i] as usize] != NONE;
    let (mut all, mut like) = (FEW, 0);
    for i in (1..to.len()).filter(is_top) {
        all += 1;
        like += usize::from(is_like[i]);
    }
    like as f32 / all as f32
}

/// What stands beside either of each pair: how near it comes, by what pairs say by themselves, from
/// 0 to 1.
struct Beside {
    /// A free sibling of the old row.
    free_old: Vec<f32>,
    /// A free sibling of the new row.
    free_new: Vec<f32>,
    /// A sibling of either that has another partner.
    taken: Vec<f32>,
    /// Whether an old row is free and like a sibling.
    old_is_like: Vec<bool>,
    /// Whether a new row is.
    new_is_like: Vec<bool>,
}

impl Beside {
    fn of(
        evidence: &Evidence,
        candidates: &[Vec<Candidate>],
        to_new: &[u32],
        to_old: &[u32],
    ) -> Beside {
        let (old, new) = (&evidence.old, &evidence.new);
        let own = |(i, &j): (usize, &u32)| {
            let own = candidates[i].iter().find(|candidate| candidate.row == j);
            own.map_or(f32::INFINITY, |own| own.alone)
        };
        let own: Vec<f32> = to_new.iter().enumerate().map(own).collect();
        let near = |pair: usize, alone: f32| (1.0 - (own[pair] - alone) / CLEAR).clamp(0.0, 1.0);
        let mut found = Beside {
            free_old: vec![0.0; old.len()],
            free_new: vec![0.0; old.len()],
            taken: vec![0.0; old.len()],
            old_is_like: vec![false; old.len()],
            new_is_like: vec![false; new.len()],
        };
        for (i, candidates) in candidates.iter().enumerate().skip(1) {
            let to = to_new[i];
            for candidate in candidates.iter().filter(|candidate| candidate.row != to) {
                let j = candidate.row as usize;
                let holder = to_old[j];
                if holder != NONE && old.parent[holder as usize] == old.parent[i] {
                    let near = near(holder as usize, candidate.alone);
                    let rival = if to == NONE { &mut found.free_old } else { &mut found.taken };
                    rival[holder as usize] = rival[holder as usize].max(near);
                    found.old_is_like[i] |= to == NONE && near > LIKE;
                }
                if to != NONE && new.parent[to as usize] == new.parent[j] {
                    let near = near(i, candidate.alone);
                    let rival = if holder == NONE { &mut found.free_new } else { &mut found.taken };
                    rival[i] = rival[i].max(near);
                    found.new_is_like[j] |= holder == NONE && near > LIKE;
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_trees_the_margin_is_the_log_odds() {
        let mut seen = [[0.0; SEEN]; 2];
        seen[1][0] = 2.0;
        let sure = confidence(&seen, None);
        assert_eq!(sure[0], 0.5);
        assert!((sure[1] - 1.0 / (1.0 + (-2.0f64).exp())).abs() < 1e-6);
    }

    #[test]
    fn what_was_added_beside_something_like_it_is_counted_at_its_top() {
        let (to, parent) = ([0, 1, NONE, NONE, 2], [NONE, 0, 0, 2, 0]);
        let is_like = [false, false, true, true, true];
        assert_eq!(free_beside(&to, &parent, &is_like), 1.0 / (1 + FEW) as f32);
        assert_eq!(free(&to), 0.4);
    }
}
