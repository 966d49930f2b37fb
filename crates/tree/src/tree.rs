//! The one tree: immutable, flat, in document order.
//!
//! A tree is a set of columns. Node `i` is row `i`; row 0 is the document. The subtree of `i` is
//! the rows `i..end[i]`, so the first child is `i + 1` if `end[i] > i + 1`, and the next sibling is
//! `end[i]` if that is still inside the parent. All text lives in one heap; rows hold spans of it.
//! Names are interned for each tree.
//!
//! Invariants (`Tree::validate` checks them; every constructor upholds them): row 0 is the only
//! document; `parent[i] < i` for `i > 0` and `parent[0] == NONE`; subtrees nest; `depth[i] ==
//! depth[parent[i]] + 1`; only the document and elements have children; `attr_start` does not
//! decrease; every span lies on character borders of the heap.

mod block;
mod builder;
mod content;
mod names;
pub mod rows;
#[cfg(test)]
pub(crate) mod sample;
mod walk;

use std::sync::OnceLock;

pub use builder::Builder;
use names::ByLocal;
pub use names::{
    NameId, Names, NamespaceId, HTML, MATHML, NO_NAME, NO_NAMESPACE, SVG, XLINK, XML, XMLNS,
};
pub use walk::{Ancestors, Children};

use crate::error::{Error, Result};

/// "No such node": the parent of the document.
pub const NONE: u32 = u32::MAX;

/// What a node is.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The document itself, always row 0.
    Document = 0,
    /// An element.
    Element = 1,
    /// Text (CDATA sections too).
    Text = 2,
    /// A comment.
    Comment = 3,
    /// A processing instruction: the name is its target, the text its data.
    Instruction = 4,
    /// A document type: name; `public` and `system` as attributes; the text is the internal subset.
    Doctype = 5,
}

/// The kinds by their numbers.
const KINDS: [Kind; 6] =
    [Kind::Document, Kind::Element, Kind::Text, Kind::Comment, Kind::Instruction, Kind::Doctype];

impl Kind {
    /// The kind with this number.
    pub fn from_u8(number: u8) -> Option<Kind> {
        KINDS.get(number as usize).copied()
    }
}

/// Bits of the `flags` column.
pub mod flags {
    /// The node stands inside the contents of an HTML `template`.
    pub const IN_TEMPLATE: u8 = 1;
    /// The text is a reference to an entity (`&name;`) whose replacement is not known. It is
    /// written as it is.
    pub const REFERENCE: u8 = 2;
}

/// Bits of the `attr_flags` column.
pub mod attr_flags {
    /// The attribute has type ID (by DTD, or `xml:id`).
    pub const ID: u8 = 1;
    /// The attribute came from a default in the DTD, not from the document.
    pub const DEFAULTED: u8 = 2;
}

/// A piece of the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Length in bytes.
    pub len: u32,
}

/// The language a tree was read from, and will be written in by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// HTML, as browsers read it.
    Html,
    /// XML 1.0 with namespaces.
    Xml,
}

/// HTML's quirks mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quirks {
    /// Standards mode.
    #[default]
    No,
    /// Almost standards mode.
    Limited,
    /// Quirks mode.
    Full,
}

/// Something the parser had to mend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line from 1; 0 where it is not known.
    pub line: u32,
    /// What was found.
    pub message: String,
}

/// What is known of a document beside its nodes. Equality does not see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// HTML or XML.
    pub format: Format,
    /// HTML's quirks mode.
    pub quirks: Quirks,
    /// Name of the encoding the bytes were read with; empty for text that came as text.
    pub encoding: String,
    /// `standalone` of the XML declaration.
    pub standalone: Option<bool>,
    /// Whether this is a fragment: the document node may hold any children.
    pub is_fragment: bool,
    /// What the parser mended, the first thousand.
    pub problems: Vec<Problem>,
    /// How many problems there were in all.
    pub problem_count: u64,
}

impl Meta {
    /// Nothing known but the format.
    pub fn new(format: Format) -> Self {
        Meta {
            format,
            quirks: Quirks::No,
            encoding: String::new(),
            standalone: None,
            is_fragment: false,
            problems: Vec::new(),
            problem_count: 0,
        }
    }
}

/// Columns that only some callers want, computed when first asked for.
#[derive(Debug, Default)]
pub(crate) struct Lazy {
    pub(crate) element_index: OnceLock<Vec<u32>>,
    pub(crate) digests: OnceLock<Vec<[u8; 16]>>,
    pub(crate) by_local: OnceLock<ByLocal>,
}

/// An immutable document. See the module for what the columns mean.
#[derive(Debug)]
pub struct Tree {
    /// Numbers of [`Kind`]: bytes, so that NumPy can look at them in place.
    pub(crate) kind: Vec<u8>,
    pub(crate) name: Vec<NameId>,
    pub(crate) parent: Vec<u32>,
    pub(crate) end: Vec<u32>,
    pub(crate) depth: Vec<u32>,
    pub(crate) flags: Vec<u8>,
    pub(crate) line: Vec<u32>,
    pub(crate) text: Vec<Span>,
    /// One more entry than there are nodes.
    pub(crate) attr_start: Vec<u32>,
    pub(crate) attr_name: Vec<NameId>,
    pub(crate) attr_value: Vec<Span>,
    pub(crate) attr_flags: Vec<u8>,
    pub(crate) heap: String,
    pub(crate) names: Names,
    pub(crate) meta: Meta,
    pub(crate) lazy: Lazy,
}

impl Tree {
    /// Number of nodes, the document included.
    #[inline]
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Never: there is always the document node.
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// Kind of node `i`.
    #[inline]
    pub fn kind(&self, i: usize) -> Kind {
        KINDS[self.kind[i] as usize]
    }

    /// Name of node `i`: of an element, a doctype, or the target of an instruction; else
    /// [`NO_NAME`].
    #[inline]
    pub fn name(&self, i: usize) -> NameId {
        self.name[i]
    }

    /// Local name of node `i`; empty where it has none.
    #[inline]
    pub fn local(&self, i: usize) -> &str {
        self.names.local(self.name[i])
    }

    /// Parent of node `i`, [`NONE`] for the document.
    #[inline]
    pub fn parent(&self, i: usize) -> u32 {
        self.parent[i]
    }

    /// One past the last node of the subtree of `i`.
    #[inline]
    pub fn end(&self, i: usize) -> usize {
        self.end[i] as usize
    }

    /// Level of node `i`; the document has 0.
    #[inline]
    pub fn depth(&self, i: usize) -> u32 {
        self.depth[i]
    }

    /// Bits of [`flags`].
    #[inline]
    pub fn flags(&self, i: usize) -> u8 {
        self.flags[i]
    }

    /// Source line from 1, or 0.
    pub fn line(&self, i: usize) -> u32 {
        self.line[i]
    }

    /// Text of a text, comment or instruction; internal subset of a doctype; empty for the others.
    #[inline]
    pub fn text(&self, i: usize) -> &str {
        self.str(self.text[i])
    }

    /// Whether node `i` is an element.
    #[inline]
    pub fn is_element(&self, i: usize) -> bool {
        self.kind(i) == Kind::Element
    }

    /// The attributes of node `i`, as rows of the attribute columns.
    #[inline]
    pub fn attributes(&self, i: usize) -> std::ops::Range<usize> {
        self.attr_start[i] as usize..self.attr_start[i + 1] as usize
    }

    /// Name of attribute row `a`.
    #[inline]
    pub fn attr_name(&self, a: usize) -> NameId {
        self.attr_name[a]
    }

    /// Local name of attribute row `a`.
    #[inline]
    pub fn attr_local(&self, a: usize) -> &str {
        self.names.local(self.attr_name[a])
    }

    /// Value of attribute row `a`.
    #[inline]
    pub fn attr_value(&self, a: usize) -> &str {
        self.str(self.attr_value[a])
    }

    /// Bits of [`attr_flags`].
    #[inline]
    pub fn attr_flags(&self, a: usize) -> u8 {
        self.attr_flags[a]
    }

    /// Value of the attribute of `i` with this local name and no namespace.
    pub fn attribute(&self, i: usize, local: &str) -> Option<&str> {
        self.attributes(i)
            .find(|&a| {
                self.attr_local(a) == local && self.names.namespace(self.attr_name[a]).is_empty()
            })
            .map(|a| self.attr_value(a))
    }

    /// The interned names.
    #[inline]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The names whose local part is `lower`, which has no capital ASCII letters, in any case of
    /// theirs.
    pub fn names_called(&self, lower: &str) -> &[NameId] {
        self.lazy
            .by_local
            .get_or_init(|| self.names.by_local())
            .get(lower)
            .map_or(&[], Vec::as_slice)
    }

    /// What is known beside the nodes.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The same document in another mode.
    pub fn with_quirks(mut self, quirks: Quirks) -> Tree {
        self.meta.quirks = quirks;
        self
    }

    /// The `kind` column, as numbers of [`Kind`].
    #[inline]
    pub fn kind_numbers(&self) -> &[u8] {
        &self.kind
    }

    /// The `name` column.
    #[inline]
    pub fn name_ids(&self) -> &[NameId] {
        &self.name
    }

    /// The `parent` column.
    #[inline]
    pub fn parents(&self) -> &[u32] {
        &self.parent
    }

    /// The `end` column.
    #[inline]
    pub fn ends(&self) -> &[u32] {
        &self.end
    }

    /// The `depth` column.
    #[inline]
    pub fn depths(&self) -> &[u32] {
        &self.depth
    }

    /// The `line` column.
    pub fn lines(&self) -> &[u32] {
        &self.line
    }

    /// For each node its number among the elements in document order from 0, template contents left
    /// out; [`NONE`] for nodes that have no such number. The number that all files for outsiders
    /// use.
    pub fn element_index(&self) -> &[u32] {
        self.lazy.element_index.get_or_init(|| {
            let mut next = 0;
            (0..self.len())
                .map(|i| {
                    if self.kind(i) != Kind::Element || self.flags[i] & flags::IN_TEMPLATE != 0 {
                        return NONE;
                    }
                    next += 1;
                    next - 1
                })
                .collect()
        })
    }

    /// Bytes of memory the columns take.
    pub fn memory(&self) -> usize {
        self.len() * (1 + 4 * 5 + 1 + 8 + 4) + self.attr_name.len() * 13 + self.heap.len()
    }

    #[inline]
    pub(crate) fn str(&self, span: Span) -> &str {
        &self.heap[span.start as usize..(span.start + span.len) as usize]
    }

    /// Checks every invariant of the module's header; the words of the first one broken.
    pub fn validate(&self) -> Result<()> {
        let n = self.len();
        let broken =
            |what: &str, i: usize| Err(Error::Damaged(format!("tree: {what} at node {i}")));
        let rows = [
            self.name.len(),
            self.parent.len(),
            self.end.len(),
            self.depth.len(),
            self.flags.len(),
            self.line.len(),
            self.text.len(),
        ];
        if n == 0
            || rows.iter().any(|&r| r != n)
            || self.attr_start.len() != n + 1
            || n >= NONE as usize
        {
            return broken("columns of unequal length", 0);
        }
        let attributes = self.attr_name.len();
        if self.attr_value.len() != attributes
            || self.attr_flags.len() != attributes
            || self.attr_start[n] as usize != attributes
        {
            return broken("attribute columns of unequal length", 0);
        }
        let span_ok = |s: Span| {
            let (from, to) = (s.start as usize, s.start as usize + s.len as usize);
            to <= self.heap.len()
                && self.heap.is_char_boundary(from)
                && self.heap.is_char_boundary(to)
        };
        if self.attr_start[0] != 0 {
            return broken("attribute span", 0);
        }
        for i in 0..n {
            let (parent, end) = (self.parent[i] as usize, self.end[i] as usize);
            if self.kind[i] as usize >= KINDS.len() {
                return broken("kind", i);
            }
            if (self.kind(i) == Kind::Document) != (i == 0) {
                return broken("document node", i);
            }
            if end <= i || end > n {
                return broken("end", i);
            }
            if i == 0 {
                if self.parent[0] != NONE || self.depth[0] != 0 || end != n {
                    return broken("root", i);
                }
            } else {
                // the parent must be the nearest open subtree: walk up from the previous node
                let mut open = i - 1;
                while open != 0 && self.end[open] as usize <= i {
                    open = self.parent[open] as usize;
                }
                if parent != open
                    || end > self.end[parent] as usize
                    || self.depth[i] != self.depth[parent] + 1
                {
                    return broken("parent", i);
                }
                if !matches!(self.kind(parent), Kind::Document | Kind::Element) {
                    return broken("child of a leaf", i);
                }
            }
            if self.attr_start[i] > self.attr_start[i + 1] {
                return broken("attribute span", i);
            }
            if !self.names.has(self.name[i]) || !span_ok(self.text[i]) {
                return broken("name or text", i);
            }
        }
        for a in 0..attributes {
            if !self.names.has(self.attr_name[a]) || !span_ok(self.attr_value[a]) {
                return broken("attribute", a);
            }
        }
        Ok(())
    }
}
