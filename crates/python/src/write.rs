//! What a tree is written as, what it equals, and its digests.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_kernel::{equality, Limits};

use crate::errors;
use crate::run::run;
use crate::tree::Tree;

/// Fails by name where `index` is not a node.
fn check_index(py: Python<'_>, tree: &Tree, index: usize) -> PyResult<()> {
    if index < tree.inner.len() {
        return Ok(());
    }
    Err(errors::to_python(py, treelace_kernel::Error::Usage(format!("there is no node {index}: the tree has {}", tree.inner.len()))))
}

#[pyfunction]
fn equal(py: Python<'_>, left: &Tree, right: &Tree) -> bool {
    py.detach(|| equality::equal(&left.inner, &right.inner))
}

#[pyfunction]
fn equal_subtree(py: Python<'_>, left: &Tree, i: usize, right: &Tree, j: usize) -> PyResult<bool> {
    check_index(py, left, i)?;
    check_index(py, right, j)?;
    Ok(py.detach(|| equality::equal_subtree(&left.inner, i, &right.inner, j)))
}

#[pyfunction]
fn digest<'py>(py: Python<'py>, tree: &Tree, index: usize) -> PyResult<Bound<'py, PyBytes>> {
    check_index(py, tree, index)?;
    let digest = run(py, &Limits::default(), |watch| tree.inner.digests_watched(watch).map(|all| all[index]))?;
    Ok(PyBytes::new(py, &digest))
}

#[pyfunction]
fn digests<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let flat = run(py, &Limits::default(), |watch| tree.inner.digests_watched(watch).map(|all| all.as_flattened().to_vec()))?;
    let table = Array2::from_shape_vec((tree.inner.len(), 16), flat).expect("sixteen bytes a node");
    Ok(table.into_pyarray(py))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(equal, module)?)?;
    module.add_function(wrap_pyfunction!(equal_subtree, module)?)?;
    module.add_function(wrap_pyfunction!(digest, module)?)?;
    module.add_function(wrap_pyfunction!(digests, module)?)?;
    Ok(())
}
