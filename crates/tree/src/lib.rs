//! The tree: parsing, writing, selecting, digests, equality; and what the other kernel crates
//! share.
//!
//! Values in, values out. Nothing here opens a file or a socket, reads the environment, or decides
//! policy: limits, seeds and the right to go on ([`watch::Watch`]) are arguments. No function
//! recurses on the depth of a document.

pub mod brackets;
pub mod digest;
pub mod equality;
pub mod error;
pub mod hash;
pub mod increasing;
pub mod json;
pub mod limits;
pub mod parse;
pub mod select;
pub mod stored;
pub mod tree;
pub mod watch;
pub mod write;

pub use error::{Error, Result};
pub use limits::Limits;
pub use tree::{Kind, Tree};
