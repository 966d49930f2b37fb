//! How sure each pair is.

use super::equal_subtrees;
use super::evidence::Evidence;
use super::rounds::Candidate;
use treelace_tree::tree::NONE;

/// A rival that says this much less than a pair by itself would not do as well.
const CLEAR: f32 = 3.0;

/// For each matched old row by how much its pair beats all that could be instead, as log-odds: no
/// partner at all, another partner for either. What has a better partner of its own is a rival only
/// by as much as it would lose by staying.
pub(super) fn margins(
    evidence: &Evidence,
    candidates: &[Vec<Candidate>],
    to_new: &[u32],
) -> Vec<f32> {
    let new = evidence.new.len();
    let mut old_score = vec![0.0f32; to_new.len()];
    let mut new_score = vec![0.0f32; new];
    let holds = |i: usize, candidate: &&Candidate| to_new[i] == candidate.row;
    for (i, candidates) in candidates.iter().enumerate() {
        if let Some(candidate) = candidates.iter().find(|candidate| holds(i, candidate)) {
            old_score[i] = candidate.score;
            new_score[candidate.row as usize] = candidate.score;
        }
    }
    let mut old_rivals = vec![0.0f32; to_new.len()];
    let mut new_rivals = vec![0.0f32; new];
    for (i, candidates) in candidates.iter().enumerate() {
        for candidate in candidates.iter().filter(|candidate| !holds(i, candidate)) {
            let j = candidate.row as usize;
            old_rivals[i] += (candidate.score - new_score[j]).min(40.0).exp();
            new_rivals[j] += (candidate.score - old_score[i]).min(40.0).exp();
        }
    }
    let margin = |i: usize| match to_new[i] {
        NONE => 0.0,
        j => old_score[i] - (1.0 + old_rivals[i] + new_rivals[j as usize]).ln(),
    };
    let mut margins: Vec<f32> = (0..to_new.len()).map(margin).collect();
    equal_subtrees::follow(evidence, to_new, &mut margins);
    margins
}

/// For each matched old row how near a free sibling comes to either of the pair, by what pairs say
/// by themselves, from 0 to 1: a copy beside it would do as well, and what was matched around and
/// inside the pair only echoes it. What stands in a doubtful pair is as doubtful.
pub(super) fn near_copies(
    evidence: &Evidence,
    candidates: &[Vec<Candidate>],
    to_new: &[u32],
) -> Vec<f32> {
    let (old, new) = (&evidence.old, &evidence.new);
    let mut to_old = vec![NONE; new.len()];
    let mut own = vec![f32::INFINITY; old.len()];
    for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        to_old[j as usize] = i as u32;
        if let Some(candidate) = candidates[i].iter().find(|candidate| candidate.row == j) {
            own[i] = candidate.alone;
        }
    }
    let mut near = vec![0.0f32; old.len()];
    for (i, candidates) in candidates.iter().enumerate().skip(1) {
        for candidate in candidates {
            let (j, to) = (candidate.row as usize, to_new[i]);
            let holder = to_old[j];
            let pair = if to == NONE && holder != NONE {
                (old.parent[holder as usize] == old.parent[i]).then_some(holder as usize)
            } else if to != NONE && holder == NONE {
                (new.parent[to as usize] == new.parent[j]).then_some(i)
            } else {
                None
            };
            if let Some(pair) = pair {
                let closeness = 1.0 - (own[pair] - candidate.alone) / CLEAR;
                near[pair] = near[pair].max(closeness.clamp(0.0, 1.0));
            }
        }
    }
    for i in 1..old.len() {
        near[i] = near[i].max(near[old.parent[i] as usize]);
    }
    near
}
