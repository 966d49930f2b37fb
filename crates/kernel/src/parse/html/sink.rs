//! The arena html5ever builds into: linked rows, since HTML's rules look back and move nodes.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, Namespace, QualName};
use rapidhash::fast::RapidHasher;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{Kind, NameId, Names, Problem, Quirks, Span, NONE, NO_NAME};

/// How many problems are kept with their words; the rest are counted.
const PROBLEMS_KEPT: usize = 1000;

/// A row of the arena.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub kind: Kind,
    pub name: NameId,
    pub parent: u32,
    pub first: u32,
    pub last: u32,
    pub previous: u32,
    pub next: u32,
    pub line: u32,
    pub text: Span,
    /// First attribute and number of attributes in `Arena::attributes`.
    pub attr_start: u32,
    pub attr_count: u32,
    /// The contents of a template: a row of their own, under no parent.
    pub contents: u32,
    pub is_integration_point: bool,
}

/// Everything the sink has gathered.
pub(super) struct Arena {
    pub rows: Vec<Row>,
    pub attributes: Vec<(NameId, Span)>,
    pub heap: String,
    pub names: Names,
    pub quirks: Quirks,
    pub problems: Vec<Problem>,
    pub problem_count: u64,
    pub failure: Option<Error>,
    /// html5ever's names by our number (elements only).
    qualified: Vec<Option<QualName>>,
    /// Our number by html5ever's name.
    interned: HashMap<QualName, NameId, BuildHasherDefault<RapidHasher<'static>>>,
}

/// The sink: an arena behind a cell, since html5ever's interface takes `&self`.
pub(super) struct Sink {
    arena: RefCell<Arena>,
    line: Cell<u32>,
    limits: Limits,
}

/// Name of an element, as html5ever wants it back.
#[derive(Debug)]
pub(super) struct Name {
    namespace: Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

impl Arena {
    fn push(&mut self, kind: Kind, name: NameId, text: Span, line: u32) -> u32 {
        let i = self.rows.len() as u32;
        let attr_start = self.attributes.len() as u32;
        self.rows.push(Row {
            kind,
            name,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            line,
            text,
            attr_start,
            attr_count: 0,
            contents: NONE,
            is_integration_point: false,
        });
        i
    }

    fn intern(&mut self, name: &QualName) -> NameId {
        if let Some(&id) = self.interned.get(name) {
            return id;
        }
        let prefix = name.prefix.as_deref().unwrap_or("");
        let id = self.names.intern(prefix, &name.ns, &name.local);
        self.interned.insert(name.clone(), id);
        if self.qualified.len() <= id as usize {
            self.qualified.resize(id as usize + 1, None);
        }
        self.qualified[id as usize] = Some(name.clone());
        id
    }

    fn store(&mut self, text: &str) -> Span {
        let start = self.heap.len();
        if start + text.len() > u32::MAX as usize {
            self.fail(Error::limit("bytes", u64::from(u32::MAX)));
            return Span::default();
        }
        self.heap.push_str(text);
        Span { start: start as u32, len: text.len() as u32 }
    }

    fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    fn row(&mut self, i: u32) -> &mut Row {
        &mut self.rows[i as usize]
    }

    /// Puts `text` behind the text node `node`.
    fn lengthen(&mut self, node: u32, text: &str) {
        let span = self.rows[node as usize].text;
        if (span.start + span.len) as usize != self.heap.len() {
            // another text was stored meanwhile: start this one anew at the end of the heap
            let old = self.heap[span.start as usize..(span.start + span.len) as usize].to_string();
            let moved = self.store(&old);
            self.row(node).text = moved;
        }
        let added = self.store(text);
        self.row(node).text.len += added.len;
    }

    fn link(&mut self, parent: u32, before: u32, child: u32) {
        let previous = if before == NONE { self.rows[parent as usize].last } else { self.rows[before as usize].previous };
        let row = self.row(child);
        row.parent = parent;
        row.previous = previous;
        row.next = before;
        if previous == NONE {
            self.row(parent).first = child;
        } else {
            self.row(previous).next = child;
        }
        if before == NONE {
            self.row(parent).last = child;
        } else {
            self.row(before).previous = child;
        }
    }

    fn unlink(&mut self, child: u32) {
        let Row { parent, previous, next, .. } = self.rows[child as usize];
        if parent == NONE {
            return;
        }
        if previous == NONE {
            self.row(parent).first = next;
        } else {
            self.row(previous).next = next;
        }
        if next == NONE {
            self.row(parent).last = previous;
        } else {
            self.row(next).previous = previous;
        }
        let row = self.row(child);
        (row.parent, row.previous, row.next) = (NONE, NONE, NONE);
    }

    /// Inserts before `before` (or last, where that is [`NONE`]), joining texts that meet.
    fn insert(&mut self, parent: u32, before: u32, child: NodeOrText<u32>, line: u32) {
        match child {
            NodeOrText::AppendNode(node) => {
                self.unlink(node);
                self.link(parent, before, node);
            }
            NodeOrText::AppendText(text) => {
                let previous = if before == NONE { self.rows[parent as usize].last } else { self.rows[before as usize].previous };
                if previous != NONE && self.rows[previous as usize].kind == Kind::Text {
                    self.lengthen(previous, &text);
                    return;
                }
                let span = self.store(&text);
                let node = self.push(Kind::Text, NO_NAME, span, line);
                self.link(parent, before, node);
            }
        }
    }
}

impl Sink {
    pub fn new(limits: Limits, bytes: usize) -> Self {
        let mut arena = Arena {
            rows: Vec::with_capacity(bytes / 32 + 16),
            attributes: Vec::with_capacity(bytes / 48 + 16),
            heap: String::with_capacity(bytes / 2 + 64),
            names: Names::default(),
            quirks: Quirks::No,
            problems: Vec::new(),
            problem_count: 0,
            failure: None,
            qualified: Vec::new(),
            interned: HashMap::default(),
        };
        arena.push(Kind::Document, NO_NAME, Span::default(), 0);
        Sink { arena: RefCell::new(arena), line: Cell::new(1), limits }
    }

    /// The first limit that was reached, if any.
    pub fn failure(&self) -> Result<()> {
        self.arena.borrow().failure.clone().map_or(Ok(()), Err)
    }

    fn store_attributes(&self, arena: &mut Arena, node: u32, attributes: Vec<Attribute>) {
        let bound = self.limits.attributes;
        if attributes.len() as u64 > bound {
            arena.fail(Error::Limit { limit: "attributes", bound, needed: Some(attributes.len() as u64) });
        }
        for attribute in attributes {
            let name = arena.intern(&attribute.name);
            let value = arena.store(&attribute.value);
            arena.attributes.push((name, value));
            arena.row(node).attr_count += 1;
        }
    }
}

impl TreeSink for Sink {
    type Handle = u32;
    type Output = Arena;
    type ElemName<'a> = Name;

    fn finish(self) -> Arena {
        self.arena.into_inner()
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        let mut arena = self.arena.borrow_mut();
        arena.problem_count += 1;
        if arena.problems.len() < PROBLEMS_KEPT {
            let line = self.line.get();
            arena.problems.push(Problem { line, message: message.into_owned() });
        }
    }

    fn get_document(&self) -> u32 {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        let arena = self.arena.borrow();
        let id = arena.rows[*target as usize].name;
        let name = arena.qualified[id as usize].as_ref().expect("an element has a name");
        Name { namespace: name.ns.clone(), local: name.local.clone() }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        let mut arena = self.arena.borrow_mut();
        if arena.rows.len() as u64 >= self.limits.nodes.min(u64::from(NONE - 2)) {
            arena.fail(Error::limit("nodes", self.limits.nodes));
        }
        let id = arena.intern(&name);
        let node = arena.push(Kind::Element, id, Span::default(), self.line.get());
        arena.row(node).is_integration_point = flags.mathml_annotation_xml_integration_point;
        self.store_attributes(&mut arena, node, attributes);
        if flags.template {
            let contents = arena.push(Kind::Document, NO_NAME, Span::default(), 0);
            arena.row(node).contents = contents;
        }
        node
    }

    fn create_comment(&self, text: StrTendril) -> u32 {
        let mut arena = self.arena.borrow_mut();
        let span = arena.store(&text);
        arena.push(Kind::Comment, NO_NAME, span, self.line.get())
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> u32 {
        let mut arena = self.arena.borrow_mut();
        let name = arena.names.intern("", "", &target);
        let span = arena.store(&data);
        arena.push(Kind::Instruction, name, span, self.line.get())
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.arena.borrow_mut().insert(*parent, NONE, child, self.line.get());
    }

    fn append_based_on_parent_node(&self, element: &u32, previous_element: &u32, child: NodeOrText<u32>) {
        let has_parent = self.arena.borrow().rows[*element as usize].parent != NONE;
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous_element, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let mut arena = self.arena.borrow_mut();
        let id = arena.names.intern("", "", &name);
        let node = arena.push(Kind::Doctype, id, Span::default(), self.line.get());
        for (key, value) in [("public", public), ("system", system)] {
            if !value.is_empty() {
                let key = arena.names.intern("", "", key);
                let span = arena.store(&value);
                arena.attributes.push((key, span));
                arena.row(node).attr_count += 1;
            }
        }
        arena.link(0, NONE, node);
    }

    fn get_template_contents(&self, target: &u32) -> u32 {
        self.arena.borrow().rows[*target as usize].contents
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.arena.borrow_mut().quirks = match mode {
            QuirksMode::NoQuirks => Quirks::No,
            QuirksMode::LimitedQuirks => Quirks::Limited,
            QuirksMode::Quirks => Quirks::Full,
        };
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let mut arena = self.arena.borrow_mut();
        let parent = arena.rows[*sibling as usize].parent;
        arena.insert(parent, *sibling, child, self.line.get());
    }

    fn add_attrs_if_missing(&self, target: &u32, attributes: Vec<Attribute>) {
        let mut arena = self.arena.borrow_mut();
        let Row { attr_start, attr_count, .. } = arena.rows[*target as usize];
        let have: Vec<_> = arena.attributes[attr_start as usize..(attr_start + attr_count) as usize].to_vec();
        let new: Vec<Attribute> = attributes.into_iter().filter(|a| !have.iter().any(|&(name, _)| name == arena.intern(&a.name))).collect();
        if new.is_empty() {
            return;
        }
        // the element's attributes must stay together: move them to the end
        let start = arena.attributes.len() as u32;
        arena.attributes.extend(have);
        arena.row(*target).attr_start = start;
        self.store_attributes(&mut arena, *target, new);
    }

    fn remove_from_parent(&self, target: &u32) {
        self.arena.borrow_mut().unlink(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        let mut arena = self.arena.borrow_mut();
        let mut child = arena.rows[*node as usize].first;
        while child != NONE {
            let next = arena.rows[child as usize].next;
            arena.unlink(child);
            arena.link(*new_parent, NONE, child);
            child = next;
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &u32) -> bool {
        self.arena.borrow().rows[*target as usize].is_integration_point
    }

    fn set_current_line(&self, line: u64) {
        self.line.set(line.min(u64::from(u32::MAX)) as u32);
    }
}
