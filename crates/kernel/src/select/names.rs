//! Which names of one tree a name test means: strings are compared once for each name, never once for each node.

use crate::tree::{NameId, Names};

/// A set of interned names.
#[derive(Debug, Clone)]
pub(super) enum NameSet {
    /// No name of the tree.
    None,
    /// Exactly one name: nearly always.
    One(NameId),
    /// Some names, as one flag a name.
    Some(Vec<bool>),
}

impl NameSet {
    /// The names that pass `test`.
    pub(super) fn collect(names: &Names, test: impl Fn(NameId) -> bool) -> Self {
        let mut found = (1..names.len() as NameId).filter(|&id| test(id));
        let Some(first) = found.next() else { return NameSet::None };
        let Some(second) = found.next() else { return NameSet::One(first) };
        let mut flags = vec![false; names.len()];
        for id in [first, second].into_iter().chain(found) {
            flags[id as usize] = true;
        }
        NameSet::Some(flags)
    }

    #[inline]
    pub(super) fn has(&self, id: NameId) -> bool {
        match self {
            NameSet::None => false,
            NameSet::One(only) => *only == id,
            NameSet::Some(flags) => flags[id as usize],
        }
    }
}
