//! Selection: which nodes of a tree an expression means.
//!
//! [`css`] reads selectors level 4 as browsers have them, [`xpath`] the whole of XPath 1.0,
//! [`path`] gives the expression that means one node. Both languages are compiled once, without a
//! tree, and then run on any tree from any thread. Both work on whole columns in document order, so
//! that an answer costs time linear in the tree (times the length of the expression) wherever the
//! language allows it, and nothing recurses on the depth of a document.
//!
//! Like browsers, both do not see the contents of an HTML `template`, unless the node they start
//! from stands inside one.

mod bits;
pub mod css;
mod names;
pub mod path;
pub mod xpath;

/// Longest expression that is read, in bytes. Longer ones are refused: nobody wrote them by hand.
pub const MAX_LENGTH: usize = 64 << 10;

/// Deepest nesting of brackets and parentheses in an expression. Compilers and evaluators recurse
/// on this, and on nothing else.
pub const MAX_NESTING: usize = 100;
