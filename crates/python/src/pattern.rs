//! Patterns: what pages of one template have in common.

use std::collections::HashMap;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use treelace_kernel::pattern::align::PatternRow;
use treelace_kernel::pattern::{self, Aligned, Part, Row};
use treelace_kernel::Limits;

use crate::errors;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// Depth, tag, keys, wrappers, text, pages that have it, whether the text is fixed, shapes.
type Rows = Vec<(u32, String, Vec<String>, String, String, u32, bool, Vec<String>)>;

/// Nodes, their rows, share of the usual rows found, share of the page's rows that found one.
type AlignedArrays<'py> = (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, f32, f32);

/// A tree, its top nodes, numbers of leaves that belong together.
type PartOf<'py> = (Bound<'py, Tree>, Vec<u32>, HashMap<u32, u32>);

/// A pattern that pages are laid along; may be used from many threads.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Pattern {
    inner: Arc<pattern::Pattern>,
}

fn arrays(py: Python<'_>, aligned: Aligned) -> AlignedArrays<'_> {
    (aligned.nodes.into_pyarray(py), aligned.rows.into_pyarray(py), aligned.filled, aligned.covered)
}

#[pymethods]
impl Pattern {
    #[new]
    fn new(py: Python<'_>, rows: Rows, pages: u32) -> PyResult<Pattern> {
        let rows = rows
            .into_iter()
            .map(|(depth, tag, keys, wrap, text, seen, is_fixed, shapes)| PatternRow {
                row: Row { depth, tag, keys, wrap, text },
                seen,
                is_fixed,
                shapes,
            })
            .collect();
        let inner = pattern::Pattern::new(rows, pages).map_err(|error| errors::to_python(py, error))?;
        Ok(Pattern { inner: Arc::new(inner) })
    }

    #[getter]
    fn pages(&self) -> u32 {
        self.inner.pages()
    }

    fn rows(&self) -> Rows {
        let row = |kept: &PatternRow| {
            let Row { depth, tag, keys, wrap, text } = kept.row.clone();
            (depth, tag, keys, wrap, text, kept.seen, kept.is_fixed, kept.shapes.clone())
        };
        self.inner.rows().iter().map(row).collect()
    }

    fn align<'py>(&self, py: Python<'py>, tree: &Tree, parts: Vec<Vec<u32>>, limits: PyLimits) -> PyResult<Vec<AlignedArrays<'py>>> {
        let limits = Limits::from(limits);
        let (pattern, tree) = (&self.inner, &tree.inner);
        let aligned = run(py, &limits, |watch| parts.iter().map(|roots| pattern.align(tree, roots, &limits, watch)).collect::<Result<Vec<_>, _>>())?;
        Ok(aligned.into_iter().map(|aligned| arrays(py, aligned)).collect())
    }
}

#[pyfunction]
fn learn_pattern<'py>(py: Python<'py>, parts: Vec<PartOf<'py>>, limits: PyLimits) -> PyResult<(Pattern, Vec<AlignedArrays<'py>>)> {
    let limits = Limits::from(limits);
    let trees: Vec<_> = parts.iter().map(|part| part.0.get().inner.clone()).collect();
    let parts: Vec<(Vec<u32>, HashMap<u32, u32>)> = parts.into_iter().map(|(_, roots, hints)| (roots, hints)).collect();
    let learnt = run(py, &limits, |watch| {
        let parts: Vec<Part<'_>> = trees.iter().zip(parts).map(|(tree, (roots, hints))| Part { tree: tree.as_ref(), roots, hints }).collect();
        pattern::learn(&parts, &limits, watch)
    })?;
    let aligned = learnt.parts.into_iter().map(|aligned| arrays(py, aligned)).collect();
    Ok((Pattern { inner: Arc::new(learnt.pattern) }, aligned))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pattern>()?;
    module.add_function(wrap_pyfunction!(learn_pattern, module)?)?;
    Ok(())
}
