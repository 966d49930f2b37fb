//! What nodes say, as numbers: names, values, words and texts of both trees in one table, with how
//! often each occurs.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rapidhash::fast::RapidHasher;

/// A hash of something that is a hash already.
#[derive(Default)]
pub(super) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// A map whose keys are hashes.
pub(super) type ByHash<V> = HashMap<u64, V, BuildHasherDefault<Ready>>;

/// Hash of some bytes in a room of their own: equal bytes in different rooms are different tokens.
pub(super) fn hash(room: u64, bytes: &[u8]) -> u64 {
    let mut hasher = RapidHasher::default();
    hasher.write_u64(room);
    hasher.write(bytes);
    hasher.finish()
}

/// Two hashes become one; order matters.
pub(super) fn mix(left: u64, right: u64) -> u64 {
    let product =
        u128::from(left ^ 0x9E37_79B9_7F4A_7C15) * u128::from(right ^ 0xD1B5_4A32_D192_ED03);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Every token of both trees. Its number is its first appearance, its hash its identity (64 bits:
/// two that collide become one).
#[derive(Default)]
pub(super) struct Tokens {
    numbers: ByHash<u32>,
    /// Hash of each token.
    pub(super) hashes: Vec<u64>,
    /// On how many nodes of both trees each token stands.
    pub(super) counts: Vec<u32>,
}

impl Tokens {
    /// The number of the token, counted once more.
    pub(super) fn add(&mut self, hash: u64) -> u32 {
        let next = self.hashes.len() as u32;
        let number = *self.numbers.entry(hash).or_insert(next);
        if number == next {
            self.hashes.push(hash);
            self.counts.push(0);
        }
        self.counts[number as usize] += 1;
        number
    }

    /// How many different tokens there are.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }
}

/// The words of a text: runs of letters and digits.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}
