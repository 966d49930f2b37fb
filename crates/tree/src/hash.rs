//! Hashes of names, paths and pieces of structure: the tokens every measure counts.
//!
//! Sketches are kept by wrappers, stores and indexes, so these functions never change: another
//! choice is another [`VERSION`]. Strings go through rapidhash v3 (named, stable); numbers through
//! the finaliser of SplitMix64, which is a bijection of the 64-bit numbers, so [`permute`] is a
//! true permutation for each seed. Two different tokens share a hash with probability 2⁻⁶⁴: on a
//! page of a million tokens once in forty million pages.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;
use rapidhash::v3::rapidhash_v3;

/// A hash map for the inner loops: fast, and the same from run to run. Nothing may depend on its
/// order.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<RapidHasher<'static>>>;

/// Version of every hash here, stored with each sketch.
pub const VERSION: u8 = 1;

/// The label of a text node.
pub const TEXT: &str = "[text]";

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A string as a token.
#[inline]
pub fn text(text: &str) -> u64 {
    bytes(text.as_bytes())
}

/// Bytes as a token, or as the checksum of something that is stored.
#[inline]
pub fn bytes(bytes: &[u8]) -> u64 {
    rapidhash_v3(bytes)
}

/// A bijection of the 64-bit numbers that spreads every bit over all others (SplitMix64's
/// finaliser).
#[inline]
pub fn spread(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The token "`first`, then `second`"; the order matters.
#[inline]
pub fn pair(first: u64, second: u64) -> u64 {
    spread(first.rotate_left(23).wrapping_add(second.wrapping_mul(ODD)).wrapping_add(1))
}

/// Where `token` stands in the permutation with this number.
#[inline]
pub fn permute(token: u64, seed: u64) -> u64 {
    spread(token ^ spread(seed.wrapping_add(ODD)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_those_of_version_one() {
        assert_eq!(VERSION, 1);
        assert_eq!(
            (text("div"), pair(1, 2), permute(1, 0)),
            (804_642_937_641_342_986, 6_771_732_532_029_625_703, 11_385_487_063_155_714_807)
        );
    }

    #[test]
    fn order_matters() {
        assert_ne!(pair(1, 2), pair(2, 1));
        assert_ne!(pair(pair(1, 2), 3), pair(1, pair(2, 3)));
    }
}
