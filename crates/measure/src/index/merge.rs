//! Several segments become one, without the pages that were removed.

use super::build::Builder;
use super::Part;
use treelace_tree::error::{Error, Result};
use treelace_tree::watch::Watch;

/// Pages between two looks at the watch.
const EVERY: u32 = 1 << 12;

/// The pages of all parts, in their order. `facts` says where the sets of a page are from now on,
/// given where they were. `rest` is called whenever a part was gone through: who maps a file can
/// then give back the memory of what was read.
pub fn merge(
    parts: &[Part<'_>],
    mut facts: impl FnMut(u64) -> Result<u64>,
    mut rest: impl FnMut() -> Result<()>,
    watch: &dyn Watch,
) -> Result<Builder> {
    let mut builder = Builder::default();
    let Some(first) = parts.first() else { return Ok(builder) };
    let mut new_numbers = Vec::with_capacity(parts.len());
    for part in parts {
        let segment = &part.segment;
        if segment.plan != first.segment.plan {
            return Err(Error::Damaged(
                "the index is damaged: its segments do not fit together".into(),
            ));
        }
        let mut new_number = vec![u32::MAX; segment.counts.pages];
        for page in 0..segment.counts.pages as u32 {
            if page % EVERY == 0 {
                watch.check()?;
            }
            if part.is_removed(page) {
                continue;
            }
            new_number[page as usize] = builder.len() as u32;
            let place = segment.facts(page).map_or(Ok(0), &mut facts)?;
            builder.push(&segment.plan, segment.name(page)?, place, segment.slots(page), &[])?;
        }
        new_numbers.push(new_number);
        rest()?;
    }
    // the samples are kept token by token: first how many each page has, then each in its place
    let mut ends = vec![0u64; builder.len()];
    each_posting(parts, &new_numbers, &mut rest, |_, page| ends[page] += 1)?;
    let mut total = 0;
    for end in &mut ends {
        let count = *end;
        *end = total;
        total += count;
    }
    watch.check()?;
    let mut samples = vec![0; total as usize];
    each_posting(parts, &new_numbers, &mut rest, |token, page| {
        samples[ends[page] as usize] = token;
        ends[page] += 1;
    })?;
    builder.set_samples(samples, ends);
    Ok(builder)
}

/// Calls `visit` with each sampled token and the new number of a page that has it; ascending tokens
/// for each page.
fn each_posting(
    parts: &[Part<'_>],
    new_numbers: &[Vec<u32>],
    rest: &mut impl FnMut() -> Result<()>,
    mut visit: impl FnMut(u32, usize),
) -> Result<()> {
    for (part, new_number) in parts.iter().zip(new_numbers) {
        for nth in 0..part.segment.counts.keys {
            let (token, postings) = part.segment.nth_postings(nth)?;
            for page in postings.iter() {
                match new_number.get(page as usize) {
                    Some(&u32::MAX) => {}
                    Some(&new) => visit(token, new as usize),
                    None => {
                        return Err(Error::Damaged(
                            "the index is damaged: it names a page that it does not have".into(),
                        ))
                    }
                }
            }
        }
        rest()?;
    }
    Ok(())
}
