//! The matcher `flexible-tree-matching`.

use pyo3::prelude::*;
use treelace_matching::ftm::{self, Found, Options};
use treelace_matching::leaves::complete;
use treelace_matching::shape::{self, Shape, View};
use treelace_tree::watch::Watch;
use treelace_tree::{Error, Limits, Result};

use crate::matching::{arrays, PairArrays};
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// `treelace.matching.matchers.flexible_tree_matching.FlexibleTreeMatching` as the kernel has it.
#[derive(FromPyObject)]
struct PyOptions {
    no_match: f64,
    rename: f64,
    ancestry: f64,
    siblings: f64,
    beta: f64,
    gamma: f64,
    iterations: u32,
    seed: u64,
}

impl From<PyOptions> for Options {
    fn from(it: PyOptions) -> Self {
        Options {
            no_match: it.no_match,
            rename: it.rename,
            ancestry: it.ancestry,
            siblings: it.siblings,
            beta: it.beta,
            gamma: it.gamma,
            iterations: it.iterations,
            seed: it.seed,
        }
    }
}

/// Nodes of the two trees with a cost.
type Rows = Vec<(u32, u32, f64)>;

fn shapes(old: &Tree, new: &Tree, attributes: bool, watch: &dyn Watch) -> Result<(Shape, Shape)> {
    shape::pair(&old.inner, &new.inner, View { attributes, text: false }, watch)
}

fn rows(old: &Shape, new: &Shape, found: &Found) -> Rows {
    found
        .pairs
        .iter()
        .map(|&(i, j, cost)| (old.node[i as usize], new.node[j as usize], cost))
        .collect()
}

/// Pairs of nodes as pairs of the shapes.
fn within(old: &Shape, new: &Shape, pairs: &[(u32, u32)]) -> Result<Vec<(u32, u32)>> {
    let find = |shape: &Shape, node: u32| {
        shape
            .node
            .binary_search(&node)
            .map(|at| at as u32)
            .map_err(|_| Error::Usage(format!("node {node} is not in view")))
    };
    pairs.iter().map(|&(i, j)| Ok((find(old, i)?, find(new, j)?))).collect()
}

#[pyfunction]
fn match_ftm<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    options: PyOptions,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let (limits, options) = (Limits::from(limits), Options::from(options));
    run(py, &limits, |watch| {
        let (a, b) = shapes(old, new, attributes, watch)?;
        let found = ftm::search(&a, &b, &options, watch)?;
        let sure: Rows = rows(&a, &b, &found)
            .into_iter()
            .map(|(i, j, cost)| (i, j, 1.0 / (1.0 + cost)))
            .collect();
        complete(&old.inner, &new.inner, &sure, watch)
    })
    .map(|pairs| arrays(py, pairs))
}

#[pyfunction]
fn ftm_search(
    py: Python<'_>,
    old: &Tree,
    new: &Tree,
    attributes: bool,
    options: PyOptions,
    limits: PyLimits,
) -> PyResult<(f64, Rows)> {
    let (limits, options) = (Limits::from(limits), Options::from(options));
    run(py, &limits, |watch| {
        let (a, b) = shapes(old, new, attributes, watch)?;
        let found = ftm::search(&a, &b, &options, watch)?;
        Ok((found.cost, rows(&a, &b, &found)))
    })
}

#[pyfunction]
fn ftm_priced(
    py: Python<'_>,
    old: &Tree,
    new: &Tree,
    pairs: Vec<(u32, u32)>,
    attributes: bool,
    options: PyOptions,
    limits: PyLimits,
) -> PyResult<(f64, Rows)> {
    let (limits, options) = (Limits::from(limits), Options::from(options));
    run(py, &limits, |watch| {
        let (a, b) = shapes(old, new, attributes, watch)?;
        let found = ftm::priced(&a, &b, &within(&a, &b, &pairs)?, &options)?;
        Ok((found.cost, rows(&a, &b, &found)))
    })
}

/// A pair with least and most ancestry cost, least and most sibling cost.
type BoundRow = (u32, u32, (f64, f64), (f64, f64));

#[pyfunction]
fn ftm_bounds(
    py: Python<'_>,
    old: &Tree,
    new: &Tree,
    fixed: Vec<(u32, u32)>,
    attributes: bool,
    options: PyOptions,
    limits: PyLimits,
) -> PyResult<Vec<BoundRow>> {
    let (limits, options) = (Limits::from(limits), Options::from(options));
    run(py, &limits, |watch| {
        let (a, b) = shapes(old, new, attributes, watch)?;
        let all = ftm::bounds(&a, &b, &within(&a, &b, &fixed)?, &options)?;
        Ok(all
            .into_iter()
            .map(|(i, j, it)| {
                (
                    a.node[i as usize],
                    b.node[j as usize],
                    (it.least_ancestry, it.most_ancestry),
                    (it.least_siblings, it.most_siblings),
                )
            })
            .collect())
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(match_ftm, module)?)?;
    module.add_function(wrap_pyfunction!(ftm_search, module)?)?;
    module.add_function(wrap_pyfunction!(ftm_priced, module)?)?;
    module.add_function(wrap_pyfunction!(ftm_bounds, module)?)?;
    Ok(())
}
