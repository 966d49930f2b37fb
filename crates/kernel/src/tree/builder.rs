//! Makes a [`Tree`] in document order: open, attributes, children, close.

use super::{Kind, Lazy, Meta, NameId, Names, Span, Tree, NONE, NO_NAME};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Takes nodes in document order and gives a tree. The only way to make one, but for parsers that must look back.
pub struct Builder {
    tree: Tree,
    open: Vec<u32>,
    limits: Limits,
}

impl Builder {
    /// An empty document.
    pub fn new(meta: Meta, limits: Limits) -> Self {
        Builder::with_capacity(meta, limits, 0, 0)
    }

    /// An empty document with room for this many nodes and bytes of text.
    pub fn with_capacity(meta: Meta, limits: Limits, nodes: usize, text: usize) -> Self {
        let column = || Vec::with_capacity(nodes);
        let mut tree = Tree {
            kind: Vec::with_capacity(nodes),
            name: column(),
            parent: column(),
            end: column(),
            depth: column(),
            flags: Vec::with_capacity(nodes),
            line: column(),
            text: Vec::with_capacity(nodes),
            attr_start: Vec::with_capacity(nodes + 1),
            attr_name: Vec::new(),
            attr_value: Vec::new(),
            attr_flags: Vec::new(),
            heap: String::with_capacity(text),
            names: Names::default(),
            meta,
            lazy: Lazy::default(),
        };
        tree.kind.push(Kind::Document as u8);
        tree.name.push(NO_NAME);
        tree.parent.push(NONE);
        tree.end.push(0);
        tree.depth.push(0);
        tree.flags.push(0);
        tree.line.push(0);
        tree.text.push(Span::default());
        tree.attr_start.push(0);
        tree.attr_start.push(0);
        Builder { tree, open: vec![0], limits }
    }

    /// The number of a name in the tree that is being made.
    pub fn intern(&mut self, prefix: &str, namespace: &str, local: &str) -> NameId {
        self.tree.names.intern(prefix, namespace, local)
    }

    /// The names so far.
    pub fn names(&self) -> &Names {
        &self.tree.names
    }

    /// The facts beside the nodes, to be completed.
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.tree.meta
    }

    /// How many nodes are open, the document included.
    pub fn open_depth(&self) -> usize {
        self.open.len()
    }

    /// The innermost open node.
    pub fn current(&self) -> u32 {
        *self.open.last().expect("the document stays open")
    }

    /// The tree so far: closed subtrees have their `end`, open ones do not.
    pub fn so_far(&self) -> &Tree {
        &self.tree
    }

    fn push(&mut self, kind: Kind, name: NameId, text: Span, line: u32, flags: u8) -> Result<u32> {
        let tree = &mut self.tree;
        let i = tree.kind.len();
        if i as u64 >= self.limits.nodes.min(u64::from(NONE - 1)) {
            return Err(Error::limit("nodes", self.limits.nodes));
        }
        let parent = *self.open.last().expect("the document stays open");
        tree.kind.push(kind as u8);
        tree.name.push(name);
        tree.parent.push(parent);
        tree.end.push(i as u32 + 1);
        tree.depth.push(self.open.len() as u32);
        tree.flags.push(flags);
        tree.line.push(line);
        tree.text.push(text);
        tree.attr_start.push(tree.attr_name.len() as u32);
        Ok(i as u32)
    }

    /// Opens an element. Its attributes come next, then its children, then [`Builder::close`].
    pub fn open(&mut self, name: NameId, line: u32, flags: u8) -> Result<u32> {
        if self.open.len() as u64 > self.limits.depth {
            return Err(Error::limit("depth", self.limits.depth));
        }
        let i = self.push(Kind::Element, name, Span::default(), line, flags)?;
        self.open.push(i);
        Ok(i)
    }

    /// Closes the innermost open element.
    pub fn close(&mut self) {
        debug_assert!(self.open.len() > 1, "close without open");
        if let Some(i) = self.open.pop() {
            self.tree.end[i as usize] = self.tree.kind.len() as u32;
        }
    }

    /// Adds a text, comment, instruction or doctype.
    pub fn leaf(&mut self, kind: Kind, name: NameId, text: &str, line: u32, flags: u8) -> Result<u32> {
        let span = self.store(text)?;
        self.push(kind, name, span, line, flags)
    }

    /// Adds an attribute to the node pushed last.
    pub fn attribute(&mut self, name: NameId, value: &str, attr_flags: u8) -> Result<()> {
        let span = self.store(value)?;
        let tree = &mut self.tree;
        let n = tree.kind.len();
        let count = tree.attr_name.len() as u64 + 1 - u64::from(tree.attr_start[n - 1]);
        if count > self.limits.attributes {
            return Err(Error::limit("attributes", self.limits.attributes));
        }
        tree.attr_name.push(name);
        tree.attr_value.push(span);
        tree.attr_flags.push(attr_flags);
        tree.attr_start[n] = tree.attr_name.len() as u32;
        Ok(())
    }

    fn store(&mut self, text: &str) -> Result<Span> {
        if text.len() as u64 > self.limits.text {
            return Err(Error::Limit { limit: "text", bound: self.limits.text, needed: Some(text.len() as u64) });
        }
        let start = self.tree.heap.len();
        if start + text.len() > u32::MAX as usize {
            return Err(Error::limit("bytes", u64::from(u32::MAX)));
        }
        self.tree.heap.push_str(text);
        Ok(Span { start: start as u32, len: text.len() as u32 })
    }

    /// Closes what is open and gives the tree.
    pub fn finish(mut self) -> Tree {
        while self.open.len() > 1 {
            self.close();
        }
        self.tree.end[0] = self.tree.kind.len() as u32;
        self.tree
    }
}
