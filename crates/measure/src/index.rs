//! Pages found by their structure among very many: like a given one, or containing it.
//!
//! A page is a few sets of tokens (families). Two sketches stand for it. For *alike*, the minimum
//! of each of many functions over each family, one byte a slot: pages that agree in all slots of a
//! band are candidates (locality-sensitive hashing). For *containing*, the tokens below a threshold
//! of a permutation (one in so many), as an inverted file: unlike the k smallest, they are
//! comparable for sets of any two sizes. Candidates are ranked by their sketches, and the best of
//! them by the sets themselves where these are kept.
//!
//! Everything here works on bytes: who maps a file into memory, appends to it and makes it safe is
//! Python's part. A [`segment::Segment`] is immutable; an index is a list of them, each with the
//! pages that were removed from it.

pub mod alike;
pub mod build;
pub mod containing;
pub mod facts;
pub mod merge;
pub mod segment;
pub mod sketch;

use segment::Segment;
use treelace_tree::error::{Error, Result};

/// A segment with the pages that no longer count, ascending.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    /// The pages.
    pub segment: Segment<'a>,
    removed: &'a [u32],
}

impl<'a> Part<'a> {
    /// A segment without these pages, which are ascending.
    pub fn new(segment: Segment<'a>, removed: &'a [u32]) -> Result<Part<'a>> {
        if !removed.is_sorted()
            || removed.last().is_some_and(|&last| last as usize >= segment.counts.pages)
        {
            return Err(Error::Damaged(
                "the index is damaged: pages were removed that it does not have".into(),
            ));
        }
        Ok(Part { segment, removed })
    }

    /// Whether a page was removed.
    pub fn is_removed(&self, page: u32) -> bool {
        self.removed.binary_search(&page).is_ok()
    }
}

/// A page that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// Which part of the index it is in.
    pub part: u32,
    /// Its number there.
    pub page: u32,
    /// How alike it is, or how much of what was asked for it contains.
    pub value: f64,
}

/// The best first; of equal ones the one that was added first.
fn best_first(found: &mut [Found]) {
    found.sort_unstable_by(|a, b| {
        b.value.total_cmp(&a.value).then((a.part, a.page).cmp(&(b.part, b.page)))
    });
}
