//! The nodes a delta carries: one small tree for all its deletes and inserts.

use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{Builder, Format, Kind, Meta, Tree};

/// Subtrees with their XIDs. Where a node stood that moved away (or came from elsewhere) there is a *hole*.
#[derive(Debug, Clone)]
pub struct Content {
    /// The nodes; the subtrees of one operation are adjacent children of its document.
    pub tree: std::sync::Arc<Tree>,
    /// XID by row of `tree`.
    pub xids: Vec<u64>,
    /// Whether the row is a hole: the node with this XID is elsewhere, with all that is below it.
    pub is_hole: Vec<bool>,
}

impl Content {
    /// No nodes.
    pub fn empty() -> Self {
        ContentBuilder::new(Limits::default()).finish()
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.xids == other.xids && self.is_hole == other.is_hole && crate::equality::equal(&self.tree, &other.tree)
    }
}

/// Gathers the content of a delta.
pub struct ContentBuilder {
    builder: Builder,
    xids: Vec<u64>,
    is_hole: Vec<bool>,
}

impl ContentBuilder {
    /// Nothing yet.
    pub fn new(limits: Limits) -> Self {
        let mut meta = Meta::new(Format::Xml);
        meta.is_fragment = true;
        ContentBuilder { builder: Builder::new(meta, limits), xids: vec![0], is_hole: vec![false] }
    }

    /// The row that comes next.
    pub fn next_row(&self) -> u32 {
        self.xids.len() as u32
    }

    /// How deep the next node will stand; 1 is the top.
    pub fn depth(&self) -> u32 {
        self.builder.open_depth() as u32
    }

    /// Closes elements until the next node stands at `depth`.
    pub fn close_to(&mut self, depth: u32) {
        while self.builder.open_depth() > depth as usize {
            self.builder.close();
        }
    }

    /// Adds node `i` of `tree` by itself; an element stays open.
    pub fn node(&mut self, tree: &Tree, i: usize, xid: u64) -> Result<()> {
        let names = tree.names();
        let id = tree.name(i);
        let name = self.builder.intern(names.prefix(id), names.namespace(id), names.local(id));
        match tree.kind(i) {
            Kind::Element => self.builder.open(name, tree.line(i), 0)?,
            kind => self.builder.leaf(kind, name, tree.text(i), tree.line(i), 0)?,
        };
        for a in tree.attributes(i) {
            let id = tree.attr_name(a);
            let name = self.builder.intern(names.prefix(id), names.namespace(id), names.local(id));
            self.builder.attribute(name, tree.attr_value(a), tree.attr_flags(a))?;
        }
        self.xids.push(xid);
        self.is_hole.push(false);
        Ok(())
    }

    /// Adds a hole.
    pub fn hole(&mut self, xid: u64) -> Result<()> {
        self.builder.leaf(Kind::Comment, crate::tree::NO_NAME, "", 0, 0)?;
        self.xids.push(xid);
        self.is_hole.push(true);
        Ok(())
    }

    /// The content.
    pub fn finish(self) -> Content {
        Content { tree: std::sync::Arc::new(self.builder.finish()), xids: self.xids, is_hole: self.is_hole }
    }
}
