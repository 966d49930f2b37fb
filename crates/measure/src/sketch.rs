//! Sketches: a few numbers that stand for a set of any size.
//!
//! [`Sample`] keeps the k smallest tokens of a seeded permutation (bottom-k; Broder 1997). It can
//! be cut to any smaller k later, and answers resemblance and, since it knows the size of its set,
//! containment. [`Minima`] keeps the smallest value of each of k functions (MinHash): slot by slot
//! comparable, which banding in an index needs.

use super::bag::ratio;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

/// The k smallest tokens of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    seed: u64,
    made_by: u64,
    k: u32,
    size: u64,
    values: Vec<u64>,
}

impl Sample {
    /// The sample of a set of different tokens. `made_by` says how the tokens were made: only like
    /// is compared with like.
    pub fn of(tokens: Vec<u64>, k: u32, seed: u64, made_by: u64) -> Sample {
        let size = tokens.len() as u64;
        let mut values: Vec<u64> =
            tokens.into_iter().map(|token| hash::permute(token, seed)).collect();
        if values.len() > k as usize {
            values.select_nth_unstable(k as usize);
            values.truncate(k as usize);
        }
        values.sort_unstable();
        Sample { seed, made_by, k, size, values }
    }

    /// From parts that were stored.
    pub fn from_parts(
        seed: u64,
        made_by: u64,
        k: u32,
        size: u64,
        values: Vec<u64>,
    ) -> Result<Sample> {
        if values.len() as u64 != size.min(u64::from(k))
            || !values.windows(2).all(|two| two[0] < two[1])
        {
            return Err(Error::Damaged(
                "a sketch is damaged: its values are not the smallest of a set".into(),
            ));
        }
        Ok(Sample { seed, made_by, k, size, values })
    }

    /// Seed, what made the tokens, k, and the size of the set.
    pub fn parts(&self) -> (u64, u64, u32, u64) {
        (self.seed, self.made_by, self.k, self.size)
    }

    /// The smallest values, ascending.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// The sample that a smaller k would have given.
    pub fn cut(&self, k: u32) -> Result<Sample> {
        if k > self.k {
            return Err(Error::Usage(format!(
                "a sketch of {} values cannot be cut to {k}",
                self.k
            )));
        }
        let values = self.values[..self.values.len().min(k as usize)].to_vec();
        Ok(Sample { k, values, ..*self })
    }

    /// Estimates |A ∩ B| / |A ∪ B| without bias: of the k smallest values of both together, the
    /// share that both have. Exact where a sample holds its whole set. Samples of different k are
    /// compared at the smaller one.
    pub fn resemblance(&self, other: &Sample) -> Result<f64> {
        if (self.seed, self.made_by) != (other.seed, other.made_by) {
            return Err(Error::Usage(
                "two sketches with different settings cannot be compared: \
             seed, window, texts and bag must agree"
                    .into(),
            ));
        }
        let k = self.k.min(other.k) as u64;
        let (left, right) = (&self.values[..], &other.values[..]);
        let (mut here, mut there, mut both, mut seen) = (0, 0, 0u64, 0u64);
        while seen < k && here < left.len() && there < right.len() {
            let (a, b) = (left[here], right[there]);
            both += u64::from(a == b);
            here += usize::from(a <= b);
            there += usize::from(b <= a);
            seen += 1;
        }
        let rest = (left.len() - here + right.len() - there) as u64;
        Ok(ratio(both, (seen + rest).min(k)))
    }

    /// Estimates |A ∩ B| / |A|, this one being A: of the values of A up to where both samples know
    /// everything, the share that B has. 1 for a set inside another, whatever their sizes. Where A
    /// has no value there, from the resemblance r and the sizes: r (|A| + |B|) / ((1 + r) |A|).
    pub fn containment(&self, other: &Sample) -> Result<f64> {
        let r = self.resemblance(other)?;
        if self.size == 0 {
            return Ok(1.0);
        }
        let known = self.reach(other.k).min(other.reach(self.k));
        let mine = &self.values[..self.values.partition_point(|&value| value <= known)];
        if mine.is_empty() {
            return Ok(
                (r * (self.size + other.size) as f64 / ((1.0 + r) * self.size as f64)).min(1.0)
            );
        }
        let both = mine.iter().filter(|value| other.values.binary_search(value).is_ok()).count();
        Ok(both as f64 / mine.len() as f64)
    }

    /// Up to which value a sample cut to at most `k` holds every value of its set.
    fn reach(&self, k: u32) -> u64 {
        let k = self.k.min(k) as usize;
        if self.size <= k as u64 {
            return u64::MAX;
        }
        k.checked_sub(1).map_or(0, |last| self.values[last])
    }
}

/// The smallest value of each of k functions over a set; no values for an empty set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minima {
    values: Vec<u32>,
}

impl Minima {
    /// The minima of a set of tokens. Function i is x ↦ top half of (aᵢ x + bᵢ) with numbers from
    /// the seed: enough, since tokens are spread hashes already.
    pub fn of(tokens: &[u64], slots: u32, seed: u64) -> Minima {
        if tokens.is_empty() {
            return Minima { values: Vec::new() };
        }
        let minimum = |slot: u32| {
            let (factor, shift) = (
                hash::permute(2 * u64::from(slot), seed) | 1,
                hash::permute(2 * u64::from(slot) + 1, seed),
            );
            tokens
                .iter()
                .map(|token| (token.wrapping_mul(factor).wrapping_add(shift) >> 32) as u32)
                .min()
                .expect("not empty")
        };
        Minima { values: (0..slots).map(minimum).collect() }
    }

    /// From values that were stored.
    pub fn from_values(values: Vec<u32>) -> Minima {
        Minima { values }
    }

    /// The minima; none for an empty set.
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// The share of slots that agree: estimates |A ∩ B| / |A ∪ B| with variance r (1 − r) / k.
    /// `None` where both are empty.
    pub fn resemblance(&self, other: &Minima) -> Option<f64> {
        if self.values.is_empty() && other.values.is_empty() {
            return None;
        }
        let equal = self.values.iter().zip(&other.values).filter(|(a, b)| a == b).count();
        Some(equal as f64 / self.values.len().max(other.values.len()) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(from: u64, to: u64) -> Vec<u64> {
        (from..to).map(|x| hash::spread(x + 1000)).collect()
    }

    #[test]
    fn a_cut_sketch_is_the_sketch_of_the_smaller_k() {
        let whole = Sample::of(set(0, 500), 200, 7, 1);
        for k in [0, 1, 17, 200] {
            assert_eq!(whole.cut(k).unwrap(), Sample::of(set(0, 500), k, 7, 1));
        }
        assert!(matches!(whole.cut(201), Err(Error::Usage(_))));
    }

    #[test]
    fn samples_that_hold_everything_are_exact() {
        let (left, right) = (Sample::of(set(0, 60), 100, 7, 1), Sample::of(set(30, 90), 100, 7, 1));
        assert_eq!(
            (left.resemblance(&right).unwrap(), left.containment(&right).unwrap()),
            (1.0 / 3.0, 0.5)
        );
        let none = Sample::of(vec![], 100, 7, 1);
        assert_eq!(
            (
                none.resemblance(&none).unwrap(),
                none.resemblance(&left).unwrap(),
                none.containment(&left).unwrap()
            ),
            (1.0, 0.0, 1.0)
        );
        assert!(matches!(
            left.resemblance(&Sample::of(set(0, 60), 100, 8, 1)),
            Err(Error::Usage(_))
        ));
    }

    #[test]
    fn estimates_are_without_bias() {
        // |A| = 100 inside |B| = 1000: the naive share of shared sketch values would say a
        // containment of .1
        let runs = 300;
        let (mut resemblance, mut containment, mut inside, mut minima) = (0.0, 0.0, 0.0, 0.0);
        for seed in 0..runs {
            let (left, right) =
                (Sample::of(set(0, 100), 64, seed, 1), Sample::of(set(0, 1000), 64, seed, 1));
            resemblance += left.resemblance(&right).unwrap();
            containment += Sample::of(set(0, 300), 64, seed, 1)
                .containment(&Sample::of(set(150, 900), 64, seed, 1))
                .unwrap();
            inside += left.containment(&right).unwrap();
            minima += Minima::of(&set(0, 300), 64, seed)
                .resemblance(&Minima::of(&set(100, 400), 64, seed))
                .unwrap();
        }
        let mean = |sum: f64| sum / runs as f64;
        assert!((mean(resemblance) - 0.1).abs() < 0.01, "{}", mean(resemblance));
        assert!((mean(containment) - 0.5).abs() < 0.04, "{}", mean(containment));
        // 1 but for the one seed in a thousand that leaves no value of A to look at
        assert!(mean(inside) > 0.99, "{}", mean(inside));
        assert!((mean(minima) - 0.5).abs() < 0.012, "{}", mean(minima));
    }
}
