//! Laying a page along a pattern: pairs of rows, top down, siblings in order.
//!
//! Two children of matched parents may be paired if what they are called and what they hold speak for it; of all ways to pair two lists of
//! children in order the one with the largest sum is taken. Texts that many pages share (labels) say most: a row with `Phone:` in it
//! is that row wherever it has slid to; lone leaves of matched elements are always a pair. Where two children that found no partner differ by one level of wrapping, it is looked through.

use crate::error::Result;
use crate::limits::Limits;
use crate::tree::Tree;
use crate::watch::Watch;
use crate::Error;

use super::outline::{Outline, Row};
use super::spots::{common, hash, jaccard, shared_labels, sketched, spots, Known, Spot};

/// Children of one element that take part; those after them find no partner.
const MOST_CHILDREN: usize = 1000;

/// Levels that a lone wrapper may add or take away.
const MOST_WRAPPERS: usize = 3;

/// One row of a pattern, as it is kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PatternRow {
    /// The row; its text is the one that most pages have there, empty where they differ.
    pub row: Row,
    /// On how many pages it was seen.
    pub seen: u32,
    /// Whether all of them had the same text.
    pub is_fixed: bool,
    /// Of a leaf: the shapes of its texts, the most frequent first.
    pub shapes: Vec<String>,
}

/// What pages have in common, ready to be laid along.
#[derive(Debug, Clone)]
pub struct Pattern {
    rows: Vec<PatternRow>,
    pages: u32,
    spots: Vec<Spot>,
    known: Known,
}

/// A page laid along a pattern: pairs of (node of the page, row of the pattern), in document order; and how well it fits.
#[derive(Debug, Clone, Default)]
pub struct Aligned {
    /// Nodes of the page.
    pub nodes: Vec<u32>,
    /// The row of each; [`NO_ROW`] where a leaf has none.
    pub rows: Vec<u32>,
    /// Share of the pattern's usual rows (on four of five pages) that found a partner.
    pub filled: f32,
    /// Share of the page's rows that found a partner.
    pub covered: f32,
}

/// The row of a leaf that fits nowhere.
pub const NO_ROW: u32 = u32::MAX;

impl Pattern {
    /// The pattern with these rows, learnt from so many pages. The first row is the root, and no row is more than a level below the last.
    pub fn new(rows: Vec<PatternRow>, pages: u32) -> Result<Pattern> {
        let mut last = 0;
        for (number, row) in rows.iter().enumerate() {
            let depth = row.row.depth;
            if (number == 0) != (depth == 0) || depth > last + 1 {
                return Err(Error::Damaged(format!("row {} of the pattern has depth {depth} after {last}", number + 1)));
            }
            last = depth;
        }
        if rows.is_empty() || pages == 0 {
            return Err(Error::Damaged("a pattern has at least one row and one page".into()));
        }
        let plain: Vec<Row> = rows.iter().map(|row| row.row.clone()).collect();
        let mut made = spots(&plain);
        let mut known = Known::default();
        for (number, row) in rows.iter().enumerate() {
            let spot = &mut made[number];
            spot.is_fixed = row.is_fixed;
            if spot.is_leaf {
                spot.shapes = row.shapes.iter().map(|shape| hash(shape)).collect();
                if row.row.text.is_empty() {
                    spot.text = 0;
                } else if row.row.text.contains(char::is_alphanumeric) {
                    spot.weight = row.seen as f32 / pages as f32;
                    let weight = known.entry(spot.text).or_insert(0.0);
                    *weight = weight.max(spot.weight);
                }
            }
        }
        sketched(&mut made);
        Ok(Pattern { rows, pages, spots: made, known })
    }

    /// The rows.
    pub fn rows(&self) -> &[PatternRow] {
        &self.rows
    }

    /// From how many pages it was learnt.
    pub fn pages(&self) -> u32 {
        self.pages
    }

    /// Lays the subtrees of `roots` along the pattern.
    pub fn align(&self, tree: &Tree, roots: &[u32], limits: &Limits, watch: &dyn Watch) -> Result<Aligned> {
        let outline = Outline::of(tree, roots);
        let page = page_spots(&outline.rows, &self.known);
        let partners = pairs(&self.spots, &page, limits, watch)?;
        let mut aligned = Aligned::default();
        let mut found = vec![false; self.rows.len()];
        let mut covered = 0;
        for (number, &partner) in partners.iter().enumerate().skip(1) {
            if partner != NO_ROW {
                found[partner as usize] = true;
                covered += 1;
            }
            if partner != NO_ROW || page[number].is_leaf {
                aligned.nodes.push(outline.nodes[number]);
                aligned.rows.push(partner);
            }
        }
        let usual = |row: &PatternRow| row.seen * 5 >= self.pages * 4;
        let all = self.rows.iter().skip(1).filter(|row| usual(row)).count();
        let filled = self.rows.iter().zip(&found).skip(1).filter(|(row, &found)| found && usual(row)).count();
        aligned.filled = filled as f32 / all.max(1) as f32;
        aligned.covered = covered as f32 / (page.len() - 1).max(1) as f32;
        Ok(aligned)
    }
}

/// The spots of a page, with the weights of the texts that are known.
pub fn page_spots(rows: &[Row], known: &Known) -> Vec<Spot> {
    let mut made = spots(rows);
    for spot in made.iter_mut().filter(|spot| spot.is_leaf) {
        spot.weight = known.get(&spot.text).copied().unwrap_or(0.0);
    }
    sketched(&mut made);
    made
}

/// For each row of the page the row of the pattern it is paired with, or [`NO_ROW`].
pub fn pairs(pattern: &[Spot], page: &[Spot], limits: &Limits, watch: &dyn Watch) -> Result<Vec<u32>> {
    let mut partner = vec![NO_ROW; page.len()];
    if pattern.is_empty() || page.is_empty() {
        return Ok(partner);
    }
    partner[0] = 0;
    let mut open = vec![(0u32, 0u32)];
    let mut table = Table::default();
    while let Some((old, new)) = open.pop() {
        watch.check()?;
        let (left, right) = (&pattern[old as usize].children, &page[new as usize].children);
        let (left, right) = (&left[..left.len().min(MOST_CHILDREN)], &right[..right.len().min(MOST_CHILDREN)]);
        let needed = ((left.len() + 1) * (right.len() + 1) * 8) as u64;
        if needed > limits.memory {
            return Err(Error::Limit { limit: "memory", bound: limits.memory, needed: Some(needed) });
        }
        let are_lone = left.len() == 1 && right.len() == 1 && pattern[left[0] as usize].is_like(&page[right[0] as usize]);
        let found = if are_lone && pattern[left[0] as usize].is_leaf { vec![(0, 0)] } else { table.best(pattern, page, left, right) };
        for (i, j) in found {
            partner[right[j] as usize] = left[i];
            open.push((left[i], right[j]));
        }
        if are_lone && pattern[left[0] as usize].is_leaf {
            continue;
        }
        for (i, j) in wrapped(pattern, page, left, right, &partner, &table.taken) {
            partner[j as usize] = i;
            open.push((i, j));
        }
    }
    Ok(partner)
}

/// The table of one pair of lists, kept between calls for its memory.
#[derive(Default)]
struct Table {
    score: Vec<f32>,
    best: Vec<f32>,
    taken: Vec<bool>,
}

impl Table {
    /// The pairs (positions in both lists), in order, with the largest sum of scores; earlier ones first where sums are equal.
    fn best(&mut self, pattern: &[Spot], page: &[Spot], left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
        let (n, m) = (left.len(), right.len());
        let wide = m + 1;
        self.taken.clear();
        self.taken.resize(n, false);
        self.score.clear();
        self.score.resize(n * m, 0.0);
        self.best.clear();
        self.best.resize((n + 1) * wide, 0.0);
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                let score = fit(&pattern[left[i] as usize], &page[right[j] as usize]);
                self.score[i * m + j] = score;
                let skip = self.best[(i + 1) * wide + j].max(self.best[i * wide + j + 1]);
                let with = if score > 0.0 { self.best[(i + 1) * wide + j + 1] + score } else { 0.0 };
                self.best[i * wide + j] = skip.max(with);
            }
        }
        let (mut i, mut j) = (0, 0);
        let mut found = Vec::new();
        while i < n && j < m {
            let score = self.score[i * m + j];
            let here = self.best[i * wide + j];
            if score > 0.0 && here == self.best[(i + 1) * wide + j + 1] + score {
                found.push((i, j));
                self.taken[i] = true;
                i += 1;
                j += 1;
            } else if here == self.best[(i + 1) * wide + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        found
    }
}

/// How well two rows fit; pairs at 0 or below are none.
pub fn fit(old: &Spot, new: &Spot) -> f32 {
    if !old.is_like(new) {
        return 0.0;
    }
    let hinted = if old.hint != 0 && old.hint == new.hint { 5.0 } else { 0.0 };
    if old.is_leaf {
        hinted + leaf_fit(old, new)
    } else {
        let score = element_fit(old, new);
        let size = (1 + old.leaves.min(new.leaves)) as f32;
        (score + hinted) * (1.0 + size.ln())
    }
}

fn called(old: &Spot, new: &Spot) -> f32 {
    if old.keys.is_empty() && new.keys.is_empty() {
        return 0.0;
    }
    let shared = common(&old.keys, &new.keys) as f32;
    let dice = 2.0 * shared / (old.keys.len() + new.keys.len()) as f32;
    if shared > 0.0 {
        2.0 * dice
    } else if old.keys.is_empty() || new.keys.is_empty() {
        -0.3
    } else {
        -0.8
    }
}

fn leaf_fit(old: &Spot, new: &Spot) -> f32 {
    let mut score = 1.0 + called(old, new);
    if old.text == new.text && old.text != 0 {
        let weight = old.weight.max(new.weight);
        score += 0.5 + 3.0 * weight * weight;
    } else {
        if old.is_fixed {
            score -= 0.5 + 1.5 * old.weight;
        }
        if new.weight > 0.5 {
            score -= 2.0 * new.weight;
        }
    }
    if old.wrap == new.wrap {
        score += 0.3;
    }
    if new.shapes.first().is_some_and(|shape| old.shapes.contains(shape)) {
        score += 0.5;
    }
    score
}

fn element_fit(old: &Spot, new: &Spot) -> f32 {
    let mut score = 0.6 + called(old, new) + 1.5 * jaccard(&old.structure, &new.structure);
    let (both, only_old, only_new) = shared_labels(&old.labels, &new.labels);
    let all = 2.0 * both + only_old + only_new;
    if both > 0.0 {
        score += 4.0 * (2.0 * both / all) * both.min(1.0);
    } else if only_old > 0.0 && only_new > 0.0 {
        score -= 2.0 * only_old.min(only_new).min(1.0);
    } else {
        score -= 0.7 * (only_old + only_new).min(1.0);
    }
    score
}

/// Pairs of children that found no partner and stand at another level: one is a lone wrapper of what the other is.
fn wrapped(pattern: &[Spot], page: &[Spot], left: &[u32], right: &[u32], partner: &[u32], taken: &[bool]) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let mut free: Vec<u32> = left.iter().zip(taken).filter(|(_, &taken)| !taken).map(|(&row, _)| row).collect();
    if free.is_empty() {
        return found;
    }
    for &new in right.iter().filter(|&&new| partner[new as usize] == NO_ROW) {
        let mut best: Option<(f32, usize, u32, u32)> = None;
        for (number, &old) in free.iter().enumerate() {
            for inner_new in chain(page, new) {
                for inner_old in chain(pattern, old) {
                    if (inner_old == old) != (inner_new == new) {
                        let score = fit(&pattern[inner_old as usize], &page[inner_new as usize]);
                        if score > best.map_or(0.8, |best| best.0) {
                            best = Some((score, number, inner_old, inner_new));
                        }
                    }
                }
            }
        }
        if let Some((_, number, inner_old, inner_new)) = best {
            found.push((inner_old, inner_new));
            free.remove(number);
        }
    }
    found
}

/// A row and its lone descendants, a few levels down.
fn chain(spots: &[Spot], top: u32) -> Vec<u32> {
    let mut found = vec![top];
    let mut row = top;
    while found.len() <= MOST_WRAPPERS && spots[row as usize].children.len() == 1 {
        row = spots[row as usize].children[0];
        found.push(row);
    }
    found
}
