//! Patterns: what pages of one template have in common.

use std::collections::HashMap;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use treelace_records::pattern::align::PatternRow;
use treelace_records::pattern::cells;
use treelace_records::pattern::laid::{self, Columns, Sorted};
use treelace_records::pattern::{self, Aligned, Part, Row, Sight};
use treelace_tree::Limits;

use crate::errors;
use crate::parse::PyLimits;
use crate::records::{py_cells, PyCells, PySlots};
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
        let inner =
            pattern::Pattern::new(rows, pages).map_err(|error| errors::to_python(py, error))?;
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

    /// Parts laid along the pattern, to be sorted into columns.
    fn lay(
        &self,
        py: Python<'_>,
        tree: &Tree,
        parts: Vec<Vec<u32>>,
        limits: PyLimits,
    ) -> PyResult<Laid> {
        let limits = Limits::from(limits);
        let parts = run(py, &limits, |watch| {
            let sight = Sight::of(&tree.inner);
            parts
                .iter()
                .map(|roots| self.inner.align(&sight, roots, &limits, watch))
                .collect::<Result<Vec<_>, _>>()
        })?;
        Ok(Laid { tree: Arc::clone(&tree.inner), parts })
    }

    fn align<'py>(
        &self,
        py: Python<'py>,
        tree: &Tree,
        parts: Vec<Vec<u32>>,
        limits: PyLimits,
    ) -> PyResult<Vec<AlignedArrays<'py>>> {
        let limits = Limits::from(limits);
        let (pattern, tree) = (&self.inner, &tree.inner);
        let aligned = run(py, &limits, |watch| {
            let sight = Sight::of(tree);
            parts
                .iter()
                .map(|roots| pattern.align(&sight, roots, &limits, watch))
                .collect::<Result<Vec<_>, _>>()
        })?;
        Ok(aligned.into_iter().map(|aligned| arrays(py, aligned)).collect())
    }
}

/// Which row of a pattern belongs to which column; made once for a wrapper.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct PatternColumns {
    inner: Columns,
}

#[pymethods]
impl PatternColumns {
    #[new]
    fn new(
        count: u32,
        of_row: Vec<i64>,
        is_leaf: Vec<bool>,
        runs: Vec<Vec<u32>>,
        of_holder: HashMap<String, u32>,
    ) -> PyResult<Self> {
        let column = |column: i64| u32::try_from(column).unwrap_or(laid::NO_COLUMN);
        let of_row: Vec<u32> = of_row.into_iter().map(column).collect();
        if of_row
            .iter()
            .chain(of_holder.values())
            .any(|&column| column != laid::NO_COLUMN && column >= count)
        {
            return Err(PyValueError::new_err("a column that is not there"));
        }
        Ok(PatternColumns {
            inner: Columns { count: count as usize, of_row, is_leaf, runs, of_holder },
        })
    }
}

/// Parts of a page laid along a pattern.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Laid {
    tree: Arc<treelace_tree::Tree>,
    parts: Vec<Aligned>,
}

#[pymethods]
impl Laid {
    /// Share of the usual rows that each part has.
    fn fits(&self) -> Vec<f32> {
        self.parts.iter().map(|part| part.filled).collect()
    }

    /// The nodes of a part, and the row of each.
    fn held(&self, part: usize) -> PyResult<Vec<(u32, u32)>> {
        let held = self
            .parts
            .get(part)
            .ok_or_else(|| PyIndexError::new_err(format!("part {part} of {}", self.parts.len())))?;
        Ok(held.nodes.iter().copied().zip(held.rows.iter().copied()).collect())
    }

    /// The leaves of these parts in their columns.
    #[pyo3(signature = (columns, parts, known=None))]
    fn sort(
        &self,
        columns: &PatternColumns,
        parts: Vec<usize>,
        known: Option<Vec<HashMap<u32, i64>>>,
    ) -> PyResult<PySlots> {
        let mut sorted = Sorted::default();
        let none = HashMap::new();
        for (record, &part) in parts.iter().enumerate() {
            let aligned = self.parts.get(part).ok_or_else(|| {
                PyIndexError::new_err(format!("part {part} of {}", self.parts.len()))
            })?;
            let said = known.as_ref().and_then(|known| known.get(record)).unwrap_or(&none);
            let column = |column: i64| {
                u32::try_from(column)
                    .ok()
                    .filter(|&it| (it as usize) < columns.inner.count)
                    .unwrap_or(laid::NO_COLUMN)
            };
            let said = said
                .iter()
                .filter(|(&node, _)| (node as usize) < self.tree.len())
                .map(|(&node, &it)| (node, column(it)))
                .collect();
            columns.inner.sort(&self.tree, record as u32, aligned, &said, &mut sorted);
        }
        Ok((sorted.records, sorted.columns, sorted.ends, sorted.nodes))
    }

    /// For each label the text just after the only one of a part that reads so.
    fn after_labels(&self, part: usize, labels: Vec<String>) -> PyResult<Vec<Option<u32>>> {
        let held = self
            .parts
            .get(part)
            .ok_or_else(|| PyIndexError::new_err(format!("part {part} of {}", self.parts.len())))?;
        Ok(laid::after_labels(&self.tree, &held.nodes, &labels))
    }
}

/// What stands in slots of leaves, as it reads.
#[pyfunction]
fn leaf_cells(py: Python<'_>, tree: &Tree, slots: PySlots, limits: PyLimits) -> PyResult<PyCells> {
    let limits = Limits::from(limits);
    let (records, columns, ends, nodes) = slots;
    let is_filled =
        ends.first().is_none_or(|&end| end > 0) && ends.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_filled
        || ends.last().map_or(0, |&end| end as usize) != nodes.len()
        || nodes.iter().any(|&node| node as usize >= tree.inner.len())
    {
        return Err(PyValueError::new_err("slots need leaves of the tree each"));
    }
    let sorted = Sorted { records, columns, ends, nodes };
    run(py, &limits, |watch| cells::cells(&tree.inner, &sorted, watch)).map(py_cells)
}

#[pyfunction]
fn learn_pattern<'py>(
    py: Python<'py>,
    parts: Vec<PartOf<'py>>,
    limits: PyLimits,
) -> PyResult<(Pattern, Vec<AlignedArrays<'py>>)> {
    let limits = Limits::from(limits);
    let trees: Vec<_> = parts.iter().map(|part| part.0.get().inner.clone()).collect();
    let parts: Vec<(Vec<u32>, HashMap<u32, u32>)> =
        parts.into_iter().map(|(_, roots, hints)| (roots, hints)).collect();
    let learnt = run(py, &limits, |watch| {
        let parts: Vec<Part<'_>> = trees
            .iter()
            .zip(parts)
            .map(|(tree, (roots, hints))| Part { tree: tree.as_ref(), roots, hints })
            .collect();
        pattern::learn(&parts, &limits, watch)
    })?;
    let aligned = learnt.parts.into_iter().map(|aligned| arrays(py, aligned)).collect();
    Ok((Pattern { inner: Arc::new(learnt.pattern) }, aligned))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pattern>()?;
    module.add_class::<PatternColumns>()?;
    module.add_class::<Laid>()?;
    module.add_function(wrap_pyfunction!(leaf_cells, module)?)?;
    module.add_function(wrap_pyfunction!(learn_pattern, module)?)?;
    Ok(())
}
