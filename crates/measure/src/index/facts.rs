//! The sets of a page as they are, for exact ranking: written once, read only for pages that are
//! nearly chosen.
//!
//! ```text
//! number of tokens of each family (u32) … | tokens of each family, ascending (u64) …
//! | hash of all before (u64)
//! ```

use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

/// The bytes of a page's families.
pub fn store(families: &[Vec<u64>]) -> Vec<u8> {
    let tokens: usize = families.iter().map(Vec::len).sum();
    let mut out = Vec::with_capacity(families.len() * 4 + tokens * 8 + 8);
    families.iter().for_each(|family| out.extend((family.len() as u32).to_le_bytes()));
    families.iter().flatten().for_each(|token| out.extend(token.to_le_bytes()));
    out.extend(hash::bytes(&out).to_le_bytes());
    out
}

/// Stored families, checked.
pub struct Facts<'a> {
    families: Vec<&'a [u8]>,
}

impl<'a> Facts<'a> {
    /// The record that begins at `start`.
    pub fn read(file: &'a [u8], start: u64, families: usize) -> Result<Facts<'a>> {
        Self::find(file, start, families).ok_or_else(|| {
            Error::Damaged(
                "the index is damaged: the features of a page are not those that were written"
                    .into(),
            )
        })
    }

    fn find(file: &'a [u8], start: u64, families: usize) -> Option<Facts<'a>> {
        let record = file.get(usize::try_from(start).ok()?..)?;
        let (counts, tokens) = record.split_at_checked(families * 4)?;
        let mut at = 0usize;
        let mut found = Vec::with_capacity(families);
        for count in counts.chunks_exact(4) {
            let size = u32::from_le_bytes(count.try_into().ok()?) as usize * 8;
            found.push(tokens.get(at..at.checked_add(size)?)?);
            at += size;
        }
        let length = counts.len() + at;
        let check = u64::from_le_bytes(record.get(length..length + 8)?.try_into().ok()?);
        (hash::bytes(&record[..length]) == check).then_some(Facts { families: found })
    }

    /// Length of the record in bytes.
    pub fn length(&self) -> usize {
        self.families.iter().map(|family| 4 + family.len()).sum::<usize>() + 8
    }

    /// The share of each family's tokens that both have; `None` where neither has any.
    pub fn votes<'s>(&'s self, page: &'s [Vec<u64>]) -> impl Iterator<Item = Option<f64>> + 's {
        self.families.iter().zip(page).map(|(stored, tokens)| {
            let count = stored.len() / 8;
            if count == 0 && tokens.is_empty() {
                return None;
            }
            let both = shared(stored, tokens);
            Some(both as f64 / (count + tokens.len() - both) as f64)
        })
    }

    /// How many tokens of the first families of `page` are here.
    pub fn holds(&self, page: &[Vec<u64>]) -> usize {
        self.families.iter().zip(page).map(|(stored, tokens)| shared(stored, tokens)).sum()
    }
}

/// Tokens that both have; both ascending.
fn shared(stored: &[u8], tokens: &[u64]) -> usize {
    let (mut here, mut both) = (0, 0);
    for chunk in stored.chunks_exact(8) {
        let token = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
        while here < tokens.len() && tokens[here] < token {
            here += 1;
        }
        both += usize::from(tokens.get(here) == Some(&token));
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back_or_is_refused() {
        let page = [vec![1, 5, 9], vec![], vec![7]];
        let mut file = vec![0; 3];
        file.extend(store(&page));
        let facts = Facts::read(&file, 3, 3).unwrap();
        assert_eq!(facts.length(), file.len() - 3);
        let other = [vec![5, 6], vec![], vec![8]];
        assert_eq!(facts.votes(&other).collect::<Vec<_>>(), [Some(0.25), None, Some(0.0)]);
        assert_eq!((facts.holds(&other[..2]), facts.holds(&page)), (1, 4));
        for at in 3..file.len() {
            let mut bad = file.clone();
            bad[at] ^= 1;
            assert!(Facts::read(&bad, 3, 3).is_err());
            assert!(Facts::read(&file[..at], 3, 3).is_err());
        }
        assert!(Facts::read(&file, u64::MAX, 3).is_err());
    }
}
