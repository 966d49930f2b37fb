//! The arena html5ever builds into: linked rows, since HTML's rules look back and move nodes.

use std::collections::{HashMap, HashSet};

use html5ever::{Attribute, QualName};

use super::atoms::{BuildAtomHasher, ByLocal, NameArena};
use crate::error::Error;
use crate::limits::Limits;
use crate::tree::{Kind, NameId, Names, Quirks, Span, NONE, NO_NAME};

/// A row of the arena.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub kind: Kind,
    pub is_integration_point: bool,
    pub name: NameId,
    pub parent: u32,
    pub first: u32,
    pub last: u32,
    pub previous: u32,
    pub next: u32,
    /// A place in the text until `lines::resolve`.
    pub line: u32,
    /// Level when it was put where it is. Moving an ancestor does not change it, so it is good
    /// enough only to see that the tree has become too deep to be worth the stack.
    pub depth: u32,
    pub text: Span,
    /// First attribute and number of attributes in `Arena::attributes`.
    pub attr_start: u32,
    pub attr_count: u32,
    /// Of a template: its contents, a row of their own under no parent. Of a text in pieces: its
    /// rope.
    pub extra: u32,
}

/// A text that was added to after other texts had been stored.
#[derive(Default)]
pub(super) struct Rope {
    /// The pieces after the one the row has.
    pub pieces: Vec<Span>,
    length: u64,
}

/// Attributes that a second `html` or `body` tag gave to the first.
pub(super) struct Late {
    pub row: u32,
    pub attributes: Vec<(NameId, Span)>,
    /// All names the row has.
    names: HashSet<NameId>,
}

/// Everything that has been built.
pub(super) struct Arena<'n> {
    pub rows: Vec<Row>,
    pub attributes: Vec<(NameId, Span)>,
    /// The few rows whose attributes came later.
    pub late: Vec<Late>,
    pub ropes: Vec<Rope>,
    pub heap: String,
    pub names: Names,
    pub quirks: Quirks,
    pub failure: Option<Error>,
    /// The element linked last.
    pub newest: u32,
    kept: &'n NameArena,
    /// html5ever's name and our number.
    interned: HashMap<ByLocal, (NameId, &'n QualName), BuildAtomHasher>,
    limits: Limits,
}

impl<'n> Arena<'n> {
    /// An arena with a document, and room for a text of so many bytes.
    pub fn new(kept: &'n NameArena, limits: Limits, bytes: usize) -> Self {
        let mut arena = Arena {
            rows: Vec::with_capacity(bytes / 40 + 16),
            attributes: Vec::with_capacity(bytes / 64 + 16),
            late: Vec::new(),
            ropes: Vec::new(),
            heap: String::with_capacity(bytes / 2 + 64),
            names: Names::default(),
            quirks: Quirks::No,
            failure: None,
            newest: 0,
            kept,
            interned: HashMap::default(),
            limits,
        };
        arena.push(Kind::Document, NO_NAME, Span::default(), 0);
        arena
    }

    /// A new row under no parent.
    pub fn push(&mut self, kind: Kind, name: NameId, text: Span, line: u32) -> u32 {
        let i = self.rows.len();
        if i as u64 >= self.limits.nodes.min(u64::from(NONE - 2)) {
            self.fail(Error::limit("nodes", self.limits.nodes));
        }
        self.rows.push(Row {
            kind,
            is_integration_point: false,
            name,
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            line,
            depth: 0,
            text,
            attr_start: self.attributes.len() as u32,
            attr_count: 0,
            extra: NONE,
        });
        i as u32
    }

    /// Our number for a name, and the name in a place where it stays.
    pub fn intern(&mut self, name: QualName) -> (NameId, &'n QualName) {
        let name = ByLocal(name);
        if let Some(&found) = self.interned.get(&name) {
            return found;
        }
        let ByLocal(QualName { prefix, ns, local }) = &name;
        let id = self.names.intern(prefix.as_deref().unwrap_or(""), ns, local);
        let entry = (id, self.kept.keep(name.0.clone()));
        self.interned.insert(name, entry);
        entry
    }

    /// Puts a text on the heap.
    pub fn store(&mut self, text: &str) -> Span {
        let start = self.heap.len();
        if text.len() as u64 > self.limits.text {
            self.fail(Error::Limit {
                limit: "text",
                bound: self.limits.text,
                needed: Some(text.len() as u64),
            });
            return Span::default();
        }
        if !self.has_room((start + text.len()) as u64) {
            return Span::default();
        }
        self.heap.push_str(text);
        Span { start: start as u32, len: text.len() as u32 }
    }

    /// Attributes of formatting elements are copied with each element that reopens them: a small
    /// page could ask for any amount of memory. A growing column may hold twice what is in it.
    fn has_room(&mut self, heap: u64) -> bool {
        let bytes =
            heap + self.attributes.len() as u64 * std::mem::size_of::<(NameId, Span)>() as u64;
        let fits = 2 * bytes <= self.limits.memory && heap <= u64::from(u32::MAX);
        if !fits {
            self.fail(Error::limit("memory", self.limits.memory.min(u64::from(u32::MAX))));
        }
        fits
    }

    /// Gives the newest row these attributes.
    pub fn store_attributes(&mut self, node: u32, attributes: &mut Vec<Attribute>) {
        let count = attributes.len() as u64;
        if count > self.limits.attributes {
            self.fail(Error::Limit {
                limit: "attributes",
                bound: self.limits.attributes,
                needed: Some(count),
            });
            return;
        }
        for attribute in attributes.drain(..) {
            let (name, _) = self.intern(attribute.name);
            let value = self.store(&attribute.value);
            self.attributes.push((name, value));
        }
        self.rows[node as usize].attr_count = count as u32;
    }

    /// Gives a row those of these attributes that it does not have.
    pub fn add_attributes(&mut self, node: u32, attributes: Vec<Attribute>) {
        let at = self.late.iter().position(|late| late.row == node).unwrap_or_else(|| {
            let names = self.attributes_of(node).iter().map(|&(name, _)| name).collect();
            self.late.push(Late { row: node, attributes: Vec::new(), names });
            self.late.len() - 1
        });
        for attribute in attributes {
            let (name, _) = self.intern(attribute.name);
            if self.late[at].names.insert(name) {
                let value = self.store(&attribute.value);
                self.late[at].attributes.push((name, value));
            }
        }
        let count = self.late[at].names.len() as u64;
        if count > self.limits.attributes {
            self.fail(Error::Limit {
                limit: "attributes",
                bound: self.limits.attributes,
                needed: Some(count),
            });
        }
    }

    /// The attributes of a row, but for late ones.
    pub fn attributes_of(&self, node: u32) -> &[(NameId, Span)] {
        let Row { attr_start, attr_count, .. } = self.rows[node as usize];
        &self.attributes[attr_start as usize..(attr_start + attr_count) as usize]
    }

    /// Remembers the first limit that was reached; the driver looks after each token.
    pub fn fail(&mut self, error: Error) {
        self.failure.get_or_insert(error);
    }

    /// Row `i`, to be changed.
    pub fn row(&mut self, i: u32) -> &mut Row {
        &mut self.rows[i as usize]
    }

    /// Puts `text` behind the text node `node`.
    fn lengthen(&mut self, node: u32, text: &str) {
        let Row { text: span, extra, .. } = self.rows[node as usize];
        let so_far =
            if extra == NONE { u64::from(span.len) } else { self.ropes[extra as usize].length };
        let length = so_far + text.len() as u64;
        if length > self.limits.text {
            self.fail(Error::Limit {
                limit: "text",
                bound: self.limits.text,
                needed: Some(length),
            });
            return;
        }
        let last = if extra == NONE {
            span
        } else {
            self.ropes[extra as usize].pieces.last().copied().unwrap_or(span)
        };
        let added = self.store(text);
        let is_next = last.start + last.len == added.start;
        if extra == NONE && is_next {
            self.row(node).text.len += added.len;
            return;
        }
        if extra == NONE {
            self.row(node).extra = self.ropes.len() as u32;
            self.ropes.push(Rope::default());
        }
        let rope = &mut self.ropes[self.rows[node as usize].extra as usize];
        rope.length = length;
        match rope.pieces.last_mut() {
            Some(piece) if is_next => piece.len += added.len,
            _ => rope.pieces.push(added),
        }
    }

    /// Inserts a node before `before`, or last where that is [`NONE`].
    pub fn insert(&mut self, parent: u32, before: u32, child: u32) {
        self.unlink(child);
        self.link(parent, before, child);
        if self.rows[child as usize].kind == Kind::Element {
            self.newest = child;
        }
    }

    /// Inserts text, joining texts that meet.
    pub fn insert_text(&mut self, parent: u32, before: u32, text: &str, line: u32) {
        let previous = if before == NONE {
            self.rows[parent as usize].last
        } else {
            self.rows[before as usize].previous
        };
        if previous != NONE && self.rows[previous as usize].kind == Kind::Text {
            self.lengthen(previous, text);
            return;
        }
        let span = self.store(text);
        let node = self.push(Kind::Text, NO_NAME, span, line);
        self.link(parent, before, node);
    }

    fn link(&mut self, parent: u32, before: u32, child: u32) {
        let Row { depth, last, .. } = self.rows[parent as usize];
        let previous = if before == NONE { last } else { self.rows[before as usize].previous };
        let row = self.row(child);
        row.parent = parent;
        row.previous = previous;
        row.next = before;
        row.depth = depth + 1;
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

    /// Takes a node from its parent, if it has one.
    pub fn unlink(&mut self, child: u32) {
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
}
