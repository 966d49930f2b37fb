//! NumPy views of the columns of a tree, without a copy.
//!
//! Sound because a `Tree` is immutable (`frozen`) and the array holds a reference to the Python
//! object that owns it: the memory neither moves nor goes away while a view is alive. Views are
//! made read-only before anybody sees them.
#![allow(unsafe_code)]

use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;

use crate::tree::Tree;

/// A read-only array over `column`, which must belong to `owner`.
pub fn view<'py, T: Element>(
    owner: &Bound<'py, Tree>,
    column: impl FnOnce(&treelace_tree::Tree) -> &[T],
) -> Bound<'py, PyArray1<T>> {
    let slice = column(&owner.get().inner);
    let array = ArrayView1::from(slice);
    // SAFETY: `slice` lives as long as the frozen object `owner`, which the array keeps alive.
    let numbers = unsafe { PyArray1::borrow_from_array(&array, owner.clone().into_any()) };
    numbers.readwrite().make_nonwriteable();
    numbers
}
