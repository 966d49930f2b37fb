//! What counts as evidence for a pair, and how much.

/// A piece of evidence. The score of a pair is the sum of its pieces, each times its weight.
#[repr(usize)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Term {
    OtherLabel,
    Value,
    Words,
    LostAttribute,
    GainedAttribute,
    LostWords,
    GainedWords,
    Bag,
    BagOther,
    BagOneSided,
    BagMass,
    Above,
    AboveOther,
    Digest,
    Frame,
    Path,
    Size,
    KidCount,
    Leaf,
    Bare,
    Parent,
    Wrapped,
    Unwrapped,
    Rewrapped,
    FarParent,
    Between,
    Conflict,
    HalfConflict,
    Orphan,
    Wandering,
    Chain,
    Place,
    Near,
    ClosedOld,
    ClosedNew,
    Offset,
    Side,
    Sides,
    OtherSide,
    Kids,
    OtherKids,
    KidsMass,
    Inside,
    Outside,
}

/// How many kinds of evidence there are.
pub const TERMS: usize = Term::Outside as usize + 1;

/// Rounds 0, 1 to 2, and later ones weigh differently: context counts for more once it can be trusted.
pub const STAGES: usize = 3;

/// How a stage weighs the evidence for a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stage {
    /// Of what the pair says by itself, as the last stage weighs it.
    pub alone: f32,
    /// Of each [`Term`].
    pub terms: [f32; TERMS],
    /// What a pair must reach.
    pub threshold: f32,
}

/// Weights of the evidence for a pair of elements and for a pair of texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// For elements.
    pub element: [Stage; STAGES],
    /// For texts.
    pub text: [Stage; STAGES],
    /// How many rounds.
    pub rounds: usize,
    /// From margins to probabilities.
    pub slope: f32,
    /// From margins to probabilities.
    pub offset: f32,
}

impl Weights {
    /// The probability that a pair with this margin is right.
    pub(super) fn confidence(&self, margin: f32) -> f64 {
        1.0 / (1.0 + f64::from(-self.slope * margin - self.offset).exp())
    }
}

impl Default for Weights {
    fn default() -> Self {
        let mut w = [0.0; TERMS];
        for (term, weight) in [
            (Term::OtherLabel, -4.0),
            (Term::Value, 0.8),
            (Term::Words, 0.5),
            (Term::LostAttribute, -1.5),
            (Term::GainedAttribute, -1.5),
            (Term::LostWords, -0.75),
            (Term::GainedWords, -0.75),
            (Term::Bag, 4.5),
            (Term::BagOther, -2.25),
            (Term::BagOneSided, -2.25),
            (Term::Above, 1.5),
            (Term::AboveOther, 0.0),
            (Term::Digest, 0.8),
            (Term::Frame, 0.5),
            (Term::Path, 0.5),
            (Term::Parent, 6.0),
            (Term::Wrapped, 6.0),
            (Term::Unwrapped, 6.0),
            (Term::Rewrapped, 5.0),
            (Term::FarParent, 3.0),
            (Term::Between, 3.0),
            (Term::Conflict, -4.0),
            (Term::HalfConflict, -2.0),
            (Term::Chain, 3.0),
            (Term::Place, -4.0),
            (Term::Near, -1.8),
            (Term::ClosedOld, -2.0),
            (Term::ClosedNew, -2.0),
            (Term::Side, 2.0),
            (Term::Sides, 5.0),
            (Term::Kids, 1.5),
            (Term::OtherKids, -2.0),
        ] {
            w[term as usize] = weight;
        }
        let stage = Stage { alone: 1.0, terms: w, threshold: 6.5 };
        Weights { element: [stage; STAGES], text: [stage; STAGES], rounds: 7, slope: 1.0, offset: 0.0 }
    }
}
