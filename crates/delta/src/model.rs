//! The delta itself.

use std::ops::Range;

use super::content::Content;
use treelace_tree::tree::Tree;

/// What a delta says to know a document again: the first 64 bits of its digest. Enough against
/// mistakes; against forgers no digest inside the delta would help.
pub type Digest = [u8; 8];

/// The digest of a document as deltas have it.
pub fn digest_of(tree: &Tree) -> Digest {
    cut(tree.digest(0))
}

/// The digest of a delta from before, in full, as deltas have it now.
pub(super) fn cut(digest: [u8; 16]) -> Digest {
    let [a, b, c, d, e, f, g, h, ..] = digest;
    [a, b, c, d, e, f, g, h]
}

/// A name in full: namespace, prefix, local. Attributes of one element are told apart by all three.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttributeName {
    /// Namespace, empty for none.
    pub namespace: String,
    /// Prefix as written.
    pub prefix: String,
    /// Local name.
    pub local: String,
}

impl AttributeName {
    /// The name of nodes that have none.
    pub fn none() -> Self {
        AttributeName { namespace: String::new(), prefix: String::new(), local: String::new() }
    }
}

/// A child position: the parent's XID, and a position among all its child nodes from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// XID of the parent; 0 is the document.
    pub parent: u64,
    /// Position from 1.
    pub at: u32,
}

/// How a text changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextChange {
    /// Both texts in full.
    Whole {
        /// Before.
        old: String,
        /// After.
        new: String,
    },
    /// Pieces of the old text and what stands in their place, left to right, none touching.
    Edits(Vec<Edit>),
}

/// One piece of a changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Characters of the old text before the piece.
    pub at: u64,
    /// The piece as it was.
    pub old: String,
    /// The piece as it is.
    pub new: String,
}

/// What became of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeChange {
    /// It was not there; its value now.
    Came(String),
    /// It is not there any more; its value before.
    Went(String),
    /// It has another value.
    Changed(TextChange),
}

/// The order of the attributes of an element, where it cannot be told from the other operations.
/// Equality does not see it, but a version written again must be the version that was read.
///
/// Without it, attributes that stay keep their places and those that come stand behind them. Each
/// list has, for the places of the finished list, the place (from 1) in that natural one; an empty
/// list says that the natural order is the right one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// On the way back.
    pub old: Vec<u32>,
    /// On the way there.
    pub new: Vec<u32>,
}

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// A run of adjacent siblings went away: whole subtrees of the delta's content.
    Delete {
        /// Where they stood, in the old document.
        place: Place,
        /// Rows of the content.
        nodes: Range<u32>,
    },
    /// A run of adjacent siblings came in.
    Insert {
        /// Where they stand, in the new document.
        place: Place,
        /// Rows of the content.
        nodes: Range<u32>,
    },
    /// A run of adjacent siblings stands elsewhere.
    Move {
        /// XIDs of the moved siblings, left to right.
        xids: Vec<u64>,
        /// Where the first stood, in the old document.
        from: Place,
        /// Where the first stands, in the new document.
        to: Place,
    },
    /// A text, comment, processing instruction or doctype has another text.
    Update {
        /// Whose.
        xid: u64,
        /// How.
        change: TextChange,
    },
    /// An element, instruction or doctype has another name.
    Rename {
        /// Whose.
        xid: u64,
        /// Before.
        old: AttributeName,
        /// After.
        new: AttributeName,
    },
    /// An attribute came, went or changed.
    Attribute {
        /// Of which element.
        xid: u64,
        /// Which one.
        name: AttributeName,
        /// How.
        change: AttributeChange,
    },
    /// The attributes stand in another order.
    Reorder {
        /// Of which element.
        xid: u64,
        /// How.
        order: Order,
    },
}

/// A set of operations that turns the document with digest `from` into the one with digest `to`,
/// and back.
#[derive(Debug, Clone)]
pub struct Delta {
    /// Digest of the document it applies to.
    pub from: Digest,
    /// Digest of the document it makes.
    pub to: Digest,
    /// XID map of the document it applies to; `None`: that of a first version.
    pub from_map: Option<String>,
    /// XID map of the document it makes; `None`: that of a first version.
    pub to_map: Option<String>,
    /// The first XID that is free in both.
    pub next_xid: u64,
    /// The operations: updates, renames and attributes in document order, then deletes, moves and
    /// inserts.
    pub operations: Vec<Operation>,
    /// The nodes that came and went.
    pub content: Content,
}

impl Operation {
    /// The rows of the content that belong to it.
    pub fn nodes(&self) -> Option<&Range<u32>> {
        match self {
            Operation::Delete { nodes, .. } | Operation::Insert { nodes, .. } => Some(nodes),
            _ => None,
        }
    }
}

impl Delta {
    /// The same delta with its content in the order of its operations.
    pub fn tidy(&self) -> Delta {
        let mut next = 1;
        let is_tidy = self
            .operations
            .iter()
            .filter_map(Operation::nodes)
            .all(|nodes| std::mem::replace(&mut next, nodes.end) == nodes.start);
        let runs = self.operations.iter().filter_map(|operation| operation.nodes().cloned());
        let mut delta = self.clone();
        if is_tidy {
            return delta;
        }
        // without limits nothing can fail
        let Ok(content) = self.content.gathered(runs) else { return delta };
        let mut next = 1;
        for operation in &mut delta.operations {
            if let Operation::Delete { nodes, .. } | Operation::Insert { nodes, .. } = operation {
                let len = nodes.end - nodes.start;
                *nodes = next..next + len;
                next += len;
            }
        }
        delta.content = content;
        delta
    }
}

/// Where the content stands does not matter, only what it is.
impl PartialEq for Delta {
    fn eq(&self, other: &Delta) -> bool {
        let (left, right) = (self.tidy(), other.tidy());
        (left.from, left.to, left.next_xid) == (right.from, right.to, right.next_xid)
            && (&left.from_map, &left.to_map) == (&right.from_map, &right.to_map)
            && left.operations == right.operations
            && left.content == right.content
    }
}
