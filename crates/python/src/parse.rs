//! Parsers.

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;
use treelace_tree::parse::{encoding, html};
use treelace_tree::{brackets, Limits};

use crate::errors::to_python;
use crate::run::run;
use crate::tree::Tree;

/// `treelace.Limits` as the kernel has it.
#[derive(FromPyObject)]
pub struct PyLimits {
    bytes: u64,
    nodes: u64,
    depth: u64,
    attributes: u64,
    text: u64,
    entity_expansion: u64,
    memory: u64,
    seconds: f64,
}

impl From<PyLimits> for Limits {
    fn from(it: PyLimits) -> Limits {
        Limits {
            bytes: it.bytes,
            nodes: it.nodes,
            depth: it.depth,
            attributes: it.attributes,
            text: it.text,
            entity_expansion: it.entity_expansion,
            memory: it.memory,
            seconds: it.seconds,
        }
    }
}

/// What comes as markup.
#[derive(FromPyObject)]
pub enum Markup {
    Bytes(PyBackedBytes),
    Text(Py<PyString>),
}

#[pyfunction]
fn parse_html(
    py: Python<'_>,
    source: Markup,
    transport: Option<String>,
    context: Option<String>,
    limits: PyLimits,
) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    let mut options = html::Options { context, ..html::Options::default() };
    let tree = match source {
        Markup::Bytes(bytes) => run(py, &limits, |watch| {
            html::parse_bytes(&bytes, transport.as_deref(), &options, limits, watch)
        }),
        Markup::Text(text) => match text.extract::<PyBackedStr>(py) {
            Ok(text) => run(py, &limits, |watch| html::parse(&text, &options, limits, watch)),
            // Python lets surrogates stand alone
            Err(_) => {
                let bytes = text
                    .call_method1(py, "encode", ("utf-8", "surrogatepass"))?
                    .extract::<PyBackedBytes>(py)?;
                let (text, problem) = encoding::without_surrogates(&bytes);
                options.problems.push(problem);
                run(py, &limits, |watch| html::parse(&text, &options, limits, watch))
            }
        },
    };
    tree.map(Tree::from)
}

#[pyfunction]
fn parse_brackets(py: Python<'_>, text: &str, limits: PyLimits) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    run(py, &limits, |_| brackets::parse(text, limits)).map(Tree::from)
}

#[pyfunction]
fn check_tree(py: Python<'_>, tree: &Tree) -> PyResult<()> {
    py.detach(|| tree.inner.validate()).map_err(|error| to_python(py, error))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse_html, module)?)?;
    module.add_function(wrap_pyfunction!(parse_brackets, module)?)?;
    module.add_function(wrap_pyfunction!(check_tree, module)?)?;
    Ok(())
}
