//! The matchers for diff: `buld` as its paper has it, and `document`, our own.

use pyo3::prelude::*;
use treelace_matching::{buld, document};
use treelace_tree::Limits;

use crate::matching::{arrays, PairArrays};
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

#[pyfunction]
fn match_document<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    keys: Vec<String>,
    rates: Vec<(String, f64)>,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let options = document::Options { keys, rates };
    run(py, &Limits::from(limits), |watch| document::pairs(&old.inner, &new.inner, &options, watch))
        .map(|pairs| arrays(py, pairs))
}

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn match_buld<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    depth: u32,
    leaves_blanks_out: bool,
    keys: Vec<String>,
    rates: Vec<(String, f64)>,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let options = buld::Options { depth, leaves_blanks_out, keys, rates };
    run(py, &Limits::from(limits), |watch| buld::pairs(&old.inner, &new.inner, &options, watch))
        .map(|pairs| arrays(py, pairs))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(match_document, module)?)?;
    module.add_function(wrap_pyfunction!(match_buld, module)?)?;
    Ok(())
}
