//! What can go wrong in the kernel. The binding maps each variant to one Python exception.

use std::fmt;

/// The kernel's result.
pub type Result<T> = std::result::Result<T, Error>;

/// Every way a kernel call can fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The input is not what its format demands.
    Parse {
        /// What is wrong, in a few words.
        message: String,
        /// Line from 1; 0 where there is none.
        line: u32,
        /// Column in characters from 1; 0 where there is none.
        column: u32,
    },
    /// A bound of [`crate::Limits`] was reached.
    Limit {
        /// Name of the field of `Limits`.
        limit: &'static str,
        /// The bound in force.
        bound: u64,
        /// What would have been needed, where that is known.
        needed: Option<u64>,
    },
    /// The call itself is wrong (a bad selector, an option out of range).
    Usage(String),
    /// Data handed back to us (a pickle, a stored sketch, a delta) is damaged.
    Damaged(String),
    /// A matcher cannot do what it was asked, or pairs are not what a matching promises.
    Match(String),
    /// A delta does not fit its document, or is damaged.
    Delta(String),
    /// The caller asked to stop (Ctrl-C).
    Interrupted,
}

impl Error {
    /// A limit that was reached where nobody knows how much more would have been needed.
    pub fn limit(limit: &'static str, bound: u64) -> Self {
        Error::Limit { limit, bound, needed: None }
    }

    /// A parse error at a place.
    pub fn parse(message: impl Into<String>, line: u32, column: u32) -> Self {
        Error::Parse { message: message.into(), line, column }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Parse { message, line: 0, .. } => write!(f, "{message}"),
            Error::Parse { message, line, column } => {
                write!(f, "{message} (line {line}, column {column})")
            }
            Error::Limit { limit, bound, needed: Some(needed) } => {
                write!(f, "limit '{limit}' is {bound}, {needed} needed")
            }
            Error::Limit { limit, bound, needed: None } => {
                write!(f, "limit '{limit}' of {bound} reached")
            }
            Error::Usage(message)
            | Error::Damaged(message)
            | Error::Delta(message)
            | Error::Match(message) => write!(f, "{message}"),
            Error::Interrupted => write!(f, "interrupted"),
        }
    }
}

impl std::error::Error for Error {}
