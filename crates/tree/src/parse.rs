//! From bytes to a [`crate::Tree`]. Each parser stands behind one function, so that a faster one
//! can take its place.

pub mod encoding;
pub mod html;
pub mod json;
pub mod xml;
