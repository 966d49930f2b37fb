//! A second look at rows in doubt, in the later rounds: decision trees weigh what a sum of evidence cannot.
//!
//! A sum weighs every piece of evidence by itself. Whether a lost attribute matters depends on what else is there, and whether
//! a pair is right depends on what else either could be paired with. So where the best candidate does not stand out, a forest
//! of small trees (`forest.rs`, written by `python -m experiments.lace_quality.forest`) looks at the pieces, at their sum and at the
//! rivals, and says the log-odds that the pair is right.

use super::rounds::Candidate;
use super::weights::TERMS;

/// What the trees look at: the evidence by kind; its sum; the best rival on either side; how many candidates come near on either side.
pub const FEATURES: usize = TERMS + 5;

/// A row is in doubt if its best candidate does not beat the next one, or no partner at all, by this much,
const CLEAR: f32 = 3.0;
/// unless even the best is this far below what a pair must reach.
const LOST: f32 = -6.0;
/// Candidates so far below the best one are not looked at again,
const REACH: f32 = 4.0;
/// nor counted as rivals so far below.
const NEAR: f32 = 8.0;
/// No rival at all.
const ALONE: f32 = -20.0;
/// Marks a leaf.
const LEAF: u8 = u8::MAX;

/// A node of a tree, its left child behind it: the feature it asks for (or [`LEAF`]), the bound (or what the leaf says), the right child.
pub(super) type Node = (u8, f32, u16);

/// The best two scores and the number of those that want one row.
#[derive(Clone, Copy)]
pub(super) struct Rivals {
    best: f32,
    second: f32,
    count: f32,
}

impl Rivals {
    const NONE: Rivals = Rivals { best: ALONE, second: ALONE, count: 0.0 };

    fn add(&mut self, score: f32) {
        self.count += 1.0;
        if score > self.best {
            self.second = self.best;
            self.best = score;
        } else if score > self.second {
            self.second = score;
        }
    }

    /// The best one but for one with this score.
    fn other_than(&self, score: f32) -> f32 {
        if score >= self.best {
            self.second
        } else {
            self.best
        }
    }

    /// Those of an old row.
    pub(super) fn of(candidates: &[Candidate]) -> Rivals {
        let mut rivals = Rivals::NONE;
        let best = candidates.iter().map(|candidate| candidate.score).fold(f32::NEG_INFINITY, f32::max);
        near(candidates, best).for_each(|candidate| rivals.add(candidate.score));
        rivals
    }

    /// Whether the row is in doubt.
    pub(super) fn doubt(&self) -> bool {
        self.best > LOST && self.best - self.second.max(0.0) < CLEAR
    }

    /// Whether a candidate with this score deserves a second look.
    pub(super) fn reaches(&self, score: f32) -> bool {
        score > self.best - REACH
    }
}

fn near(candidates: &[Candidate], best: f32) -> impl Iterator<Item = &Candidate> {
    candidates.iter().filter(move |candidate| candidate.is_live && candidate.score >= best.max(-2.0) - NEAR)
}

/// Those of every new row.
pub(super) fn of_new(candidates: &[Vec<Candidate>], rows: usize) -> Vec<Rivals> {
    let mut rivals = vec![Rivals::NONE; rows];
    for candidates in candidates {
        let best = candidates.iter().map(|candidate| candidate.score).fold(f32::NEG_INFINITY, f32::max);
        for candidate in near(candidates, best) {
            rivals[candidate.row as usize].add(candidate.score);
        }
    }
    rivals
}

/// Completes the features whose first ones are the evidence by kind.
pub(super) fn complete(features: &mut [f32; FEATURES], score: f32, old: &Rivals, new: &Rivals) {
    features[TERMS..].copy_from_slice(&[score, old.other_than(score), new.other_than(score), old.count, new.count]);
}

/// The log-odds that a pair is right.
pub(super) fn ask(forest: &[Node], roots: &[u16], features: &[f32; FEATURES]) -> f32 {
    let mut sum = 0.0;
    for &root in roots {
        let mut at = root as usize;
        loop {
            let (feature, bound, right) = forest[at];
            if feature == LEAF {
                sum += bound;
                break;
            }
            at = if features[feature as usize] <= bound { at + 1 } else { right as usize };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::forest::{NODES, ROOTS};
    use super::*;

    #[test]
    fn a_tree_goes_left_up_to_the_bound_and_trees_add_up() {
        let forest = [(0, 1.5, 2), (LEAF, -1.0, 0), (LEAF, 2.0, 0), (LEAF, 0.25, 0)];
        let mut features = [0.0; FEATURES];
        features[0] = 1.5;
        assert_eq!(ask(&forest, &[0, 3], &features), -0.75);
        features[0] = 1.6;
        assert_eq!(ask(&forest, &[0, 3], &features), 2.25);
    }

    #[test]
    fn every_path_of_the_forest_ends_in_a_leaf() {
        for (nodes, roots) in NODES.iter().zip(ROOTS) {
            assert!(roots.iter().all(|&root| (root as usize) < nodes.len()));
            for (at, &(feature, bound, right)) in nodes.iter().enumerate() {
                // children come behind their parent, so every walk ends
                let is_leaf = feature == LEAF;
                assert!(bound.is_finite());
                assert!(is_leaf || (usize::from(feature) < FEATURES && usize::from(right) > at + 1 && usize::from(right) < nodes.len()));
            }
        }
    }

    #[test]
    fn the_rival_of_the_best_is_the_second_and_of_all_others_the_best() {
        let mut rivals = Rivals::NONE;
        assert!(!rivals.doubt());
        for score in [1.0, 5.0, 3.0] {
            rivals.add(score);
        }
        assert_eq!((rivals.other_than(5.0), rivals.other_than(3.0), rivals.count), (3.0, 5.0, 3.0));
        assert!(rivals.doubt() && rivals.reaches(3.0) && !rivals.reaches(1.0));
    }
}
