//! `Tree`: the kernel's tree behind a frozen Python object. `treelace.tree.Tree` is what people
//! see.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use treelace_tree::brackets;
use treelace_tree::tree::rows::{from_rows, NameParts, NodeRow};
use treelace_tree::tree::{Format, Meta, NameId, Quirks, NONE};

use crate::columns::view;
use crate::parse::PyLimits;
use crate::run::run;

/// An immutable tree; may be read from many threads.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Tree {
    pub inner: Arc<treelace_tree::Tree>,
}

impl From<treelace_tree::Tree> for Tree {
    fn from(tree: treelace_tree::Tree) -> Self {
        Tree { inner: Arc::new(tree) }
    }
}

impl Tree {
    /// `index`, if there is such a node.
    pub fn checked(&self, index: usize) -> PyResult<usize> {
        if index >= self.inner.len() {
            return Err(PyIndexError::new_err(format!(
                "node {index} of a tree of {} nodes",
                self.inner.len()
            )));
        }
        Ok(index)
    }

    fn parts(&self, id: NameId) -> (&str, &str, &str) {
        let names = self.inner.names();
        (names.prefix(id), names.namespace(id), names.local(id))
    }
}

#[pymethods]
impl Tree {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn kind(&self, index: usize) -> PyResult<u8> {
        Ok(self.inner.kind(self.checked(index)?) as u8)
    }

    fn local_name(&self, index: usize) -> PyResult<&str> {
        Ok(self.inner.local(self.checked(index)?))
    }

    fn name_parts(&self, index: usize) -> PyResult<(&str, &str, &str)> {
        Ok(self.parts(self.inner.name(self.checked(index)?)))
    }

    fn text(&self, index: usize) -> PyResult<&str> {
        Ok(self.inner.text(self.checked(index)?))
    }

    fn string_value(&self, index: usize) -> PyResult<String> {
        Ok(self.inner.string_value(self.checked(index)?))
    }

    fn parent(&self, index: usize) -> PyResult<Option<u32>> {
        Ok(Some(self.inner.parent(self.checked(index)?)).filter(|&parent| parent != NONE))
    }

    fn end(&self, index: usize) -> PyResult<usize> {
        Ok(self.inner.end(self.checked(index)?))
    }

    fn depth(&self, index: usize) -> PyResult<u32> {
        Ok(self.inner.depth(self.checked(index)?))
    }

    fn line(&self, index: usize) -> PyResult<u32> {
        Ok(self.inner.line(self.checked(index)?))
    }

    fn in_template(&self, index: usize) -> PyResult<bool> {
        Ok(self.inner.flags(self.checked(index)?) & treelace_tree::tree::flags::IN_TEMPLATE != 0)
    }

    fn is_reference(&self, index: usize) -> PyResult<bool> {
        Ok(self.inner.flags(self.checked(index)?) & treelace_tree::tree::flags::REFERENCE != 0)
    }

    fn children(&self, index: usize) -> PyResult<Vec<usize>> {
        Ok(self.inner.children(self.checked(index)?).collect())
    }

    fn attributes(&self, index: usize) -> PyResult<Vec<(&str, &str, &str, &str)>> {
        let row = |a| {
            let (prefix, namespace, local) = self.parts(self.inner.attr_name(a));
            (prefix, namespace, local, self.inner.attr_value(a))
        };
        Ok(self.inner.attributes(self.checked(index)?).map(row).collect())
    }

    fn attribute(&self, index: usize, namespace: &str, local: &str) -> PyResult<Option<&str>> {
        let named = |&a: &usize| {
            let id = self.inner.attr_name(a);
            self.inner.names().local(id) == local && self.inner.names().namespace(id) == namespace
        };
        Ok(self
            .inner
            .attributes(self.checked(index)?)
            .find(named)
            .map(|a| self.inner.attr_value(a)))
    }

    fn id_attributes(&self, index: usize) -> PyResult<Vec<&str>> {
        let is_id =
            |&a: &usize| self.inner.attr_flags(a) & treelace_tree::tree::attr_flags::ID != 0;
        Ok(self
            .inner
            .attributes(self.checked(index)?)
            .filter(is_id)
            .map(|a| self.inner.attr_local(a))
            .collect())
    }

    fn element_index(&self, index: usize) -> PyResult<Option<u32>> {
        Ok(Some(self.inner.element_index()[self.checked(index)?]).filter(|&number| number != NONE))
    }

    fn node_of_element(&self, element_index: u32) -> Option<usize> {
        self.inner.node_of_element(element_index)
    }

    fn brackets(&self) -> String {
        brackets::write(&self.inner)
    }

    fn name_table(&self) -> Vec<(&str, &str, &str)> {
        (0..self.inner.names().len() as NameId).map(|id| self.parts(id)).collect()
    }

    #[getter]
    fn is_html(&self) -> bool {
        self.inner.meta().format == Format::Html
    }

    #[getter]
    fn is_fragment(&self) -> bool {
        self.inner.meta().is_fragment
    }

    #[getter]
    fn encoding(&self) -> &str {
        &self.inner.meta().encoding
    }

    #[getter]
    fn quirks(&self) -> &'static str {
        match self.inner.meta().quirks {
            Quirks::No => "no-quirks",
            Quirks::Limited => "limited-quirks",
            Quirks::Full => "quirks",
        }
    }

    #[getter]
    fn problems(&self) -> Vec<(u32, &str)> {
        self.inner
            .meta()
            .problems
            .iter()
            .map(|problem| (problem.line, problem.message.as_str()))
            .collect()
    }

    #[getter]
    fn problem_count(&self) -> u64 {
        self.inner.meta().problem_count
    }

    #[getter]
    fn memory(&self) -> usize {
        self.inner.memory()
    }

    #[getter]
    fn kinds<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u8>> {
        view(slf, |tree| tree.kind_numbers())
    }

    #[getter]
    fn name_ids<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.name_ids())
    }

    #[getter]
    fn parents<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.parents())
    }

    #[getter]
    fn ends<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.ends())
    }

    #[getter]
    fn depths<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.depths())
    }

    #[getter]
    fn lines<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.lines())
    }

    #[getter]
    fn element_indexes<'py>(slf: &Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(slf, |tree| tree.element_index())
    }
}

/// One row of `tree_from_rows`: kind, depth, name, text, attributes, line.
type Row = (u8, u32, NameParts, String, Vec<(NameParts, String)>, u32);

#[pyfunction]
fn tree_from_rows(
    py: Python<'_>,
    rows: Vec<Row>,
    is_html: bool,
    is_fragment: bool,
    limits: PyLimits,
) -> PyResult<Tree> {
    let limits = limits.into();
    let mut meta = Meta::new(if is_html { Format::Html } else { Format::Xml });
    meta.is_fragment = is_fragment;
    let rows = rows.into_iter().map(|(kind, depth, name, text, attributes, line)| NodeRow {
        kind,
        depth,
        name,
        text,
        attributes,
        line,
    });
    run(py, &limits, |_| from_rows(rows, meta, limits)).map(Tree::from)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tree>()?;
    module.add_function(wrap_pyfunction!(tree_from_rows, module)?)
}
