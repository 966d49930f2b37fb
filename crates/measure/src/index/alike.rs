//! Pages like this one.
//!
//! Pages that share a band with the question are candidates. Those with most bands in common come
//! into a shortlist, the shortlist is ranked by all slots, and the best of it by the sets
//! themselves where they are kept.

use super::facts::Facts;
use super::sketch::Sketch;
use super::{best_first, Found, Part};
use crate::structure::tally;
use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

/// What is asked, and how hard to look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ask {
    /// Pages wanted.
    pub limit: usize,
    /// How alike they must be.
    pub at_least: f64,
    /// Members of buckets that are looked at: the smallest buckets first, so that a bucket of half
    /// the collection, which says little, is the one that is left out.
    pub effort: usize,
    /// Candidates ranked by all their slots.
    pub shortlist: usize,
}

/// Candidates whose sets are compared, beyond a few for each page that is wanted.
const EXACT: usize = 64;

/// A place where pages of a part agree with the question.
struct Bucket {
    part: usize,
    band: usize,
    places: std::ops::Range<usize>,
}

/// The pages most like the one with these families and sketch, the best first. `file` is what the
/// places of sets refer to.
pub fn search(
    parts: &[Part<'_>],
    file: &[u8],
    families: &[Vec<u64>],
    sketch: &Sketch,
    ask: &Ask,
    watch: &dyn Watch,
) -> Result<Vec<Found>> {
    let candidates = candidates(parts, sketch, ask, watch)?;
    let mut found: Vec<Found> = candidates
        .into_iter()
        .map(|(part, page)| {
            let segment = &parts[part as usize].segment;
            Found {
                part,
                page,
                value: tally(segment.plan.votes(segment.slots(page), &sketch.slots)),
            }
        })
        .collect();
    best_first(&mut found);
    if parts.iter().any(|part| part.segment.counts.pages > 0 && part.segment.facts(0).is_some()) {
        found.truncate(EXACT.max(ask.limit.saturating_mul(4)));
        for one in &mut found {
            let segment = &parts[one.part as usize].segment;
            if let Some(place) = segment.facts(one.page) {
                one.value = tally(
                    Facts::read(file, place, segment.plan.families as usize)?.votes(families),
                );
            }
        }
        best_first(&mut found);
    }
    found.retain(|one| one.value >= ask.at_least);
    found.truncate(ask.limit);
    Ok(found)
}

/// Pages that share a band with the question, at most `shortlist`: those that share most, of equal
/// ones the first.
pub fn candidates(
    parts: &[Part<'_>],
    sketch: &Sketch,
    ask: &Ask,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>> {
    let mut buckets = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        for band in 0..part.segment.plan.bands() {
            let places = part.segment.bucket(band, &sketch.slots)?;
            if !places.is_empty() {
                buckets.push(Bucket { part: number, band, places });
            }
        }
    }
    buckets.sort_by_key(|bucket| bucket.places.len());
    let mut left = ask.effort.max(1);
    let mut hits: Vec<Vec<u8>> = vec![Vec::new(); parts.len()];
    let mut touched = Vec::new();
    for bucket in buckets {
        watch.check()?;
        if left == 0 {
            break;
        }
        let part = &parts[bucket.part];
        let hits = &mut hits[bucket.part];
        if hits.is_empty() {
            // removed pages begin as if they had been counted already
            hits.resize(part.segment.counts.pages, 0);
            part.removed.iter().for_each(|&page| hits[page as usize] = GONE);
        }
        let end = bucket.places.end.min(bucket.places.start + left);
        left -= end - bucket.places.start;
        for place in bucket.places.start..end {
            let page = part.segment.in_band(bucket.band, place)?;
            let count = &mut hits[page as usize];
            if *count == 0 {
                touched.push((bucket.part as u32, page));
            }
            // there are fewer bands than GONE
            *count += u8::from(*count < GONE);
        }
    }
    Ok(most_hit(touched, |part, page| hits[part as usize][page as usize], ask.shortlist))
}

/// Of a page that was removed.
const GONE: u8 = u8::MAX;

/// The pages with most hits, and of those with equally many the first, until there are `most` of
/// them; in order.
fn most_hit(
    mut touched: Vec<(u32, u32)>,
    hits: impl Fn(u32, u32) -> u8,
    most: usize,
) -> Vec<(u32, u32)> {
    let mut with = [0usize; 256];
    touched.iter().for_each(|&(part, page)| with[hits(part, page) as usize] += 1);
    let (mut level, mut room) = (255usize, most);
    while level > 1 && with[level] <= room {
        room -= with[level];
        level -= 1;
    }
    touched.retain(|&(part, page)| hits(part, page) as usize >= level);
    touched.sort_unstable();
    touched.retain(|&(part, page)| {
        let is_at_level = hits(part, page) as usize == level;
        let is_taken = !is_at_level || room > 0;
        room -= usize::from(is_at_level && is_taken);
        is_taken
    });
    touched
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_with_most_hits_are_chosen_and_of_equal_ones_the_first() {
        let hits = [vec![0, 3, 1, 2], vec![], vec![2, 0, 3]];
        let most_hit = |most| {
            most_hit(
                vec![(2, 2), (0, 1), (2, 0), (0, 3), (0, 2)],
                |part, page| hits[part as usize][page as usize],
                most,
            )
        };
        assert_eq!(most_hit(2), [(0, 1), (2, 2)]);
        assert_eq!(most_hit(3), [(0, 1), (0, 3), (2, 2)]);
        assert_eq!(most_hit(100), [(0, 1), (0, 2), (0, 3), (2, 0), (2, 2)]);
    }
}
