//! A set of nodes as one bit a node.

/// A set of small numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set, with room for numbers below `n`.
    pub(super) fn new(n: usize) -> Self {
        Bits { words: vec![0; n.div_ceil(64)] }
    }

    pub(super) fn has(&self, i: usize) -> bool {
        self.words[i >> 6] >> (i & 63) & 1 != 0
    }

    /// Adds a number; whether it is new.
    pub(super) fn add(&mut self, i: usize) -> bool {
        let (word, bit) = (&mut self.words[i >> 6], 1 << (i & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The numbers, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    at * 64 + bit
                })
            })
        })
    }
}
