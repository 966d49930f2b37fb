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
    Above,
    AboveOther,
    Digest,
    Frame,
    Path,
    Size,
    KidCount,
    Parent,
    Wrapped,
    Unwrapped,
    Rewrapped,
    FarParent,
    Between,
    Conflict,
    HalfConflict,
    Orphan,
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
}

/// How many kinds of evidence there are.
pub const TERMS: usize = Term::OtherKids as usize + 1;

/// Names of the terms, in order.
pub const NAMES: [&str; TERMS] = [
    "other-label",
    "value",
    "words",
    "lost-attribute",
    "gained-attribute",
    "lost-words",
    "gained-words",
    "bag",
    "bag-other",
    "bag-one-sided",
    "above",
    "above-other",
    "digest",
    "frame",
    "path",
    "size",
    "kid-count",
    "parent",
    "wrapped",
    "unwrapped",
    "rewrapped",
    "far-parent",
    "between",
    "conflict",
    "half-conflict",
    "orphan",
    "chain",
    "place",
    "near",
    "closed-old",
    "closed-new",
    "offset",
    "side",
    "sides",
    "other-side",
    "kids",
    "other-kids",
];

/// Weights of the evidence for a pair of elements and for a pair of texts, and what a pair must reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of each [`Term`], for elements.
    pub element: [f32; TERMS],
    /// Of each [`Term`], for texts.
    pub text: [f32; TERMS],
    /// What a pair must reach in all rounds but the last.
    pub threshold: f32,
    /// What a pair must reach in the last round.
    pub threshold_end: f32,
    /// How many rounds.
    pub rounds: usize,
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
        Weights { element: w, text: w, threshold: 6.0, threshold_end: 7.0, rounds: 7 }
    }
}
