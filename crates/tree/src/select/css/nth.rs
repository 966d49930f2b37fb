//! `:nth-child()` and its sisters, counted for all children of a parent at once.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;

use super::bind::Matcher;
use crate::tree::{NameId, Names};

/// Positions from 1 of the elements counted so far: 0 where a parent has not been looked at, or an
/// element does not count.
#[derive(Debug, Default)]
pub(super) struct Counts {
    position: Vec<u32>,
    /// Parents that have been looked at.
    done: Vec<bool>,
}

type ByType = HashMap<NameId, u32, BuildHasherDefault<RapidHasher<'static>>>;

impl Matcher<'_> {
    /// Whether element `i` stands where count number `place` wants it.
    pub(super) fn nth(&self, place: usize, i: usize) -> bool {
        let parent = self.tree.parent(i) as usize;
        let is_done = self.counts[place].borrow().done.get(parent).copied().unwrap_or(false);
        if !is_done {
            self.count(place, parent);
        }
        let position = self.counts[place].borrow().position[i];
        position > 0 && self.plan.counts[place].admits(position)
    }

    fn count(&self, place: usize, parent: usize) {
        let (tree, nth) = (self.tree, &self.plan.counts[place]);
        let counted: Vec<usize> = tree
            .children(parent)
            .filter(|&child| {
                self.tick()
                    && tree.is_element(child)
                    && nth.of.as_ref().is_none_or(|inner| self.inner(inner, child))
            })
            .collect();
        let mut counts = self.counts[place].borrow_mut();
        if counts.position.is_empty() {
            counts.position = vec![0; tree.len()];
            counts.done = vec![false; tree.len()];
        }
        counts.done[parent] = true;
        let mut by_type = ByType::default();
        let mut all = 0;
        let types = if nth.of_type {
            self.canonical.get_or_init(|| canonical(tree.names())).as_slice()
        } else {
            &[]
        };
        let mut number = |child: usize| {
            let count = if nth.of_type {
                by_type.entry(types[tree.name(child) as usize]).or_insert(0)
            } else {
                &mut all
            };
            *count += 1;
            counts.position[child] = *count;
        };
        if nth.from_end {
            counted.into_iter().rev().for_each(&mut number);
        } else {
            counted.into_iter().for_each(&mut number);
        }
    }
}

/// For each name the first one of the same namespace and local part: elements of one type may
/// differ in their prefix.
fn canonical(names: &Names) -> Vec<NameId> {
    let mut first: HashMap<(&str, &str), NameId, BuildHasherDefault<RapidHasher<'static>>> =
        HashMap::default();
    (0..names.len() as NameId)
        .map(|id| *first.entry((names.namespace(id), names.local(id))).or_insert(id))
        .collect()
}
