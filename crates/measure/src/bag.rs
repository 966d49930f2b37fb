//! Bags of tokens, and what two of them share.

use treelace_tree::error::{Error, Result};

/// A multiset of tokens: each token once, in ascending order, with how often it occurs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bag {
    keys: Vec<u64>,
    counts: Vec<u32>,
    /// What one occurrence of each token weighs; empty where all weigh 1.
    weights: Vec<f64>,
    total: u64,
    heft: f64,
}

/// What two bags share: different tokens, occurrences (the smaller count of each token), and the
/// weight of those.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shared {
    /// Tokens in both.
    pub distinct: u64,
    /// Sum over the tokens of the smaller of the two counts.
    pub occurrences: u64,
}

impl Bag {
    /// The bag of these tokens, in any order.
    pub fn of(mut tokens: Vec<u64>) -> Bag {
        tokens.sort_unstable();
        let mut bag = Bag { total: tokens.len() as u64, ..Bag::default() };
        for token in tokens {
            if bag.keys.last() == Some(&token) {
                *bag.counts.last_mut().expect("as many counts as keys") += 1;
            } else {
                bag.keys.push(token);
                bag.counts.push(1);
            }
        }
        bag.heft = bag.total as f64;
        bag
    }

    /// The bag of tokens that come with a count and a weight; the weight of a token is the same
    /// wherever it occurs.
    pub fn weighted(mut tokens: Vec<(u64, u32, f64)>) -> Bag {
        tokens.sort_unstable_by_key(|token| token.0);
        let mut bag = Bag::default();
        for (token, count, weight) in tokens {
            if bag.keys.last() == Some(&token) {
                *bag.counts.last_mut().expect("as many counts as keys") += count;
            } else {
                bag.keys.push(token);
                bag.counts.push(count);
                bag.weights.push(weight);
            }
        }
        bag.total = bag.counts.iter().map(|&count| u64::from(count)).sum();
        bag.heft = bag
            .counts
            .iter()
            .zip(&bag.weights)
            .map(|(&count, &weight)| f64::from(count) * weight)
            .sum();
        bag
    }

    /// From columns that were stored.
    pub fn from_columns(keys: Vec<u64>, counts: Vec<u32>, weights: Vec<f64>) -> Result<Bag> {
        let sorted = keys.windows(2).all(|two| two[0] < two[1]);
        if !sorted
            || counts.len() != keys.len()
            || counts.contains(&0)
            || !(weights.is_empty() || weights.len() == keys.len())
        {
            return Err(Error::Damaged("a bag of tokens is damaged".into()));
        }
        if weights.is_empty() {
            let total = counts.iter().map(|&count| u64::from(count)).sum();
            return Ok(Bag { keys, counts, weights, total, heft: total as f64 });
        }
        Ok(Bag::weighted(
            keys.into_iter()
                .zip(counts)
                .zip(weights)
                .map(|((key, count), weight)| (key, count, weight))
                .collect(),
        ))
    }

    /// The tokens, ascending.
    pub fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// How often each token occurs.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// What one occurrence of each token weighs; empty where all weigh 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Number of occurrences.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// What both have.
    pub fn shared(&self, other: &Bag) -> Shared {
        let mut shared = Shared::default();
        self.meet(other, |here, there| {
            shared.distinct += 1;
            shared.occurrences += u64::from(self.counts[here].min(other.counts[there]));
        });
        shared
    }

    /// Calls `visit` with the places of every token that both have, in ascending order of the
    /// tokens.
    fn meet(&self, other: &Bag, mut visit: impl FnMut(usize, usize)) {
        let (mut here, mut there) = (0, 0);
        while here < self.keys.len() && there < other.keys.len() {
            let (left, right) = (self.keys[here], other.keys[there]);
            if left == right {
                visit(here, there);
            }
            // both steps without a branch that the processor would have to guess
            here += usize::from(left <= right);
            there += usize::from(right <= left);
        }
    }

    /// |A ∩ B| / |A ∪ B| over different tokens; 1 for two empty bags.
    pub fn set_jaccard(&self, other: &Bag) -> f64 {
        let shared = self.shared(other).distinct;
        ratio(shared, self.keys.len() as u64 + other.keys.len() as u64 - shared)
    }

    /// Σ min / Σ max over the counts; 1 for two empty bags.
    pub fn bag_jaccard(&self, other: &Bag) -> f64 {
        let shared = self.shared(other).occurrences;
        ratio(shared, self.total + other.total - shared)
    }

    /// Σ 2 min / Σ (count + count); 1 for two empty bags.
    pub fn bag_dice(&self, other: &Bag) -> f64 {
        ratio(2 * self.shared(other).occurrences, self.total + other.total)
    }

    /// Σ 2 w min / Σ w (count + count), w the weight of the token; 1 for two empty bags.
    pub fn weighted_dice(&self, other: &Bag) -> f64 {
        if self.weights.is_empty() || other.weights.is_empty() {
            return self.bag_dice(other);
        }
        let mut shared = 0.0;
        self.meet(other, |here, there| {
            shared += f64::from(self.counts[here].min(other.counts[there])) * self.weights[here]
        });
        let all = self.heft + other.heft;
        if all == 0.0 {
            return 1.0;
        }
        2.0 * shared / all
    }

    /// The share of this bag's different tokens that the other has; 1 for an empty bag.
    pub fn set_containment(&self, other: &Bag) -> f64 {
        ratio(self.shared(other).distinct, self.keys.len() as u64)
    }

    /// The share of this bag's occurrences that the other has; 1 for an empty bag.
    pub fn bag_containment(&self, other: &Bag) -> f64 {
        ratio(self.shared(other).occurrences, self.total)
    }
}

/// `part / whole`, and 1 where there is nothing on either side: two empty documents are the same.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_what_is_shared() {
        let (left, right) = (Bag::of(vec![3, 1, 3, 2]), Bag::of(vec![3, 3, 3, 2, 9]));
        assert_eq!((left.keys(), left.counts(), left.total()), (&[1, 2, 3][..], &[1, 1, 2][..], 4));
        assert_eq!(left.shared(&right), Shared { distinct: 2, occurrences: 3 });
        assert_eq!(
            (left.set_jaccard(&right), left.bag_jaccard(&right), left.bag_dice(&right)),
            (0.5, 0.5, 6.0 / 9.0)
        );
        assert_eq!((left.set_containment(&right), right.bag_containment(&left)), (2.0 / 3.0, 0.6));
    }

    #[test]
    fn nothing_is_like_nothing() {
        let (none, some) = (Bag::default(), Bag::of(vec![1]));
        assert_eq!(
            (
                none.set_jaccard(&none),
                none.bag_dice(&none),
                none.weighted_dice(&none),
                none.bag_containment(&some)
            ),
            (1.0, 1.0, 1.0, 1.0)
        );
        assert_eq!(
            (none.set_jaccard(&some), none.bag_dice(&some), some.bag_containment(&none)),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn stored_columns_are_checked() {
        assert!(Bag::from_columns(vec![2, 1], vec![1, 1], vec![]).is_err());
        assert!(Bag::from_columns(vec![1, 2], vec![1], vec![]).is_err());
        assert!(Bag::from_columns(vec![1], vec![0], vec![]).is_err());
        assert_eq!(
            Bag::from_columns(vec![1, 2], vec![1, 4], vec![]).unwrap(),
            Bag::of(vec![2, 2, 1, 2, 2])
        );
    }
}
