//! Path shingles: windows of node paths in document order (Buttler, section III).

use super::bag::Bag;
use super::paths::node_paths;
use super::sketch::Sample;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;
use treelace_tree::tree::Tree;
use treelace_tree::watch::Watch;

const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// How shingles are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Paths in one shingle, at least 1.
    pub window: u32,
    /// Whether texts that are not blank are nodes too.
    pub texts: bool,
}

impl Cut {
    /// The shingles of a document in document order, as tokens. A document with fewer nodes than
    /// the window has one shingle of all of them; an empty one has none.
    pub fn shingles(self, tree: &Tree, watch: &dyn Watch) -> Result<Vec<u64>> {
        if self.window == 0 {
            return Err(Error::Usage(
                "a shingle holds at least one path: window must be 1 or more".into(),
            ));
        }
        let paths: Vec<u64> =
            node_paths(tree, self.texts, watch)?.into_iter().map(|(_, path)| path).collect();
        Ok(windows(&paths, self.window as usize))
    }
}

/// The token of every window, by a rolling polynomial modulo 2⁶⁴: linear whatever the window. The
/// factor is odd, so no path of a window is ever lost, and the paths are spread hashes already.
fn windows(paths: &[u64], window: usize) -> Vec<u64> {
    if paths.is_empty() {
        return Vec::new();
    }
    let window = window.min(paths.len());
    let leaving = BASE.wrapping_pow(window as u32);
    let mut rolled = 0u64;
    let mut out = Vec::with_capacity(paths.len() - window + 1);
    for (i, path) in paths.iter().enumerate() {
        rolled = rolled.wrapping_mul(BASE).wrapping_add(*path);
        if i >= window {
            rolled = rolled.wrapping_sub(paths[i - window].wrapping_mul(leaving));
        }
        if i + 1 >= window {
            out.push(hash::pair(window as u64, rolled));
        }
    }
    out
}

/// The k smallest shingles in the permutation with this seed. A bag is sampled as the set of
/// (shingle, occurrence number).
pub fn sample(shingles: Vec<u64>, is_bag: bool, k: u32, seed: u64, cut: Cut) -> Sample {
    let mut tokens = shingles;
    tokens.sort_unstable();
    if is_bag {
        let bag = Bag::of(tokens);
        let numbered = |(&key, &count): (&u64, &u32)| {
            (0..count).map(move |number| hash::pair(key, u64::from(number)))
        };
        tokens = bag.keys().iter().zip(bag.counts()).flat_map(numbered).collect();
    } else {
        tokens.dedup();
    }
    let made_by =
        hash::pair(hash::pair(u64::from(cut.window), u64::from(cut.texts)), u64::from(is_bag));
    Sample::of(tokens, k, seed, made_by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolling_is_as_good_as_starting_anew() {
        let paths: Vec<u64> = (0..50).map(hash::spread).collect();
        for window in [1, 2, 3, 7, 50, 80] {
            let rolled = windows(&paths, window);
            let size = window.min(50);
            assert_eq!(rolled.len(), 51 - size);
            let anew: Vec<u64> = paths.windows(size).flat_map(|part| windows(part, size)).collect();
            assert_eq!(rolled, anew);
        }
        assert_eq!(windows(&[], 3), Vec::<u64>::new());
    }
}
