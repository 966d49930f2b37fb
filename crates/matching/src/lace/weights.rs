//! What counts as evidence for a pair, and how much.
//!
//! The weights, in [`super::table`], are learnt from mutants of real pages and from changes that
//! sites made, on one part of the sites; `experiments/lace_quality` reports on the other part. For
//! each stage a logistic regression is fitted: which of a node's candidates is the true one, or
//! none, given the matching of the round before. What is given depends on the weights, so this is
//! done again and again, each time on the matchings of all weights so far: a fit on one alone
//! trusts neighbours too much or too little, whichever the weights before did not.
//! `python -m experiments.lace_quality.learn` does it.

use super::table::{SHARE, TABLE, THRESHOLD};

/// A piece of evidence. The score of a pair is the sum of its pieces, each times its weight. What
/// says something about the pair whatever else is matched comes first, then what the context says,
/// from `Parent` on.
#[repr(usize)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    /// The names differ.
    OtherLabel,
    /// Equal attribute values: how rare each is (the logarithm of one over its share of the nodes,
    /// at most 6), summed.
    Value,
    /// Attributes with different values: the rarity of the rarest word they share, times the share
    /// of their words in common.
    Words,
    /// Attributes that only the old node has, counted.
    LostAttribute,
    /// Attributes that only the new node has, counted.
    GainedAttribute,
    /// Words that only the old value has, as a share by rarity.
    LostWords,
    /// Words that only the new value has, as a share by rarity.
    GainedWords,
    /// The rare things said in both subtrees: how alike, from 0 to 1.
    Bag,
    /// One minus the former.
    BagOther,
    /// Rare things are said in one of the subtrees only.
    BagOneSided,
    /// How much the subtrees share of what is rare: the logarithm of its weight.
    BagMass,
    /// The rare things said by the ancestors: how alike, from 0 to 1.
    Above,
    /// One minus the former.
    AboveOther,
    /// The subtrees are equal: how rare they are.
    Digest,
    /// The subtrees are equal but for their texts: how rare they are.
    Frame,
    /// What the subtrees are built of: how alike, from 0 to 1.
    Shape,
    /// One minus the former.
    OtherShape,
    /// How alike the siblings before are, and those after, each from 0 to 1.
    Beside,
    /// The paths from the root, with ranks, are equal.
    Path,
    /// By how much the sizes of the subtrees differ: the logarithm of their ratio.
    Size,
    /// By how much the numbers of children differ, as a share of the larger.
    KidCount,
    /// The old node has no children.
    Leaf,
    /// The old node says nothing by itself, nor does its subtree.
    Bare,
    /// The parents are partners.
    Parent,
    /// The old parent is the partner of the new grandparent, and the new parent is nobody's.
    Wrapped,
    /// The old grandparent is the partner of the new parent, and the old parent is nobody's.
    Unwrapped,
    /// The grandparents are partners, and the parents are nobody's.
    Rewrapped,
    /// The nearest matched ancestors are partners, some other number of levels up.
    FarParent,
    /// As `Wrapped` or `Unwrapped`, but the parent between has another partner.
    Between,
    /// Both parents have partners elsewhere.
    Conflict,
    /// One of the parents has a partner elsewhere.
    HalfConflict,
    /// Neither parent has a partner, nor are the ancestors partners.
    Orphan,
    /// For pairs with no relation among the parents: how much more often than by chance subtrees
    /// wander on this page.
    Wandering,
    /// Ancestors beyond the parent whose partner holds the new node, as a share.
    Chain,
    /// Distance from the expected place in the document, from 0 to 1 on a logarithmic scale.
    Place,
    /// Distance from the place that the nearer neighbour says, likewise.
    Near,
    /// The old node's neighbours have partners side by side: there is no room for it.
    ClosedOld,
    /// The new node's neighbours have partners side by side.
    ClosedNew,
    /// How far the distances from the common ancestor differ, likewise.
    Offset,
    /// One of the neighbours is the partner of the other's neighbour.
    Side,
    /// Both are.
    Sides,
    /// Neighbours that are not, counted.
    OtherSide,
    /// The best alignment in order of the two lists they stand in, by what pairs say by themselves,
    /// pairs them.
    Aligned,
    /// It pairs one of them with another; or both, counted.
    AlignedElsewhere,
    /// What stands in the old node's place came from the new node's place: they were swapped.
    Exchanged,
    /// For pairs with no relation among the parents: what the pair says by itself, where that is
    /// above nothing.
    Stranger,
    /// Children whose partner is a child (or grandchild) of the other, as a share by how much they
    /// have to say.
    Kids,
    /// One minus the former.
    OtherKids,
    /// How much those children have to say together, as a logarithm.
    KidsMass,
    /// Of a sample of both subtrees the share whose partner is in the other one.
    Inside,
    /// One minus the former.
    Outside,
    /// Of the other rows of both lists, those whose partner is in the other list, as a share by how
    /// much they have to say.
    SharedLists,
    /// Those whose partner is in another list, likewise.
    Apart,
    /// As `SharedLists`, for pairs with no relation among the parents.
    FarSharedLists,
    /// As `Apart`, for pairs with no relation among the parents.
    FarApart,
}

/// How many kinds of evidence there are.
pub const TERMS: usize = Term::FarApart as usize + 1;

/// How many of them say something about the pair whatever else is matched; they come first.
pub const ALONE: usize = Term::Parent as usize;

/// Round 0, rounds 1 and 2, and later ones weigh differently: context counts for more once it can
/// be trusted.
pub(super) const STAGES: usize = 3;

/// How a stage weighs the evidence for a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// Of what the pair says by itself, as the last stage weighs it.
    pub(super) alone: f32,
    /// Of each [`Term`].
    pub(super) terms: [f32; TERMS],
    /// What a pair must reach to be better than none.
    pub(super) threshold: f32,
}

/// How many numbers the weights are.
pub const SIZE: usize = 2 * STAGES * (TERMS + 2);

/// Weights of the evidence for a pair of elements and for a pair of texts.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    /// For elements.
    pub(super) element: [Stage; STAGES],
    /// For texts.
    pub(super) text: [Stage; STAGES],
}

impl Weights {
    /// The weights for matching with texts or without.
    pub fn new(with_text: bool) -> Weights {
        if with_text {
            Weights { element: stages(0), text: stages(3) }
        } else {
            Weights { element: stages(6), text: stages(6) }
        }
    }

    /// The names of the terms, in the order of the numbers.
    pub fn terms() -> Vec<String> {
        TABLE.iter().map(|(term, _)| format!("{term:?}")).collect()
    }

    /// The weights as [`SIZE`] numbers: for elements and for texts, by stage, the terms, then
    /// `alone`, then the threshold.
    pub fn numbers(&self) -> Vec<f32> {
        let stages = self.element.iter().chain(&self.text);
        stages
            .flat_map(|stage| stage.terms.iter().copied().chain([stage.alone, stage.threshold]))
            .collect()
    }

    /// The weights from [`SIZE`] numbers, as [`Weights::numbers`] gives them.
    pub fn from_numbers(numbers: &[f32; SIZE]) -> Weights {
        let stage = |numbers: &[f32]| {
            let mut terms = [0.0; TERMS];
            terms.copy_from_slice(&numbers[..TERMS]);
            Stage { alone: numbers[TERMS], terms, threshold: numbers[TERMS + 1] }
        };
        let stages = |from: usize| {
            std::array::from_fn(|at| stage(&numbers[(from + at) * (TERMS + 2)..][..TERMS + 2]))
        };
        Weights { element: stages(0), text: stages(STAGES) }
    }
}

fn stages(from: usize) -> [Stage; STAGES] {
    std::array::from_fn(|stage| {
        let mut terms = [0.0; TERMS];
        for (term, weights) in &TABLE {
            terms[*term as usize] = weights[from + stage];
        }
        Stage { alone: SHARE[from + stage], terms, threshold: THRESHOLD[from + stage] }
    })
}
