//! Makes a [`Tree`] in document order: open, attributes, children, close.

use super::block::{Block, Row};
use super::{Kind, Lazy, Meta, NameId, Names, NamespaceId, Span, Tree, NONE, NO_NAME};
use crate::error::{Error, Result};
use crate::limits::Limits;

/// Takes nodes in document order and gives a tree. The only way to make one, but for parsers that
/// must look back.
pub struct Builder {
    /// Until the end, the last rows are in `block`, and `attr_start` lacks its last entry.
    tree: Tree,
    block: Box<Block>,
    open: Vec<u32>,
    limits: Limits,
    /// First attribute of the node pushed last.
    attr_first: usize,
    /// Bytes of the source that will stand in front of the heap: see [`Builder::over`].
    front: usize,
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
        let mut block = Box::new(Block::new());
        let document = Row {
            kind: Kind::Document as u8,
            name: NO_NAME,
            parent: NONE,
            depth: 0,
            flags: 0,
            line: 0,
            text: Span::default(),
            attr_start: 0,
        };
        block.push(document, 0, &mut tree);
        Builder { tree, block, open: vec![0], limits, attr_first: 0, front: 0 }
    }

    /// An empty document over a source of `front` bytes: spans handed in may lie in the source,
    /// which becomes the front of the heap when [`Builder::finish_over`] gets it. So a text that
    /// stands in the source as it is costs no copy.
    pub fn over(meta: Meta, limits: Limits, nodes: usize, front: usize) -> Self {
        Builder { front, ..Builder::with_capacity(meta, limits, nodes, 0) }
    }

    /// The number of a name in the tree that is being made.
    pub fn intern(&mut self, prefix: &str, namespace: &str, local: &str) -> NameId {
        self.tree.names.intern(prefix, namespace, local)
    }

    /// The number of a namespace in the tree that is being made.
    pub fn intern_namespace(&mut self, namespace: &str) -> NamespaceId {
        self.tree.names.intern_namespace(namespace)
    }

    /// The number of a name in a namespace whose number is known.
    pub fn intern_in(&mut self, prefix: &str, namespace: NamespaceId, local: &str) -> NameId {
        self.tree.names.intern_in(prefix, namespace, local)
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
    #[inline]
    pub fn current(&self) -> u32 {
        *self.open.last().expect("the document stays open")
    }

    /// How many nodes there are so far.
    #[inline]
    fn len(&self) -> usize {
        self.tree.kind.len() + self.block.len()
    }

    #[inline]
    fn push(&mut self, kind: Kind, name: NameId, text: Span, line: u32, flags: u8) -> Result<u32> {
        let i = self.len();
        if i as u64 >= self.limits.nodes.min(u64::from(NONE - 1)) {
            return Err(Error::limit("nodes", self.limits.nodes));
        }
        let parent = self.current();
        self.attr_first = self.tree.attr_name.len();
        let depth = self.open.len() as u32;
        let row = Row {
            kind: kind as u8,
            name,
            parent,
            depth,
            flags,
            line,
            text,
            attr_start: self.attr_first as u32,
        };
        self.block.push(row, i as u32, &mut self.tree);
        Ok(i as u32)
    }

    /// Opens an element. Its attributes come next, then its children, then [`Builder::close`].
    #[inline]
    pub fn open(&mut self, name: NameId, line: u32, flags: u8) -> Result<u32> {
        if self.open.len() as u64 > self.limits.depth {
            return Err(Error::limit("depth", self.limits.depth));
        }
        let i = self.push(Kind::Element, name, Span::default(), line, flags)?;
        self.open.push(i);
        Ok(i)
    }

    /// Closes the innermost open element.
    #[inline]
    pub fn close(&mut self) {
        debug_assert!(self.open.len() > 1, "close without open");
        if let Some(i) = self.open.pop() {
            let end = self.len() as u32;
            self.block.set_end(i, end, &mut self.tree);
        }
    }

    /// Adds a text, comment, instruction or doctype.
    pub fn leaf(
        &mut self,
        kind: Kind,
        name: NameId,
        text: &str,
        line: u32,
        flags: u8,
    ) -> Result<u32> {
        let span = self.store(text)?;
        self.push(kind, name, span, line, flags)
    }

    /// Adds a text, comment, instruction or doctype whose text lies in the source, or was stored
    /// before.
    #[inline]
    pub fn leaf_at(
        &mut self,
        kind: Kind,
        name: NameId,
        span: Span,
        line: u32,
        flags: u8,
    ) -> Result<u32> {
        self.check_text(span.len as usize)?;
        self.push(kind, name, span, line, flags)
    }

    /// Adds an attribute to the node pushed last.
    pub fn attribute(&mut self, name: NameId, value: &str, attr_flags: u8) -> Result<()> {
        let span = self.store(value)?;
        self.attribute_at(name, span, attr_flags)
    }

    /// Adds an attribute whose value lies in the source, or was stored before.
    #[inline]
    pub fn attribute_at(&mut self, name: NameId, span: Span, attr_flags: u8) -> Result<()> {
        self.check_text(span.len as usize)?;
        let tree = &mut self.tree;
        if (tree.attr_name.len() - self.attr_first) as u64 >= self.limits.attributes {
            return Err(Error::limit("attributes", self.limits.attributes));
        }
        tree.attr_name.push(name);
        tree.attr_value.push(span);
        tree.attr_flags.push(attr_flags);
        Ok(())
    }

    #[inline]
    fn check_text(&self, len: usize) -> Result<()> {
        if len as u64 > self.limits.text {
            return Err(Error::Limit {
                limit: "text",
                bound: self.limits.text,
                needed: Some(len as u64),
            });
        }
        Ok(())
    }

    /// Puts a text on the heap; the span can be used by any number of rows.
    pub fn store(&mut self, text: &str) -> Result<Span> {
        self.check_text(text.len())?;
        let start = self.front + self.tree.heap.len();
        if start + text.len() > u32::MAX as usize {
            return Err(Error::limit("bytes", u64::from(u32::MAX)));
        }
        self.tree.heap.push_str(text);
        Ok(Span { start: start as u32, len: text.len() as u32 })
    }

    /// A text that was stored before.
    pub fn stored(&self, span: Span) -> &str {
        let start = span.start as usize - self.front;
        &self.tree.heap[start..start + span.len as usize]
    }

    /// Puts another number into each row of the `line` column but the document's, in document
    /// order.
    pub fn map_lines(&mut self, mut line: impl FnMut(u32) -> u32) {
        self.block.move_to(&mut self.tree);
        self.tree.line.iter_mut().skip(1).for_each(|row| *row = line(*row));
    }

    /// Closes what is open and gives the tree.
    pub fn finish(mut self) -> Tree {
        debug_assert!(self.front == 0, "finish_over");
        while self.open.len() > 1 {
            self.close();
        }
        self.block.move_to(&mut self.tree);
        self.tree.end[0] = self.tree.kind.len() as u32;
        self.tree.attr_start.push(self.tree.attr_name.len() as u32);
        self.tree
    }

    /// Closes what is open and gives the tree, with the source it was made over in front of its
    /// heap.
    pub fn finish_over(mut self, mut source: String) -> Tree {
        assert_eq!(source.len(), self.front, "another source");
        self.front = 0;
        let mut tree = self.finish();
        source.push_str(&tree.heap);
        tree.heap = source;
        tree
    }
}
