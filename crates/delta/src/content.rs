//! The nodes a delta carries: one small tree for all its deletes and inserts.

use std::ops::Range;

use super::model::AttributeName;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{attr_flags, flags, Builder, Format, Kind, Meta, Tree, XML};

/// Subtrees with their XIDs. Where a node stood that moved away (or came from elsewhere) there is a
/// *hole*.
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

    /// Rows of a run in post-order, holes left out.
    pub fn post_order(&self, nodes: &Range<u32>) -> Vec<u32> {
        let mut order = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for row in nodes.start..nodes.end.min(self.tree.len() as u32) {
            while let Some(done) =
                open.pop_if(|&mut top| self.tree.end(top as usize) <= row as usize)
            {
                order.push(done);
            }
            if !self.is_hole[row as usize] {
                open.push(row);
            }
        }
        order.extend(open.into_iter().rev());
        order
    }

    /// Only these runs, one after the other.
    pub fn gathered(&self, runs: impl IntoIterator<Item = Range<u32>>) -> Result<Content> {
        let mut builder = ContentBuilder::new(Limits {
            nodes: u64::MAX,
            depth: u64::MAX,
            text: u64::MAX,
            attributes: u64::MAX,
            ..Limits::default()
        });
        for run in runs {
            for row in run.start as usize..(run.end as usize).min(self.tree.len()) {
                builder.close_to(self.tree.depth(row));
                if self.is_hole[row] {
                    builder.hole(self.xids[row])?;
                } else {
                    builder.node(&self.tree, row, self.xids[row])?;
                }
            }
            builder.close_to(1);
        }
        Ok(builder.finish())
    }

    /// XIDs of a run in post-order, holes left out.
    pub fn post_order_xids(&self, nodes: &Range<u32>) -> Vec<u64> {
        self.post_order(nodes).into_iter().map(|row| self.xids[row as usize]).collect()
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Content) -> bool {
        self.xids == other.xids
            && self.is_hole == other.is_hole
            && treelace_tree::equality::equal(&self.tree, &other.tree)
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
            kind => self.builder.leaf(
                kind,
                name,
                tree.text(i),
                tree.line(i),
                tree.flags(i) & flags::REFERENCE,
            )?,
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

    /// Adds an element by its name; it stays open, and its attributes come next.
    pub fn element(&mut self, name: &AttributeName) -> Result<()> {
        let name = self.builder.intern(&name.prefix, &name.namespace, &name.local);
        self.builder.open(name, 0, 0)?;
        self.count();
        Ok(())
    }

    /// Adds a text, comment, instruction or doctype; attributes may come next.
    pub fn leaf(&mut self, kind: Kind, name: &AttributeName, text: &str, flags: u8) -> Result<()> {
        let name = self.builder.intern(&name.prefix, &name.namespace, &name.local);
        self.builder.leaf(kind, name, text, 0, flags)?;
        self.count();
        Ok(())
    }

    /// Adds an attribute to the node added last.
    pub fn attribute(&mut self, name: &AttributeName, value: &str) -> Result<()> {
        let id = self.builder.intern(&name.prefix, &name.namespace, &name.local);
        let is_id = name.namespace == XML && name.local == "id";
        self.builder.attribute(id, value, if is_id { attr_flags::ID } else { 0 })
    }

    fn count(&mut self) {
        self.xids.push(0);
        self.is_hole.push(false);
    }

    /// Gives the node added last its XID.
    pub fn set_last_xid(&mut self, xid: u64) {
        if let Some(last) = self.xids.last_mut() {
            *last = xid;
        }
    }

    /// Adds a hole.
    pub fn hole(&mut self, xid: u64) -> Result<()> {
        self.builder.leaf(Kind::Comment, treelace_tree::tree::NO_NAME, "", 0, 0)?;
        self.xids.push(xid);
        self.is_hole.push(true);
        Ok(())
    }

    /// The content.
    pub fn finish(self) -> Content {
        Content {
            tree: std::sync::Arc::new(self.builder.finish()),
            xids: self.xids,
            is_hole: self.is_hole,
        }
    }
}
