//! `lace`: our own matcher. Rounds of rescoring with context.

mod bag;
mod context;
mod evidence;
mod rounds;
mod side;
mod tokens;
mod weights;

pub use weights::{Term, Weights, NAMES, TERMS};

use super::Pairs;
use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{Tree, NONE};
use crate::watch::Watch;

/// How to match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Whether texts are evidence, and matched.
    pub text: bool,
    /// How much each piece of evidence counts.
    pub weights: Weights,
}

impl Default for Options {
    fn default() -> Self {
        Options { text: true, weights: Weights::default() }
    }
}

/// Pairs the nodes of two versions of a page.
pub fn pairs(old: &Tree, new: &Tree, options: &Options, _limits: &Limits, watch: &dyn Watch) -> Result<Pairs> {
    pairs_from(old, new, options, None, None, watch)
}

/// As [`pairs`], the first round starting from a matching of tree indexes instead of from nothing.
pub fn pairs_from(
    old: &Tree,
    new: &Tree,
    options: &Options,
    start: Option<&[(u32, u32)]>,
    snap: Option<(&[usize], &mut Vec<(u32, u32, [f32; TERMS])>)>,
    watch: &dyn Watch,
) -> Result<Pairs> {
    let mut tokens = tokens::Tokens::default();
    let old_side = side::Side::read(old, &mut tokens, options.text, watch)?;
    let new_side = side::Side::read(new, &mut tokens, options.text, watch)?;
    let start = start.map(|pairs| {
        let rows = |side: &side::Side, len: usize| {
            let mut row = vec![NONE; len];
            for (r, &node) in side.node.iter().enumerate() {
                row[node as usize] = r as u32;
            }
            row
        };
        let (a, b) = (rows(&old_side, old.len()), rows(&new_side, new.len()));
        let mut to = vec![NONE; old_side.len()];
        for &(i, j) in pairs {
            if a[i as usize] != NONE {
                to[a[i as usize] as usize] = b[j as usize];
            }
        }
        to
    });
    let evidence = evidence::Evidence::new(old_side, new_side, &tokens);
    let (to_new, _won) = rounds::Rounds::new(&evidence, &options.weights).run(start, snap, watch)?;
    let mut pairs = Pairs::default();
    for (i, &j) in to_new.iter().enumerate() {
        if j != NONE {
            pairs.push(evidence.old.node[i] as usize, evidence.new.node[j as usize] as usize, 1.0);
        }
    }
    Ok(pairs)
}
