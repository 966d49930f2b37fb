//! The axes, for a whole node-set at once (XPath 1.0 §2.2).
//!
//! A set is sorted, and a subtree is a range of rows. So the descendants of a set are the rows of
//! its outermost ranges, its following nodes begin at the first range that ends, its preceding
//! nodes end at its last node: each axis takes time linear in the rows it looks at, however many
//! context nodes there are. On `{a{b{c}{d}}{e}}` the set {b, c} has the descendants {c, d}: the
//! range of c lies in that of b and is not looked at again.

use super::plan::{Axis, Step, Test};
use super::run::Run;
use super::value::{Item, Part};
use crate::error::Result;
use crate::select::names::NameSet;
use crate::tree::{Kind, NONE};

/// Rows compared at once in a scan for one name.
const LANES: usize = 16;

impl Run<'_> {
    /// All nodes that `axis` reaches from `set` and that pass `test`, in document order.
    pub(super) fn axis(&self, set: &[Item], axis: Axis, test: &Test) -> Result<Vec<Item>> {
        let tree = self.tree;
        let mut found = Vec::new();
        match axis {
            Axis::Itself => {
                found.extend(set.iter().copied().filter(|&item| self.item_passes(test, item)))
            }
            Axis::Child => {
                for i in nodes(set) {
                    let before = found.len();
                    found.extend(
                        tree.children(i).filter(|&child| self.passes(test, child)).map(Item::node),
                    );
                    self.spend(1 + found.len() - before)?;
                }
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                self.descendants(set, axis, test, &mut found)?
            }
            Axis::Parent => {
                found.extend(
                    set.iter()
                        .filter_map(|&item| self.parent(item))
                        .filter(|&i| self.passes(test, i))
                        .map(Item::node),
                );
                self.spend(set.len())?;
            }
            Axis::Ancestor | Axis::AncestorOrSelf => self.ancestors(set, axis, test, &mut found)?,
            Axis::Following => {
                if let Some(from) = set.iter().map(|&item| self.after(item)).min() {
                    self.scan(from..tree.len(), test, &mut found)?;
                }
            }
            Axis::Preceding => {
                // what precedes an earlier node precedes a later one, or is an ancestor of it:
                // nobody's ancestors count
                if let Some(last) = set.last().map(|item| item.index()) {
                    self.scan(0..last, test, &mut found)?;
                    found.retain(|item| tree.end(item.index()) <= last);
                }
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                self.siblings(set, axis, test, &mut found)?
            }
            Axis::Attribute => {
                for i in nodes(set).filter(|&i| tree.is_element(i)) {
                    self.attributes(i, test, |item| found.push(item));
                }
                self.spend(set.len() + found.len())?;
            }
            Axis::Namespace => {
                for i in nodes(set).filter(|&i| tree.is_element(i)) {
                    self.spend(1 + tree.depth(i) as usize)?;
                    found.extend(self.namespace_items(i, test));
                }
            }
        }
        if !found.is_sorted() {
            found.sort_unstable();
        }
        found.dedup();
        Ok(found)
    }

    /// Whether a search from `item` along `steps` comes to a node for which `is_found` says yes.
    /// Steps may hold only predicates that do not ask for positions, and all but the last are
    /// narrow.
    pub(super) fn search(
        &self,
        steps: &[Step],
        item: Item,
        is_found: &mut dyn FnMut(Item) -> Result<bool>,
    ) -> Result<bool> {
        let Some((step, rest)) = steps.split_first() else { return is_found(item) };
        let mut visit = |item: Item| -> Result<bool> {
            self.spend(1)?;
            for predicate in &step.predicates {
                if !self.holds(predicate, item)? {
                    return Ok(false);
                }
            }
            if rest.is_empty() {
                is_found(item)
            } else {
                self.search(rest, item, is_found)
            }
        };
        let tree = self.tree;
        let test = &step.test;
        match step.axis {
            Axis::Itself => Ok(self.item_passes(test, item) && visit(item)?),
            Axis::Parent => match self.parent(item) {
                Some(parent) if self.passes(test, parent) => visit(Item::node(parent)),
                _ => Ok(false),
            },
            Axis::Attribute => {
                if !item.is_node() || !tree.is_element(item.index()) {
                    return Ok(false);
                }
                if let Test::Name(place) = test {
                    // by far the commonest question
                    let i = item.index();
                    let rows = tree.attributes(i);
                    let names = &self.names[*place];
                    for (k, row) in rows.enumerate() {
                        if names.has(tree.attr_name(row)) && visit(Item::attribute(i, k))? {
                            return Ok(true);
                        }
                    }
                    return Ok(false);
                }
                let mut all = Vec::new();
                self.attributes(item.index(), test, |item| all.push(item));
                any(all, visit)
            }
            Axis::Child => {
                if !item.is_node() {
                    return Ok(false);
                }
                for child in tree.children(item.index()) {
                    if self.passes(test, child) && visit(Item::node(child))? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Axis::Descendant | Axis::DescendantOrSelf if item.is_node() => {
                let from = item.index() + usize::from(step.axis == Axis::Descendant);
                for i in from..tree.end(item.index()) {
                    if self.passes(test, i) && visit(Item::node(i))? {
                        return Ok(true);
                    }
                    self.spend(1)?;
                }
                Ok(false)
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                if step.axis == Axis::AncestorOrSelf && self.item_passes(test, item) && visit(item)?
                {
                    return Ok(true);
                }
                let mut next = self.parent(item);
                while let Some(i) = next {
                    if self.passes(test, i) && visit(Item::node(i))? {
                        return Ok(true);
                    }
                    self.spend(1)?;
                    next = self.parent(Item::node(i));
                }
                Ok(false)
            }
            Axis::FollowingSibling if item.is_node() => {
                let mut next = tree.next_sibling(item.index());
                while let Some(i) = next {
                    if self.passes(test, i) && visit(Item::node(i))? {
                        return Ok(true);
                    }
                    self.spend(1)?;
                    next = tree.next_sibling(i);
                }
                Ok(false)
            }
            axis => any(self.axis(&[item], axis, test)?, visit),
        }
    }

    /// Row of the parent; the element of an attribute or namespace.
    pub(super) fn parent(&self, item: Item) -> Option<usize> {
        let i = item.index();
        match item.part() {
            Part::Node => Some(self.tree.parent(i))
                .filter(|&parent| parent != NONE)
                .map(|parent| parent as usize),
            _ => Some(i),
        }
    }

    /// First row that can follow an item: past its subtree; for an attribute or namespace, past the
    /// start of its element.
    pub(super) fn after(&self, item: Item) -> usize {
        if item.is_node() {
            self.tree.end(item.index())
        } else {
            item.index() + 1
        }
    }

    fn descendants(
        &self,
        set: &[Item],
        axis: Axis,
        test: &Test,
        found: &mut Vec<Item>,
    ) -> Result<()> {
        let mut done = 0;
        for &item in set {
            let i = item.index();
            if !item.is_node() {
                if axis == Axis::DescendantOrSelf && *test == Test::Node {
                    found.push(item);
                }
                continue;
            }
            let from = if axis == Axis::Descendant { i + 1 } else { i };
            if self.tree.end(i) > done {
                self.scan(from.max(done)..self.tree.end(i), test, found)?;
                done = self.tree.end(i);
            }
        }
        Ok(())
    }

    fn ancestors(
        &self,
        set: &[Item],
        axis: Axis,
        test: &Test,
        found: &mut Vec<Item>,
    ) -> Result<()> {
        let tree = self.tree;
        // all ancestors of this item have been met
        let mut before: Option<Item> = None;
        for &item in set {
            if axis == Axis::AncestorOrSelf && self.item_passes(test, item) {
                found.push(item);
            }
            let mut next = self.parent(item);
            while let Some(i) = next {
                if before.is_some_and(|it| {
                    (i < it.index() && it.index() < tree.end(i))
                        || (i == it.index() && !it.is_node())
                }) {
                    break;
                }
                if self.passes(test, i) {
                    found.push(Item::node(i));
                }
                self.spend(1)?;
                next = self.parent(Item::node(i));
            }
            before = Some(item);
        }
        Ok(())
    }

    fn siblings(&self, set: &[Item], axis: Axis, test: &Test, found: &mut Vec<Item>) -> Result<()> {
        let tree = self.tree;
        let mut places: Vec<(usize, usize)> =
            nodes(set).filter(|&i| i > 0).map(|i| (tree.parent(i) as usize, i)).collect();
        if !places.is_sorted() {
            places.sort_unstable();
        }
        for group in places.chunk_by(|left, right| left.0 == right.0) {
            let (parent, first, last) = (group[0].0, group[0].1, group[group.len() - 1].1);
            let (mut next, end) = if axis == Axis::FollowingSibling {
                (tree.end(first), tree.end(parent))
            } else {
                (parent + 1, last)
            };
            // of texts that are one for XPath, none is the sibling of another
            while next < end {
                if self.passes(test, next) {
                    found.push(Item::node(next));
                }
                self.spend(1)?;
                next = tree.end(next);
            }
        }
        Ok(())
    }

    pub(super) fn attributes(&self, i: usize, test: &Test, mut found: impl FnMut(Item)) {
        let tree = self.tree;
        for (k, row) in tree.attributes(i).enumerate() {
            let name = tree.attr_name(row);
            let passes = match test {
                Test::Name(place) => self.names[*place].has(name),
                Test::Star | Test::Node => !self.declarations().has(name),
                _ => false,
            };
            if passes {
                found(Item::attribute(i, k));
            }
        }
    }

    fn namespace_items(&self, i: usize, test: &Test) -> Vec<Item> {
        let passes = |prefix: &str| match test {
            Test::Star | Test::Node => true,
            Test::Name(place) => {
                let name = &self.plan.names[*place];
                name.namespace.is_none() && name.local.as_deref() == Some(prefix)
            }
            _ => false,
        };
        self.namespaces(i)
            .iter()
            .enumerate()
            .filter(|(_, it)| passes(it.0))
            .map(|(k, _)| Item::namespace(i, k))
            .collect()
    }

    /// The rows of a range that pass a test.
    pub(super) fn scan(
        &self,
        range: std::ops::Range<usize>,
        test: &Test,
        found: &mut Vec<Item>,
    ) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let mut from = range.start;
        while from < range.end {
            let to = range.end.min(from + (1 << 15));
            match test {
                Test::Name(place) => match &self.names[*place] {
                    NameSet::None => {}
                    NameSet::One(id) => {
                        let ids = &self.tree.name_ids()[from..to];
                        for (k, lane) in ids.chunks(LANES).enumerate() {
                            if lane.iter().fold(false, |any, it| any | (it == id)) {
                                let start = from + k * LANES;
                                found.extend(
                                    (start..start + lane.len())
                                        .filter(|&i| self.passes(test, i))
                                        .map(Item::node),
                                );
                            }
                        }
                    }
                    NameSet::Some(_) => {
                        found.extend((from..to).filter(|&i| self.passes(test, i)).map(Item::node))
                    }
                },
                Test::Text => {
                    let kinds = &self.tree.kind_numbers()[from..to];
                    let texts =
                        kinds.iter().enumerate().filter(|(_, &kind)| kind == Kind::Text as u8);
                    found.extend(
                        texts.map(|(k, _)| from + k).filter(|&i| self.sees(i)).map(Item::node),
                    );
                }
                _ => found.extend((from..to).filter(|&i| self.passes(test, i)).map(Item::node)),
            }
            self.spend(to - from)?;
            from = to;
        }
        Ok(())
    }
}

/// The tree nodes of a set.
fn nodes(set: &[Item]) -> impl Iterator<Item = usize> + '_ {
    set.iter().filter(|item| item.is_node()).map(|item| item.index())
}

fn any(items: Vec<Item>, mut visit: impl FnMut(Item) -> Result<bool>) -> Result<bool> {
    for item in items {
        if visit(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}
