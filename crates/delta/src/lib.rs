//! What changed: deltas that turn one tree into another and back.
//!
//! A [`Delta`] is a **set** of operations. Positions are child positions from 1 and count all child
//! nodes; those of a delete and of a move's origin are in the old document, those of an insert and
//! of a move's target in the new one. It is **complete** (it holds old and new values, so it runs
//! both ways) and names the documents it was made for by their digests.
//!
//! ```text
//! build    old, new, matching → delta            apply    delta, old → new
//! invert   delta → delta                         compose  delta, delta → delta
//! xids     identities that survive versions       forms    xml_write, xml_read, json_form, binary
//! ```

pub mod apply;
pub mod binary;
pub mod build;
pub mod compose;
mod content;
mod derived_map;
pub mod invert;
pub mod json_form;
#[cfg(test)]
mod laws;
mod model;
mod text_compose;
pub mod text_edit;
pub mod xids;
pub mod xml_read;
pub mod xml_write;

pub use content::{Content, ContentBuilder};
pub use model::{
    AttributeChange, AttributeName, Delta, Digest, Edit, Operation, Order, Place, TextChange,
};
pub use xids::Xids;
