//! Parsers.

use pyo3::prelude::*;
use treelace_kernel::parse::html;
use treelace_kernel::{brackets, Limits};

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

#[pyfunction]
fn parse_html(py: Python<'_>, source: &Bound<'_, PyAny>, _transport: Option<&str>, context: Option<String>, limits: PyLimits) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    let options = html::Options { context, ..html::Options::default() };
    let text = match source.extract::<&[u8]>() {
        Ok(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Err(_) => source.extract::<String>()?,
    };
    run(py, &limits, |watch| html::parse(&text, &options, limits, watch)).map(Tree::from)
}

#[pyfunction]
fn parse_brackets(py: Python<'_>, text: &str, limits: PyLimits) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    run(py, &limits, |_| brackets::parse(text, limits)).map(Tree::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse_html, module)?)?;
    module.add_function(wrap_pyfunction!(parse_brackets, module)?)?;
    Ok(())
}
