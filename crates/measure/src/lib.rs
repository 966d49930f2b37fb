//! How alike two documents are: the features of one document, and the comparison of two.
//!
//! Features are small, stand alone and can be stored; a tree is read once. Comparing never looks at
//! a tree again, so a matrix over n pages reads n pages and compares n²/2 pairs of arrays.

pub mod bag;
pub mod cores;
pub mod fourier;
pub mod index;
pub mod pairwise;
pub mod paths;
pub mod shingles;
pub mod sketch;
pub mod stored;
pub mod structure;

use bag::Bag;
use fourier::{warping, Skeleton, Spectrum, Transform};
use sketch::Sample;
use structure::{tally, with_paths, Families, Sketch};
use treelace_tree::error::{Error, Result};
use treelace_tree::watch::Watch;

/// What a measure keeps of one document.
#[derive(Debug, Clone, PartialEq)]
pub enum Features {
    /// Tokens with counts.
    Bag(Bag),
    /// The smallest tokens of a set.
    Sample(Sample),
    /// Tags in document order, not yet numbered.
    Skeleton(Skeleton),
    /// A signal in the time domain.
    Series(Vec<f64>),
    /// A signal in the frequency domain.
    Spectrum(Spectrum),
    /// Sets of structural facts, one for each family.
    Families(Families),
    /// Minima of such sets.
    FamilySketch(Sketch),
}

impl Features {
    /// What kind of features these are, in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Features::Bag(_) => "bag",
            Features::Sample(_) => "sample",
            Features::Skeleton(_) => "skeleton",
            Features::Series(_) => "series",
            Features::Spectrum(_) => "spectrum",
            Features::Families(_) => "families",
            Features::FamilySketch(_) => "family-sketch",
        }
    }

    /// Bytes of memory they take.
    pub fn memory(&self) -> usize {
        match self {
            Features::Bag(bag) => bag.keys().len() * 12 + bag.weights().len() * 8,
            Features::Sample(sample) => sample.values().len() * 8,
            Features::Skeleton(skeleton) => skeleton.len() * 9 + skeleton.keys.len() * 8,
            Features::Series(series) => series.len() * 8,
            Features::Spectrum(spectrum) => spectrum.magnitudes().len() * 8,
            Features::Families(families) => families.0.iter().map(|family| family.len() * 8).sum(),
            Features::FamilySketch(sketch) => {
                sketch.minima.iter().map(|minima| minima.values().len() * 4).sum()
            }
        }
    }
}

/// How two features become a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// [`Bag::set_jaccard`].
    SetJaccard,
    /// [`Bag::bag_jaccard`].
    BagJaccard,
    /// [`Bag::bag_dice`].
    BagDice,
    /// [`Bag::weighted_dice`].
    WeightedDice,
    /// [`Bag::set_containment`].
    SetContainment,
    /// [`Bag::bag_containment`].
    BagContainment,
    /// [`Sample::resemblance`].
    Resemblance,
    /// [`Sample::containment`].
    Containment,
    /// [`Spectrum::distance`] at exact lengths.
    SpectrumDistance,
    /// 1 / (1 + that).
    Spectrum,
    /// [`Spectrum::distance`] at a power of two.
    PowerSpectrumDistance,
    /// 1 / (1 + that).
    PowerSpectrum,
    /// [`warping::distance`].
    WarpingDistance,
    /// 1 / (1 + that).
    Warping,
    /// [`tally`] of the votes of two documents' families.
    Families,
    /// The same, estimated.
    FamilySketch,
    /// That, but at most the vote of the paths.
    Design,
    /// The same, estimated.
    DesignSketch,
}

impl Comparison {
    /// Every comparison with its name.
    pub const ALL: [(&'static str, Comparison); 18] = [
        ("set-jaccard", Comparison::SetJaccard),
        ("bag-jaccard", Comparison::BagJaccard),
        ("bag-dice", Comparison::BagDice),
        ("weighted-dice", Comparison::WeightedDice),
        ("set-containment", Comparison::SetContainment),
        ("bag-containment", Comparison::BagContainment),
        ("resemblance", Comparison::Resemblance),
        ("containment", Comparison::Containment),
        ("spectrum-distance", Comparison::SpectrumDistance),
        ("spectrum", Comparison::Spectrum),
        ("power-spectrum-distance", Comparison::PowerSpectrumDistance),
        ("power-spectrum", Comparison::PowerSpectrum),
        ("warping-distance", Comparison::WarpingDistance),
        ("warping", Comparison::Warping),
        ("families", Comparison::Families),
        ("family-sketch", Comparison::FamilySketch),
        ("design", Comparison::Design),
        ("design-sketch", Comparison::DesignSketch),
    ];

    /// The comparison with this name.
    pub fn named(name: &str) -> Result<Comparison> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found
            .map(|&(_, it)| it)
            .ok_or_else(|| Error::Usage(format!("no comparison is called '{name}'")))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, it)| *it == self).map_or("", |(name, _)| name)
    }

    /// Whether the order of the two documents does not matter.
    pub fn is_symmetric(self) -> bool {
        !matches!(
            self,
            Comparison::SetContainment | Comparison::BagContainment | Comparison::Containment
        )
    }

    /// Compares. Only time warping is long enough to ask the watch.
    pub fn of(self, left: &Features, right: &Features, watch: &dyn Watch) -> Result<f64> {
        use Comparison as C;
        Ok(match (self, left, right) {
            (C::SetJaccard, Features::Bag(left), Features::Bag(right)) => left.set_jaccard(right),
            (C::BagJaccard, Features::Bag(left), Features::Bag(right)) => left.bag_jaccard(right),
            (C::BagDice, Features::Bag(left), Features::Bag(right)) => left.bag_dice(right),
            (C::WeightedDice, Features::Bag(left), Features::Bag(right)) => {
                left.weighted_dice(right)
            }
            (C::SetContainment, Features::Bag(left), Features::Bag(right)) => {
                left.set_containment(right)
            }
            (C::BagContainment, Features::Bag(left), Features::Bag(right)) => {
                left.bag_containment(right)
            }
            (C::Resemblance, Features::Sample(left), Features::Sample(right)) => {
                left.resemblance(right)?
            }
            (C::Containment, Features::Sample(left), Features::Sample(right)) => {
                left.containment(right)?
            }
            (C::SpectrumDistance, Features::Spectrum(left), Features::Spectrum(right)) => {
                left.distance(right, Transform::Exact)?
            }
            (C::PowerSpectrumDistance, Features::Spectrum(left), Features::Spectrum(right)) => {
                left.distance(right, Transform::PowerOfTwo)?
            }
            (C::WarpingDistance, Features::Series(left), Features::Series(right)) => {
                warping::distance(left, right, watch)?
            }
            (C::Families, Features::Families(left), Features::Families(right)) => {
                tally(left.votes(right))
            }
            (C::FamilySketch, Features::FamilySketch(left), Features::FamilySketch(right)) => {
                tally(left.votes(right)?)
            }
            (C::Design, Features::Families(left), Features::Families(right)) => {
                with_paths(left.votes(right))
            }
            (C::DesignSketch, Features::FamilySketch(left), Features::FamilySketch(right)) => {
                with_paths(left.votes(right)?)
            }
            (C::Spectrum, ..) => 1.0 / (1.0 + C::SpectrumDistance.of(left, right, watch)?),
            (C::PowerSpectrum, ..) => {
                1.0 / (1.0 + C::PowerSpectrumDistance.of(left, right, watch)?)
            }
            (C::Warping, ..) => 1.0 / (1.0 + C::WarpingDistance.of(left, right, watch)?),
            _ => {
                return Err(Error::Usage(format!(
                    "{} cannot compare a {} with a {}",
                    self.name(),
                    left.kind(),
                    right.kind()
                )))
            }
        })
    }
}
