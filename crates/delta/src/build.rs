//! From a matching to a delta (Cobéna et al. §4, phase 5).
//!
//! Unmatched old nodes are deleted, unmatched new ones inserted, as maximal subtrees with holes
//! where a matched node stands. A matched node whose parents are not partners has moved; among
//! children that kept their parent, those outside a heaviest increasing subsequence have moved too.
//! Matched nodes may also have another name, text or attributes. Adjacent siblings with the same
//! fate share one operation. Time O(n log n), no recursion.

use super::content::ContentBuilder;
use super::model::{digest_of, AttributeChange, AttributeName, Delta, Operation, Order, Place};
use super::text_edit;
use super::xids::Xids;
use treelace_tree::error::{Error, Result};
use treelace_tree::increasing::heaviest_increasing;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Format, Kind, NameId, Tree, NONE};
use treelace_tree::watch::Watch;

/// How a delta is built.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Texts longer than this are written as inner edits where that is shorter.
    pub inner_edits_from: usize,
    /// Leave moves within one parent out: such a child is deleted and inserted instead (the paper's
    /// §7).
    pub leaves_out_order_moves: bool,
    /// Also record the order of attributes, which equality does not see; `None`: for HTML, where a
    /// version written again must be the version that was read.
    pub keeps_attribute_order: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options { inner_edits_from: 12, leaves_out_order_moves: false, keeps_attribute_order: None }
    }
}

/// Two versions and who is who.
struct Versions<'t> {
    old: &'t Tree,
    new: &'t Tree,
    old_xids: &'t Xids,
    /// Partner by new index.
    old_of: Vec<u32>,
    /// Partner by old index.
    new_of: Vec<u32>,
    /// Whether the matched new node stays with its siblings.
    stays: Vec<bool>,
}

/// The delta from `old` to `new`, and the XIDs of the new version. `pairs` are (old index, new
/// index), one-to-one, of equal kind; the documents are always partners, whatever the pairs say.
pub fn build(
    old: &Tree,
    old_xids: &Xids,
    new: &Tree,
    pairs: &[(u32, u32)],
    options: &Options,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<(Delta, Xids)> {
    if old_xids.of.len() != old.len() {
        return Err(Error::Usage("XIDs of another document".to_string()));
    }
    let mut versions = Versions::new(old, old_xids, new, pairs)?;
    versions.find_stayers(options, watch)?;
    let new_xids = versions.number_new_nodes();
    let mut operations = versions.value_operations(&new_xids, options)?;
    watch.check()?;
    let mut content = ContentBuilder::new(limits);
    versions.deletes(&mut operations, &mut content)?;
    versions.moves(&new_xids, &mut operations);
    versions.inserts(&new_xids, &mut operations, &mut content)?;
    watch.check()?;
    let delta = Delta {
        from: digest_of(old),
        to: digest_of(new),
        from_map: (!old_xids.is_first(old)).then(|| old_xids.to_map(old)),
        to_map: (!new_xids.is_first(new)).then(|| new_xids.to_map(new)),
        next_xid: new_xids.next,
        operations,
        content: content.finish(),
    };
    Ok((delta, new_xids))
}

impl<'t> Versions<'t> {
    fn new(old: &'t Tree, old_xids: &'t Xids, new: &'t Tree, pairs: &[(u32, u32)]) -> Result<Self> {
        let mut it = Versions {
            old,
            new,
            old_xids,
            old_of: vec![NONE; new.len()],
            new_of: vec![NONE; old.len()],
            stays: vec![false; new.len()],
        };
        it.old_of[0] = 0;
        it.new_of[0] = 0;
        for &(a, b) in pairs {
            let (i, j) = (a as usize, b as usize);
            if (a, b) == (0, 0) {
                continue;
            }
            let is_fine = i < old.len()
                && j < new.len()
                && old.kind(i) == new.kind(j)
                && it.new_of[i] == NONE
                && it.old_of[j] == NONE;
            if !is_fine {
                return Err(Error::Usage(format!(
                    "pair ({a}, {b}) is not one-to-one, or its nodes are of different kinds"
                )));
            }
            if (old.flags(i) ^ new.flags(j)) & flags::REFERENCE != 0 {
                // text and reference to an entity are of one kind, but no operation makes one of
                // the other
                continue;
            }
            it.new_of[i] = b;
            it.old_of[j] = a;
        }
        Ok(it)
    }

    fn parent_stays(&self, i: usize, j: usize) -> bool {
        let parent = self.new.parent(j);
        parent != NONE && self.old_of[parent as usize] == self.old.parent(i)
    }

    /// Marks the matched new nodes that stay among their siblings; the document always stays.
    fn find_stayers(&mut self, options: &Options, watch: &dyn Watch) -> Result<()> {
        self.stays[0] = true;
        let mut sums: Option<Vec<u64>> = None;
        for parent in 0..self.new.len() {
            if parent % 8192 == 0 {
                watch.check()?;
            }
            if self.old_of[parent] == NONE || self.new.first_child(parent).is_none() {
                continue;
            }
            let kept: Vec<usize> = self
                .new
                .children(parent)
                .filter(|&j| {
                    self.old_of[j] != NONE && self.parent_stays(self.old_of[j] as usize, j)
                })
                .collect();
            // old indexes grow with old positions, so they serve as positions
            let places: Vec<u32> = kept.iter().map(|&j| self.old_of[j]).collect();
            if places.windows(2).all(|pair| pair[0] < pair[1]) {
                kept.iter().for_each(|&j| self.stays[j] = true);
                continue;
            }
            let sums = sums.get_or_insert_with(|| weights_before(self.new));
            let rows: Vec<(u32, u64)> = kept
                .iter()
                .zip(places)
                .map(|(&j, place)| (place, sums[self.new.end(j)] - sums[j]))
                .collect();
            let chosen = heaviest_increasing(&rows);
            let mut is_chosen = vec![false; kept.len()];
            chosen.iter().for_each(|&k| is_chosen[k] = true);
            for (k, &j) in kept.iter().enumerate() {
                self.stays[j] = is_chosen[k];
                if !is_chosen[k] && options.leaves_out_order_moves {
                    self.forget(j);
                }
            }
        }
        Ok(())
    }

    /// Takes the whole subtree of new node `j` out of the matching.
    fn forget(&mut self, j: usize) {
        for inner in j..self.new.end(j) {
            let partner = self.old_of[inner];
            if partner != NONE {
                self.new_of[partner as usize] = NONE;
                self.old_of[inner] = NONE;
            }
        }
        // what stood below the old node and moved elsewhere stays matched: it moves out of a
        // deleted subtree
    }

    fn number_new_nodes(&self) -> Xids {
        let mut of = vec![0; self.new.len()];
        let mut next = self.old_xids.next;
        for node in self.new.post_order() {
            let partner = self.old_of[node as usize];
            of[node as usize] = if partner == NONE {
                next += 1;
                next - 1
            } else {
                self.old_xids.of[partner as usize]
            };
        }
        Xids { of, next }
    }

    /// Updates, renames and attributes, in the order of the new document.
    fn value_operations(&self, xids: &Xids, options: &Options) -> Result<Vec<Operation>> {
        let mut operations = Vec::new();
        let same_names = NameMap::new(self.old, self.new);
        for j in 0..self.new.len() {
            let i = self.old_of[j];
            if i == NONE {
                continue;
            }
            let (i, xid) = (i as usize, xids.of[j]);
            if !same_names.same(self.old.name(i), self.new.name(j)) {
                operations.push(Operation::Rename {
                    xid,
                    old: name_of(self.old, self.old.name(i)),
                    new: name_of(self.new, self.new.name(j)),
                });
            }
            if self.old.text(i) != self.new.text(j) {
                let change =
                    text_edit::change(self.old.text(i), self.new.text(j), options.inner_edits_from);
                operations.push(Operation::Update { xid, change });
            }
            self.attribute_operations(i, j, xid, &same_names, options, &mut operations);
        }
        Ok(operations)
    }

    fn attribute_operations(
        &self,
        i: usize,
        j: usize,
        xid: u64,
        same: &NameMap,
        options: &Options,
        operations: &mut Vec<Operation>,
    ) {
        let (old, new) = (self.old, self.new);
        let (before, after) = (old.attributes(i), new.attributes(j));
        let is_equal = before.len() == after.len()
            && before.clone().zip(after.clone()).all(|(a, b)| {
                same.same(old.attr_name(a), new.attr_name(b))
                    && old.attr_value(a) == new.attr_value(b)
            });
        if is_equal {
            return;
        }
        let find =
            |a: usize| after.clone().find(|&b| same.same(old.attr_name(a), new.attr_name(b)));
        let is_new =
            |b: usize| !before.clone().any(|a| same.same(old.attr_name(a), new.attr_name(b)));
        for a in before.clone() {
            let (name, value) = (|| name_of(old, old.attr_name(a)), old.attr_value(a));
            match find(a).map(|b| new.attr_value(b)) {
                Some(now) if now == value => {}
                Some(now) => {
                    let change = AttributeChange::Changed(text_edit::change(
                        value,
                        now,
                        options.inner_edits_from,
                    ));
                    operations.push(Operation::Attribute { xid, name: name(), change });
                }
                None => operations.push(Operation::Attribute {
                    xid,
                    name: name(),
                    change: AttributeChange::Went(value.to_string()),
                }),
            }
        }
        let came: Vec<usize> = after.clone().filter(|&b| is_new(b)).collect();
        for &b in &came {
            let change = AttributeChange::Came(new.attr_value(b).to_string());
            operations.push(Operation::Attribute {
                xid,
                name: name_of(new, new.attr_name(b)),
                change,
            });
        }
        if options.keeps_attribute_order.unwrap_or(new.meta().format == Format::Html) {
            // what applying the operations would give: those that stay in their places, new ones
            // behind
            let there: Vec<usize> = before.clone().filter_map(find).chain(came).collect();
            let stay_back = after.clone().filter_map(|b| {
                before.clone().find(|&a| same.same(old.attr_name(a), new.attr_name(b)))
            });
            let back: Vec<usize> =
                stay_back.chain(before.clone().filter(|&a| find(a).is_none())).collect();
            let order = Order { old: places(&back, before), new: places(&there, after) };
            if order != (Order { old: Vec::new(), new: Vec::new() }) {
                operations.push(Operation::Reorder { xid, order });
            }
        }
    }

    fn deletes(&self, operations: &mut Vec<Operation>, content: &mut ContentBuilder) -> Result<()> {
        let is_gone = |i: usize| self.new_of[i] == NONE;
        runs_of_unmatched(self.old, &is_gone, |parent, at, first, last| {
            let nodes =
                copy_run(self.old, first, last, &is_gone, &|i| self.old_xids.of[i], content)?;
            operations.push(Operation::Delete {
                place: Place { parent: self.old_xids.of[parent], at },
                nodes,
            });
            Ok(())
        })
    }

    fn inserts(
        &self,
        xids: &Xids,
        operations: &mut Vec<Operation>,
        content: &mut ContentBuilder,
    ) -> Result<()> {
        let is_new = |j: usize| self.old_of[j] == NONE;
        runs_of_unmatched(self.new, &is_new, |parent, at, first, last| {
            let nodes = copy_run(self.new, first, last, &is_new, &|j| xids.of[j], content)?;
            operations
                .push(Operation::Insert { place: Place { parent: xids.of[parent], at }, nodes });
            Ok(())
        })
    }

    /// Moves, in the order of the new document; adjacent siblings that were adjacent siblings share
    /// one.
    fn moves(&self, xids: &Xids, operations: &mut Vec<Operation>) {
        let old_positions = self.old.positions();
        for parent in 0..self.new.len() {
            // (old parent, old position of the last, new position of the last) of the run that can
            // still grow
            let mut run: Option<(u32, u32, u32)> = None;
            for (number, j) in self.new.children(parent).enumerate() {
                let (i, at) = (self.old_of[j], number as u32 + 1);
                if i == NONE || self.stays[j] {
                    run = None;
                    continue;
                }
                let (from_parent, from_at) =
                    (self.old.parent(i as usize), old_positions[i as usize]);
                if run == Some((from_parent, from_at.wrapping_sub(1), at - 1)) {
                    if let Some(Operation::Move { xids: moved, .. }) = operations.last_mut() {
                        moved.push(xids.of[j]);
                    }
                } else {
                    let from =
                        Place { parent: self.old_xids.of[from_parent as usize], at: from_at };
                    let to = Place { parent: xids.of[parent], at };
                    operations.push(Operation::Move { xids: vec![xids.of[j]], from, to });
                }
                run = Some((from_parent, from_at, at));
            }
        }
    }
}

/// Calls `found` with (parent, position of the first, first, last) for every run of adjacent
/// unmatched siblings whose parent is matched; runs inside an unmatched subtree belong to that
/// subtree, those below a hole are found there.
fn runs_of_unmatched(
    tree: &Tree,
    is_unmatched: &dyn Fn(usize) -> bool,
    mut found: impl FnMut(usize, u32, usize, usize) -> Result<()>,
) -> Result<()> {
    for parent in (0..tree.len()).filter(|&i| !is_unmatched(i)) {
        let mut run: Option<(u32, usize, usize)> = None;
        for (number, child) in tree.children(parent).enumerate() {
            run = match (run, is_unmatched(child)) {
                (Some((at, first, _)), true) => Some((at, first, child)),
                (None, true) => Some((number as u32 + 1, child, child)),
                (Some((at, first, last)), false) => {
                    found(parent, at, first, last)?;
                    None
                }
                (None, false) => None,
            };
        }
        if let Some((at, first, last)) = run {
            found(parent, at, first, last)?;
        }
    }
    Ok(())
}

/// Copies the sibling subtrees `first..=last` into the content, with holes for the nodes that are
/// matched.
fn copy_run(
    tree: &Tree,
    first: usize,
    last: usize,
    is_unmatched: &dyn Fn(usize) -> bool,
    xid: &dyn Fn(usize) -> u64,
    content: &mut ContentBuilder,
) -> Result<std::ops::Range<u32>> {
    let start = content.next_row();
    let top = tree.depth(first);
    let mut i = first;
    while i < tree.end(last) {
        content.close_to(tree.depth(i) - top + 1);
        if is_unmatched(i) {
            content.node(tree, i, xid(i))?;
            i += 1;
        } else {
            content.hole(xid(i))?;
            i = tree.end(i);
        }
    }
    content.close_to(1);
    Ok(start..content.next_row())
}

/// For each node the sum of the weights of all before it. A subtree weighs what it would cost to
/// say otherwise: its nodes and the length of their texts, in thousandths.
fn weights_before(tree: &Tree) -> Vec<u64> {
    let mut sum = 0;
    let mut sums = Vec::with_capacity(tree.len() + 1);
    for i in 0..tree.len() {
        sums.push(sum);
        sum += 1000 + (1000.0 * (1.0 + tree.text(i).len() as f64).ln()) as u64;
    }
    sums.push(sum);
    sums
}

/// For the finished list the places (from 1) in the natural one; nothing where they are the same.
fn places(natural: &[usize], finished: std::ops::Range<usize>) -> Vec<u32> {
    if natural.iter().copied().eq(finished.clone()) {
        return Vec::new();
    }
    let mut place = vec![0; finished.len()];
    natural
        .iter()
        .enumerate()
        .for_each(|(number, &a)| place[a - finished.start] = number as u32 + 1);
    place
}

/// A name in full.
pub(super) fn name_of(tree: &Tree, id: NameId) -> AttributeName {
    let names = tree.names();
    AttributeName {
        namespace: names.namespace(id).to_string(),
        prefix: names.prefix(id).to_string(),
        local: names.local(id).to_string(),
    }
}

/// Which names of two trees are the same.
struct NameMap {
    new_of_old: Vec<NameId>,
}

impl NameMap {
    fn new(old: &Tree, new: &Tree) -> Self {
        let names = old.names();
        let find = |id: NameId| {
            new.names()
                .find(names.prefix(id), names.namespace(id), names.local(id))
                .unwrap_or(NameId::MAX)
        };
        NameMap { new_of_old: (0..names.len() as NameId).map(find).collect() }
    }

    fn same(&self, old: NameId, new: NameId) -> bool {
        self.new_of_old[old as usize] == new
    }
}

/// The kinds whose name may change without becoming another node.
pub(super) fn can_be_renamed(kind: Kind) -> bool {
    matches!(kind, Kind::Element | Kind::Instruction | Kind::Doctype)
}
