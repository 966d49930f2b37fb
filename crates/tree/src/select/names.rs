//! Which names of one tree a name test means: strings are compared once for each name, never once
//! for each node.

use crate::tree::{NameId, Tree};

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
    /// The names that pass `test`; where the local part is known, `lower` is that in lower case.
    pub(super) fn collect(tree: &Tree, lower: Option<&str>, test: impl Fn(NameId) -> bool) -> Self {
        match lower {
            Some(lower) => {
                Self::of(tree, tree.names_called(lower).iter().copied().filter(|&id| test(id)))
            }
            None => Self::of(tree, (1..tree.names().len() as NameId).filter(|&id| test(id))),
        }
    }

    fn of(tree: &Tree, mut found: impl Iterator<Item = NameId>) -> Self {
        let Some(first) = found.next() else { return NameSet::None };
        let Some(second) = found.next() else { return NameSet::One(first) };
        let mut flags = vec![false; tree.names().len()];
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
