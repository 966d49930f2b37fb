//! Flexible Tree Matching (Kumar, Talton, Ahmad, Roughgarden, Klemmer: IJCAI 2011; §3 of Brisset et
//! al., SFTM).
//!
//! A full matching pairs every node with a node of the other tree or with no-match. Its cost is the
//! sum over its edges: what a rename costs, how many children end up below someone else ([`cost`]),
//! and how far the group of siblings is torn apart. The last two depend on the whole matching, so
//! while one is being built they are only known between bounds ([`bounds`]), which tighten with
//! each edge that is fixed. A Metropolis walk looks for a cheap matching ([`walk`]); the best one
//! is NP-hard to find.
//!
//! Sets of nodes are the bits of one number, which is why a tree has at most [`MOST_NODES`] nodes.
//! Oracle: tests/oracles/ftm.py

mod bounds;
mod cost;
mod walk;

pub use bounds::Bounds;

use super::shape::{same_kind, Shape};
use treelace_tree::error::{Error, Result};
use treelace_tree::watch::Watch;

/// The most nodes a tree may have here.
pub const MOST_NODES: usize = 128;

/// A set of nodes, by their bits.
pub(crate) type Set = u128;

/// Parameters: the weights of equation 1 and those of the walk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// w_n: cost of a node without partner.
    pub no_match: f64,
    /// w_r: weight of a rename.
    pub rename: f64,
    /// w_a: weight of each child below someone else.
    pub ancestry: f64,
    /// w_s: weight of broken groups of siblings.
    pub siblings: f64,
    /// β of the objective exp(-β c(M)) (eq. 2).
    pub beta: f64,
    /// γ: the chance to take the edge in hand.
    pub gamma: f64,
    /// Matchings suggested after the first.
    pub iterations: u32,
    /// Seed of the walk.
    pub seed: u64,
}

impl Options {
    fn check(&self) -> Result<()> {
        let weights = [self.no_match, self.rename, self.ancestry, self.siblings, self.beta];
        if !weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) {
            return Err(Error::Usage(
                "flexible-tree-matching: weights and beta are numbers from 0 up".into(),
            ));
        }
        if !(self.gamma > 0.0 && self.gamma <= 1.0) {
            return Err(Error::Usage(
                "flexible-tree-matching: gamma is a chance above 0, at most 1".into(),
            ));
        }
        Ok(())
    }
}

/// A matching, what it costs, and what each of its pairs costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// c(M), the nodes without partner included.
    pub cost: f64,
    /// Pairs of nodes of the two shapes with their cost, in the order of the old one.
    pub pairs: Vec<(u32, u32, f64)>,
}

/// One tree as FTM sees it.
struct Side {
    children: Vec<Set>,
    /// The sibling group of each node, itself included; a root has only itself.
    siblings: Vec<Set>,
    /// The groups, each as its members in order.
    groups: Vec<Vec<usize>>,
    parent: Vec<u32>,
}

impl Side {
    fn new(shape: &Shape) -> Side {
        let n = shape.len();
        let mut children = vec![0; n];
        for i in 1..n {
            children[shape.parent[i] as usize] |= 1 << i;
        }
        let siblings =
            (0..n).map(|i| if i == 0 { 1 } else { children[shape.parent[i] as usize] }).collect();
        let groups = std::iter::once(1)
            .chain(children.iter().copied())
            .filter(|&group| group != 0)
            .map(|group| members(group).collect())
            .collect();
        Side { children, siblings, groups, parent: shape.parent.clone() }
    }

    fn len(&self) -> usize {
        self.parent.len()
    }
}

/// The members of a set, in order.
fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let first = set.trailing_zeros() as usize;
            set &= set - 1;
            first
        })
    })
}

/// Two trees, what may be paired, and what pairing it costs by label.
struct Problem<'a> {
    shapes: [&'a Shape; 2],
    sides: [Side; 2],
    options: &'a Options,
}

impl<'a> Problem<'a> {
    fn new(old: &'a Shape, new: &'a Shape, options: &'a Options) -> Result<Problem<'a>> {
        options.check()?;
        if old.len().max(new.len()) > MOST_NODES {
            return Err(Error::Match(format!(
                "flexible-tree-matching takes trees of at most {MOST_NODES} nodes, these have {} \
                 and {}: \
                 it re-estimates every pair after every choice. Try matcher=\"lace\" or \"sftm\"",
                old.len(),
                new.len()
            )));
        }
        Ok(Problem { shapes: [old, new], sides: [Side::new(old), Side::new(new)], options })
    }

    fn rename(&self, i: usize, j: usize) -> f64 {
        f64::from(u8::from(self.shapes[0].label[i] != self.shapes[1].label[j]))
    }

    /// Where documents hold forests, they are paired; other nodes may go to any of their kind.
    fn may_pair(&self, i: usize, j: usize) -> bool {
        same_kind(self.shapes[0].label[i], self.shapes[1].label[j])
    }
}

/// The cheapest matching that the walk sees. O(iterations · n² · m²) at worst, with bit-parallel
/// sets.
pub fn search(old: &Shape, new: &Shape, options: &Options, watch: &dyn Watch) -> Result<Found> {
    let problem = Problem::new(old, new, options)?;
    let partner = walk::walk(&problem, watch)?;
    Ok(cost::priced(&problem, &partner))
}

/// What a given matching costs: pairs of the two shapes, each node at most once.
pub fn priced(old: &Shape, new: &Shape, pairs: &[(u32, u32)], options: &Options) -> Result<Found> {
    let problem = Problem::new(old, new, options)?;
    let mut partner = vec![None; old.len()];
    for &(i, j) in pairs {
        *partner
            .get_mut(i as usize)
            .filter(|_| (j as usize) < new.len())
            .ok_or_else(|| Error::Usage("a pair outside of the trees".into()))? = Some(j as usize);
    }
    Ok(cost::priced(&problem, &partner))
}

/// The bounds of every pair before anything is fixed, and after the pairs given are: (old, new,
/// bounds), those that remain.
pub fn bounds(
    old: &Shape,
    new: &Shape,
    fixed: &[(u32, u32)],
    options: &Options,
) -> Result<Vec<(u32, u32, Bounds)>> {
    let problem = Problem::new(old, new, options)?;
    let mut state = walk::State::new(&problem);
    for &(i, j) in fixed {
        if i as usize >= old.len() || j as usize >= new.len() {
            return Err(Error::Usage("a pair outside of the trees".into()));
        }
        state.fix(walk::Choice { old: Some(i as usize), new: Some(j as usize) });
    }
    let all = bounds::all(&problem, &state);
    let rows = (0..old.len()).flat_map(|i| (0..new.len()).map(move |j| (i, j)));
    Ok(rows
        .filter(|&(i, j)| state.remains(i, j))
        .map(|(i, j)| (i as u32, j as u32, all[i * new.len() + j]))
        .collect())
}
