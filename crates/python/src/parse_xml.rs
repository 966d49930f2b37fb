//! The XML parser.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use treelace_tree::parse::xml;
use treelace_tree::{Error, Limits};

use crate::errors;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// Markup as it came.
#[derive(FromPyObject)]
enum Source<'py> {
    Bytes(Bound<'py, PyBytes>),
    Text(Bound<'py, PyString>),
}

#[pyfunction]
#[pyo3(signature = (source, transport, is_fragment, limits, *, namespaces = true))]
fn parse_xml(
    py: Python<'_>,
    source: Source<'_>,
    transport: Option<String>,
    is_fragment: bool,
    limits: PyLimits,
    namespaces: bool,
) -> PyResult<Tree> {
    let limits = Limits::from(limits);
    let options = xml::Options { transport, namespaces, fragment: is_fragment };
    match &source {
        Source::Bytes(bytes) => {
            let bytes = bytes.as_bytes();
            run(py, &limits, |watch| xml::parse(bytes, &options, limits, watch))
        }
        Source::Text(text) => {
            let text = match text.to_str() {
                Ok(text) => text,
                Err(_) => return Err(lone_surrogate(py, text)?),
            };
            run(py, &limits, |watch| xml::parse_str(text, &options, limits, watch))
        }
    }
    .map(Tree::from)
}

/// The error for a string that is not text: where its first lone surrogate stands.
fn lone_surrogate(py: Python<'_>, text: &Bound<'_, PyString>) -> PyResult<PyErr> {
    let encoded = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
    let bytes = encoded.cast::<PyBytes>()?.as_bytes();
    let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    let before = std::str::from_utf8(&bytes[..valid]).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    Ok(errors::to_python(
        py,
        Error::parse("a lone surrogate, which is no character", line as u32, column as u32),
    ))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parse_xml, module)?)
}
