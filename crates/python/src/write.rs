//! What a tree is written as, what it equals, and its digests.

use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_tree::write::{c14n as canonical, expressible, json, outline as plan, xml, OnInvalid};
use treelace_tree::{equality, parse, stored, Error, Limits};

use crate::errors::to_python;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

#[pyfunction]
fn equal(py: Python<'_>, left: &Tree, right: &Tree) -> bool {
    py.detach(|| equality::equal(&left.inner, &right.inner))
}

#[pyfunction]
fn equal_subtree(
    py: Python<'_>,
    left: &Tree,
    left_index: usize,
    right: &Tree,
    right_index: usize,
) -> PyResult<bool> {
    let (left_index, right_index) = (left.checked(left_index)?, right.checked(right_index)?);
    Ok(py.detach(|| equality::equal_subtree(&left.inner, left_index, &right.inner, right_index)))
}

#[pyfunction]
fn digest<'py>(py: Python<'py>, tree: &Tree, index: usize) -> PyResult<Bound<'py, PyBytes>> {
    let index = tree.checked(index)?;
    let digest = run(py, &Limits::default(), |watch| {
        tree.inner.digests_watched(watch).map(|all| all[index])
    })?;
    Ok(PyBytes::new(py, &digest))
}

#[pyfunction]
fn digests<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let flat = run(py, &Limits::default(), |watch| {
        tree.inner.digests_watched(watch).map(|all| all.as_flattened().to_vec())
    })?;
    let table = Array2::from_shape_vec((tree.inner.len(), 16), flat).expect("sixteen bytes a node");
    Ok(table.into_pyarray(py))
}

fn on_invalid_from(py: Python<'_>, word: &str) -> PyResult<OnInvalid> {
    match word {
        "error" => Ok(OnInvalid::Error),
        "replace" => Ok(OnInvalid::Replace),
        _ => Err(to_python(
            py,
            Error::Usage(format!("on_invalid is 'error' or 'replace', not '{word}'")),
        )),
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
fn write_xml(
    py: Python<'_>,
    tree: &Tree,
    index: usize,
    options: XmlOptions,
    limits: PyLimits,
) -> PyResult<String> {
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
    version: String,
    exclusive: bool,
    comments: bool,
    prefixes: Vec<String>,
    on_invalid: String,
}

#[pyfunction]
fn c14n<'py>(
    py: Python<'py>,
    tree: &Tree,
    index: usize,
    options: CanonicalOptions,
    limits: PyLimits,
) -> PyResult<Bound<'py, PyBytes>> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    let method = match (options.version.as_str(), options.exclusive) {
        ("1.0" | "1.1", true) => canonical::Method::Exclusive10,
        ("1.0", false) => canonical::Method::Inclusive10,
        ("1.1", false) => canonical::Method::Inclusive11,
        (other, _) => {
            return Err(to_python(
                py,
                Error::Usage(format!("version is '1.0' or '1.1', not '{other}'")),
            ))
        }
    };
    let on_invalid = on_invalid_from(py, &options.on_invalid)?;
    let options = canonical::Options {
        method,
        comments: options.comments,
        prefixes: options.prefixes,
        on_invalid,
    };
    let text =
        run(py, &limits, |watch| canonical::write(&tree.inner, index, &options, &limits, watch))?;
    Ok(PyBytes::new(py, text.as_bytes()))
}

#[pyfunction]
fn is_expressible_xml(py: Python<'_>, tree: &Tree, limits: PyLimits) -> PyResult<bool> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| expressible::is_expressible(&tree.inner, &limits, watch))
}

#[pyfunction]
fn write_json(
    py: Python<'_>,
    tree: &Tree,
    index: usize,
    indent: Option<u32>,
    limits: PyLimits,
) -> PyResult<String> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    run(py, &limits, |watch| json::write(&tree.inner, index, indent, &limits, watch))
}

#[pyfunction]
fn read_json(py: Python<'_>, text: &str, limits: PyLimits) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| parse::json::parse(text, limits, watch)).map(Tree::from)
}

/// Options of `outline`, as a Python object with these attributes has them.
#[derive(FromPyObject)]
struct OutlineOptions {
    depth: Option<u32>,
    fold: bool,
    attributes: Option<bool>,
    width: usize,
}

#[pyfunction]
fn outline(
    py: Python<'_>,
    tree: &Tree,
    index: usize,
    options: OutlineOptions,
    limits: PyLimits,
) -> PyResult<String> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    let usual = plan::Options::for_tree(&tree.inner);
    let options = plan::Options {
        depth: options.depth,
        fold: options.fold,
        attributes: options.attributes.unwrap_or(usual.attributes),
        width: options.width,
    };
    run(py, &limits, |watch| plan::write(&tree.inner, index, &options, &limits, watch))
}

#[pyfunction]
fn store_tree<'py>(py: Python<'py>, tree: &Tree) -> Bound<'py, PyBytes> {
    let bytes = py.detach(|| stored::store(&tree.inner));
    PyBytes::new(py, &bytes)
}

#[pyfunction]
fn load_tree(py: Python<'_>, bytes: &[u8]) -> PyResult<Tree> {
    py.detach(|| stored::load(bytes)).map(Tree::from).map_err(|error| to_python(py, error))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let functions = [
        wrap_pyfunction!(equal, module)?,
        wrap_pyfunction!(equal_subtree, module)?,
        wrap_pyfunction!(digest, module)?,
        wrap_pyfunction!(digests, module)?,
        wrap_pyfunction!(is_expressible_xml, module)?,
        wrap_pyfunction!(write_xml, module)?,
        wrap_pyfunction!(c14n, module)?,
        wrap_pyfunction!(write_json, module)?,
        wrap_pyfunction!(read_json, module)?,
        wrap_pyfunction!(outline, module)?,
        wrap_pyfunction!(store_tree, module)?,
        wrap_pyfunction!(load_tree, module)?,
    ];
    functions.into_iter().try_for_each(|function| module.add_function(function))
}
