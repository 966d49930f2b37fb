//! Deltas: built, run, turned round, written and read.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use treelace_delta::build::Options;
use treelace_delta::{
    apply, binary, build, compose, invert, json_form, xml_read, xml_write, AttributeChange,
    AttributeName, Operation, Order, TextChange, Xids,
};
use treelace_tree::Limits;

use crate::matching::slice;
use crate::parse::PyLimits;
use crate::run::run;
use crate::tree::Tree;

/// A delta; may be read from many threads.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Delta {
    pub inner: Arc<treelace_delta::Delta>,
}

impl From<treelace_delta::Delta> for Delta {
    fn from(delta: treelace_delta::Delta) -> Self {
        Delta { inner: Arc::new(delta) }
    }
}

/// XIDs by node index, and the first free one.
pub type XidArrays<'py> = (PyReadonlyArray1<'py, u64>, u64);

/// The XIDs that were handed over.
pub fn xids_of(xids: &Option<XidArrays<'_>>) -> PyResult<Option<Xids>> {
    xids.as_ref().map(|(of, next)| Ok(Xids { of: slice(of)?.to_vec(), next: *next })).transpose()
}

type Name = (String, String, String);
/// Kind of change (`whole`, `edits`, `came`, `went`), and pieces: place, old, new.
type Change = (&'static str, Vec<(u64, String, String)>);

fn name_parts(name: &AttributeName) -> Name {
    (name.prefix.clone(), name.namespace.clone(), name.local.clone())
}

fn text_parts(change: &TextChange) -> Change {
    match change {
        TextChange::Whole { old, new } => ("whole", vec![(0, old.clone(), new.clone())]),
        TextChange::Edits(edits) => (
            "edits",
            edits.iter().map(|edit| (edit.at, edit.old.clone(), edit.new.clone())).collect(),
        ),
    }
}

fn change_parts(change: &AttributeChange) -> Change {
    match change {
        AttributeChange::Came(value) => ("came", vec![(0, String::new(), value.clone())]),
        AttributeChange::Went(value) => ("went", vec![(0, value.clone(), String::new())]),
        AttributeChange::Changed(change) => text_parts(change),
    }
}

// `from_digest` and `from_map` are what Python reads: of the document a delta is applied to
#[allow(clippy::wrong_self_convention)]
#[pymethods]
impl Delta {
    #[getter]
    fn from_digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.from)
    }

    #[getter]
    fn to_digest<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to)
    }

    #[getter]
    fn from_map(&self) -> Option<&str> {
        self.inner.from_map.as_deref()
    }

    #[getter]
    fn to_map(&self) -> Option<&str> {
        self.inner.to_map.as_deref()
    }

    #[getter]
    fn next_xid(&self) -> u64 {
        self.inner.next_xid
    }

    #[getter]
    fn content(&self) -> Tree {
        Tree { inner: self.inner.content.tree.clone() }
    }

    #[getter]
    fn content_xids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.inner.content.xids.clone().into_pyarray(py)
    }

    #[getter]
    fn holes(&self) -> Vec<usize> {
        (0..self.inner.content.is_hole.len())
            .filter(|&row| self.inner.content.is_hole[row])
            .collect()
    }

    fn __len__(&self) -> usize {
        self.inner.operations.len()
    }

    fn __eq__(&self, other: &Delta) -> bool {
        self.inner == other.inner
    }

    fn operation<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let Some(operation) = self.inner.operations.get(number) else {
            return Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "operation {number} of {}",
                self.inner.operations.len()
            )));
        };
        let tuple = match operation {
            Operation::Delete { place, nodes } => {
                ("delete", place.parent, place.at, nodes.start, nodes.end)
                    .into_pyobject(py)?
                    .into_any()
            }
            Operation::Insert { place, nodes } => {
                ("insert", place.parent, place.at, nodes.start, nodes.end)
                    .into_pyobject(py)?
                    .into_any()
            }
            Operation::Move { xids, from, to } => {
                ("move", xids.clone(), from.parent, from.at, to.parent, to.at)
                    .into_pyobject(py)?
                    .into_any()
            }
            Operation::Update { xid, change } => {
                ("update", *xid, text_parts(change)).into_pyobject(py)?.into_any()
            }
            Operation::Rename { xid, old, new } => {
                ("rename", *xid, name_parts(old), name_parts(new)).into_pyobject(py)?.into_any()
            }
            Operation::Attribute { xid, name, change } => {
                ("attribute", *xid, name_parts(name), change_parts(change))
                    .into_pyobject(py)?
                    .into_any()
            }
            Operation::Reorder { xid, order: Order { old, new } } => {
                ("order", *xid, old.clone(), new.clone()).into_pyobject(py)?.into_any()
            }
        };
        Ok(tuple)
    }

    fn counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts = [0usize; 7];
        let names = ["update", "rename", "attribute", "order", "delete", "move", "insert"];
        for operation in &self.inner.operations {
            counts[match operation {
                Operation::Update { .. } => 0,
                Operation::Rename { .. } => 1,
                Operation::Attribute { .. } => 2,
                Operation::Reorder { .. } => 3,
                Operation::Delete { .. } => 4,
                Operation::Move { .. } => 5,
                Operation::Insert { .. } => 6,
            }] += 1;
        }
        names.into_iter().zip(counts).filter(|it| it.1 > 0).collect()
    }

    #[allow(clippy::type_complexity)]
    fn apply<'py>(
        &self,
        py: Python<'py>,
        tree: &Tree,
        xids: Option<XidArrays<'py>>,
        limits: PyLimits,
    ) -> PyResult<(Tree, Bound<'py, PyArray1<u64>>, u64)> {
        let limits = Limits::from(limits);
        let xids = xids_of(&xids)?;
        let (made, new) = run(py, &limits, |watch| {
            apply::apply(&self.inner, &tree.inner, xids.as_ref(), limits, watch)
        })?;
        Ok((made.into(), new.of.into_pyarray(py), new.next))
    }

    fn invert(&self) -> Delta {
        invert::invert(&self.inner).into()
    }

    fn compose(&self, py: Python<'_>, second: &Delta, limits: PyLimits) -> PyResult<Delta> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| compose::compose(&self.inner, &second.inner, limits, watch))
            .map(Delta::from)
    }

    fn to_json(&self, py: Python<'_>, limits: PyLimits) -> PyResult<String> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| json_form::write(&self.inner, &limits, watch))
    }

    #[staticmethod]
    fn from_json(py: Python<'_>, source: &str, limits: PyLimits) -> PyResult<Delta> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| json_form::read(source, limits, watch)).map(Delta::from)
    }

    fn to_binary<'py>(&self, py: Python<'py>, limits: PyLimits) -> PyResult<Bound<'py, PyBytes>> {
        let limits = Limits::from(limits);
        let bytes = run(py, &limits, |watch| binary::write(&self.inner, &limits, watch))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    fn from_binary(py: Python<'_>, source: &[u8], limits: PyLimits) -> PyResult<Delta> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| binary::read(source, limits, watch)).map(Delta::from)
    }

    fn to_xml(&self, py: Python<'_>, is_long: bool, limits: PyLimits) -> PyResult<String> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| xml_write::write(&self.inner, is_long, &limits, watch))
    }

    #[staticmethod]
    fn from_xml(py: Python<'_>, source: &[u8], limits: PyLimits) -> PyResult<Delta> {
        let limits = Limits::from(limits);
        run(py, &limits, |watch| xml_read::read(source, limits, watch)).map(Delta::from)
    }
}

/// How `build_delta` builds: inner edits, moves within a parent left out, order of attributes.
type BuildOptions = (bool, bool, Option<bool>);

#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn build_delta<'py>(
    py: Python<'py>,
    old_tree: &Tree,
    new_tree: &Tree,
    old: PyReadonlyArray1<'py, u32>,
    new: PyReadonlyArray1<'py, u32>,
    xids: Option<XidArrays<'py>>,
    options: BuildOptions,
    limits: PyLimits,
) -> PyResult<Delta> {
    let limits = Limits::from(limits);
    let (old, new) = (slice(&old)?, slice(&new)?);
    let given = xids_of(&xids)?;
    let (inner_edits, leaves_out_order_moves, keeps_attribute_order) = options;
    let mut options =
        Options { leaves_out_order_moves, keeps_attribute_order, ..Options::default() };
    if !inner_edits {
        options.inner_edits_from = usize::MAX;
    }
    let delta = run(py, &limits, |watch| {
        let pairs: Vec<(u32, u32)> = old.iter().copied().zip(new.iter().copied()).collect();
        let xids = given.unwrap_or_else(|| Xids::first(&old_tree.inner));
        build::build(&old_tree.inner, &xids, &new_tree.inner, &pairs, &options, limits, watch)
    })?;
    Ok(delta.0.into())
}

#[pyfunction]
fn first_xids<'py>(py: Python<'py>, tree: &Tree) -> (Bound<'py, PyArray1<u64>>, u64) {
    let xids = Xids::first(&tree.inner);
    (xids.of.into_pyarray(py), xids.next)
}

#[pyfunction]
fn read_xid_map<'py>(
    py: Python<'py>,
    tree: &Tree,
    map: &str,
    next_xid: u64,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let xids = Xids::from_map(&tree.inner, map, next_xid)
        .map_err(|error| crate::errors::to_python(py, error))?;
    Ok(xids.of.into_pyarray(py))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Delta>()?;
    module.add_function(wrap_pyfunction!(build_delta, module)?)?;
    module.add_function(wrap_pyfunction!(first_xids, module)?)?;
    module.add_function(wrap_pyfunction!(read_xid_map, module)?)?;
    Ok(())
}
