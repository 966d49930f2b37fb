//! Laying a page along a pattern: pairs of rows, top down, siblings in order.
//!
//! Two children of matched parents may be paired if what they are called and what they hold speak
//! for it; of all ways to pair two lists of children in order the one with the largest sum is
//! taken. Texts that many pages share (labels) say most: a row with `Phone:` in it is that row
//! wherever it has slid to; lone leaves of matched elements are always a pair. Lone wrappers on one
//! side only are looked through, and parts of an element that is gone are looked for among its
//! former siblings.

use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::watch::Watch;
use treelace_tree::Error;

use super::outline::{Row, Sight};
use super::spots::{common, hash, jaccard, shared_labels, Known, Spot, Spots};

/// Children of one element that take part; those after them find no partner.
const MOST_CHILDREN: usize = 1000;

/// Levels that lone wrappers may add or take away, what each costs, and the fit that is needed for
/// it.
const MOST_WRAPPERS: usize = 3;
const DEEPER: f32 = 0.9;
const LEAST_DEEP: f32 = 0.8;

/// Children without a partner, between two that have one, among which the parts of a dissolved
/// element are looked for; and the sum of fits needed.
const MOST_GAP: usize = 40;
const LEAST_GAIN: f32 = 1.5;

/// Least fit of two elements that hold the only `h1` of their pages: however much of the text differs
/// (code in one post, lists in another), they are the same place.
const TITLED: f32 = 0.6;

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
    spots: Spots,
    known: Known,
    /// Whether each row was on four of five pages, and how many were.
    usual: Vec<bool>,
    usual_count: usize,
}

/// A page laid along a pattern: pairs of (node of the page, row of the pattern), in document order;
/// and how well it fits.
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
    /// The pattern with these rows, learnt from so many pages. The first row is the root, and no
    /// row is more than a level below the last.
    pub fn new(rows: Vec<PatternRow>, pages: u32) -> Result<Pattern> {
        let mut last = 0;
        for (number, row) in rows.iter().enumerate() {
            let depth = row.row.depth;
            if (number == 0) != (depth == 0) || depth > last + 1 {
                return Err(Error::Damaged(format!(
                    "row {} of the pattern has depth {depth} after {last}",
                    number + 1
                )));
            }
            last = depth;
        }
        if rows.is_empty() || pages == 0 {
            return Err(Error::Damaged("a pattern has at least one row and one page".into()));
        }
        let plain: Vec<Row> = rows.iter().map(|row| row.row.clone()).collect();
        let mut made = Spots::of_rows(&plain);
        let mut known = Known::default();
        for (number, row) in rows.iter().enumerate() {
            made.rows[number].is_fixed = row.is_fixed;
            if made.rows[number].is_leaf {
                made.set_shapes(number, row.shapes.iter().map(hash));
                let spot = &mut made.rows[number];
                if row.row.text.is_empty() {
                    spot.text = 0;
                } else if row.row.text.contains(char::is_alphanumeric) {
                    spot.weight = row.seen as f32 / pages as f32;
                    let weight = known.entry(spot.text).or_insert(0.0);
                    *weight = weight.max(spot.weight);
                }
            }
        }
        made.sketch();
        let usual: Vec<bool> = rows
            .iter()
            .enumerate()
            .map(|(number, row)| number > 0 && row.seen * 5 >= pages * 4)
            .collect();
        let usual_count = usual.iter().filter(|&&is_usual| is_usual).count();
        Ok(Pattern { rows, pages, spots: made, known, usual, usual_count })
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
    pub fn align(
        &self,
        sight: &Sight<'_>,
        roots: &[u32],
        limits: &Limits,
        watch: &dyn Watch,
    ) -> Result<Aligned> {
        let (mut page, nodes) = Spots::of_page(sight, roots);
        page.weigh(&self.known);
        page.sketch();
        let partners = pairs(&self.spots, &page, limits, watch)?;
        let mut aligned = Aligned::default();
        let mut found = vec![false; self.rows.len()];
        let mut covered = 0;
        for (number, &partner) in partners.iter().enumerate().skip(1) {
            if partner != NO_ROW {
                found[partner as usize] = true;
                covered += 1;
            }
            if partner != NO_ROW || page.rows[number].is_leaf {
                aligned.nodes.push(nodes[number]);
                aligned.rows.push(partner);
            }
        }
        let filled = self
            .usual
            .iter()
            .zip(&found)
            .filter(|(&is_usual, &is_found)| is_usual && is_found)
            .count();
        aligned.filled = filled as f32 / self.usual_count.max(1) as f32;
        aligned.covered = covered as f32 / (nodes.len() - 1).max(1) as f32;
        Ok(aligned)
    }
}

/// Pairs of children that are weighed between two looks at the clock.
const EVERY: usize = 1 << 12;

/// For each row of the page the row of the pattern it is paired with, or [`NO_ROW`].
pub fn pairs(
    pattern: &Spots,
    page: &Spots,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<u32>> {
    let mut partner = vec![NO_ROW; page.rows.len()];
    if pattern.rows.is_empty() || page.rows.is_empty() {
        return Ok(partner);
    }
    watch.check()?;
    partner[0] = 0;
    let mut open = vec![(0u32, 0u32)];
    let mut table = Table::default();
    let mut weighed = 0;
    while let Some((old, new)) = open.pop() {
        let (left, right) = (pattern.children(old), page.children(new));
        let (left, right) =
            (&left[..left.len().min(MOST_CHILDREN)], &right[..right.len().min(MOST_CHILDREN)]);
        weighed += 1 + left.len() * right.len();
        if weighed >= EVERY {
            weighed = 0;
            watch.check()?;
        }
        let needed = ((left.len() + 1) * (right.len() + 1) * 8) as u64;
        if needed > limits.memory {
            return Err(Error::Limit {
                limit: "memory",
                bound: limits.memory,
                needed: Some(needed),
            });
        }
        if let (&[one], &[other]) = (left, right) {
            let one_row = &pattern.rows[one as usize];
            if one_row.is_leaf && one_row.is_like(&page.rows[other as usize]) {
                partner[other as usize] = one;
                continue;
            }
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

/// Pairs of children of an element that is there on one side only: its parts stand among its former
/// siblings on the other.
fn dissolved(
    pattern: &Spots,
    page: &Spots,
    left: &[u32],
    right: &[u32],
    found: &[(usize, usize)],
) -> Vec<(u32, u32)> {
    let mut made = Vec::new();
    if found.len() == left.len() || found.len() == right.len() {
        return made;
    }
    let ends = found.iter().copied().chain([(left.len(), right.len())]);
    let (mut i, mut j) = (0, 0);
    let mut table = Table::default();
    for (to_i, to_j) in ends {
        let (gap_left, gap_right) = (&left[i..to_i], &right[j..to_j]);
        if !gap_left.is_empty()
            && !gap_right.is_empty()
            && gap_left.len().max(gap_right.len()) <= MOST_GAP
        {
            let mut best: (f32, Vec<(u32, u32)>) = (LEAST_GAIN, Vec::new());
            for &row in gap_left.iter().filter(|&&row| pattern.children(row).len() > 1) {
                best = better(best, &mut table, pattern, page, pattern.children(row), gap_right);
            }
            for &row in gap_right.iter().filter(|&&row| page.children(row).len() > 1) {
                best = better(best, &mut table, pattern, page, gap_left, page.children(row));
            }
            made.extend(best.1);
        }
        (i, j) = (to_i + 1, to_j + 1);
    }
    made
}

fn better(
    best: (f32, Vec<(u32, u32)>),
    table: &mut Table,
    pattern: &Spots,
    page: &Spots,
    left: &[u32],
    right: &[u32],
) -> (f32, Vec<(u32, u32)>) {
    if left.len() * right.len() > MOST_GAP * MOST_GAP {
        return best;
    }
    let found = table.best(pattern, page, left, right);
    let gain = table.best.first().copied().unwrap_or(0.0);
    if gain <= best.0 {
        return best;
    }
    let pairs = found
        .into_iter()
        .map(|(i, j)| deep_fit(pattern, page, left[i], right[j]))
        .map(|(_, i, j)| (i, j));
    (gain, pairs.collect())
}

/// The table of one pair of lists, kept between calls for its memory.
#[derive(Default)]
struct Table {
    score: Vec<f32>,
    best: Vec<f32>,
}

impl Table {
    /// The pairs (positions in both lists), in order, with the largest sum of scores; earlier ones
    /// first where sums are equal.
    fn best(
        &mut self,
        pattern: &Spots,
        page: &Spots,
        left: &[u32],
        right: &[u32],
    ) -> Vec<(usize, usize)> {
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
                let with =
                    if score > 0.0 { self.best[(i + 1) * wide + j + 1] + score } else { 0.0 };
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

/// The best fit of two rows, or of one with what the other is a lone wrapper of; and the rows that
/// fit.
fn deep_fit(pattern: &Spots, page: &Spots, old: u32, new: u32) -> (f32, u32, u32) {
    let (left, right) = (&pattern.rows[old as usize], &page.rows[new as usize]);
    let mut best = (fit(pattern, left, page, right), old, new);
    if best.0 > 0.0
        && (left.is_leaf
            || !pattern.keys(left).is_empty() && pattern.keys(left) == page.keys(right))
    {
        return best;
    }
    let mut share = 1.0;
    let (mut inner_old, mut inner_new) = (old, new);
    for _ in 0..MOST_WRAPPERS {
        share *= DEEPER;
        inner_old = lone(pattern, inner_old);
        inner_new = lone(page, inner_new);
        if inner_old == NO_ROW && inner_new == NO_ROW {
            break;
        }
        for (i, j) in [(inner_old, new), (old, inner_new)] {
            if i != NO_ROW && j != NO_ROW {
                let score =
                    share * fit(pattern, &pattern.rows[i as usize], page, &page.rows[j as usize]);
                if score > best.0.max(LEAST_DEEP) {
                    best = (score, i, j);
                }
            }
        }
    }
    best
}

/// The only child of a row.
fn lone(spots: &Spots, row: u32) -> u32 {
    match if row == NO_ROW { &[][..] } else { spots.children(row) } {
        &[child] => child,
        _ => NO_ROW,
    }
}

/// How well two rows fit; pairs at 0 or below are none.
fn fit(pattern: &Spots, old: &Spot, page: &Spots, new: &Spot) -> f32 {
    if !old.is_like(new) {
        return 0.0;
    }
    let hinted = if old.hint != 0 && old.hint == new.hint { 5.0 } else { 0.0 };
    let called = called(pattern.keys(old), page.keys(new));
    if old.is_leaf {
        let has_shape =
            page.shapes(new).first().is_some_and(|shape| pattern.shapes(old).contains(shape));
        hinted + leaf_fit(old, new, called, has_shape)
    } else {
        let score = element_fit(pattern, old, page, new, called);
        let size = (1 + old.leaves.min(new.leaves)) as f32;
        (score + hinted) * (1.0 + size.ln())
    }
}

fn called(old: &[u64], new: &[u64]) -> f32 {
    if old.is_empty() && new.is_empty() {
        return 0.0;
    }
    let shared = common(old, new) as f32;
    let dice = 2.0 * shared / (old.len() + new.len()) as f32;
    if shared > 0.0 {
        2.0 * dice
    } else if old.is_empty() || new.is_empty() {
        -0.3
    } else {
        -0.8
    }
}

fn leaf_fit(old: &Spot, new: &Spot, called: f32, has_shape: bool) -> f32 {
    let mut score = 1.0 + called;
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
    if has_shape {
        score += 0.5;
    }
    score
}

fn element_fit(pattern: &Spots, old: &Spot, page: &Spots, new: &Spot, called: f32) -> f32 {
    let mut score = 0.6 + called + 1.5 * jaccard(pattern.structure(old), page.structure(new));
    let (both, only_old, only_new) = shared_labels(pattern.labels(old), page.labels(new));
    let all = 2.0 * both + only_old + only_new;
    if both > 0.0 {
        score += 4.0 * (2.0 * both / all) * both.min(1.0);
    } else if only_old > 0.0 && only_new > 0.0 {
        score -= 2.0 * only_old.min(only_new).min(1.0);
    } else {
        score -= 0.7 * (only_old + only_new).min(1.0);
    }
    if old.holds_title && new.holds_title {
        score.max(TITLED)
    } else {
        score
    }
}
