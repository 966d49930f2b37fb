//! HTML, written.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_tree::write::html;
use treelace_tree::Limits;

use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

#[pyfunction]
fn write_html(py: Python<'_>, tree: &Tree, index: usize, limits: PyLimits) -> PyResult<String> {
    let (index, limits) = (tree.checked(index)?, Limits::from(limits));
    run(py, &limits, |watch| html::write(&tree.inner, index, watch))
}

#[pyfunction]
fn write_html_bytes<'py>(
    py: Python<'py>,
    tree: &Tree,
    limits: PyLimits,
) -> PyResult<Bound<'py, PyBytes>> {
    let limits = Limits::from(limits);
    let bytes = run(py, &limits, |watch| html::write_bytes(&tree.inner, watch))?;
    Ok(PyBytes::new(py, &bytes))
}

#[pyfunction]
fn html_obstacle(py: Python<'_>, tree: &Tree) -> Option<(usize, &'static str)> {
    py.detach(|| html::expressible::obstacle(&tree.inner)).map(|found| (found.node, found.reason))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(write_html, module)?)?;
    module.add_function(wrap_pyfunction!(write_html_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(html_obstacle, module)?)?;
    Ok(())
}
