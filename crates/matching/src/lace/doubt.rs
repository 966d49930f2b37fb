//! A second look at rows in doubt, in the later rounds: decision trees weigh what a sum of evidence
//! cannot.
//!
//! A sum weighs every piece of evidence by itself. Whether a lost attribute matters depends on what
//! else is there, and whether a pair is right depends on what else either could be paired with. So
//! where the best candidate does not stand out, a forest of small trees ([`super::forest`]) looks
//! at the pieces, at their sum, at the rivals and at what else there is to see, and says the
//! log-odds that the pair is right.

use super::context::{self, Context};
use super::evidence::{self, Evidence};
use super::forest::{read_all, Forest};
use super::rounds::Candidate;
use super::weights::{Term, TERMS};

/// What the trees look at: the evidence by kind; its sum; the best rival on either side; how many
/// candidates come near on either side; what else there is to see of both rows
/// ([`Evidence::look`]), and of their surroundings ([`Context::look`]).
pub const FEATURES: usize = TERMS + RIVALRY + evidence::LOOKS + context::LOOKS;
const RIVALRY: usize = 5;

/// A row is in doubt if its best candidate does not beat the next one, or no partner at all, by
/// this much,
const CLEAR: f32 = 3.0;
/// unless even the best is this far below what a pair must reach.
const LOST: f32 = -3.0;
/// Candidates so far below the best one are not looked at again,
const REACH: f32 = 3.0;
/// nor counted as rivals so far below.
const NEAR: f32 = 8.0;
/// No rival at all.
const ALONE: f32 = -20.0;

/// The forest for matching with texts or without.
pub(super) fn forest(with_text: bool) -> &'static Forest<FEATURES> {
    static FORESTS: std::sync::OnceLock<[Forest<FEATURES>; 2]> = std::sync::OnceLock::new();
    let forests = FORESTS.get_or_init(|| read_all(include_bytes!("generated/forest.bin")));
    &forests[usize::from(!with_text)]
}

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
        let best =
            candidates.iter().map(|candidate| candidate.score).fold(f32::NEG_INFINITY, f32::max);
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
    candidates
        .iter()
        .filter(move |candidate| candidate.is_live && candidate.score >= best.max(-2.0) - NEAR)
}

/// Those of every new row.
pub(super) fn of_new(candidates: &[Vec<Candidate>], rows: usize) -> Vec<Rivals> {
    let mut rivals = vec![Rivals::NONE; rows];
    for candidates in candidates {
        let best =
            candidates.iter().map(|candidate| candidate.score).fold(f32::NEG_INFINITY, f32::max);
        for candidate in near(candidates, best) {
            rivals[candidate.row as usize].add(candidate.score);
        }
    }
    rivals
}

/// What there is to see of a pair with this sum of evidence.
pub(super) fn features(
    (evidence, context): (&Evidence, &Context),
    (i, j): (usize, usize),
    (alone, score): (f32, f32),
    (old, new): (&Rivals, &Rivals),
) -> [f32; FEATURES] {
    let mut features = [0.0; FEATURES];
    let mut add = |term: Term, value| features[term as usize] += value;
    evidence.collect(i, j, &mut add);
    context.collect(&evidence.old, &evidence.new, i, j, alone, &mut add);
    let (rivalry, rest) = features[TERMS..].split_at_mut(RIVALRY);
    rivalry.copy_from_slice(&[
        score,
        old.other_than(score),
        new.other_than(score),
        old.count,
        new.count,
    ]);
    let (rows, around) = rest.split_at_mut(evidence::LOOKS);
    rows.copy_from_slice(&evidence.look(i, j));
    around.copy_from_slice(&context.look(&evidence.old, &evidence.new, i, j));
    features
}

#[cfg(test)]
mod tests {
    use super::*;

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
