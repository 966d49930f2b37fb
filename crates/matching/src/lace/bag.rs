//! The rare things said inside a subtree, as a sketch: what tells two list rows apart before
//! anything is matched.
//!
//! A token is rare if it stands on few nodes of both trees together. The bag of a node holds the
//! rare tokens of its whole subtree; of more than [`SIZE`] the ones with the smallest hashes are
//! kept, which is an even sample, and the same sample on both sides. Bags of a parent and its only
//! child are often the same and then share their memory.

use super::side::Side;
use super::tokens::Tokens;

/// Tokens on more nodes than this (in both trees together) are not rare enough for what stands
/// below a node,
pub(super) const RARE_BELOW: u32 = 16;
/// nor on more than this for what stands above it.
pub(super) const RARE_ABOVE: u32 = 64;
/// Tokens kept for a subtree.
pub(super) const SIZE: usize = 64;

/// The bags of one side.
pub(super) struct Bags {
    spans: Vec<(u32, u32)>,
    /// Order numbers of rare tokens, increasing inside a bag.
    tokens: Vec<u32>,
    /// A bit for each token of a bag, by its number: bags without a common bit have nothing in
    /// common.
    bits: Vec<u64>,
}

/// The rare tokens in the order of their hashes: the order number decides what a full bag keeps.
pub(super) struct Rare {
    order: Vec<u32>,
    /// Weight of the token with each order number.
    weight: Vec<f32>,
}

impl Rare {
    /// Numbers the rare tokens. A token that stands on one side only is kept: it is evidence of a
    /// difference.
    pub(super) fn new(tokens: &Tokens, idf: &[f32], most: u32) -> Rare {
        let mut rare: Vec<u32> =
            (0..tokens.len() as u32).filter(|&t| tokens.counts[t as usize] <= most).collect();
        rare.sort_unstable_by_key(|&t| tokens.hashes[t as usize]);
        let mut order = vec![u32::MAX; tokens.len()];
        for (number, &token) in rare.iter().enumerate() {
            order[token as usize] = number as u32;
        }
        Rare { order, weight: rare.iter().map(|&t| idf[t as usize]).collect() }
    }
}

impl Bags {
    /// For each row what it and its ancestors say, from the root down.
    pub(super) fn above(side: &Side, rare: &Rare) -> Bags {
        let n = side.len();
        let mut bags = Bags { spans: vec![(0, 0); n], tokens: Vec::new(), bits: vec![0; n] };
        let mut gathered: Vec<u32> = Vec::new();
        for i in 1..n {
            let above = bags.spans[side.parent[i] as usize];
            bags.spans[i] = above;
            bags.bits[i] = bags.bits[side.parent[i] as usize];
            if side.children(i).is_empty() {
                continue;
            }
            gathered.clear();
            gathered.extend(
                side.own(i)
                    .iter()
                    .map(|&t| rare.order[t as usize])
                    .filter(|&number| number != u32::MAX),
            );
            if gathered.is_empty() {
                continue;
            }
            gathered.extend_from_slice(&bags.tokens[above.0 as usize..above.1 as usize]);
            bags.put(i, &mut gathered);
        }
        bags
    }

    /// For each row what its subtree says, from the leaves up.
    pub(super) fn below(side: &Side, rare: &Rare) -> Bags {
        let n = side.len();
        let mut bags = Bags { spans: vec![(0, 0); n], tokens: Vec::new(), bits: vec![0; n] };
        let mut gathered: Vec<u32> = Vec::new();
        for i in (0..n).rev() {
            gathered.clear();
            gathered.extend(
                side.own(i)
                    .iter()
                    .map(|&t| rare.order[t as usize])
                    .filter(|&number| number != u32::MAX),
            );
            let mut only = 0;
            let mut filled = 0;
            for &child in side.children(i) {
                let span = bags.spans[child as usize];
                if span.0 < span.1 {
                    filled += 1;
                    only = child as usize;
                }
            }
            if gathered.is_empty() && filled <= 1 {
                if filled == 1 {
                    bags.spans[i] = bags.spans[only];
                    bags.bits[i] = bags.bits[only];
                }
                continue;
            }
            for &child in side.children(i) {
                let (from, to) = bags.spans[child as usize];
                gathered.extend_from_slice(&bags.tokens[from as usize..to as usize]);
                if gathered.len() > 64 * SIZE {
                    keep_smallest(&mut gathered);
                }
            }
            bags.put(i, &mut gathered);
        }
        bags
    }

    /// Makes what was gathered the bag of a row.
    fn put(&mut self, i: usize, gathered: &mut Vec<u32>) {
        keep_smallest(gathered);
        let from = self.tokens.len() as u32;
        self.tokens.extend_from_slice(gathered);
        self.spans[i] = (from, self.tokens.len() as u32);
        self.bits[i] = gathered.iter().fold(0, |bits, &number| bits | 1 << (number % 64));
    }

    /// The weight of all that is in a bag.
    pub(super) fn mass(&self, i: usize, rare: &Rare) -> f32 {
        self.get(i).iter().map(|&number| rare.weight[number as usize]).sum()
    }

    pub(super) fn get(&self, i: usize) -> &[u32] {
        let (from, to) = self.spans[i];
        &self.tokens[from as usize..to as usize]
    }
}

fn keep_smallest(numbers: &mut Vec<u32>) {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.truncate(SIZE);
}

/// How alike two bags are: twice the weight they share over the weight of both, in [0, 1], and the
/// weight they share; None where both are empty.
///
/// A full bag knows nothing beyond its last token, so nothing beyond it is compared.
pub(super) fn dice(
    (left, i): (&Bags, usize),
    (right, j): (&Bags, usize),
    rare: &Rare,
) -> Option<(f32, f32)> {
    let have_nothing_in_common = left.bits[i] & right.bits[j] == 0;
    let (left, right) = (left.get(i), right.get(j));
    if left.is_empty() && right.is_empty() {
        return None;
    }
    if have_nothing_in_common {
        return Some((0.0, 0.0));
    }
    let horizon = |bag: &[u32]| if bag.len() >= SIZE { bag[SIZE - 1] } else { u32::MAX };
    let last = horizon(left).min(horizon(right));
    let (mut a, mut b) = (0, 0);
    let (mut shared, mut total) = (0.0f32, 0.0f32);
    while a < left.len() && b < right.len() {
        let (x, y) = (left[a], right[b]);
        let low = x.min(y);
        if low > last {
            break;
        }
        let weight = rare.weight[low as usize];
        if x == y {
            shared += 2.0 * weight;
            total += 2.0 * weight;
            a += 1;
            b += 1;
        } else {
            total += weight;
            if x < y {
                a += 1;
            } else {
                b += 1;
            }
        }
    }
    for &rest in left[a..].iter().chain(&right[b..]) {
        if rest > last {
            break;
        }
        total += rare.weight[rest as usize];
    }
    Some((if total > 0.0 { shared / total } else { 0.0 }, shared / 2.0))
}
