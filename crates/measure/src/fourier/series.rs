//! Skeletons as series of numbers, within a collection that gives every tag its number.

use super::skeleton::Skeleton;
use treelace_tree::error::{Error, Result};

/// What all documents of a set must agree on: the number of each tag code, the base and the
/// greatest level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    /// Tokens, ascending, each with its number from 1.
    numbers: Vec<(u64, u32)>,
    max_level: u32,
}

/// How a sequence of codes becomes a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// The codes themselves.
    Trivial,
    /// Their running sums.
    Linear,
    /// Numbers to base B whose digits are the codes from the root down.
    Multilevel,
}

/// The code of an end tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Minus that of its start tag.
    Symmetric,
    /// 0.
    Null,
}

/// What is done to a series before it is transformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Multilevel series are divided by B^maxdepth, others stay.
    Amplitude,
    /// Nothing. Multilevel series that do not fit a double are refused.
    Raw,
    /// Mean 0, standard deviation 1 (of the whole series); a constant series becomes 0.
    ZScore,
    /// Divided by its length.
    Length,
}

/// How a skeleton becomes a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal {
    /// How codes become a series.
    pub encoding: Encoding,
    /// The codes of end tags.
    pub ends: Ends,
    /// What is done to the series before it is transformed.
    pub scaling: Scaling,
}

impl Collection {
    /// The collection of these documents. Codes are numbered in the order in which they first
    /// appear, documents in an order of their own (length, then contents), so the order in which
    /// they are handed over does not matter.
    pub fn of(skeletons: &[&Skeleton]) -> Result<Collection> {
        if skeletons.windows(2).any(|two| two[0].tag_code != two[1].tag_code) {
            return Err(Error::Usage(
                "documents coded in different ways cannot be in one collection".into(),
            ));
        }
        let mut sorted: Vec<_> = skeletons
            .iter()
            .map(|skeleton| (skeleton.len(), skeleton.fingerprint(), skeleton))
            .collect();
        sorted.sort_by_key(|&(length, fingerprint, _)| (length, fingerprint));
        let mut known = std::collections::HashSet::new();
        let keys = sorted.iter().flat_map(|(_, _, skeleton)| &skeleton.keys);
        let mut numbers: Vec<(u64, u32)> = keys
            .filter(|key| known.insert(**key))
            .zip(1..)
            .map(|(&key, number)| (key, number))
            .collect();
        numbers.sort_unstable();
        Ok(Collection {
            numbers,
            max_level: skeletons.iter().map(|skeleton| skeleton.max_level()).max().unwrap_or(0),
        })
    }

    /// From parts that were stored.
    pub fn from_parts(numbers: Vec<(u64, u32)>, max_level: u32) -> Result<Collection> {
        let mut seen: Vec<u32> = numbers.iter().map(|&(_, number)| number).collect();
        seen.sort_unstable();
        if !numbers.windows(2).all(|two| two[0].0 < two[1].0)
            || !seen.into_iter().eq(1..=numbers.len() as u32)
        {
            return Err(Error::Damaged("a collection of tag numbers is damaged".into()));
        }
        Ok(Collection { numbers, max_level })
    }

    /// Tokens, ascending, each with its number.
    pub fn numbers(&self) -> &[(u64, u32)] {
        &self.numbers
    }

    /// The greatest level of a tag in the set.
    pub fn max_level(&self) -> u32 {
        self.max_level
    }

    /// B: one more than there are codes.
    pub fn base(&self) -> u32 {
        self.numbers.len() as u32 + 1
    }

    /// The number of a token; all that are not of this collection share the number B.
    fn number(&self, key: u64) -> u32 {
        self.numbers
            .binary_search_by_key(&key, |&(known, _)| known)
            .map_or(self.base(), |at| self.numbers[at].1)
    }

    /// The series of a document.
    pub fn series(&self, skeleton: &Skeleton, signal: Signal) -> Result<Vec<f64>> {
        let numbers: Vec<f64> =
            skeleton.keys.iter().map(|&key| f64::from(self.number(key))).collect();
        let code = |&code: &i32| match code {
            0 => 0.0,
            code if code > 0 => numbers[code as usize - 1],
            _ if signal.ends == Ends::Null => 0.0,
            code => -numbers[code.unsigned_abs() as usize - 1],
        };
        let codes = skeleton.codes.iter().map(code);
        let mut series: Vec<f64> = match signal.encoding {
            Encoding::Trivial => codes.collect(),
            Encoding::Linear => codes
                .scan(0.0, |sum, code| {
                    *sum += code;
                    Some(*sum)
                })
                .collect(),
            Encoding::Multilevel => self.multilevel(skeleton, codes, signal.scaling)?,
        };
        scale(&mut series, signal.scaling);
        Ok(series)
    }

    /// Σ code · B^(maxdepth − level) over the open tags and the tag itself, divided by B^maxdepth
    /// unless raw numbers are wanted. Divided, nothing can overflow, and maxdepth falls out of the
    /// formula. A double holds about 53 / log₂ B levels below the root beside each other: what
    /// stands deeper is rounded away where it is added to its ancestors.
    fn multilevel(
        &self,
        skeleton: &Skeleton,
        codes: impl Iterator<Item = f64>,
        scaling: Scaling,
    ) -> Result<Vec<f64>> {
        let base = f64::from(self.base());
        let top = if scaling == Scaling::Raw { base.powi(self.max_level as i32) } else { 1.0 };
        if !top.is_finite() {
            let words = format!(
                "raw multilevel series do not fit a double: base {base}, {} \
             levels. Leave out scaling=\"raw\"",
                self.max_level
            );
            return Err(Error::Usage(words));
        }
        let mut weights: Vec<f64> = Vec::new();
        // sums[l]: the part of the l tags that are open
        let mut sums = vec![0.0];
        let mut series = Vec::with_capacity(skeleton.len());
        for ((code, &level), &is_end) in codes.zip(&skeleton.levels).zip(&skeleton.is_end) {
            let level = level as usize;
            while weights.len() <= level {
                let down = weights.len() as i32;
                weights.push(if scaling == Scaling::Raw {
                    base.powi(self.max_level as i32 - down)
                } else {
                    base.powi(-down)
                });
            }
            sums.truncate(level + 1);
            let value = sums[level] + code * weights[level];
            series.push(value);
            if !is_end {
                sums.push(value);
            }
        }
        Ok(series)
    }
}

fn scale(series: &mut [f64], scaling: Scaling) {
    let n = series.len() as f64;
    match scaling {
        Scaling::Amplitude | Scaling::Raw => {}
        Scaling::Length => series.iter_mut().for_each(|x| *x /= n),
        Scaling::ZScore => {
            let mean = series.iter().sum::<f64>() / n;
            let deviation = (series.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
            series
                .iter_mut()
                .for_each(|x| *x = if deviation > 0.0 { (*x - mean) / deviation } else { 0.0 });
        }
    }
}
