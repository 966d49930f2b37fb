//! Pages that contain this structure.
//!
//! Of the sampled tokens of the question a page must have enough. A page that has `need` of n
//! tokens has one of any n − need + 1, so only the rarest so many are read in full (a prefix
//! filter); the others are asked only about pages found there, and only as long as these can still
//! get into the answer. A question with too few tokens in the sample is put to the sets of all
//! pages.

use super::facts::Facts;
use super::segment::Postings;
use super::sketch::Sketch;
use super::{best_first, Found, Part};
use treelace_tree::error::{Error, Result};
use treelace_tree::watch::Watch;

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ask {
    /// Pages wanted.
    pub limit: usize,
    /// How much of the question a page must contain.
    pub at_least: f64,
    /// Entries of the inverted file that are read in full, the rarest tokens first.
    pub effort: usize,
}

/// With fewer sampled tokens than this a share says too little, and the sets are read where they
/// are kept.
const FEW: usize = 8;

/// Candidates whose sets are compared, beyond a few for each page that is wanted.
const EXACT: usize = 64;

const EVERY: u32 = 1 << 10;

/// Candidates of a part that are looked at more closely, those with most of the rarest tokens
/// first, beyond a few for each that is wanted.
const LOOKED: usize = 512;

/// Of a page that was removed.
const GONE: u16 = u16::MAX;

/// The pages that contain most of the first families of the question, the best first.
pub fn search(
    parts: &[Part<'_>],
    file: &[u8],
    families: &[Vec<u64>],
    sketch: &Sketch,
    ask: &Ask,
    watch: &dyn Watch,
) -> Result<Vec<Found>> {
    let Some(plan) = parts.first().map(|part| part.segment.plan) else { return Ok(Vec::new()) };
    let asked = &families[..(plan.contained as usize).min(families.len())];
    let total: usize = asked.iter().map(Vec::len).sum();
    if total == 0 {
        return Err(Error::Usage(
            "there is no structure to look for: the page has no elements that count".into(),
        ));
    }
    let has_facts =
        parts.iter().any(|part| part.segment.counts.pages > 0 && part.segment.facts(0).is_some());
    let mut found = if sketch.sample.len() >= FEW || (!has_facts && !sketch.sample.is_empty()) {
        candidates(
            parts,
            sketch,
            ask,
            if has_facts { EXACT.max(ask.limit.saturating_mul(4)) } else { ask.limit },
            watch,
        )?
    } else if has_facts {
        all(parts)
    } else {
        let why = format!(
            "the structure has {total} facts, and this index knows one in {}: none of \
             them. Ask with a larger part of a page",
            plan.one_in
        );
        return Err(Error::Usage(why));
    };
    if has_facts {
        for (step, one) in (0..).zip(&mut found) {
            if step % EVERY == 0 {
                watch.check()?;
            }
            let segment = &parts[one.part as usize].segment;
            if let Some(place) = segment.facts(one.page) {
                one.value = Facts::read(file, place, plan.families as usize)?.holds(asked) as f64
                    / total as f64;
            }
        }
        best_first(&mut found);
    }
    found.retain(|one| one.value >= ask.at_least);
    found.truncate(ask.limit);
    Ok(found)
}

/// Every page.
fn all(parts: &[Part<'_>]) -> Vec<Found> {
    let live = |(number, part): (u32, &Part<'_>)| {
        let pages = (0..part.segment.counts.pages as u32).filter(|&page| !part.is_removed(page));
        pages.map(move |page| Found { part: number, page, value: 0.0 }).collect::<Vec<_>>()
    };
    (0..).zip(parts).flat_map(live).collect()
}

/// How many of n sampled tokens a page must have: the share that is asked for, less twice its
/// standard deviation; all for all.
pub fn need(sampled: usize, at_least: f64) -> usize {
    let (n, share) = (sampled as f64, at_least.clamp(0.0, 1.0));
    let slack = 2.0 * (share * (1.0 - share) * n).sqrt();
    ((share * n - slack).ceil() as usize).clamp(1, sampled.max(1))
}

/// The pages with most sampled tokens of the question, at most `most`; the value is the share they
/// have of them.
pub fn candidates(
    parts: &[Part<'_>],
    sketch: &Sketch,
    ask: &Ask,
    most: usize,
    watch: &dyn Watch,
) -> Result<Vec<Found>> {
    let need = need(sketch.sample.len().min(GONE as usize - 1), ask.at_least);
    let looked = most.saturating_mul(4);
    let mut best = Best { most, counts: Vec::new(), found: Vec::new() };
    for (number, part) in (0..).zip(parts) {
        watch.check()?;
        let mut lists: Vec<Postings<'_>> = sketch
            .sample
            .iter()
            .take(GONE as usize - 1)
            .map(|&token| part.segment.postings(token))
            .collect::<Result<_>>()?;
        lists.sort_by_key(Postings::len);
        let (rare, common) = lists.split_at(lists.len() - need + 1);
        let mut counts = vec![0u16; part.segment.counts.pages];
        part.removed.iter().for_each(|&page| counts[page as usize] = GONE);
        let mut pages = Vec::new();
        let mut left = ask.effort.max(1);
        for list in rare {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(list.len());
            for page in list.iter() {
                let count = counts.get_mut(page as usize).ok_or_else(|| {
                    Error::Damaged(
                        "the index is damaged: it names a page that it does not have".into(),
                    )
                })?;
                if *count == 0 {
                    pages.push(page);
                }
                // there are fewer lists than GONE
                *count += u16::from(*count < GONE);
            }
        }
        let looked = looked.max(LOOKED);
        if pages.len() > looked {
            pages.select_nth_unstable_by_key(looked, |&page| {
                (std::cmp::Reverse(counts[page as usize]), page)
            });
            pages.truncate(looked);
        }
        pages.sort_unstable_by_key(|&page| (std::cmp::Reverse(counts[page as usize]), page));
        for page in pages {
            let so_far = counts[page as usize] as usize;
            // the pages come with falling counts: none after this one can do better
            if !best.takes(so_far + common.len()) {
                break;
            }
            let wanted = need.max(best.least());
            let mut count = so_far;
            for (asked, list) in common.iter().enumerate() {
                if count + common.len() - asked < wanted {
                    break;
                }
                count += usize::from(list.contains(page));
            }
            if count >= wanted {
                best.put(
                    count,
                    Found { part: number, page, value: count as f64 / sketch.sample.len() as f64 },
                );
            }
        }
    }
    best_first(&mut best.found);
    best.found.truncate(most);
    Ok(best.found)
}

/// The best so many candidates seen so far, and a few more.
struct Best {
    most: usize,
    /// The counts of the best, ascending.
    counts: Vec<usize>,
    found: Vec<Found>,
}

impl Best {
    /// Whether a page that reaches this count at best may still get in. Of equal ones the first
    /// stays.
    fn takes(&self, count: usize) -> bool {
        self.counts.len() < self.most || self.counts.first().is_some_and(|&least| count > least)
    }

    /// The count that a page must reach to get in.
    fn least(&self) -> usize {
        if self.counts.len() < self.most {
            return 0;
        }
        self.counts.first().map_or(usize::MAX, |least| least + 1)
    }

    fn put(&mut self, count: usize, found: Found) {
        if !self.takes(count) {
            return;
        }
        let place = self.counts.partition_point(|&other| other <= count);
        self.counts.insert(place, count);
        if self.counts.len() > self.most {
            self.counts.remove(0);
        }
        self.found.push(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_all_and_less_has_some_slack() {
        assert_eq!((need(50, 1.0), need(50, 0.0), need(1, 0.9), need(0, 0.5)), (50, 1, 1, 1));
        assert_eq!(need(100, 0.8), 72);
    }
}
