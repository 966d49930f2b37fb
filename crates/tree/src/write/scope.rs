//! Which prefix stands for which namespace at a place of the tree.
//!
//! Prefixes get numbers once for each tree; a prefix has a stack of namespaces. Going in and out
//! costs only what is declared there, and a question costs one look, however deep the tree and
//! however many its declarations.

use std::collections::HashMap;

use crate::tree::{NameId, Tree, XML, XMLNS};

/// Number of a prefix. [`DEFAULT`] is the empty one.
pub(super) type Slot = u32;

/// The slot of the empty prefix.
pub(super) const DEFAULT: Slot = 0;

/// Number of a namespace: equal numbers, equal namespaces. Those of names have their number in the
/// tree; 0 is none.
pub(super) type Uri = u32;

/// No namespace.
pub(super) const NO_URI: Uri = 0;

/// The prefixes and namespaces of one tree, numbered.
pub(super) struct Prefixes<'t> {
    spelled: Vec<&'t str>,
    by_name: Vec<Slot>,
    declares: Vec<Option<Slot>>,
    uris: Vec<&'t str>,
    uri_numbers: HashMap<&'t str, Uri>,
}

impl<'t> Prefixes<'t> {
    /// Of all names of a tree and of a list of more, whose slots come back too.
    pub(super) fn new(tree: &'t Tree, more: &'t [String]) -> (Self, Vec<Slot>) {
        let names = tree.names();
        let mut slots: HashMap<&'t str, Slot> = HashMap::from([("", DEFAULT)]);
        let mut spelled = vec![""];
        let mut slot = |prefix: &'t str| {
            *slots.entry(prefix).or_insert_with(|| {
                spelled.push(prefix);
                spelled.len() as Slot - 1
            })
        };
        let ids = 0..names.len() as NameId;
        let by_name = ids.clone().map(|id| slot(names.prefix(id))).collect();
        let declares = ids.map(|id| declared_prefix(tree, id).map(&mut slot)).collect();
        let more = more.iter().map(|prefix| slot(prefix)).collect();
        let uris: Vec<&str> = names.namespaces().collect();
        let uri_numbers =
            uris.iter().enumerate().map(|(number, &text)| (text, number as Uri)).collect();
        (Prefixes { spelled, by_name, declares, uris, uri_numbers }, more)
    }

    /// The prefix of a name.
    pub(super) fn of(&self, id: NameId) -> Slot {
        self.by_name[id as usize]
    }

    /// The prefix that an attribute of this name declares, if it is a namespace declaration.
    pub(super) fn declared_by(&self, id: NameId) -> Option<Slot> {
        self.declares[id as usize]
    }

    /// As it is written.
    pub(super) fn spelled(&self, slot: Slot) -> &'t str {
        self.spelled[slot as usize]
    }

    /// How many prefixes there are.
    pub(super) fn len(&self) -> usize {
        self.spelled.len()
    }

    /// The number of a namespace.
    pub(super) fn uri(&mut self, text: &'t str) -> Uri {
        let next = self.uris.len() as Uri;
        let number = *self.uri_numbers.entry(text).or_insert(next);
        if number == next {
            self.uris.push(text);
        }
        number
    }

    /// The namespace with this number.
    pub(super) fn uri_text(&self, uri: Uri) -> &'t str {
        self.uris[uri as usize]
    }
}

/// The prefix that an attribute of this name declares: `xmlns` the empty one, `xmlns:x` x.
pub(super) fn declared_prefix(tree: &Tree, id: NameId) -> Option<&str> {
    let names = tree.names();
    match (names.namespace(id), names.prefix(id)) {
        (XMLNS, "xmlns") => Some(names.local(id)),
        (XMLNS, "") if names.local(id) == "xmlns" => Some(""),
        _ => None,
    }
}

/// What the prefixes stand for, from the root to here.
pub(super) struct Scope {
    bound: Vec<Vec<Uri>>,
    /// Slots bound, innermost last, and for each element that binds some its end and how many there
    /// were before it.
    log: Vec<Slot>,
    frames: Vec<(usize, usize)>,
}

impl Scope {
    /// Nothing bound but `xml`.
    pub(super) fn new(prefixes: &mut Prefixes<'_>) -> Self {
        let xml = prefixes.uri(XML);
        let bound = prefixes
            .spelled
            .iter()
            .map(|&prefix| if prefix == "xml" { vec![xml] } else { Vec::new() })
            .collect();
        Scope { bound, log: Vec::new(), frames: Vec::new() }
    }

    /// Forgets what elements declared that end before node `i`.
    pub(super) fn leave_before(&mut self, i: usize) {
        while let Some((_, before)) = self.frames.pop_if(|&mut (end, _)| end <= i) {
            for slot in self.log.drain(before..) {
                self.bound[slot as usize].pop();
            }
        }
    }

    /// A new element that ends at `end`; what is bound next belongs to it.
    pub(super) fn enter(&mut self, end: usize) {
        self.frames.push((end, self.log.len()));
    }

    /// Binds a prefix until the element entered last ends.
    pub(super) fn bind(&mut self, slot: Slot, uri: Uri) {
        self.bound[slot as usize].push(uri);
        self.log.push(slot);
    }

    /// What the prefix stands for; nothing bound is [`NO_URI`], as is `xmlns=""`.
    pub(super) fn get(&self, slot: Slot) -> Uri {
        self.bound[slot as usize].last().copied().unwrap_or(NO_URI)
    }

    /// Every prefix that stands for something now, in the order of their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (Slot, Uri)> + '_ {
        (0..self.bound.len() as Slot).map(|slot| (slot, self.get(slot))).filter(|it| it.1 != NO_URI)
    }
}
