//! `document`: our own matcher for versions that share most of their structure.
//!
//! What breaks BULD on real documents is small things: blanks and common values that match
//! anywhere, and parents that follow the first child that votes for them. Here
//!
//! 1. content that occurs once in each version is an **anchor** ([`votes`]);
//! 2. anchors, words and attributes that occur once in each version **vote** for the parents they
//!    stand in, bottom-up; a pair is taken when each is the other's majority, by two voices or more
//!    ([`votes`]);
//! 3. from the roots **down**, the children of each pair are lined up: by equal subtrees in order,
//!    then by votes, then by what they say, then small leaves by their place ([`align`]);
//!    A record whose content stands elsewhere is not kept by its place ([`rivals`]);
//! 4. what is left over has **moved**, if its content is unique or large, or votes for one place
//!    ([`moves`]);
//! 5. **blanks** follow their neighbours ([`super::blanks`]).
//!
//! Near-linear: each step is linear in nodes and bytes but for searches with a stated bound.
//! `docs/explanation/document.md` tells the story.

mod align;
mod alike;
mod bags;
mod moves;
mod rivals;
mod votes;

use std::cell::OnceCell;

use super::blanks;
use super::subtrees::{Side, Subtrees};
use super::Pairs;
use treelace_tree::equality;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::{Tree, NONE};
use treelace_tree::watch::Watch;

/// How to match.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Attributes (local names, no namespace) that identify their elements, beside those of type
    /// ID.
    pub keys: Vec<String>,
    /// How often the content of elements with a label changes, by local name, in [0, 1]: a price
    /// says less than a description.
    pub rates: Vec<(String, f64)>,
}

/// Confidence of a pair of equal subtrees.
const EQUAL: f32 = 1.0;
/// Confidence of a pair found by votes.
const VOTED: f32 = 0.9;
/// Confidence of a pair found by what both say.
const ALIKE: f32 = 0.7;
/// Confidence of a pair found by place alone.
const PLACED: f32 = 0.5;

/// Pairs the nodes of two versions of a document. Equal trees are paired node for node.
pub fn pairs(old: &Tree, new: &Tree, options: &Options, watch: &dyn Watch) -> Result<Pairs> {
    if equality::equal(old, new) {
        let all: Vec<u32> = (0..old.len() as u32).collect();
        return Ok(Pairs { old: all.clone(), new: all, confidence: vec![1.0; old.len()] });
    }
    let subtrees = Subtrees::read(old, new, true, watch)?;
    let mut state = State::new(&subtrees, options);
    state.pair(0, 0, EQUAL);
    let votes = votes::collect(&mut state, options, watch)?;
    state.pair_roots();
    align::sweep(&mut state, &votes, 0, watch)?;
    moves::find(&mut state, &votes, watch)?;
    let (equal, placed) = blanks::pair(&subtrees, &mut state.new_of, &mut state.old_of, watch)?;
    equal.into_iter().for_each(|i| state.sure[i as usize] = EQUAL);
    placed.into_iter().for_each(|i| state.sure[i as usize] = PLACED);
    Ok(state.into_pairs())
}

/// The matching in the making.
struct State<'s, 't> {
    subtrees: &'s Subtrees<'t>,
    /// Partner by old index.
    new_of: Vec<u32>,
    /// Partner by new index.
    old_of: Vec<u32>,
    /// Confidence by old index.
    sure: Vec<f32>,
    /// Position of each new node among the siblings that are not blank.
    new_place: Vec<u32>,
    /// How much of what each label says counts: one minus its rate of change.
    steady: Vec<f32>,
    /// How many children of each label each old and each new node has; counted when first asked.
    label_counts: OnceCell<[LabelCounts; 2]>,
}

/// Number of children by parent and label.
type LabelCounts = Map<(u32, u32), u32>;

fn label_counts(side: &Side<'_>) -> LabelCounts {
    let mut counts = LabelCounts::default();
    for i in (1..side.tree.len()).filter(|&i| side.tree.is_element(i)) {
        *counts.entry((side.tree.parent(i), side.label[i])).or_default() += 1;
    }
    counts
}

impl<'s, 't> State<'s, 't> {
    fn new(subtrees: &'s Subtrees<'t>, options: &Options) -> Self {
        let (old, new) = (&subtrees.old, &subtrees.new);
        let mut new_place = vec![0; new.tree.len()];
        let mut count = vec![0; new.tree.len()];
        for j in (1..new.tree.len()).filter(|&j| !new.is_blank[j]) {
            let parent = new.tree.parent(j) as usize;
            new_place[j] = count[parent];
            count[parent] += 1;
        }
        let mut steady = vec![1.0; subtrees.labels];
        if !options.rates.is_empty() {
            let rates: Map<&str, f64> =
                options.rates.iter().map(|(name, rate)| (name.as_str(), *rate)).collect();
            for side in [old, new] {
                for i in (0..side.tree.len()).filter(|&i| side.tree.is_element(i)) {
                    if let Some(rate) = rates.get(side.tree.local(i)) {
                        steady[side.label[i] as usize] = (1.0 - rate.clamp(0.0, 0.95)) as f32;
                    }
                }
            }
        }
        State {
            subtrees,
            new_of: vec![NONE; old.tree.len()],
            old_of: vec![NONE; new.tree.len()],
            sure: vec![0.0; old.tree.len()],
            new_place,
            steady,
            label_counts: OnceCell::new(),
        }
    }

    /// Makes `i` and `j` partners, whoever they were paired with before.
    fn pair(&mut self, i: usize, j: usize, sure: f32) {
        let (before, after) = (self.old_of[j], self.new_of[i]);
        if before != NONE {
            self.new_of[before as usize] = NONE;
        }
        if after != NONE {
            self.old_of[after as usize] = NONE;
        }
        self.new_of[i] = j as u32;
        self.old_of[j] = i as u32;
        self.sure[i] = sure;
    }

    /// Pairs two subtrees of one class, node for node; blanks are left for later.
    fn pair_subtrees(&mut self, i: usize, j: usize) {
        let (old, new) = (&self.subtrees.old, &self.subtrees.new);
        debug_assert_eq!(old.class[i], new.class[j]);
        let mut b = j;
        for a in (i..old.tree.end(i)).filter(|&a| !old.is_blank[a]) {
            while new.is_blank[b] {
                b += 1;
            }
            self.pair(a, b, EQUAL);
            b += 1;
        }
    }

    /// Takes apart the pairs between the subtrees of two partners.
    fn release(&mut self, i: usize, j: usize) {
        let inside = j..self.subtrees.new.tree.end(j);
        for a in i..self.subtrees.old.tree.end(i) {
            let b = self.new_of[a];
            if b != NONE && inside.contains(&(b as usize)) {
                self.new_of[a] = NONE;
                self.old_of[b as usize] = NONE;
            }
        }
    }

    /// Whether both nodes are free and of one label.
    fn could_pair(&self, i: usize, j: usize) -> bool {
        self.new_of[i] == NONE
            && self.old_of[j] == NONE
            && self.subtrees.old.label[i] == self.subtrees.new.label[j]
    }

    /// Whether one of two elements of different labels still stands under its own name: the only
    /// child of its label beside it and beside the other. Then neither was renamed to the other.
    fn keeps_its_name(&self, i: usize, j: usize) -> bool {
        let (old, new) = (&self.subtrees.old, &self.subtrees.new);
        let parents = (old.tree.parent(i), new.tree.parent(j));
        let counts = self.label_counts.get_or_init(|| [label_counts(old), label_counts(new)]);
        [old.label[i], new.label[j]].iter().any(|&label| {
            counts[0].get(&(parents.0, label)) == Some(&1)
                && counts[1].get(&(parents.1, label)) == Some(&1)
        })
    }

    /// The root elements are partners where neither has found another: a changed root label is a
    /// rename.
    fn pair_roots(&mut self) {
        let root = |tree: &Tree| tree.children(0).find(|&child| tree.is_element(child));
        if let (Some(i), Some(j)) = (root(self.subtrees.old.tree), root(self.subtrees.new.tree)) {
            if self.new_of[i] == NONE && self.old_of[j] == NONE {
                self.pair(i, j, PLACED);
            }
        }
    }

    fn into_pairs(self) -> Pairs {
        let mut pairs = Pairs::default();
        for (i, &j) in self.new_of.iter().enumerate().filter(|(_, &j)| j != NONE) {
            pairs.push(i, j as usize, f64::from((self.sure[i] * 100.0).round()) / 100.0);
        }
        pairs
    }
}
