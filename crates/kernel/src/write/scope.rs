//! Which prefix stands for which namespace at a place of the tree.
//!
//! Prefixes get numbers once for each tree; a prefix has a stack of namespaces. Going in and out costs only what is declared there,
//! and a question costs one look, however deep the tree and however many its declarations.

use std::collections::HashMap;

use crate::tree::{NameId, Tree, XML, XMLNS};

/// Number of a prefix. [`DEFAULT`] is the empty one.
pub(super) type Slot = u32;

/// The slot of the empty prefix.
pub(super) const DEFAULT: Slot = 0;

/// The prefixes of one tree, numbered.
pub(super) struct Prefixes<'t> {
    spelled: Vec<&'t str>,
    by_name: Vec<Slot>,
    declares: Vec<Option<Slot>>,
}

impl<'t> Prefixes<'t> {
    /// Of all names of a tree and of a list of more.
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
        (Prefixes { spelled, by_name, declares }, more)
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

    pub(super) fn len(&self) -> usize {
        self.spelled.len()
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
pub(super) struct Scope<'t> {
    bound: Vec<Vec<&'t str>>,
    /// Slots bound, innermost last, and for each open element how many there were before it.
    log: Vec<Slot>,
    frames: Vec<(usize, usize)>,
}

impl<'t> Scope<'t> {
    /// Nothing bound but `xml`.
    pub(super) fn new(prefixes: &Prefixes<'t>) -> Self {
        let bound = (0..prefixes.len()).map(|slot| if prefixes.spelled[slot] == "xml" { vec![XML] } else { Vec::new() }).collect();
        Scope { bound, log: Vec::new(), frames: Vec::new() }
    }

    /// Forgets what elements declared that end before node `i`.
    pub(super) fn leave_before(&mut self, i: usize) {
        while let Some(&(end, before)) = self.frames.last() {
            if end > i {
                break;
            }
            for slot in self.log.drain(before..) {
                self.bound[slot as usize].pop();
            }
            self.frames.pop();
        }
    }

    /// A new element that ends at `end`; what is bound next belongs to it.
    pub(super) fn enter(&mut self, end: usize) {
        self.frames.push((end, self.log.len()));
    }

    /// Binds a prefix until the element entered last ends.
    pub(super) fn bind(&mut self, slot: Slot, namespace: &'t str) {
        self.bound[slot as usize].push(namespace);
        self.log.push(slot);
    }

    /// What the prefix stands for; nothing bound is the empty string, as is `xmlns=""`.
    pub(super) fn get(&self, slot: Slot) -> &'t str {
        self.bound[slot as usize].last().copied().unwrap_or("")
    }

    /// Every prefix that stands for something now, in the order of their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (Slot, &'t str)> + '_ {
        self.bound.iter().enumerate().filter_map(|(slot, stack)| stack.last().filter(|uri| !uri.is_empty()).map(|uri| (slot as Slot, *uri)))
    }
}
