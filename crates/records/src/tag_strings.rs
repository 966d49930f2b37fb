//! Edit distances of tag strings, as MDR compares subtrees.
//!
//! By bit vectors (Myers 1999, in blocks of 64 rows as Hyyrö 2003 has them): a column of the table
//! is a few words, so two strings of m and n tags take m · n / 64 steps. A page's tags are numbered
//! once, and a tag string is a part of them.

use std::ops::Range;

use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::watch::Watch;

/// Steps of the bit vectors between two looks at the clock.
const EVERY: usize = 1 << 16;

/// The tags of a page in document order, ready to be compared part by part.
#[derive(Debug)]
pub struct TagStrings {
    tags: Vec<u32>,
    alphabet: usize,
}

/// Memory that comparisons share.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For each block and tag the rows that have it.
    rows: Vec<u64>,
    ups: Vec<u64>,
    downs: Vec<u64>,
    steps: usize,
}

impl TagStrings {
    /// The strings of these tags.
    pub fn of(tags: &[u32]) -> TagStrings {
        let mut numbers: Map<u32, u32> = Map::default();
        let tags = tags
            .iter()
            .map(|&tag| {
                let next = numbers.len() as u32;
                *numbers.entry(tag).or_insert(next)
            })
            .collect();
        TagStrings { tags, alphabet: numbers.len() }
    }

    /// Number of tags.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Insertions, deletions and replacements that turn one part into the other.
    pub fn distance(
        &self,
        left: Range<usize>,
        right: Range<usize>,
        scratch: &mut Scratch,
        watch: &dyn Watch,
    ) -> Result<u32> {
        let (left, right) = (&self.tags[left], &self.tags[right]);
        if left == right {
            return Ok(0);
        }
        let (short, long) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        if short.is_empty() {
            return Ok(long.len() as u32);
        }
        let blocks = short.len().div_ceil(64);
        scratch.rows.resize((self.alphabet * blocks).max(scratch.rows.len()), 0);
        for (place, &tag) in short.iter().enumerate() {
            scratch.rows[tag as usize * blocks + place / 64] |= 1 << (place % 64);
        }
        scratch.ups.clear();
        scratch.ups.resize(blocks, u64::MAX);
        scratch.downs.clear();
        scratch.downs.resize(blocks, 0);
        let last_bit = (short.len() - 1) % 64;
        let mut distance = short.len() as u32;
        for &tag in long {
            scratch.steps += blocks;
            if scratch.steps >= EVERY {
                scratch.steps = 0;
                watch.check()?;
            }
            // the top row of the table rises by one from column to column
            let (mut rises, mut falls) = (1, 0);
            for block in 0..blocks {
                let (up, down) = (scratch.ups[block], scratch.downs[block]);
                let equal = scratch.rows[tag as usize * blocks + block];
                let vertical = equal | down;
                let equal = equal | falls;
                let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal;
                let rise = down | !(diagonal | up);
                let fall = up & diagonal;
                let bit = if block + 1 == blocks { last_bit } else { 63 };
                let (rise_out, fall_out) = (rise >> bit & 1, fall >> bit & 1);
                let (rise, fall) = (rise << 1 | rises, fall << 1 | falls);
                scratch.ups[block] = fall | !(vertical | rise);
                scratch.downs[block] = rise & vertical;
                (rises, falls) = (rise_out, fall_out);
            }
            distance = distance + rises as u32 - falls as u32;
        }
        for &tag in short {
            scratch.rows[tag as usize * blocks..(tag as usize + 1) * blocks].fill(0);
        }
        Ok(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use treelace_tree::watch::Unwatched;

    /// The table, cell by cell.
    fn slowly(left: &[u32], right: &[u32]) -> u32 {
        let mut row: Vec<u32> = (0..=right.len() as u32).collect();
        for (i, one) in left.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i as u32 + 1;
            for (j, other) in right.iter().enumerate() {
                let best = (row[j] + 1).min(row[j + 1] + 1).min(diagonal + u32::from(one != other));
                diagonal = std::mem::replace(&mut row[j + 1], best);
            }
        }
        row[right.len()]
    }

    #[test]
    fn blocks_say_what_the_table_says() {
        let mut state = 7u64;
        let mut next = |most: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut scratch = Scratch::default();
        for _ in 0..300 {
            let tags: Vec<u32> = (0..next(400)).map(|_| next(5) as u32 * 1000).collect();
            let middle = next(tags.len() as u64 + 1) as usize;
            let strings = TagStrings::of(&tags);
            let found =
                strings.distance(0..middle, middle..tags.len(), &mut scratch, &Unwatched).unwrap();
            assert_eq!(found, slowly(&tags[..middle], &tags[middle..]));
        }
    }
}
