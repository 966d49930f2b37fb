//! `buld`: bottom-up, lazy-down matching as Cobéna, Abiteboul and Marian have it ("Detecting
//! Changes in XML Documents", §5).
//!
//! Phases carry the paper's numbers; phase 5 is the delta. Where the letter of the paper fails or
//! is silent:
//!
//! * weight: 1 + Σ for elements, 1 + ln(length) for texts (its tuning section, not its phase 2); a
//!   document weighs what its children weigh;
//! * how far up a match reaches: d = `depth` + ⌊5 ln(n) W/W₀⌋ (the paper's 1 + W/W₀ is 1 for all
//!   but the root), and a single candidate is accepted whatever d is, unless it is a bare short
//!   text;
//! * several candidates at one level: the one at the same child position, else the first in
//!   document order;
//! * root elements are always matched; a changed root label is a rename;
//! * signatures are classes of [`Subtrees`]: attributes included, verified by content.
//!
//! Time O(n log n), memory O(n). Oracle: `tests/oracles/buld.py`.

mod candidates;
mod spread;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::blanks;
use super::subtrees::{Side, Subtrees};
use super::Pairs;
use candidates::Candidates;
use treelace_tree::equality;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{attr_flags, Format, Kind, Tree, NONE};
use treelace_tree::watch::Watch;

/// How to match.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The least number of levels a match reaches up; the paper's wording has 1.
    pub depth: u32,
    /// Leave texts of white space alone out of the signatures and the matching, and pair them at
    /// the end by their place.
    pub leaves_blanks_out: bool,
    /// Attributes (local names, no namespace) that identify their elements, beside those of type
    /// ID.
    pub keys: Vec<String>,
    /// How often texts under a label change, by local name, in [0, 1]: their weight shrinks by that
    /// share.
    pub rates: Vec<(String, f64)>,
}

impl Default for Options {
    fn default() -> Self {
        Options { depth: 1, leaves_blanks_out: false, keys: Vec::new(), rates: Vec::new() }
    }
}

/// A bare text shorter than this many bytes is not matched only because it is the single candidate.
const SHORT_TEXT: usize = 24;

/// The matching in the making.
pub(super) struct State<'s, 't> {
    subtrees: &'s Subtrees<'t>,
    new_of: Vec<u32>,
    old_of: Vec<u32>,
    /// Nodes with an ID that has no partner: they stay unmatched for good.
    old_locked: Vec<bool>,
    new_locked: Vec<bool>,
    new_weight: Vec<f64>,
    leaves_blanks_out: bool,
}

/// Pairs the nodes of two versions of a document. Equal trees are paired node for node.
pub fn pairs(old: &Tree, new: &Tree, options: &Options, watch: &dyn Watch) -> Result<Pairs> {
    if equality::equal(old, new) {
        let all: Vec<u32> = (0..old.len() as u32).collect();
        return Ok(Pairs { old: all.clone(), new: all, confidence: vec![1.0; old.len()] });
    }
    let subtrees = Subtrees::read(old, new, options.leaves_blanks_out, watch)?;
    let mut state = State {
        subtrees: &subtrees,
        new_of: vec![NONE; old.len()],
        old_of: vec![NONE; new.len()],
        old_locked: vec![false; old.len()],
        new_locked: vec![false; new.len()],
        new_weight: weights(&subtrees.new, &options.rates),
        leaves_blanks_out: options.leaves_blanks_out,
    };
    state.pair(0, 0);
    let root = |tree: &Tree| tree.children(0).find(|&child| tree.is_element(child));
    if let (Some(i), Some(j)) = (root(old), root(new)) {
        state.pair(i, j);
    }
    // Phase 1: ID attributes
    if state.pair_ids(options) {
        spread::up(&mut state, watch)?;
        spread::down(&mut state, watch)?;
    }
    // Phases 2 and 3: heaviest subtrees first
    state.heaviest_first(options, watch)?;
    // Phase 4: structure
    spread::up(&mut state, watch)?;
    spread::down(&mut state, watch)?;
    if options.leaves_blanks_out {
        blanks::pair(&subtrees, &mut state.new_of, &mut state.old_of, watch)?;
    }
    let mut pairs = Pairs::default();
    for (i, &j) in state.new_of.iter().enumerate().filter(|(_, &j)| j != NONE) {
        let is_equal = subtrees.old.class[i] == subtrees.new.class[j as usize];
        pairs.push(i, j as usize, if is_equal { 1.0 } else { 0.5 });
    }
    Ok(pairs)
}

/// 1 + the weights of the children for elements, 1 + ln(length) for what has text.
fn weights(side: &Side<'_>, rates: &[(String, f64)]) -> Vec<f64> {
    let rates: Map<&str, f64> = rates.iter().map(|(name, rate)| (name.as_str(), *rate)).collect();
    let tree = side.tree;
    let mut weight = vec![0.0; tree.len()];
    for i in (0..tree.len()).rev() {
        weight[i] = match tree.kind(i) {
            Kind::Document => tree.children(i).map(|child| weight[child]).sum(),
            Kind::Element => 1.0 + tree.children(i).map(|child| weight[child]).sum::<f64>(),
            _ => {
                let length = tree.text(i).chars().count().max(1) as f64;
                let rate = rates.get(tree.local(tree.parent(i) as usize)).copied().unwrap_or(0.0);
                (1.0 + length.ln()) * (1.0 - rate.clamp(0.0, 0.95))
            }
        };
    }
    weight
}

impl State<'_, '_> {
    fn pair(&mut self, i: usize, j: usize) {
        self.new_of[i] = j as u32;
        self.old_of[j] = i as u32;
    }

    /// Whether both nodes may become partners.
    fn is_free(&self, i: usize, j: usize) -> bool {
        self.new_of[i] == NONE
            && self.old_of[j] == NONE
            && !self.old_locked[i]
            && !self.new_locked[j]
    }

    fn same_label(&self, i: usize, j: usize) -> bool {
        self.subtrees.old.label[i] == self.subtrees.new.label[j]
    }

    /// Phase 1. Elements uniquely identified in both versions are matched if their labels are
    /// equal; an element whose ID is not in the other version is locked. HTML's `id` is evidence,
    /// never a veto: it locks nothing. `true` if any were matched.
    fn pair_ids(&mut self, options: &Options) -> bool {
        let subtrees = self.subtrees;
        let (old_ids, new_ids) = (ids(subtrees.old.tree, options), ids(subtrees.new.tree, options));
        let mut by_id: Map<(&str, &str), Holders> = Map::default();
        for row in &old_ids {
            by_id.entry((row.name, row.value)).or_default().0.push(row.node);
        }
        for row in &new_ids {
            by_id.entry((row.name, row.value)).or_default().1.push(row.node);
        }
        let mut any = false;
        for row in &old_ids {
            if let Some((olds, news)) = by_id.get(&(row.name, row.value)) {
                if let ([i], [j]) = (olds.as_slice(), news.as_slice()) {
                    let (i, j) = (*i as usize, *j as usize);
                    if self.is_free(i, j) && self.same_label(i, j) {
                        self.pair(i, j);
                        any = true;
                    }
                } else if news.is_empty() && olds.len() == 1 && !row.is_weak {
                    self.old_locked[row.node as usize] = self.new_of[row.node as usize] == NONE;
                }
            }
        }
        for row in new_ids.iter().filter(|row| !row.is_weak) {
            let is_alone = by_id
                .get(&(row.name, row.value))
                .is_some_and(|(olds, news)| olds.is_empty() && news.len() == 1);
            if is_alone {
                self.new_locked[row.node as usize] = self.old_of[row.node as usize] == NONE;
            }
        }
        any
    }

    /// Phases 2 and 3.
    fn heaviest_first(&mut self, options: &Options, watch: &dyn Watch) -> Result<()> {
        let subtrees = self.subtrees;
        let (old, new) = (&subtrees.old, &subtrees.new);
        let whole = self.new_weight[0].max(f64::MIN_POSITIVE);
        let factor = 5.0 * (new.tree.len() as f64).ln();
        let mut candidates = Candidates::index(subtrees, watch)?;
        let mut queue = BinaryHeap::new();
        let mut inserted = 0u32;
        let mut push_children = |queue: &mut BinaryHeap<Waiting>, weights: &[f64], j: usize| {
            for child in new
                .tree
                .children(j)
                .filter(|&child| !options.leaves_blanks_out || !new.is_blank[child])
            {
                queue.push(Waiting { weight: weights[child], number: inserted, node: child });
                inserted += 1;
            }
        };
        push_children(&mut queue, &self.new_weight, 0);
        let mut steps = 0usize;
        while let Some(Waiting { node: j, weight, .. }) = queue.pop() {
            steps += 1;
            if steps.is_multiple_of(1024) {
                watch.check()?;
            }
            if self.old_of[j] != NONE {
                let i = self.old_of[j] as usize;
                // matched from below or above, not as an equal subtree: what is inside is still
                // open
                if old.class[i] != new.class[j] || !self.is_whole(i, j) {
                    push_children(&mut queue, &self.new_weight, j);
                }
                continue;
            }
            let depth = options.depth.saturating_add((factor * weight / whole) as u32);
            match candidates.best(self, j, depth) {
                Some(i) => self.accept(i, j, depth),
                None => push_children(&mut queue, &self.new_weight, j),
            }
        }
        Ok(())
    }

    /// Whether every node below two partners of one class is matched to its counterpart.
    fn is_whole(&self, i: usize, j: usize) -> bool {
        self.counterparts(i, j).all(|(a, b)| self.new_of[a] == b as u32)
    }

    /// The nodes of two subtrees of one class, side by side.
    fn counterparts(&self, i: usize, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (old, new) = (&self.subtrees.old, &self.subtrees.new);
        let skips = self.leaves_blanks_out;
        let olds = (i..old.tree.end(i)).filter(move |&a| a == i || !skips || !old.is_blank[a]);
        let news = (j..new.tree.end(j)).filter(move |&b| b == j || !skips || !new.is_blank[b]);
        olds.zip(news)
    }

    /// Matches two equal subtrees, then their ancestors with equal labels up to `depth` levels.
    fn accept(&mut self, i: usize, j: usize, depth: u32) {
        let inner: Vec<(usize, usize)> = self.counterparts(i, j).collect();
        for (a, b) in inner {
            if self.is_free(a, b) {
                self.pair(a, b);
            }
        }
        let (old, new) = (self.subtrees.old.tree, self.subtrees.new.tree);
        for (a, b) in old.ancestors(i).zip(new.ancestors(j)).take(depth as usize) {
            if !self.is_free(a, b) || !self.same_label(a, b) {
                break;
            }
            self.pair(a, b);
        }
    }
}

/// The elements of the old and of the new version that have one ID.
type Holders = (Vec<u32>, Vec<u32>);

/// An attribute that identifies its element.
struct Id<'t> {
    name: &'t str,
    value: &'t str,
    node: u32,
    /// Evidence, not a veto.
    is_weak: bool,
}

fn ids<'t>(tree: &'t Tree, options: &Options) -> Vec<Id<'t>> {
    let mut found = Vec::new();
    for i in (0..tree.len()).filter(|&i| tree.is_element(i)) {
        for a in tree.attributes(i) {
            let name = tree.attr_local(a);
            let is_named = tree.attr_flags(a) & attr_flags::ID != 0
                || options.keys.iter().any(|key| key == name);
            let is_weak = !is_named && name == "id" && tree.meta().format == Format::Html;
            if is_named || is_weak {
                found.push(Id { name, value: tree.attr_value(a), node: i as u32, is_weak });
            }
        }
    }
    found
}

/// A node of the new tree in the queue: the heaviest first, then the first inserted.
struct Waiting {
    weight: f64,
    number: u32,
    node: usize,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.weight.total_cmp(&other.weight).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}
