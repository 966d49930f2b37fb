//! The distance if it is at most k (unit costs): a band of each table, and only tables that can
//! matter.
//!
//! If two subtrees meet in a mapping that costs at most k, the numbers of nodes right of them
//! differ by at most k, for those must be deleted or inserted; and inside their table no more than
//! what is left of k may be deleted in a row. So each subtree meets at most 2k + 1 others, and each
//! of its rows has at most 2k + 1 cells (after Touzet, "A linear tree edit distance algorithm for
//! similar ordered trees", CPM 2005). Time O(n · k² · l) with l the depth counted in nodes that
//! have a sibling after them, memory O(n · k).

use super::side::{Rows, Side};
use super::Mapped;
use crate::shape::{same_kind, Shape};
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;

/// More than any distance, with room to add to it.
const FAR: u32 = u32::MAX / 4;

/// Bytes needed for this bound, whatever the shape.
pub fn memory(old: &Shape, levels: usize, most: usize) -> u64 {
    let band = 2 * most as u64 + 3;
    old.len() as u64 * (band * 4 + 24) + (levels as u64 + 2) * band * 4
}

/// A rough count of the cells that are filled.
pub fn cells(tables: f64, most: usize) -> f64 {
    let band = 2.0 * most as f64 + 1.0;
    tables * band * band
}

/// The distances of the subtrees that can matter.
struct Near<'a> {
    old: &'a Shape,
    new: &'a Shape,
    most: usize,
    /// Distance of old `i` and new `j` at `i * (2k + 1) + (m - j) - (n - i) + k`.
    band: Vec<u32>,
}

impl Near<'_> {
    fn cell(&self, i: usize, j: usize) -> Option<usize> {
        let shift = (self.new.len() - j + i + self.most).checked_sub(self.old.len())?;
        (shift <= 2 * self.most).then(|| i * (2 * self.most + 1) + shift)
    }

    fn distance(&self, i: usize, j: usize) -> u32 {
        self.cell(i, j).map_or(FAR, |cell| self.band[cell])
    }

    fn rename(&self, i: usize, j: usize) -> u32 {
        let (a, b) = (self.old.label[i], self.new.label[j]);
        if a == b {
            0
        } else if same_kind(a, b) {
            1
        } else {
            2
        }
    }

    /// What is left of the bound for the table of `v` and `w`: what is not needed for the nodes
    /// right of them.
    fn budget(&self, v: usize, w: usize) -> Option<usize> {
        let (right_old, right_new) =
            (self.old.len() - self.old.end[v] as usize, self.new.len() - self.new.end[w] as usize);
        self.most.checked_sub(right_old.abs_diff(right_new))
    }

    /// Fills the table of `v` and `w`; `seen` gets each cell: old, new, its distance, and the ways
    /// that lead there.
    fn table(
        &self,
        rows: &mut Rows<u32>,
        side: &Side,
        v: usize,
        w: usize,
        budget: usize,
        mut seen: impl FnMut(usize, usize, u32, Ways),
    ) {
        let (height, count) = (self.old.size_of(v), self.new.size_of(w));
        let (old_end, new_end) = (v + height, w + count);
        // cell t + budget + 1 of the row that has r old nodes behind it stands for r + t new ones
        let width = 2 * budget + 3;
        let first = rows.first(width);
        for (place, cell) in first.iter_mut().enumerate() {
            let behind = place.checked_sub(budget + 1);
            *cell = behind
                .filter(|&behind| behind <= count && place < width - 1)
                .map_or(FAR, |behind| behind as u32);
        }
        rows.grow(side, v, old_end, width, |i, after, jump, row| {
            row.fill(FAR);
            let behind_old = old_end - i;
            let end_old = self.old.end[i] as usize;
            for place in 1..width - 1 {
                let Some(behind_new) = (behind_old + place).checked_sub(budget + 1) else {
                    continue;
                };
                if behind_new > count {
                    break;
                }
                if behind_new == 0 {
                    row[place] = behind_old as u32;
                    continue;
                }
                let j = new_end - behind_new;
                let end_new = self.new.end[j] as usize;
                let paired = if end_old == old_end && end_new == new_end {
                    after[place] + self.rename(i, j)
                } else {
                    let there = (new_end - end_new + budget + 1)
                        .checked_sub(old_end - end_old)
                        .filter(|&there| there < width);
                    there.map_or(FAR, |there| jump[there]) + self.distance(i, j)
                };
                let ways =
                    Ways { paired, deleted: after[place + 1] + 1, inserted: row[place - 1] + 1 };
                let best = ways.best();
                row[place] = best.min(FAR);
                seen(i, j, row[place], ways);
            }
        });
    }
}

struct Ways {
    paired: u32,
    deleted: u32,
    inserted: u32,
}

impl Ways {
    fn best(&self) -> u32 {
        self.paired.min(self.deleted).min(self.inserted)
    }
}

/// The distance if it is at most `most`, and with it the pairs of an optimal mapping if they are
/// wanted.
pub fn bounded(
    old: &Shape,
    new: &Shape,
    most: usize,
    wants_pairs: bool,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Option<Mapped>> {
    let (n, m) = (old.len(), new.len());
    // no distance is larger than all nodes
    let most = most.min(n + m);
    if n.abs_diff(m) > most {
        return Ok(None);
    }
    let side = Side::new(old, &old.depths(), false);
    let new_side = Side::new(new, &new.depths(), false);
    Limits::check("memory", limits.memory, memory(old, side.levels(), most))?;
    let mut near = Near { old, new, most, band: vec![FAR; n * (2 * most + 1)] };
    let mut rows = Rows::new(side.levels(), 2 * most + 3);
    // subtrees with a sibling after them, the last ones first; each has an end of its own
    let keys = |side: &Side| -> Vec<usize> {
        (0..side.id.len()).rev().filter(|&i| side.is_key[i]).collect()
    };
    let new_keys = keys(&new_side);
    let mut by_end: Vec<usize> = new_keys.clone();
    by_end.sort_unstable_by_key(|&w| new.end[w]);
    let mut partners = Vec::new();
    for v in keys(&side) {
        watch.check()?;
        // ends of new subtrees with about as many nodes right of them
        let end = old.end[v] as usize + m;
        let from = by_end.partition_point(|&w| (new.end[w] as usize + n + most) < end);
        let to = by_end.partition_point(|&w| (new.end[w] as usize + n) <= end + most);
        partners.clear();
        partners.extend_from_slice(&by_end[from..to]);
        partners.sort_unstable_by(|a, b| b.cmp(a));
        for &w in &partners {
            let Some(budget) = near.budget(v, w) else { continue };
            let (v_end, w_end) = (old.end[v], new.end[w]);
            let mut found = Vec::new();
            near.table(&mut rows, &side, v, w, budget, |i, j, distance, _| {
                if old.end[i] == v_end && new.end[j] == w_end && distance < FAR {
                    found.push((i, j, distance));
                }
            });
            for (i, j, distance) in found {
                if let Some(cell) = near.cell(i, j) {
                    near.band[cell] = distance;
                }
            }
        }
    }
    let distance = near.distance(0, 0);
    if distance as usize > most {
        return Ok(None);
    }
    let pairs = if wants_pairs { walk(&near, &side, &mut rows, watch)? } else { Vec::new() };
    Ok(Some((distance, pairs)))
}

/// The way back, table by table, as in [`super::mapping`].
fn walk(
    near: &Near<'_>,
    side: &Side,
    rows: &mut Rows<u32>,
    watch: &dyn Watch,
) -> Result<Vec<(u32, u32)>> {
    let (old, new) = (near.old, near.new);
    let mut pairs = Vec::new();
    let mut open = vec![(0, 0)];
    let mut directions: Vec<u8> = Vec::new();
    while let Some((v, w)) = open.pop() {
        watch.check()?;
        let Some(budget) = near.budget(v, w) else { continue };
        let (v_end, w_end) = (old.end[v] as usize, new.end[w] as usize);
        let band = 2 * budget + 3;
        directions.clear();
        directions.resize((v_end - v) * band, 3);
        let place = |i: usize, j: usize| {
            (w_end - j + budget + 1)
                .checked_sub(v_end - i)
                .filter(|&p| p < band)
                .map(|p| (i - v) * band + p)
        };
        near.table(rows, side, v, w, budget, |i, j, best, ways| {
            if let Some(place) = place(i, j) {
                directions[place] = if ways.paired == best {
                    0
                } else if ways.deleted == best {
                    1
                } else {
                    2
                };
            }
        });
        let (mut i, mut j) = (v, w);
        while i < v_end && j < w_end {
            match place(i, j).map_or(3, |place| directions[place]) {
                0 if old.end[i] as usize == v_end && new.end[j] as usize == w_end => {
                    if same_kind(old.label[i], new.label[j]) {
                        pairs.push((i as u32, j as u32));
                    }
                    i += 1;
                    j += 1;
                }
                0 => {
                    open.push((i, j));
                    i = old.end[i] as usize;
                    j = new.end[j] as usize;
                }
                1 => i += 1,
                2 => j += 1,
                // outside the band: never on a way of at most k
                _ => break,
            }
        }
    }
    pairs.sort_unstable();
    Ok(pairs)
}
