//! Similarity-based Flexible Tree Matching (Brisset, Rouvoy, Seinturier, Pawlak: SFTM, Information
//! Systems 2023).
//!
//! Step by step as the paper numbers them (§4.1): 1 initial similarity by shared tokens
//! ([`tokens`], [`similarity`]), 2 the similarity of parents and children flows in, 3 a penalty for
//! different numbers of children, 4 the bipartite graph with its costs, 5 the Metropolis walk over
//! full matchings ([`search`]). The defaults are the paper's parameters; where it is silent the
//! choice stands beside the option. The default of every departure is off. Oracle:
//! tests/oracles/sftm.py

mod search;
mod similarity;
mod tokens;

use super::Pairs;
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::tree::Tree;
use treelace_tree::watch::Watch;

/// Parameters of the paper, and named departures from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Tokens on more than N^α nodes of the old tree are dropped: f(N) = N^α (§4.1.1, Figure 9).
    pub alpha: f64,
    /// What a pair gets of the similarity of its parents, step by step (eq. 5).
    pub from_parents: Vec<f64>,
    /// What a pair gives to the similarity of its parents, step by step (eq. 6).
    pub to_parents: Vec<f64>,
    /// Cost w_n of leaving a node without partner (eq. 9). The paper never gives it; 0.8182 is what
    /// the authors' benchmark comes to.
    pub no_match: f64,
    /// β of the objective (eq. 11).
    pub beta: f64,
    /// γ: the chance to take the edge in hand (Algorithm 2).
    pub gamma: f64,
    /// Matchings suggested after the first, which is greedy.
    pub iterations: u32,
    /// Seed of the walk.
    pub seed: u64,
    /// Departure: Algorithm 2 as printed, which keeps the cheapest edges of the graph instead of
    /// the previous matching's.
    pub as_printed: bool,
    /// Departure: ranks in every step of a path, also where there is but one such sibling.
    pub always_rank: bool,
    /// Departure: no penalty for different numbers of children (step 3 left out).
    pub no_penalty: bool,
    /// Departure: each node also has the rarest token of its parent.
    pub parent_token: bool,
    /// Departure: at most this many neighbours for each new node, the most similar; 0 for all.
    pub neighbours: u32,
    /// Departure: attributes whose names start with `data` are not looked at.
    pub skip_data: bool,
    /// Split values at whatever is no Latin letter, as the paper's words are; else at what is no
    /// letter or digit.
    pub latin: bool,
    /// Departure: attribute values of more words than this stay whole; 0 splits all.
    pub whole_beyond: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            alpha: 0.5,
            from_parents: vec![0.4, 0.04, 0.004],
            to_parents: vec![0.8, 0.08, 0.008],
            no_match: 0.8182,
            beta: 2.5,
            gamma: 0.8,
            iterations: 10,
            seed: 0,
            as_printed: false,
            always_rank: false,
            no_penalty: false,
            parent_token: false,
            neighbours: 0,
            skip_data: false,
            latin: false,
            whole_beyond: 0,
        }
    }
}

impl Options {
    fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::Usage(format!("sftm: {what}")));
        if !(0.0..=1.0).contains(&self.alpha) {
            return wrong("alpha is from 0 to 1");
        }
        if self.from_parents.len() != self.to_parents.len() {
            return wrong(
                "from_parents and to_parents have one weight for each step, so both have \
             the same length",
            );
        }
        if !self
            .from_parents
            .iter()
            .chain(&self.to_parents)
            .all(|weight| weight.is_finite() && *weight >= 0.0)
        {
            return wrong("weights are numbers from 0 up");
        }
        if !(self.gamma > 0.0 && self.gamma <= 1.0) {
            return wrong("gamma is a chance above 0, at most 1");
        }
        if !(self.beta.is_finite()
            && self.beta >= 0.0
            && self.no_match.is_finite()
            && self.no_match >= 0.0)
        {
            return wrong("beta and no_match are numbers from 0 up");
        }
        Ok(())
    }
}

/// An edge of the graph between two elements, by their numbers among the elements of their trees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Element of the old tree.
    pub old: u32,
    /// Element of the new tree.
    pub new: u32,
    /// Similarity s, the penalty included.
    pub similarity: f64,
}

/// The graph of step 4: all edges between elements, sorted by (old, new). For tests and for those
/// who look inside.
pub fn graph(
    old: &Tree,
    new: &Tree,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<Edge>> {
    options.check()?;
    let (old, new) = tokens::read(old, new, options, watch)?;
    let mut edges = similarity::edges(&old, &new, options, limits, watch)?;
    edges.sort_unstable_by_key(|edge| (edge.old, edge.new));
    Ok(edges)
}

/// Pairs the elements of two trees; the confidence of a pair is 1 - cost. O(N f(N) log N) time.
pub fn pairs(
    old_tree: &Tree,
    new_tree: &Tree,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Pairs> {
    options.check()?;
    let (old, new) = tokens::read(old_tree, new_tree, options, watch)?;
    let edges = similarity::edges(&old, &new, options, limits, watch)?;
    let matching = search::search(edges, old.node.len(), new.node.len(), options, watch)?;
    let mut pairs = Pairs::default();
    pairs.push(0, 0, 1.0);
    for (i, partner) in matching.iter().enumerate() {
        if let Some((j, similarity)) = partner {
            pairs.push(
                old.node[i] as usize,
                new.node[*j as usize] as usize,
                similarity / (1.0 + similarity),
            );
        }
    }
    Ok(pairs)
}
