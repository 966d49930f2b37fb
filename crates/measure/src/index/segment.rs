//! A segment: pages that were added together, as bytes that are written once and then only read.
//!
//! ```text
//! facts      pages × u64        where the sets of a page begin in the file; 0 where not kept
//! name ends  pages × u64        names one after another
//! names      UTF-8
//! hashes     pages × u64        hashes of the names, ascending
//! by hash    pages × u32        whose they are
//! slots      pages × width      the minima, one byte each
//! bands      bands × pages × u32    pages in the order of their slots in this band
//! postings   postings × u32     pages that have a sampled token, ascending, token after token
//! keys       keys × u32         sampled tokens, ascending
//! ends       keys × u64         where the postings of a key end
//! foot       pages names keys postings families contained slots rows one_in seed (u64 each)
//!            | "tlIS" VERSION 000
//! ```
//!
//! The foot comes last, so that a segment can be written from beginning to end without knowing how
//! large it gets. Numbers are little-endian and read where they stand: a segment may be a view of a
//! mapped file of any size. A band needs no copy of its keys: the slots of a page are its key.

use super::sketch::Plan;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash;

const MAGIC: &[u8; 4] = b"tlIS";
/// Of the layout and of everything that makes sketches.
pub const VERSION: u8 = 1;
/// Bytes after the last section.
pub const FOOT: usize = 88;

/// How much of everything there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pages.
    pub pages: usize,
    /// Bytes of all names.
    pub names: usize,
    /// Sampled tokens.
    pub keys: usize,
    /// Occurrences of them.
    pub postings: usize,
}

/// A view of a segment.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// How its pages were sketched.
    pub plan: Plan,
    /// How much there is.
    pub counts: Counts,
    facts: &'a [u8],
    name_ends: &'a [u8],
    names: &'a [u8],
    hashes: &'a [u8],
    by_hash: &'a [u8],
    slots: &'a [u8],
    bands: &'a [u8],
    postings: &'a [u8],
    keys: &'a [u8],
    ends: &'a [u8],
}

/// The foot of a segment.
pub fn foot(plan: &Plan, counts: &Counts) -> Vec<u8> {
    let mut out = Vec::with_capacity(FOOT);
    let numbers =
        [counts.pages, counts.names, counts.keys, counts.postings].map(|count| count as u64);
    let plan = [plan.families, plan.contained, plan.slots, plan.rows, plan.one_in]
        .map(u64::from)
        .into_iter()
        .chain([plan.seed]);
    numbers.into_iter().chain(plan).for_each(|number| out.extend(number.to_le_bytes()));
    out.extend(MAGIC);
    out.extend([VERSION, 0, 0, 0]);
    out
}

fn damaged(why: &str) -> Error {
    Error::Damaged(format!("the index is damaged: {why}"))
}

impl<'a> Segment<'a> {
    /// The segment in these bytes. Lengths are checked; what the sections hold is checked where it
    /// is used.
    pub fn read(bytes: &'a [u8]) -> Result<Segment<'a>> {
        let (sections, foot) = bytes
            .len()
            .checked_sub(FOOT)
            .map(|at| bytes.split_at(at))
            .ok_or_else(|| damaged("a segment is cut off"))?;
        if &foot[FOOT - 8..FOOT - 4] != MAGIC {
            return Err(damaged("there is no segment where one should be"));
        }
        if foot[FOOT - 4] != VERSION {
            let version = foot[FOOT - 4];
            return Err(Error::Damaged(format!(
                "the index has segments of version {version}, and \
             this treelace reads {VERSION}: build it again"
            )));
        }
        let number = |at: usize| u64_at(foot, at);
        let count = |at: usize| {
            usize::try_from(number(at)).map_err(|_| damaged("a segment has an impossible size"))
        };
        let small = |at: usize| {
            u32::try_from(number(at)).map_err(|_| damaged("a segment has an impossible plan"))
        };
        let counts =
            Counts { pages: count(0)?, names: count(1)?, keys: count(2)?, postings: count(3)? };
        let plan = Plan {
            families: small(4)?,
            contained: small(5)?,
            slots: small(6)?,
            rows: small(7)?,
            one_in: small(8)?,
            seed: number(9),
        };
        let plan = plan.checked().map_err(|_| damaged("a segment has an impossible plan"))?;
        if counts.pages > u32::MAX as usize {
            return Err(damaged("a segment has an impossible size"));
        }
        let mut rest = sections;
        let mut take = |count: usize, size: usize| {
            let length = count
                .checked_mul(size)
                .ok_or_else(|| damaged("a segment has an impossible size"))?;
            let (section, after) =
                rest.split_at_checked(length).ok_or_else(|| damaged("a segment is cut off"))?;
            rest = after;
            Ok(section)
        };
        let pages = counts.pages;
        let segment = Segment {
            plan,
            counts,
            facts: take(pages, 8)?,
            name_ends: take(pages, 8)?,
            names: take(counts.names, 1)?,
            hashes: take(pages, 8)?,
            by_hash: take(pages, 4)?,
            slots: take(pages, plan.width())?,
            bands: take(pages, 4 * plan.bands())?,
            postings: take(counts.postings, 4)?,
            keys: take(counts.keys, 4)?,
            ends: take(counts.keys, 8)?,
        };
        if !rest.is_empty() {
            return Err(damaged("a segment does not end where it should"));
        }
        Ok(segment)
    }

    /// Where the sets of a page begin in the file; `None` where they are not kept.
    pub fn facts(&self, page: u32) -> Option<u64> {
        let start = u64_at(self.facts, page as usize);
        (start > 0).then_some(start)
    }

    /// The name of a page.
    pub fn name(&self, page: u32) -> Result<&'a str> {
        let page = page as usize;
        let (start, end) = (
            if page == 0 { 0 } else { u64_at(self.name_ends, page - 1) },
            u64_at(self.name_ends, page),
        );
        let name = self
            .names
            .get(start as usize..end as usize)
            .ok_or_else(|| damaged("a page has no name"))?;
        std::str::from_utf8(name).map_err(|_| damaged("the name of a page is no text"))
    }

    /// The pages with this name (one at most, but for pages that were replaced).
    pub fn named(&self, name: &str) -> Result<Vec<u32>> {
        let wanted = hash::text(name);
        let first = first_of(self.counts.pages, |place| u64_at(self.hashes, place) >= wanted);
        let mut found = Vec::new();
        for place in
            (first..self.counts.pages).take_while(|&place| u64_at(self.hashes, place) == wanted)
        {
            let page = self.page(u32_at(self.by_hash, place))?;
            if self.name(page)? == name {
                found.push(page);
            }
        }
        Ok(found)
    }

    /// The slots of a page.
    pub fn slots(&self, page: u32) -> &'a [u8] {
        let width = self.plan.width();
        &self.slots[page as usize * width..(page as usize + 1) * width]
    }

    /// The places of a band whose pages agree with `slots` in it.
    pub fn bucket(&self, band: usize, slots: &[u8]) -> Result<std::ops::Range<usize>> {
        let places = self.plan.band(band);
        let wanted = places.key(slots);
        let (mut low, mut high) = (0, self.counts.pages);
        while low < high {
            let middle = (low + high) / 2;
            if places.key(self.slots(self.in_band(band, middle)?)) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        // most buckets are small: the end is looked for from the beginning, in steps that double
        let (mut end, mut step) = (low, 1);
        let agrees = |place: usize| {
            Ok(place < self.counts.pages
                && places.key(self.slots(self.in_band(band, place)?)) == wanted)
        };
        while agrees(end + step - 1)? {
            end += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if agrees(end + step - 1)? {
                end += step;
            }
        }
        Ok(low..end)
    }

    /// The page at a place of a band.
    pub fn in_band(&self, band: usize, place: usize) -> Result<u32> {
        self.page(u32_at(self.bands, band * self.counts.pages + place))
    }

    /// The pages whose sample has this token, ascending.
    pub fn postings(&self, key: u32) -> Result<Postings<'a>> {
        let low = first_of(self.counts.keys, |place| u32_at(self.keys, place) >= key);
        if low == self.counts.keys || u32_at(self.keys, low) != key {
            return Ok(Postings(&[]));
        }
        self.nth_postings(low).map(|(_, postings)| postings)
    }

    /// A token of the sample and the pages that have it.
    pub fn nth_postings(&self, nth: usize) -> Result<(u32, Postings<'a>)> {
        let (start, end) =
            (if nth == 0 { 0 } else { u64_at(self.ends, nth - 1) }, u64_at(self.ends, nth));
        let bytes = start
            .checked_mul(4)
            .zip(end.checked_mul(4))
            .and_then(|(start, end)| self.postings.get(start as usize..end as usize));
        let bytes = bytes.ok_or_else(|| damaged("the pages of a token are missing"))?;
        let last = bytes.last_chunk::<4>().map_or(0, |last| u32::from_le_bytes(*last));
        if !bytes.is_empty() {
            self.page(last)?;
        }
        Ok((u32_at(self.keys, nth), Postings(bytes)))
    }

    fn page(&self, page: u32) -> Result<u32> {
        if page as usize >= self.counts.pages {
            return Err(damaged("it names a page that it does not have"));
        }
        Ok(page)
    }
}

/// Pages, ascending.
#[derive(Clone, Copy)]
pub struct Postings<'a>(&'a [u8]);

impl<'a> Postings<'a> {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len() / 4
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = u32> + 'a {
        self.0
            .chunks_exact(4)
            .map(|chunk| u32::from_le_bytes(chunk.try_into().expect("four bytes")))
    }

    /// Whether a page is among them.
    pub fn contains(&self, page: u32) -> bool {
        let place = first_of(self.len(), |place| u32_at(self.0, place) >= page);
        place < self.len() && u32_at(self.0, place) == page
    }
}

/// The first place below `count` where `is_reached` holds, as it does for all after it; `count`
/// where there is none.
fn first_of(count: usize, is_reached: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if is_reached(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at * 4..at * 4 + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at * 8..at * 8 + 8].try_into().expect("eight bytes"))
}
