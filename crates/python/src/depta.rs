//! What the paper extractors compare records by: tag strings, and simple tree matching of small
//! labelled trees.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use treelace_matching::restricted::simple;
use treelace_matching::shape::Shape;
use treelace_records::tag_strings::{self, Scratch};
use treelace_tree::tree::NONE;
use treelace_tree::Limits;

use crate::matching::slice;
use crate::parse::PyLimits;
use crate::run::run;

/// The tags of a page in document order, compared part by part.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct TagStrings {
    inner: tag_strings::TagStrings,
}

#[pymethods]
impl TagStrings {
    #[new]
    fn new(tags: Vec<u32>) -> TagStrings {
        TagStrings { inner: tag_strings::TagStrings::of(&tags) }
    }

    /// Edit distances of pairs of parts: four numbers each, where the left and the right one start
    /// and end.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        parts: PyReadonlyArray1<'py, u32>,
        limits: PyLimits,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let limits = Limits::from(limits);
        let parts: Vec<[usize; 4]> = slice(&parts)?
            .chunks_exact(4)
            .map(|four| [0, 1, 2, 3].map(|at| four[at] as usize))
            .collect();
        let most = self.inner.len();
        if parts.iter().any(|&[a, b, c, d]| a > b || c > d || b > most || d > most) {
            return Err(PyValueError::new_err(
                "a part of the tags starts before it ends, and ends with them",
            ));
        }
        let found = run(py, &limits, |watch| {
            let mut scratch = Scratch::default();
            parts
                .iter()
                .map(|&[a, b, c, d]| self.inner.distance(a..b, c..d, &mut scratch, watch))
                .collect::<Result<Vec<u32>, _>>()
        })?;
        Ok(found.into_pyarray(py))
    }
}

/// A tree of labels in document order with one past each subtree.
fn shape(labels: Vec<u32>, ends: Vec<u32>) -> PyResult<Shape> {
    let count = labels.len() as u32;
    let wrong = || {
        PyValueError::new_err(
            "labels in document order are needed, each with the end of its subtree",
        )
    };
    if count == 0
        || ends.len() != labels.len()
        || ends[0] != count
        || labels.iter().any(|&label| label >> 29 != 0)
    {
        return Err(wrong());
    }
    let mut parent = vec![NONE; labels.len()];
    let mut open: Vec<u32> = Vec::new();
    for i in 0..count {
        while open.last().is_some_and(|&last| ends[last as usize] <= i) {
            open.pop();
        }
        let above = open.last().copied();
        if ends[i as usize] <= i
            || ends[i as usize] > above.map_or(count, |above| ends[above as usize])
            || (i > 0 && above.is_none())
        {
            return Err(wrong());
        }
        parent[i as usize] = above.unwrap_or(NONE);
        open.push(i);
    }
    Ok(Shape { node: (0..count).collect(), parent, end: ends, label: labels, has_document: false })
}

/// Simple tree matching of two trees of labels: the number of pairs, and the pairs in the order of
/// the left tree.
#[pyfunction]
fn match_labels(
    py: Python<'_>,
    left: (Vec<u32>, Vec<u32>),
    right: (Vec<u32>, Vec<u32>),
    wants_pairs: bool,
    limits: PyLimits,
) -> PyResult<(u64, Vec<(u32, u32)>)> {
    let limits = Limits::from(limits);
    let (left, right) = (shape(left.0, left.1)?, shape(right.0, right.1)?);
    run(py, &limits, |watch| {
        let found = simple::simple(&left, &right, wants_pairs, &limits, watch)?;
        Ok((simple::score(&left, &right, &found), found.pairs))
    })
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TagStrings>()?;
    module.add_function(wrap_pyfunction!(match_labels, module)?)?;
    Ok(())
}
