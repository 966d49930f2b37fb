//! What a tree is written as, what it equals, and its digests.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_kernel::write::{c14n as canonical, xml, OnInvalid};
use treelace_kernel::{equality, Error, Limits};

use crate::errors::to_python;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

#[pyfunction]
fn equal(py: Python<'_>, left: &Tree, right: &Tree) -> bool {
    py.detach(|| equality::equal(&left.inner, &right.inner))
}

#[pyfunction]
fn equal_subtree(py: Python<'_>, left: &Tree, left_index: usize, right: &Tree, right_index: usize) -> PyResult<bool> {
    let (left_index, right_index) = (left.checked(left_index)?, right.checked(right_index)?);
    Ok(py.detach(|| equality::equal_subtree(&left.inner, left_index, &right.inner, right_index)))
}

#[pyfunction]
fn digest<'py>(py: Python<'py>, tree: &Tree, index: usize) -> PyResult<Bound<'py, PyBytes>> {
    let index = tree.checked(index)?;
    let digest = run(py, &Limits::default(), |watch| tree.inner.digests_watched(watch).map(|all| all[index]))?;
    Ok(PyBytes::new(py, &digest))
}

#[pyfunction]
fn digests<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let flat = run(py, &Limits::default(), |watch| tree.inner.digests_watched(watch).map(|all| all.as_flattened().to_vec()))?;
    let table = Array2::from_shape_vec((tree.inner.len(), 16), flat).expect("sixteen bytes a node");
    Ok(table.into_pyarray(py))
}

fn on_invalid_from(py: Python<'_>, word: &str) -> PyResult<OnInvalid> {
    match word {
        "error" => Ok(OnInvalid::Error),
        "replace" => Ok(OnInvalid::Replace),
        _ => Err(to_python(py, Error::Usage(format!("on_invalid is 'error' or 'replace', not '{word}'")))),
    }
}

/// Options of `write_xml`, as a Python object with these attributes has them.
#[derive(FromPyObject)]
struct XmlOptions {
    declaration: bool,
    doctype: bool,
    defaults: bool,
    declare_namespaces: Option<bool>,
    on_invalid: String,
}

#[pyfunction]
fn write_xml(py: Python<'_>, tree: &Tree, index: usize, options: XmlOptions, limits: PyLimits) -> PyResult<String> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    let usual = xml::Options::for_tree(&tree.inner);
    let options = xml::Options {
        declaration: options.declaration,
        doctype: options.doctype,
        defaults: options.defaults,
        declare: options.declare_namespaces.unwrap_or(usual.declare),
        on_invalid: on_invalid_from(py, &options.on_invalid)?,
    };
    run(py, &limits, |watch| xml::write(&tree.inner, index, &options, &limits, watch))
}

/// Options of `c14n`, as a Python object with these attributes has them.
#[derive(FromPyObject)]
struct CanonicalOptions {
    method: String,
    comments: bool,
    prefixes: Vec<String>,
    on_invalid: String,
}

#[pyfunction]
fn c14n<'py>(py: Python<'py>, tree: &Tree, index: usize, options: CanonicalOptions, limits: PyLimits) -> PyResult<Bound<'py, PyBytes>> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    let method = match options.method.as_str() {
        "1.0" => canonical::Method::Inclusive10,
        "1.1" => canonical::Method::Inclusive11,
        "exclusive" => canonical::Method::Exclusive10,
        other => return Err(to_python(py, Error::Usage(format!("method is '1.0', '1.1' or 'exclusive', not '{other}'")))),
    };
    let on_invalid = on_invalid_from(py, &options.on_invalid)?;
    let options = canonical::Options { method, comments: options.comments, prefixes: options.prefixes, on_invalid };
    let text = run(py, &limits, |watch| canonical::write(&tree.inner, index, &options, &limits, watch))?;
    Ok(PyBytes::new(py, text.as_bytes()))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(equal, module)?)?;
    module.add_function(wrap_pyfunction!(equal_subtree, module)?)?;
    module.add_function(wrap_pyfunction!(digest, module)?)?;
    module.add_function(wrap_pyfunction!(digests, module)?)?;
    module.add_function(wrap_pyfunction!(write_xml, module)?)?;
    module.add_function(wrap_pyfunction!(c14n, module)?)?;
    Ok(())
}
