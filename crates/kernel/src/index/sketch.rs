//! What an index keeps of a page: where sketches come from, and how their slots make bands.

use crate::error::{Error, Result};
use crate::measure::hash;
use crate::measure::sketch::Minima;

/// Tells the permutation of the sample from the functions of the minima.
const SAMPLE: u64 = 0x53_414d_504c_4500;

/// How the pages of one index are sketched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Sets of tokens of a page.
    pub families: u32,
    /// How many of them, from the first, count for containment: paths from the root say nothing about a part of a page.
    pub contained: u32,
    /// Bytes for each family.
    pub slots: u32,
    /// Slots of a band, at most 4.
    pub rows: u32,
    /// One in so many tokens is in the sample.
    pub one_in: u32,
    /// Which functions.
    pub seed: u64,
}

/// The two sketches of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sketch {
    /// One byte for each slot of each family, family after family; 0 where the family is empty.
    pub slots: Vec<u8>,
    /// The sampled tokens, ascending, each once.
    pub sample: Vec<u32>,
}

impl Plan {
    /// The plan, if it can be worked with.
    pub fn checked(self) -> Result<Plan> {
        let is_sound = (1..=64).contains(&self.families)
            && self.contained <= self.families
            && (1..=4).contains(&self.rows)
            && (1..=4096).contains(&self.slots)
            && self.width() >= self.rows as usize
            && self.bands() <= 255
            && self.one_in >= 1;
        is_sound.then_some(self).ok_or_else(|| Error::Usage(format!("an index cannot be made this way: {self:?}")))
    }

    /// Bytes of a page's slots.
    pub fn width(&self) -> usize {
        self.families as usize * self.slots as usize
    }

    /// Number of bands.
    pub fn bands(&self) -> usize {
        self.width() / self.rows as usize
    }

    /// The slots of a band, as one number. A band takes each of its slots from another family where there are enough: two
    /// pages must agree in several respects to meet, and a family that says little (every page has the same two
    /// `meta` elements) does not bring a whole collection together.
    pub fn key(&self, band: usize, slots: &[u8]) -> u32 {
        let (rows, families, each) = (self.rows as usize, self.families as usize, self.slots as usize);
        (band * rows..(band + 1) * rows).fold(0, |key, slot| key << 8 | u32::from(slots[slot % families * each + slot / families]))
    }

    /// The sketches of a page: the one place where they come from.
    pub fn sketch(&self, families: &[Vec<u64>]) -> Result<Sketch> {
        if families.len() != self.families as usize {
            return Err(Error::Usage(format!("this index is of pages with {} families of tokens, not {}", self.families, families.len())));
        }
        let mut sketch = Sketch { slots: Vec::with_capacity(self.width()), sample: Vec::new() };
        for (number, family) in (0..).zip(families) {
            if family.is_empty() {
                sketch.slots.resize(sketch.slots.len() + self.slots as usize, 0);
            } else {
                let minima = Minima::of(family, self.slots, hash::permute(number, self.seed));
                // one byte of each minimum: unequal minima agree by chance once in 255, which the estimate takes into account
                sketch.slots.extend(minima.values().iter().map(|value| 1 + (value % 255) as u8));
            }
        }
        let limit = u64::MAX / u64::from(self.one_in);
        for (number, family) in (0..).zip(&families[..self.contained as usize]) {
            let seed = hash::permute(number, self.seed ^ SAMPLE);
            let chosen = family.iter().map(|&token| hash::permute(token, seed)).filter(|&place| place <= limit);
            sketch.sample.extend(chosen.map(|place| place as u32));
        }
        sketch.sample.sort_unstable();
        sketch.sample.dedup();
        Ok(sketch)
    }

    /// What two pages' slots say of how much of each family they share; `None` where neither has any of it.
    pub fn votes<'s>(&self, left: &'s [u8], right: &'s [u8]) -> impl Iterator<Item = Option<f64>> + 's {
        let each = self.slots as usize;
        left.chunks_exact(each).zip(right.chunks_exact(each)).map(move |(left, right)| {
            if left[0] == 0 && right[0] == 0 {
                return None;
            }
            let equal: u32 = left.iter().zip(right).map(|(a, b)| u32::from(a == b)).sum();
            Some(((f64::from(equal) / each as f64 - CHANCE) / (1.0 - CHANCE)).max(0.0))
        })
    }
}

/// How often two different minima have the same byte.
const CHANCE: f64 = 1.0 / 255.0;
