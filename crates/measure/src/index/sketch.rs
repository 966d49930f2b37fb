//! What an index keeps of a page: where sketches come from, and how their slots make bands.

use crate::sketch::Minima;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

/// Tells the permutation of the sample from the functions of the minima.
const SAMPLE: u64 = 0x53_414d_504c_4500;

/// How the pages of one index are sketched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Sets of tokens of a page.
    pub families: u32,
    /// How many of them, from the first, count for containment: paths from the root say nothing
    /// about a part of a page.
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
        is_sound
            .then_some(self)
            .ok_or_else(|| Error::Usage(format!("an index cannot be made this way: {self:?}")))
    }

    /// Bytes of a page's slots.
    pub fn width(&self) -> usize {
        self.families as usize * self.slots as usize
    }

    /// Number of bands.
    pub fn bands(&self) -> usize {
        self.width() / self.rows as usize
    }

    /// Where the slots of a band stand in a page's slots. A band takes each of its slots from
    /// another family where there are enough: two pages must agree in several respects to meet, and
    /// a family that says little (every page has the same two `meta` elements) does not bring a
    /// whole collection together.
    pub fn band(&self, band: usize) -> Band {
        let (rows, families, each) =
            (self.rows as usize, self.families as usize, self.slots as usize);
        let mut places = [0; 4];
        for (row, place) in places.iter_mut().enumerate().take(rows) {
            let slot = band * rows + row;
            *place = slot % families * each + slot / families;
        }
        Band { places, rows }
    }

    /// The sketches of a page: the one place where they come from.
    pub fn sketch(&self, families: &[Vec<u64>]) -> Result<Sketch> {
        if families.len() != self.families as usize {
            return Err(Error::Usage(format!(
                "this index is of pages with {} families of tokens, not {}",
                self.families,
                families.len()
            )));
        }
        let mut sketch = Sketch { slots: Vec::with_capacity(self.width()), sample: Vec::new() };
        for (number, family) in (0..).zip(families) {
            if family.is_empty() {
                sketch.slots.resize(sketch.slots.len() + self.slots as usize, 0);
            } else {
                let minima = Minima::of(family, self.slots, hash::permute(number, self.seed));
                // one byte of each minimum: unequal minima agree by chance once in 255, which the
                // estimate takes into account
                sketch.slots.extend(minima.values().iter().map(|value| 1 + (value % 255) as u8));
            }
        }
        let limit = u64::MAX / u64::from(self.one_in);
        for (number, family) in (0..).zip(&families[..self.contained as usize]) {
            let seed = hash::permute(number, self.seed ^ SAMPLE);
            let chosen = family
                .iter()
                .map(|&token| hash::permute(token, seed))
                .filter(|&place| place <= limit);
            sketch.sample.extend(chosen.map(|place| place as u32));
        }
        sketch.sample.sort_unstable();
        sketch.sample.dedup();
        Ok(sketch)
    }

    /// What two pages' slots say of how much of each family they share; `None` where neither has
    /// any of it.
    pub fn votes<'s>(
        &self,
        left: &'s [u8],
        right: &'s [u8],
    ) -> impl Iterator<Item = Option<f64>> + 's {
        let each = self.slots as usize;
        left.chunks_exact(each).zip(right.chunks_exact(each)).map(move |(left, right)| {
            if left[0] == 0 && right[0] == 0 {
                return None;
            }
            let equal: u32 = left
                .chunks(255)
                .zip(right.chunks(255))
                .map(|(left, right)| u32::from(equal_bytes(left, right)))
                .sum();
            Some(((f64::from(equal) / each as f64 - CHANCE) / (1.0 - CHANCE)).max(0.0))
        })
    }
}

/// How often two different minima have the same byte.
const CHANCE: f64 = 1.0 / 255.0;

/// Places in which at most 255 bytes agree; counted in bytes, many at a time.
fn equal_bytes(left: &[u8], right: &[u8]) -> u8 {
    left.iter().zip(right).fold(0, |equal, (a, b)| equal + u8::from(a == b))
}

/// A few slots that must all agree.
#[derive(Debug, Clone, Copy)]
pub struct Band {
    places: [usize; 4],
    rows: usize,
}

impl Band {
    /// The slots of this band, as one number.
    pub fn key(&self, slots: &[u8]) -> u32 {
        self.places[..self.rows].iter().fold(0, |key, &place| key << 8 | u32::from(slots[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan { families: 3, contained: 2, slots: 5, rows: 4, one_in: 2, seed: 7 };

    fn set(from: u64, to: u64) -> Vec<u64> {
        let mut set: Vec<u64> = (from..to).map(hash::spread).collect();
        set.sort_unstable();
        set
    }

    #[test]
    fn a_band_takes_its_slots_from_different_families() {
        let slots: Vec<u8> = (0..15).collect();
        assert_eq!((PLAN.width(), PLAN.bands()), (15, 3));
        // slots 0…4 are of the first family, 5…9 of the second, 10…14 of the third; they are dealt
        // in turn
        assert_eq!(PLAN.band(0).key(&slots), u32::from_be_bytes([0, 5, 10, 1]));
        assert_eq!(PLAN.band(1).key(&slots), u32::from_be_bytes([6, 11, 2, 7]));
        assert_eq!(PLAN.band(2).key(&slots), u32::from_be_bytes([12, 3, 8, 13]));
    }

    #[test]
    fn slots_and_samples_are_without_bias() {
        let (left, right) = ([set(0, 300), vec![], set(0, 10)], [set(100, 400), vec![], vec![]]);
        let (mut agree, mut inside) = (0.0, 0.0);
        let runs = 100;
        for seed in 0..runs {
            let plan = Plan { slots: 100, seed, ..PLAN };
            let (one, other) = (plan.sketch(&left).unwrap(), plan.sketch(&right).unwrap());
            let votes: Vec<_> = plan.votes(&one.slots, &other.slots).collect();
            assert_eq!((votes[1], votes[2]), (None, Some(0.0)));
            agree += votes[0].unwrap();
            inside +=
                one.sample.iter().filter(|token| other.sample.binary_search(token).is_ok()).count()
                    as f64
                    / one.sample.len() as f64;
        }
        assert!((agree / runs as f64 - 0.5).abs() < 0.02, "{}", agree / runs as f64);
        assert!((inside / runs as f64 - 2.0 / 3.0).abs() < 0.02, "{}", inside / runs as f64);
    }

    #[test]
    fn plans_that_cannot_be_worked_with_are_refused() {
        assert!(PLAN.checked().is_ok());
        for plan in [
            Plan { rows: 0, ..PLAN },
            Plan { rows: 5, ..PLAN },
            Plan { slots: 0, ..PLAN },
            Plan { contained: 4, ..PLAN },
            Plan { one_in: 0, ..PLAN },
        ] {
            assert!(plan.checked().is_err());
        }
        assert!(Plan { slots: 4000, ..PLAN }.checked().is_err());
        assert!(PLAN.sketch(&[vec![], vec![]]).is_err());
    }
}
