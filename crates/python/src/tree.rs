//! `Tree`: the kernel's tree behind a frozen Python object. `treelace.tree.Tree` is what people see.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use treelace_kernel::brackets;

use crate::columns::view;

/// An immutable tree; may be read from many threads.
#[pyclass(frozen, module = "treelace._kernel")]
pub struct Tree {
    pub inner: Arc<treelace_kernel::Tree>,
}

impl From<treelace_kernel::Tree> for Tree {
    fn from(tree: treelace_kernel::Tree) -> Self {
        Tree { inner: Arc::new(tree) }
    }
}

#[pymethods]
impl Tree {
    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn kind(&self, index: usize) -> u8 {
        self.inner.kind(index) as u8
    }

    fn local_name(&self, index: usize) -> &str {
        self.inner.local(index)
    }

    fn text(&self, index: usize) -> &str {
        self.inner.text(index)
    }

    fn brackets(&self) -> String {
        brackets::write(&self.inner)
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
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Tree>()
}
