//! The matcher `sftm`.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use treelace_matching::sftm;
use treelace_tree::Limits;

use crate::matching::{arrays, PairArrays};
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// `treelace.matching.matchers.sftm.Sftm` as the kernel has it.
#[derive(FromPyObject)]
struct SftmOptions {
    alpha: f64,
    from_parents: Vec<f64>,
    to_parents: Vec<f64>,
    no_match: f64,
    beta: f64,
    gamma: f64,
    iterations: u32,
    seed: u64,
    as_printed: bool,
    always_rank: bool,
    no_penalty: bool,
    parent_token: bool,
    neighbours: u32,
    skip_data: bool,
    latin: bool,
    whole_beyond: u32,
}

impl From<SftmOptions> for sftm::Options {
    fn from(it: SftmOptions) -> Self {
        sftm::Options {
            alpha: it.alpha,
            from_parents: it.from_parents,
            to_parents: it.to_parents,
            no_match: it.no_match,
            beta: it.beta,
            gamma: it.gamma,
            iterations: it.iterations,
            seed: it.seed,
            as_printed: it.as_printed,
            always_rank: it.always_rank,
            no_penalty: it.no_penalty,
            parent_token: it.parent_token,
            neighbours: it.neighbours,
            skip_data: it.skip_data,
            latin: it.latin,
            whole_beyond: it.whole_beyond,
        }
    }
}

#[pyfunction]
fn match_sftm<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    options: SftmOptions,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let (limits, options) = (Limits::from(limits), sftm::Options::from(options));
    run(py, &limits, |watch| sftm::pairs(&old.inner, &new.inner, &options, &limits, watch))
        .map(|pairs| arrays(py, pairs))
}

/// Old element, new element, similarity.
type EdgeArrays<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

#[pyfunction]
fn sftm_graph<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    options: SftmOptions,
    limits: PyLimits,
) -> PyResult<EdgeArrays<'py>> {
    let (limits, options) = (Limits::from(limits), sftm::Options::from(options));
    let edges =
        run(py, &limits, |watch| sftm::graph(&old.inner, &new.inner, &options, &limits, watch))?;
    Ok((
        edges.iter().map(|edge| edge.old).collect::<Vec<_>>().into_pyarray(py),
        edges.iter().map(|edge| edge.new).collect::<Vec<_>>().into_pyarray(py),
        edges.iter().map(|edge| edge.similarity).collect::<Vec<_>>().into_pyarray(py),
    ))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(match_sftm, module)?)?;
    module.add_function(wrap_pyfunction!(sftm_graph, module)?)?;
    Ok(())
}
