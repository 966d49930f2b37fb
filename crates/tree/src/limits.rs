//! Every bound of the kernel, with defaults fit for hostile pages.

use crate::error::{Error, Result};

/// Bounds on what one call may use. The Python dataclass `treelace.Limits` has the same fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Bytes of input after decompression.
    pub bytes: u64,
    /// Nodes of one tree.
    pub nodes: u64,
    /// Levels of one XML tree (HTML has [`Limits::HTML_DEPTH`]).
    pub depth: u64,
    /// Attributes of one element.
    pub attributes: u64,
    /// Bytes of one text, attribute value, comment or processing instruction.
    pub text: u64,
    /// Characters that entity references of one document may expand to.
    pub entity_expansion: u64,
    /// Working memory of one algorithm, in bytes.
    pub memory: u64,
    /// Seconds one call may take.
    pub seconds: f64,
}

impl Limits {
    /// HTML deeper than this is attached at this level, as browsers do at their own bound.
    pub const HTML_DEPTH: u32 = 4096;

    /// `Ok` if `value` is within the bound of the field called `limit`.
    pub fn check(limit: &'static str, bound: u64, value: u64) -> Result<()> {
        if value > bound {
            return Err(Error::Limit { limit, bound, needed: Some(value) });
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            bytes: 64 << 20,
            nodes: 5_000_000,
            depth: 1_000_000,
            attributes: 10_000,
            text: 64 << 20,
            entity_expansion: 1_000_000,
            memory: 2 << 30,
            seconds: 60.0,
        }
    }
}
