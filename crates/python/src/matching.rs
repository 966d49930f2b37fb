//! Matchers and what every matching needs: pairs as three arrays.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use treelace_matching::{self as matching, lace, same_path, Pairs};
use treelace_tree::tree::NONE;
use treelace_tree::Limits;

use crate::errors;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// Old indexes, new indexes, confidences.
pub type PairArrays<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);

/// The arrays Python sees.
pub fn arrays(py: Python<'_>, pairs: Pairs) -> PairArrays<'_> {
    (pairs.old.into_pyarray(py), pairs.new.into_pyarray(py), pairs.confidence.into_pyarray(py))
}

/// The numbers of an array that must lie in one piece.
pub fn slice<'a, T: numpy::Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(|_| PyTypeError::new_err("an array in one piece is needed"))
}

#[pyfunction]
fn check_pairs(
    py: Python<'_>,
    old_tree: &Tree,
    new_tree: &Tree,
    old: PyReadonlyArray1<'_, u32>,
    new: PyReadonlyArray1<'_, u32>,
    confidence: PyReadonlyArray1<'_, f64>,
) -> PyResult<()> {
    matching::check(
        &old_tree.inner,
        &new_tree.inner,
        slice(&old)?,
        slice(&new)?,
        slice(&confidence)?,
    )
    .map_err(|error| errors::to_python(py, error))
}

/// Element indexes of old and new, and the row of each pair.
type ElementPairs<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>);

#[pyfunction]
fn element_pairs<'py>(
    py: Python<'py>,
    old_tree: &Tree,
    new_tree: &Tree,
    old: PyReadonlyArray1<'py, u32>,
    new: PyReadonlyArray1<'py, u32>,
) -> PyResult<ElementPairs<'py>> {
    let (old, new, rows) =
        matching::element_pairs(&old_tree.inner, &new_tree.inner, slice(&old)?, slice(&new)?);
    Ok((old.into_pyarray(py), new.into_pyarray(py), rows.into_pyarray(py)))
}

#[pyfunction]
fn element_nodes<'py>(py: Python<'py>, tree: &Tree) -> Bound<'py, PyArray1<u32>> {
    let numbers = tree.inner.element_index();
    let nodes: Vec<u32> =
        (0..tree.inner.len() as u32).filter(|&i| numbers[i as usize] != NONE).collect();
    nodes.into_pyarray(py)
}

#[pyfunction]
fn match_same_path<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let limits = Limits::from(limits);
    run(py, &limits, |watch| same_path::pairs(&old.inner, &new.inner, watch))
        .map(|pairs| arrays(py, pairs))
}

#[pyfunction]
fn match_lace<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    reads_text: bool,
    limits: PyLimits,
) -> PyResult<PairArrays<'py>> {
    let limits = Limits::from(limits);
    let options = lace::Options { text: reads_text };
    run(py, &limits, |watch| lace::pairs(&old.inner, &new.inner, &options, &limits, watch))
        .map(|pairs| arrays(py, pairs))
}

/// What `lace_study` gives: the pairs; round, old node, new node and evidence (one row of numbers a
/// pair) of every candidate.
type Studied<'py> = (
    PairArrays<'py>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<f32>>,
);

/// The weights in an array and the trees in these bytes, if there are any.
fn learnt(
    weights: &PyReadonlyArray1<'_, f32>,
    forest: Option<&[u8]>,
) -> PyResult<(lace::Weights, Option<lace::Forest<{ lace::FEATURES }>>)> {
    let numbers = slice(weights)?;
    let weights = numbers.try_into().map(lace::Weights::from_numbers).map_err(|_| {
        PyValueError::new_err(format!("{} weights, not {}", numbers.len(), lace::WEIGHTS))
    })?;
    let read = |bytes| {
        lace::Forest::from_bytes(bytes)
            .ok_or_else(|| PyValueError::new_err("these bytes are no forest of lace"))
    };
    Ok((weights, forest.map(read).transpose()?))
}

#[pyfunction]
#[pyo3(signature = (old, new, reads_text, weights, forest, limits, start = None))]
#[allow(clippy::too_many_arguments)]
fn lace_study<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    reads_text: bool,
    weights: PyReadonlyArray1<'py, f32>,
    forest: Option<&[u8]>,
    limits: PyLimits,
    start: Option<Vec<(u32, u32)>>,
) -> PyResult<Studied<'py>> {
    let limits = Limits::from(limits);
    let (weights, forest) = learnt(&weights, forest)?;
    let options = lace::Options { text: reads_text };
    let (mut rounds, mut olds, mut news, mut terms) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let pairs = run(py, &limits, |watch| {
        let mut hear = |(round, i, j, said): lace::Said| {
            rounds.push(round as u8);
            olds.push(i);
            news.push(j);
            terms.extend_from_slice(said);
        };
        let study = lace::Study {
            forest: forest.as_ref(),
            start: start.as_deref(),
            hear: Some(&mut hear),
            ..lace::Study::default()
        };
        lace::studied(&old.inner, &new.inner, &options, &weights, study, watch)
    })?;
    Ok((
        arrays(py, pairs),
        rounds.into_pyarray(py),
        olds.into_pyarray(py),
        news.into_pyarray(py),
        terms.into_pyarray(py),
    ))
}

/// Old node, new node and features (one row of numbers a pair) of candidates, or of pairs.
type Doubts<'py> =
    (Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f32>>);

#[pyfunction]
fn lace_doubts<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    reads_text: bool,
    weights: PyReadonlyArray1<'py, f32>,
    forest: Option<&[u8]>,
    limits: PyLimits,
) -> PyResult<Doubts<'py>> {
    let limits = Limits::from(limits);
    let (weights, forest) = learnt(&weights, forest)?;
    let options = lace::Options { text: reads_text };
    let (mut olds, mut news, mut features) = (Vec::new(), Vec::new(), Vec::new());
    run(py, &limits, |watch| {
        let mut doubted = |(round, i, j, seen): lace::Doubted| {
            if round + 1 == lace::ROUNDS {
                olds.push(i);
                news.push(j);
                features.extend_from_slice(seen);
            }
        };
        let study = lace::Study {
            forest: forest.as_ref(),
            doubted: Some(&mut doubted),
            ..lace::Study::default()
        };
        lace::studied(&old.inner, &new.inner, &options, &weights, study, watch)
    })?;
    Ok((olds.into_pyarray(py), news.into_pyarray(py), features.into_pyarray(py)))
}

#[pyfunction]
fn lace_seen<'py>(
    py: Python<'py>,
    old: &Tree,
    new: &Tree,
    reads_text: bool,
    weights: PyReadonlyArray1<'py, f32>,
    forest: Option<&[u8]>,
    limits: PyLimits,
) -> PyResult<Doubts<'py>> {
    let limits = Limits::from(limits);
    let (weights, forest) = learnt(&weights, forest)?;
    let options = lace::Options { text: reads_text };
    let (mut olds, mut news, mut features) = (Vec::new(), Vec::new(), Vec::new());
    run(py, &limits, |watch| {
        let mut decided = |(i, j, seen): lace::Decided| {
            olds.push(i);
            news.push(j);
            features.extend_from_slice(seen);
        };
        let study = lace::Study {
            forest: forest.as_ref(),
            decided: Some(&mut decided),
            ..lace::Study::default()
        };
        lace::studied(&old.inner, &new.inner, &options, &weights, study, watch)
    })?;
    Ok((olds.into_pyarray(py), news.into_pyarray(py), features.into_pyarray(py)))
}

/// What `lace_weights` gives: names of the terms, how many come first that need no context, the
/// weights with texts and without.
type WeightsInUse = (Vec<String>, usize, Vec<f32>, Vec<f32>);

#[pyfunction]
fn lace_weights() -> WeightsInUse {
    let numbers = |with_text| lace::Weights::new(with_text).numbers();
    (lace::Weights::terms(), lace::ALONE, numbers(true), numbers(false))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(element_pairs, module)?)?;
    module.add_function(wrap_pyfunction!(element_nodes, module)?)?;
    module.add_function(wrap_pyfunction!(match_same_path, module)?)?;
    module.add_function(wrap_pyfunction!(match_lace, module)?)?;
    module.add_function(wrap_pyfunction!(lace_study, module)?)?;
    module.add_function(wrap_pyfunction!(lace_doubts, module)?)?;
    module.add_function(wrap_pyfunction!(lace_seen, module)?)?;
    module.add_function(wrap_pyfunction!(lace_weights, module)?)?;
    Ok(())
}
