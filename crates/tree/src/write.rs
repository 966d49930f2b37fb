//! From a [`crate::Tree`] to characters: XML, Canonical XML, JSON, an outline for people.
//!
//! No writer recurses, none changes what the tree says: where a form cannot say something, the call
//! fails and names the node, or, where the caller chose [`OnInvalid::Replace`], a stated rule
//! replaces it.

pub mod c14n;
pub mod chars;
pub mod expressible;
pub mod html;
pub mod json;
mod markup;
pub mod outline;
mod scope;
mod uri;
pub mod xml;

/// What to do with what XML cannot write: HTML trees may hold control characters and names such as
/// `@click`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnInvalid {
    /// Fail, and name the node.
    #[default]
    Error,
    /// Replace, by the rules of the HTML standard for "coercing an HTML DOM into an infoset"
    /// (§13.2.9): a character that a name cannot have becomes `U` and its six hexadecimal digits; a
    /// form feed becomes a blank and any other character that XML has not becomes U+FFFD; two
    /// hyphens in a comment get a blank between them, and one at its end a blank behind it, as do
    /// the characters `?>` in an instruction; a document type that XML cannot write, a namespace
    /// declaration that contradicts the names, and a second attribute of one name are left out.
    Replace,
}
