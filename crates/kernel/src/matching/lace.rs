//! `lace`: our own matcher. Rounds of rescoring with context.
//!
//! Every round scores every candidate pair from scratch against the matching of the round before and assigns greedily; no
//! pair is ever fixed. What speaks for a pair is in [`evidence`] (by itself) and [`context`] (its surroundings); how much,
//! in [`weights`]. `docs/explanation/lace.md` tells the story.

mod bag;
mod context;
mod evidence;
mod leftovers;
mod rounds;
mod side;
mod tokens;
mod weights;

pub use weights::{Term, Weights, NAMES, TERMS};

use super::Pairs;
use crate::equality;
use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{Tree, NONE};
use crate::watch::Watch;

/// How to match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Whether texts are evidence.
    pub text: bool,
    /// How much each piece of evidence counts.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Options { text: true, weights: Weights::default() }
    }
}

/// The evidence for each candidate pair of tree indexes: for those who fit weights.
pub type Snapshot = Vec<(u32, u32, [f32; TERMS])>;

/// Pairs the nodes of two versions of a page. Equal trees are paired node for node.
pub fn pairs(old: &Tree, new: &Tree, options: &Options, limits: &Limits, watch: &dyn Watch) -> Result<Pairs> {
    if equality::equal(old, new) {
        let all: Vec<u32> = (0..old.len() as u32).collect();
        return Ok(Pairs { old: all.clone(), new: all, confidence: vec![1.0; old.len()] });
    }
    pairs_from(old, new, options, None, None, limits, watch)
}

/// As [`pairs`]; the first round may start from a matching of tree indexes, and the evidence of some rounds may be kept.
pub fn pairs_from(
    old: &Tree,
    new: &Tree,
    options: &Options,
    start: Option<&[(u32, u32)]>,
    snapshot: Option<(&[usize], &mut Snapshot)>,
    _limits: &Limits,
    watch: &dyn Watch,
) -> Result<Pairs> {
    let mut tokens = tokens::Tokens::default();
    let old_side = side::Side::read(old, &mut tokens, options.text, watch)?;
    let new_side = side::Side::read(new, &mut tokens, options.text, watch)?;
    let start = start.map(|pairs| {
        let (old_rows, new_rows) = (old_side.rows(old.len()), new_side.rows(new.len()));
        let mut to_new = vec![NONE; old_side.len()];
        for &(i, j) in pairs.iter().filter(|(i, _)| old_rows[*i as usize] != NONE) {
            to_new[old_rows[i as usize] as usize] = new_rows[j as usize];
        }
        to_new
    });
    let evidence = evidence::Evidence::new(old_side, new_side, &tokens);
    let (row_to_new, _scores) = rounds::Rounds::new(&evidence, &options.weights).run(start, snapshot, watch)?;
    let mut to_new = vec![NONE; old.len()];
    for (i, &j) in row_to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        to_new[evidence.old.node[i] as usize] = evidence.new.node[j as usize];
    }
    leftovers::pair(old, new, &mut to_new);
    let mut pairs = Pairs::default();
    for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
        pairs.push(i, j as usize, 1.0);
    }
    Ok(pairs)
}
