//! Laying a page along a pattern: pairs of rows, top down, siblings in order.
//!
//! Two children of matched parents may be paired if what they are called and what they hold speak for it; of all ways to pair two lists of
//! children in order the one with the largest sum is taken. Texts that many pages share (labels) say most: a row with `Phone:` in it
//! is that row wherever it has slid to; lone leaves of matched elements are always a pair. Lone wrappers on one side only are looked through,
//! and parts of an element that is gone are looked for among its former siblings.

use crate::error::Result;
use crate::limits::Limits;
use crate::tree::Tree;
use crate::watch::Watch;
use crate::Error;

use super::outline::{Outline, Row};
use super::spots::{common, hash, jaccard, shared_labels, sketched, spots, Known, Spot};

/// Children of one element that take part; those after them find no partner.
const MOST_CHILDREN: usize = 1000;

/// Levels that lone wrappers may add or take away, what each costs, and the fit that is needed for it.
const MOST_WRAPPERS: usize = 3;
const DEEPER: f32 = 0.9;
const LEAST_DEEP: f32 = 0.8;

/// Children without a partner, between two that have one, among which the parts of a dissolved element are looked for; and the sum of fits needed.
const MOST_GAP: usize = 40;
const LEAST_GAIN: f32 = 1.5;

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
                spot.shapes = row.shapes.iter().map(hash).collect();
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
        if left.len() == 1 && right.len() == 1 && pattern[left[0] as usize].is_leaf && pattern[left[0] as usize].is_like(&page[right[0] as usize]) {
            partner[right[0] as usize] = left[0];
            continue;
        }
        let found = table.best(pattern, page, left, right);
        let mut pair = |(i, j): (u32, u32)| {
            partner[j as usize] = i;
            open.push((i, j));
        };
        for &(i, j) in &found {
            let (_, i, j) = deep_fit(pattern, page, left[i], right[j]);
            pair((i, j));
        }
        dissolved(pattern, page, left, right, &found).into_iter().for_each(&mut pair);
    }
    Ok(partner)
}

/// Pairs of children of an element that is there on one side only: its parts stand among its former siblings on the other.
fn dissolved(pattern: &[Spot], page: &[Spot], left: &[u32], right: &[u32], found: &[(usize, usize)]) -> Vec<(u32, u32)> {
    let mut made = Vec::new();
    if found.len() == left.len() || found.len() == right.len() {
        return made;
    }
    let ends = found.iter().copied().chain([(left.len(), right.len())]);
    let (mut i, mut j) = (0, 0);
    let mut table = Table::default();
    for (to_i, to_j) in ends {
        let (gap_left, gap_right) = (&left[i..to_i], &right[j..to_j]);
        if !gap_left.is_empty() && !gap_right.is_empty() && gap_left.len().max(gap_right.len()) <= MOST_GAP {
            let mut best: (f32, Vec<(u32, u32)>) = (LEAST_GAIN, Vec::new());
            for &row in gap_left.iter().filter(|&&row| pattern[row as usize].children.len() > 1) {
                best = better(best, &mut table, pattern, page, &pattern[row as usize].children, gap_right);
            }
            for &row in gap_right.iter().filter(|&&row| page[row as usize].children.len() > 1) {
                best = better(best, &mut table, pattern, page, gap_left, &page[row as usize].children);
            }
            made.extend(best.1);
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
    made
}

fn better(best: (f32, Vec<(u32, u32)>), table: &mut Table, pattern: &[Spot], page: &[Spot], left: &[u32], right: &[u32]) -> (f32, Vec<(u32, u32)>) {
    if left.len() * right.len() > MOST_GAP * MOST_GAP {
        return best;
    }
    let found = table.best(pattern, page, left, right);
    let gain = table.best.first().copied().unwrap_or(0.0);
    if gain <= best.0 {
        return best;
    }
    let pairs = found.into_iter().map(|(i, j)| deep_fit(pattern, page, left[i], right[j])).map(|(_, i, j)| (i, j));
    (gain, pairs.collect())
}

/// The table of one pair of lists, kept between calls for its memory.
#[derive(Default)]
struct Table {
    score: Vec<f32>,
    best: Vec<f32>,
}

impl Table {
    /// The pairs (positions in both lists), in order, with the largest sum of scores; earlier ones first where sums are equal.
    fn best(&mut self, pattern: &[Spot], page: &[Spot], left: &[u32], right: &[u32]) -> Vec<(usize, usize)> {
        let (n, m) = (left.len(), right.len());
        let wide = m + 1;
        self.score.clear();
        self.score.resize(n * m, 0.0);
        self.best.clear();
        self.best.resize((n + 1) * wide, 0.0);
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                let score = deep_fit(pattern, page, left[i], right[j]).0;
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

/// The best fit of two rows, or of one with what the other is a lone wrapper of; and the rows that fit.
fn deep_fit(pattern: &[Spot], page: &[Spot], old: u32, new: u32) -> (f32, u32, u32) {
    let (left, right) = (&pattern[old as usize], &page[new as usize]);
    let mut best = (fit(left, right), old, new);
    if best.0 > 0.0 && (left.is_leaf || (!left.keys.is_empty() && left.keys == right.keys)) {
        return best;
    }
    let mut share = 1.0;
    let (mut inner_old, mut inner_new) = (old, new);
    for _ in 0..MOST_WRAPPERS {
        share *= DEEPER;
        inner_old = lone(pattern, inner_old);
        inner_new = lone(page, inner_new);
        for (i, j) in [(inner_old, new), (old, inner_new)] {
            if i != NO_ROW && j != NO_ROW {
                let score = share * fit(&pattern[i as usize], &page[j as usize]);
                if score > best.0.max(LEAST_DEEP) {
                    best = (score, i, j);
                }
            }
        }
    }
    best
}

/// The only child of a row.
fn lone(spots: &[Spot], row: u32) -> u32 {
    match spots.get(row as usize).map(|spot| spot.children.as_slice()) {
        Some(&[child]) => child,
        _ => NO_ROW,
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
