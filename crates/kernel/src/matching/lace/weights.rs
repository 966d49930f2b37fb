//! What counts as evidence for a pair, and how much.
//!
//! The weights were got on mutants of real pages (`treelace mutate`: the operators of the SFTM paper at five ratios; moves and
//! added attributes; redesigns), on one part of the sites; `experiments/lace_quality` reports on the other part. For each stage
//! a logistic regression was fitted: which of a node's candidates is the true one, or none, given the matching of the round
//! before. Such a fit trusts context too much (a block of rows shifted by one confirms itself), so each weight is a mean of the
//! fitted one (0.6) and of one set by hand with half its weight (0.4); three (`Wandering`, `ClosedOld`, `ClosedNew`) were then set
//! by hand. Moving weights one by one for as long as F1 rose was tried and dropped: it fits the pages it is done on.

/// A piece of evidence. The score of a pair is the sum of its pieces, each times its weight. What says something about the pair
/// whatever else is matched comes first, then what the context says, from `Parent` on.
#[repr(usize)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    /// The names differ.
    OtherLabel,
    /// Equal attribute values: how rare each is (the logarithm of one over its share of the nodes, at most 6), summed.
    Value,
    /// Attributes with different values: the rarity of the rarest word they share, times the share of their words in common.
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
    /// For pairs with no relation among the parents: how much more often than by chance subtrees wander on this page.
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
    /// Children whose partner is a child (or grandchild) of the other, as a share by how much they have to say.
    Kids,
    /// One minus the former.
    OtherKids,
    /// How much those children have to say together, as a logarithm.
    KidsMass,
    /// Of a sample of both subtrees the share whose partner is in the other one.
    Inside,
    /// One minus the former.
    Outside,
}

/// How many kinds of evidence there are.
pub(super) const TERMS: usize = Term::Outside as usize + 1;

/// Round 0, rounds 1 and 2, and later ones weigh differently: context counts for more once it can be trusted.
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

/// Weights of the evidence for a pair of elements and for a pair of texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    /// For elements.
    pub(super) element: [Stage; STAGES],
    /// For texts.
    pub(super) text: [Stage; STAGES],
}

impl Weights {
    /// The weights for matching with texts or without.
    pub(super) fn new(with_text: bool) -> Weights {
        if with_text {
            Weights { element: stages(0), text: stages(3) }
        } else {
            Weights { element: stages(6), text: stages(6) }
        }
    }
}

/// The probability that a pair is right which beats all that could be instead by this margin.
pub(super) fn confidence(margin: f32) -> f64 {
    1.0 / (1.0 + f64::from(-SLOPE * margin - OFFSET).exp())
}

fn stages(from: usize) -> [Stage; STAGES] {
    std::array::from_fn(|stage| {
        let mut terms = [0.0; TERMS];
        for (term, weights) in &TABLE {
            terms[*term as usize] = weights[from + stage];
        }
        Stage { alone: ALONE[from + stage], terms, threshold: THRESHOLD[from + stage] }
    })
}

/// From margins to probabilities: fitted on the tuning pages.
const SLOPE: f32 = 0.673;
const OFFSET: f32 = -0.039;

/// By stage: with texts for elements and for texts, without texts for elements.
const ALONE: [f32; 9] = [1.015, 0.948, 1.000, 1.048, 0.996, 1.000, 1.114, 1.054, 1.000];
const THRESHOLD: [f32; 9] = [2.147, 3.379, 3.583, 2.948, 2.876, 2.877, 2.772, 3.588, 3.481];

/// As [`ALONE`]. What a pair says by itself is weighed once, as in the last stage.
#[rustfmt::skip]
const TABLE: [(Term, [f32; 9]); TERMS] = [
    (Term::OtherLabel, [0.0, 0.0, -3.453, 0.0, 0.0, -2.000, 0.0, 0.0, -3.818]),
    (Term::Value, [0.0, 0.0, 0.209, 0.0, 0.0, 0.400, 0.0, 0.0, 0.211]),
    (Term::Words, [0.0, 0.0, -0.190, 0.0, 0.0, 0.250, 0.0, 0.0, -0.144]),
    (Term::LostAttribute, [0.0, 0.0, -1.186, 0.0, 0.0, -0.750, 0.0, 0.0, -1.025]),
    (Term::GainedAttribute, [0.0, 0.0, -0.807, 0.0, 0.0, -0.750, 0.0, 0.0, -1.395]),
    (Term::LostWords, [0.0, 0.0, -0.366, 0.0, 0.0, -0.375, 0.0, 0.0, -0.182]),
    (Term::GainedWords, [0.0, 0.0, -1.954, 0.0, 0.0, -0.375, 0.0, 0.0, -2.759]),
    (Term::Bag, [0.0, 0.0, 1.633, 0.0, 0.0, 1.667, 0.0, 0.0, 1.178]),
    (Term::BagOther, [0.0, 0.0, -1.131, 0.0, 0.0, -0.943, 0.0, 0.0, -1.417]),
    (Term::BagOneSided, [0.0, 0.0, -0.379, 0.0, 0.0, -1.032, 0.0, 0.0, -0.304]),
    (Term::BagMass, [0.0, 0.0, 0.199, 0.0, 0.0, 0.004, 0.0, 0.0, 0.251]),
    (Term::Above, [0.0, 0.0, 0.664, 0.0, 0.0, 0.867, 0.0, 0.0, 0.727]),
    (Term::AboveOther, [0.0, 0.0, 0.764, 0.0, 0.0, -0.656, 0.0, 0.0, -0.191]),
    (Term::Digest, [0.0, 0.0, 0.213, 0.0, 0.0, 0.309, 0.0, 0.0, 0.306]),
    (Term::Frame, [0.0, 0.0, 0.252, 0.0, 0.0, 0.250, 0.0, 0.0, 0.250]),
    (Term::Path, [0.0, 0.0, 0.535, 0.0, 0.0, 0.215, 0.0, 0.0, 0.084]),
    (Term::Size, [0.0, 0.0, 0.129, 0.0, 0.0, 0.0, 0.0, 0.0, 0.177]),
    (Term::KidCount, [0.0, 0.0, -0.243, 0.0, 0.0, 0.0, 0.0, 0.0, -0.237]),
    (Term::Leaf, [0.0, 0.0, 0.119, 0.0, 0.0, -0.002, 0.0, 0.0, 0.059]),
    (Term::Bare, [0.0, 0.0, 0.149, 0.0, 0.0, 0.005, 0.0, 0.0, 0.320]),
    (Term::Parent, [1.840, 2.148, 2.195, 3.125, 2.795, 3.032, 1.914, 1.915, 2.016]),
    (Term::Wrapped, [1.459, 2.216, 2.324, -1.084, -1.784, -1.698, 1.679, 1.876, 2.032]),
    (Term::Unwrapped, [0.976, 0.889, 1.283, -1.712, -2.191, -1.150, 1.209, 1.130, 1.249]),
    (Term::Rewrapped, [1.864, 2.195, 2.008, 3.191, 4.022, 4.232, 1.910, 1.943, 1.568]),
    (Term::FarParent, [1.194, 1.102, 1.025, 2.175, 2.255, 1.758, 1.244, 1.011, 0.661]),
    (Term::Between, [0.455, 0.742, 0.877, -1.275, -2.021, -0.948, 0.196, 0.500, 0.612]),
    (Term::Conflict, [-1.084, -0.755, -0.854, -1.827, -2.077, -2.114, -1.559, -0.840, -0.881]),
    (Term::HalfConflict, [-0.411, -0.504, -0.691, -0.355, 0.286, 0.052, -0.583, -0.517, -0.664]),
    (Term::Orphan, [-0.290, 0.306, 0.124, 0.919, 2.401, 2.323, -0.312, 0.299, 0.245]),
    (Term::Wandering, [1.400, 1.400, 1.400, 0.189, 0.153, 0.127, 1.200, 1.200, 1.200]),
    (Term::Chain, [0.915, 1.995, 1.656, 0.639, 2.074, 1.609, 0.902, 1.908, 1.648]),
    (Term::Place, [-2.813, -2.111, -1.955, -2.649, -1.894, -1.804, -2.786, -2.324, -2.196]),
    (Term::Near, [-1.550, -0.676, -0.681, -1.777, -0.672, -0.611, -2.620, -1.301, -1.062]),
    (Term::ClosedOld, [-0.900, -0.900, -0.900, -1.387, -2.028, -1.903, -0.900, -0.900, -0.900]),
    (Term::ClosedNew, [-0.500, -0.500, -0.500, 1.166, 0.653, 0.436, -0.500, -0.500, -0.500]),
    (Term::Offset, [-0.729, -0.102, 0.064, -1.590, -1.979, -3.096, -0.737, -0.350, -0.311]),
    (Term::Side, [1.289, 1.353, 1.412, 1.563, 0.740, 0.557, 1.459, 1.489, 1.524]),
    (Term::Sides, [2.969, 2.983, 2.976, 2.548, 1.910, 2.239, 2.827, 2.986, 3.040]),
    (Term::OtherSide, [0.261, 0.018, 0.055, 0.050, -0.419, -0.230, 0.376, 0.191, 0.177]),
    (Term::Kids, [0.637, 0.698, 0.525, 0.525, 0.750, 0.750, 0.692, 0.429, 0.319]),
    (Term::OtherKids, [-1.453, -1.474, -1.344, -0.700, -1.000, -1.000, -1.415, -1.412, -1.401]),
    (Term::KidsMass, [0.145, 0.155, 0.295, 0.0, 0.0, 0.0, 0.283, 0.497, 0.610]),
    (Term::Inside, [0.655, 0.332, 0.052, 0.0, 0.0, 0.0, 0.692, 0.114, 0.020]),
    (Term::Outside, [-0.730, -0.685, -0.640, 0.0, 0.0, 0.0, -0.384, -0.166, -0.190]),
];
