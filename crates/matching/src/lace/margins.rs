//! By how much each pair beats its rivals.

use super::equal_subtrees;
use super::evidence::Evidence;
use super::rounds::Candidate;
use treelace_tree::tree::NONE;

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
