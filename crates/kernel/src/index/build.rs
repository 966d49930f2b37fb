//! Pages become a segment.
//!
//! The bytes come in pieces, so that a segment of a million pages never stands in memory twice.

use super::segment::{head, Counts};
use super::sketch::{Plan, Sketch};
use crate::error::{Error, Result};

/// Bytes of a piece, about.
const PIECE: usize = 1 << 24;

/// Pages on their way into a segment.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    facts: Vec<u64>,
    name_ends: Vec<u64>,
    names: String,
    slots: Vec<u8>,
    /// Token of the sample, then page.
    samples: Vec<u64>,
}

impl Builder {
    /// Adds a page: its name, where its sets begin in the file (0 if they are not kept), and its sketches.
    pub fn push(&mut self, plan: &Plan, name: &str, facts: u64, slots: &[u8], sample: impl Iterator<Item = u32>) -> Result<()> {
        if slots.len() != plan.width() {
            return Err(Error::Usage(format!("a page of this index has {} slots, not {}", plan.width(), slots.len())));
        }
        let page = u32::try_from(self.facts.len()).ok().filter(|&page| page < u32::MAX);
        let page = page.ok_or_else(|| Error::Usage("a segment has room for four billion pages".into()))?;
        self.facts.push(facts);
        self.names.push_str(name);
        self.name_ends.push(self.names.len() as u64);
        self.slots.extend_from_slice(slots);
        self.samples.extend(sample.map(|token| u64::from(token) << 32 | u64::from(page)));
        Ok(())
    }

    /// Adds a page by its sketch.
    pub fn push_sketch(&mut self, plan: &Plan, name: &str, facts: u64, sketch: &Sketch) -> Result<()> {
        self.push(plan, name, facts, &sketch.slots, sketch.sample.iter().copied())
    }

    /// Adds what another segment says of the samples of pages that were pushed from it; `page` is the number here.
    pub(super) fn push_sample(&mut self, token: u32, page: u32) {
        self.samples.push(u64::from(token) << 32 | u64::from(page));
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
    pub fn write(mut self, plan: &Plan, mut write: impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
        self.samples.sort_unstable();
        self.samples.dedup();
        let pages = self.facts.len();
        let is_first = |at: usize| at == 0 || self.samples[at - 1] >> 32 != self.samples[at] >> 32;
        let firsts: Vec<usize> = (0..self.samples.len()).filter(|&at| is_first(at)).collect();
        let counts = Counts { pages, names: self.names.len(), keys: firsts.len(), postings: self.samples.len() };
        write(head(plan, &counts))?;
        numbers(&self.facts, |&facts| facts.to_le_bytes(), &mut write)?;
        numbers(&self.name_ends, |&end| end.to_le_bytes(), &mut write)?;
        in_pieces(self.names.as_bytes(), &mut write)?;
        numbers(&self.by_name(), |&page| page.to_le_bytes(), &mut write)?;
        in_pieces(&self.slots, &mut write)?;
        let mut places = vec![0u64; pages];
        for band in 0..plan.bands() {
            for (page, slots) in self.slots.chunks_exact(plan.width()).enumerate() {
                places[page] = u64::from(plan.key(band, slots)) << 32 | page as u64;
            }
            places.sort_unstable();
            numbers(&places, |&place| (place as u32).to_le_bytes(), &mut write)?;
        }
        numbers(&firsts, |&first| ((self.samples[first] >> 32) as u32).to_le_bytes(), &mut write)?;
        let ends: Vec<u64> =
            firsts.iter().skip(1).map(|&first| first as u64).chain((!firsts.is_empty()).then_some(self.samples.len() as u64)).collect();
        numbers(&ends, |&end| end.to_le_bytes(), &mut write)?;
        numbers(&self.samples, |&sample| (sample as u32).to_le_bytes(), &mut write)
    }

    fn by_name(&self) -> Vec<u32> {
        let name = |page: u32| {
            let page = page as usize;
            let start = if page == 0 { 0 } else { self.name_ends[page - 1] };
            &self.names[start as usize..self.name_ends[page] as usize]
        };
        let mut pages: Vec<u32> = (0..self.facts.len() as u32).collect();
        pages.sort_by(|&a, &b| name(a).cmp(name(b)));
        pages
    }
}

fn in_pieces(bytes: &[u8], write: &mut impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
    bytes.chunks(PIECE).try_for_each(|piece| write(piece.to_vec()))
}

fn numbers<T, const N: usize>(all: &[T], bytes: impl Fn(&T) -> [u8; N], write: &mut impl FnMut(Vec<u8>) -> Result<()>) -> Result<()> {
    all.chunks(PIECE / N).try_for_each(|piece| write(piece.iter().flat_map(&bytes).collect()))
}
