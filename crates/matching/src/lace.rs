//! `lace`: our own matcher. Rounds of rescoring with context.
//!
//! Every round scores every candidate pair from scratch against the matching of the round before
//! and assigns greedily; no pair is ever fixed. What speaks for a pair is in [`evidence`] (by
//! itself) and [`context`] (its surroundings); how much, in [`weights`]. `docs/explanation/lace.md`
//! tells the story.

mod align;
mod anchors;
mod bag;
mod context;
mod doubt;
mod equal_subtrees;
mod evidence;
mod forest;
mod held;
mod leftovers;
mod margins;
mod neighbours;
mod only_free;
mod redesign;
mod rounds;
mod shape;
mod shared_lists;
mod side;
mod sure;
#[path = "lace/generated/table.rs"]
mod table;
mod tokens;
mod weights;

pub use doubt::FEATURES;
use evidence::Evidence;
pub use forest::Forest;
use redesign::Redesign;
use rounds::Rounds;
use side::Side;
pub use sure::SEEN;
use tokens::Tokens;
pub use weights::{Weights, ALONE, SIZE as WEIGHTS, TERMS};

use super::Pairs;
use treelace_tree::equality;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{Tree, NONE};
use treelace_tree::watch::Watch;

/// Rounds in all; more bring nothing.
pub const ROUNDS: usize = 6;
/// After this many rounds the names that a redesign changed are learnt again, and rows in doubt are
/// looked at again.
const EARLY: usize = 3;

/// How to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether texts are evidence.
    pub text: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { text: true }
    }
}

/// A candidate pair in a round: the round, both nodes, and the evidence for the pair by kind.
pub type Said<'s> = (usize, u32, u32, &'s [f32; TERMS]);

/// A candidate pair looked at again: the round, both nodes, and what there is to see.
pub type Doubted<'s> = (usize, u32, u32, &'s [f32; FEATURES]);

/// A pair that was made: both nodes, and what its confidence goes by.
pub type Decided<'s> = (u32, u32, &'s [f32; SEEN]);

/// What learning weights and trees needs beside the pairs.
#[derive(Default)]
pub struct Study<'s> {
    /// Pairs of nodes to start from, in place of the anchors.
    pub start: Option<&'s [(u32, u32)]>,
    /// Hears the evidence for every candidate pair of every round.
    pub hear: Option<&'s mut dyn FnMut(Said)>,
    /// The trees that are asked about rows in doubt. Without any these keep the sums of their
    /// evidence.
    pub forest: Option<&'s Forest<FEATURES>>,
    /// The trees that say how sure each pair is. Without any it is as sure as it beats its rivals.
    pub sure: Option<&'s Forest<SEEN>>,
    /// Hears of every candidate pair that is looked at again, once the first rounds are over.
    pub doubted: Option<&'s mut dyn FnMut(Doubted)>,
    /// Hears of every pair that was made, but those that only follow their parents.
    pub decided: Option<&'s mut dyn FnMut(Decided)>,
}

/// Pairs the nodes of two versions of a page. Equal trees are paired node for node.
pub fn pairs(
    old: &Tree,
    new: &Tree,
    options: &Options,
    _limits: &Limits,
    watch: &dyn Watch,
) -> Result<Pairs> {
    if equality::equal(old, new) {
        let all: Vec<u32> = (0..old.len() as u32).collect();
        return Ok(Pairs { old: all.clone(), new: all, confidence: vec![1.0; old.len()] });
    }
    let study = Study {
        forest: Some(doubt::forest(options.text)),
        sure: Some(sure::forest(options.text)),
        ..Study::default()
    };
    studied(old, new, options, &Weights::new(options.text), study, watch)
}

/// As [`pairs`], with other weights and trees, and watched while it thinks.
pub fn studied(
    old: &Tree,
    new: &Tree,
    options: &Options,
    weights: &Weights,
    mut study: Study,
    watch: &dyn Watch,
) -> Result<Pairs> {
    let learn = |evidence: &Evidence, to_new: &[u32]| {
        Redesign::learn((old, &evidence.old), (new, &evidence.new), to_new)
    };
    let mut evidence = read(old, new, &Redesign::default(), options.text, watch)?;
    let first = match study.start {
        None => anchors::anchors(&evidence),
        Some(start) => rows_of(&evidence, start),
    };
    let redesign = learn(&evidence, &first);
    if !redesign.is_empty() {
        evidence = read(old, new, &redesign, options.text, watch)?;
    }
    let mut early = Rounds::new(&evidence, weights);
    let so_far = early.run(0..EARLY, first, &mut study, watch)?;
    let redesign_again = learn(&evidence, &so_far);
    let (row_to_new, seen) = if redesign_again == redesign {
        late(early, so_far, &mut study, watch)?
    } else {
        evidence = read(old, new, &redesign_again, options.text, watch)?;
        late(Rounds::new(&evidence, weights), so_far, &mut study, watch)?
    };
    let sure = sure::confidence(&seen, study.sure);
    let mut to_new = vec![NONE; old.len()];
    let mut confidence = vec![f64::NAN; old.len()];
    for (i, &j) in row_to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        let node = evidence.old.node[i] as usize;
        to_new[node] = evidence.new.node[j as usize];
        confidence[node] = if i == 0 { 1.0 } else { sure[i] };
        if let (Some(decided), true) = (&mut study.decided, i > 0) {
            decided((node as u32, to_new[node], &seen[i]));
        }
    }
    leftovers::pair(old, new, &mut to_new);
    let mut pairs = Pairs::default();
    for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        if confidence[i].is_nan() {
            // what follows its parent is as sure as its parent
            confidence[i] = confidence[old.parent(i) as usize];
        }
        pairs.push(i, j as usize, confidence[i]);
    }
    Ok(pairs)
}

/// The rounds that remain: partner of each old row, and what its confidence goes by.
fn late(
    mut state: Rounds,
    so_far: Vec<u32>,
    study: &mut Study,
    watch: &dyn Watch,
) -> Result<(Vec<u32>, Vec<[f32; SEEN]>)> {
    let mut to_new = state.run(EARLY..ROUNDS, so_far, study, watch)?;
    let mut margins = state.margins(&to_new);
    for i in only_free::pair(state.evidence(), &mut to_new) {
        margins[i as usize] = 0.0;
    }
    let seen = state.seen(&to_new, &margins);
    Ok((to_new, seen))
}

/// The partner of each old row in a matching of nodes.
fn rows_of(evidence: &Evidence, pairs: &[(u32, u32)]) -> Vec<u32> {
    let row = |side: &Side, node: u32| side.node.binary_search(&node).ok();
    let mut to_new = vec![NONE; evidence.old.len()];
    to_new[0] = 0;
    for &(i, j) in pairs {
        if let (Some(i), Some(j)) = (row(&evidence.old, i), row(&evidence.new, j)) {
            to_new[i] = j as u32;
        }
    }
    to_new
}

fn read(
    old: &Tree,
    new: &Tree,
    redesign: &Redesign,
    text: bool,
    watch: &dyn Watch,
) -> Result<Evidence> {
    let mut tokens = Tokens::default();
    let old = Side::read(old, redesign, &mut tokens, text, watch)?;
    let new = Side::read(new, &Redesign::default(), &mut tokens, text, watch)?;
    Ok(Evidence::new(old, new, &tokens))
}
