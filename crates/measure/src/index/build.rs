//! Pages become a segment.
//!
//! The bytes come in pieces, so that a segment of a million pages never stands in memory twice.

use super::segment::{foot, Counts};
use super::sketch::{Band, Plan, Sketch};
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

/// Bytes of a piece, about.
const PIECE: usize = 1 << 24;

/// Occurrences of sampled tokens that are sorted at a time, about.
const SORTED: usize = 1 << 22;

/// Bands whose keys are read in one pass over the slots.
const AT_ONCE: usize = 8;

/// Pages on their way into a segment.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    facts: Vec<u64>,
    name_ends: Vec<u64>,
    names: String,
    slots: Vec<u8>,
    samples: Vec<u32>,
    sample_ends: Vec<u64>,
}

impl Builder {
    /// Adds a page: its name, where its sets begin in the file (0 if they are not kept), and its
    /// sketches.
    pub fn push(
        &mut self,
        plan: &Plan,
        name: &str,
        facts: u64,
        slots: &[u8],
        sample: &[u32],
    ) -> Result<()> {
        if slots.len() != plan.width() {
            return Err(Error::Usage(format!(
                "a page of this index has {} slots, not {}",
                plan.width(),
                slots.len()
            )));
        }
        if self.facts.len() >= u32::MAX as usize {
            return Err(Error::Usage("a segment has room for four billion pages".into()));
        }
        self.facts.push(facts);
        self.names.push_str(name);
        self.name_ends.push(self.names.len() as u64);
        self.slots.extend_from_slice(slots);
        let start = self.samples.len();
        self.samples.extend_from_slice(sample);
        self.samples[start..].sort_unstable();
        let mut last = None;
        let mut kept = start;
        for at in start..self.samples.len() {
            let token = self.samples[at];
            if last != Some(token) {
                self.samples[kept] = token;
                kept += 1;
                last = Some(token);
            }
        }
        self.samples.truncate(kept);
        self.sample_ends.push(self.samples.len() as u64);
        Ok(())
    }

    /// Adds a page by its sketch.
    pub fn push_sketch(
        &mut self,
        plan: &Plan,
        name: &str,
        facts: u64,
        sketch: &Sketch,
    ) -> Result<()> {
        self.push(plan, name, facts, &sketch.slots, &sketch.sample)
    }

    /// The samples of all pages, one after another, each up to its end; they replace what was
    /// pushed.
    pub(super) fn set_samples(&mut self, samples: Vec<u32>, ends: Vec<u64>) {
        debug_assert_eq!(ends.len(), self.len());
        self.samples = samples;
        self.sample_ends = ends;
    }

    /// Pages so far.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The segment, piece after piece, each handed to `write`.
    pub fn write(self, plan: &Plan, mut write: impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
        let pages = self.facts.len();
        numbers(&self.facts, |&facts| facts.to_le_bytes(), &mut write)?;
        numbers(&self.name_ends, |&end| end.to_le_bytes(), &mut write)?;
        in_pieces(self.names.as_bytes(), &mut write)?;
        let mut by_hash: Vec<(u64, u32)> =
            (0..pages as u32).map(|page| (hash::text(self.name(page)), page)).collect();
        by_hash.sort_unstable();
        numbers(&by_hash, |(hash, _)| hash.to_le_bytes(), &mut write)?;
        numbers(&by_hash, |(_, page)| page.to_le_bytes(), &mut write)?;
        drop(by_hash);
        in_pieces(&self.slots, &mut write)?;
        self.write_bands(plan, &mut write)?;
        let (keys, ends) = self.write_postings(&mut write)?;
        numbers(&keys, |&key| key.to_le_bytes(), &mut write)?;
        numbers(&ends, |&end| end.to_le_bytes(), &mut write)?;
        let counts = Counts {
            pages,
            names: self.names.len(),
            keys: keys.len(),
            postings: self.samples.len(),
        };
        write(foot(plan, &counts))
    }

    /// The pages in the order of each band. The slots are large and far apart: they are gone
    /// through for several bands at once.
    fn write_bands(
        &self,
        plan: &Plan,
        write: &mut impl FnMut(Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let bands: Vec<Band> = (0..plan.bands()).map(|band| plan.band(band)).collect();
        let mut spare = Vec::new();
        for some in bands.chunks(AT_ONCE) {
            let mut places: Vec<Vec<u64>> = vec![Vec::with_capacity(self.len()); some.len()];
            for (page, slots) in (0..).zip(self.slots.chunks_exact(plan.width())) {
                places.iter_mut().zip(some).for_each(|(places, band)| {
                    places.push(u64::from(band.key(slots)) << 32 | page)
                });
            }
            for mut places in places {
                sort_by_upper_half(&mut places, &mut spare);
                numbers(&places, |&place| (place as u32).to_le_bytes(), write)?;
            }
        }
        Ok(())
    }

    /// The pages of each sampled token, one range of tokens after another, so that only a part is
    /// ever sorted; the tokens, and where the pages of each end.
    fn write_postings(
        &self,
        write: &mut impl FnMut(Vec<u8>) -> Result<()>,
    ) -> Result<(Vec<u32>, Vec<u64>)> {
        let ranges = (self.samples.len() / SORTED + 1).next_power_of_two().min(1 << 10);
        let shift = 32 - ranges.trailing_zeros();
        let (mut keys, mut ends, mut written, mut spare) =
            (Vec::new(), Vec::new(), 0u64, Vec::new());
        for range in 0..ranges as u64 {
            let mut chosen: Vec<u64> = Vec::with_capacity(self.samples.len() / ranges);
            let mut start = 0;
            for (page, &end) in (0..).zip(&self.sample_ends) {
                let tokens =
                    self.samples[start..end as usize].iter().map(|&token| u64::from(token));
                chosen.extend(
                    tokens.filter(|token| token >> shift == range).map(|token| token << 32 | page),
                );
                start = end as usize;
            }
            sort_by_upper_half(&mut chosen, &mut spare);
            for &one in &chosen {
                let token = (one >> 32) as u32;
                if keys.last() != Some(&token) {
                    keys.push(token);
                    ends.push(written);
                }
                written += 1;
                *ends.last_mut().expect("an end for each key") = written;
            }
            numbers(&chosen, |&one| (one as u32).to_le_bytes(), write)?;
        }
        Ok((keys, ends))
    }

    fn name(&self, page: u32) -> &str {
        let page = page as usize;
        let start = if page == 0 { 0 } else { self.name_ends[page - 1] };
        &self.names[start as usize..self.name_ends[page] as usize]
    }
}

/// Sorts by the upper 32 bits and keeps the order of equal ones: eleven bits at a time, five times
/// as fast as comparing.
fn sort_by_upper_half(values: &mut Vec<u64>, spare: &mut Vec<u64>) {
    if values.len() < 1 << 10 {
        values.sort_by_key(|value| value >> 32);
        return;
    }
    spare.clear();
    spare.resize(values.len(), 0);
    for shift in [32, 43, 54] {
        let digit = |value: u64| (value >> shift) as usize & 0x7FF;
        let mut starts = [0usize; 0x800];
        values.iter().for_each(|&value| starts[digit(value)] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &value in values.iter() {
            let start = &mut starts[digit(value)];
            spare[*start] = value;
            *start += 1;
        }
        std::mem::swap(values, spare);
    }
}

fn in_pieces(bytes: &[u8], write: &mut impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
    bytes.chunks(PIECE).try_for_each(|piece| write(piece.to_vec()))
}

fn numbers<T, const N: usize>(
    all: &[T],
    bytes: impl Fn(&T) -> [u8; N],
    write: &mut impl FnMut(Vec<u8>) -> Result<()>,
) -> Result<()> {
    all.chunks(PIECE / N).try_for_each(|piece| write(piece.iter().flat_map(&bytes).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_by_the_upper_half_is_stable() {
        let mut values: Vec<u64> = (0..5000u64).map(|i| hash::spread(i) >> 40 << 32 | i).collect();
        let mut expected = values.clone();
        expected.sort_by_key(|value| value >> 32);
        sort_by_upper_half(&mut values, &mut Vec::new());
        assert_eq!(values, expected);
    }
}
