//! html5ever's view of the arena: what its tree construction asks and orders.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, ExpandedName, QualName};

use super::arena::Arena;
use super::problems::Problems;
use crate::tree::{Kind, Quirks, Span, NONE, NO_NAME};

/// A node as html5ever holds it. The name comes along, since its rules ask for names all the time.
#[derive(Clone, Copy)]
pub(super) struct Node<'n> {
    pub row: u32,
    pub name: &'n QualName,
}

/// The sink: an arena behind a cell, since html5ever's interface takes `&self`.
pub(super) struct Sink<'n> {
    pub arena: RefCell<Arena<'n>>,
    pub problems: RefCell<Problems>,
    /// Where the token that is being dealt with starts.
    at: Cell<u32>,
    /// A vector for the attributes of the next tag.
    pub spare: Cell<Vec<Attribute>>,
    /// The name of nodes that have none.
    no_name: &'n QualName,
}

impl<'n> Sink<'n> {
    /// A sink that fills `arena`.
    pub fn new(arena: Arena<'n>, no_name: &'n QualName) -> Self {
        Sink {
            arena: RefCell::new(arena),
            problems: RefCell::default(),
            at: Cell::new(0),
            spare: Cell::default(),
            no_name,
        }
    }

    fn nameless(&self, row: u32) -> Node<'n> {
        Node { row, name: self.no_name }
    }

    fn insert(&self, parent: u32, before: u32, child: NodeOrText<Node<'n>>) {
        let mut arena = self.arena.borrow_mut();
        match child {
            NodeOrText::AppendNode(node) => arena.insert(parent, before, node.row),
            NodeOrText::AppendText(text) => arena.insert_text(parent, before, &text, self.at.get()),
        }
    }
}

impl<'n> TreeSink for Sink<'n> {
    type Handle = Node<'n>;
    type Output = Self;
    type ElemName<'a>
        = ExpandedName<'a>
    where
        Self: 'a;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        self.problems.borrow_mut().add(&message, self.at.get());
    }

    fn get_document(&self) -> Node<'n> {
        self.nameless(0)
    }

    fn elem_name<'a>(&'a self, target: &'a Node<'n>) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(
        &self,
        name: QualName,
        mut attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Node<'n> {
        let mut arena = self.arena.borrow_mut();
        let (id, name) = arena.intern(name);
        let row = arena.push(Kind::Element, id, Span::default(), self.at.get());
        arena.row(row).is_integration_point = flags.mathml_annotation_xml_integration_point;
        if !attributes.is_empty() {
            arena.store_attributes(row, &mut attributes);
            self.spare.set(attributes);
        }
        if flags.template {
            let contents = arena.push(Kind::Document, NO_NAME, Span::default(), 0);
            arena.row(row).extra = contents;
        }
        Node { row, name }
    }

    fn create_comment(&self, text: StrTendril) -> Node<'n> {
        let mut arena = self.arena.borrow_mut();
        let span = arena.store(&text);
        self.nameless(arena.push(Kind::Comment, NO_NAME, span, self.at.get()))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Node<'n> {
        let mut arena = self.arena.borrow_mut();
        let name = arena.names.intern("", "", &target);
        let span = arena.store(&data);
        self.nameless(arena.push(Kind::Instruction, name, span, self.at.get()))
    }

    fn append(&self, parent: &Node<'n>, child: NodeOrText<Node<'n>>) {
        self.insert(parent.row, NONE, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Node<'n>,
        previous_element: &Node<'n>,
        child: NodeOrText<Node<'n>>,
    ) {
        let parent = self.arena.borrow().rows[element.row as usize].parent;
        if parent == NONE {
            self.insert(previous_element.row, NONE, child);
        } else {
            self.insert(parent, element.row, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let mut arena = self.arena.borrow_mut();
        let id = arena.names.intern("", "", &name);
        let node = arena.push(Kind::Doctype, id, Span::default(), self.at.get());
        for (key, value) in [("public", public), ("system", system)] {
            if !value.is_empty() {
                let key = arena.names.intern("", "", key);
                let span = arena.store(&value);
                arena.attributes.push((key, span));
                arena.row(node).attr_count += 1;
            }
        }
        arena.insert(0, NONE, node);
    }

    fn get_template_contents(&self, target: &Node<'n>) -> Node<'n> {
        self.nameless(self.arena.borrow().rows[target.row as usize].extra)
    }

    fn same_node(&self, x: &Node<'n>, y: &Node<'n>) -> bool {
        x.row == y.row
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.arena.borrow_mut().quirks = match mode {
            QuirksMode::NoQuirks => Quirks::No,
            QuirksMode::LimitedQuirks => Quirks::Limited,
            QuirksMode::Quirks => Quirks::Full,
        };
    }

    fn append_before_sibling(&self, sibling: &Node<'n>, child: NodeOrText<Node<'n>>) {
        let parent = self.arena.borrow().rows[sibling.row as usize].parent;
        self.insert(parent, sibling.row, child);
    }

    fn add_attrs_if_missing(&self, target: &Node<'n>, attributes: Vec<Attribute>) {
        self.arena.borrow_mut().add_attributes(target.row, attributes);
    }

    fn remove_from_parent(&self, target: &Node<'n>) {
        self.arena.borrow_mut().unlink(target.row);
    }

    fn reparent_children(&self, node: &Node<'n>, new_parent: &Node<'n>) {
        let mut arena = self.arena.borrow_mut();
        let mut child = arena.rows[node.row as usize].first;
        while child != NONE {
            let next = arena.rows[child as usize].next;
            arena.insert(new_parent.row, NONE, child);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Node<'n>) -> bool {
        self.arena.borrow().rows[target.row as usize].is_integration_point
    }

    /// html5ever's "line" is the place of a token in the text, two off: html5ever does not tell of
    /// line 1.
    fn set_current_line(&self, place: u64) {
        self.at.set(place.saturating_sub(2).min(u64::from(u32::MAX)) as u32);
    }

    fn allow_declarative_shadow_roots(&self, _: &Node<'n>) -> bool {
        // a shadow root is no part of the tree we keep: the template stays one
        false
    }
}
