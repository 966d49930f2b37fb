//! Runs a delta (Marian et al. 2001): check, detach everything that moves or goes, attach
//! everything that comes, by increasing position.
//!
//! Total: for any delta and any document the answer is the new document or an error, and the old
//! one is never touched. A delta for another document is refused before anything is done; a damaged
//! one is found at the latest when the digest of the result is not the promised one.

use super::build::can_be_renamed;
use super::model::{digest_of, AttributeChange, AttributeName, Delta, Digest, Operation, Place};
use super::text_edit;
use super::xids::Xids;
use treelace_tree::error::{Error, Result};
use treelace_tree::hash::Map;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Builder, Format, Kind, NameId, Tree, HTML, NONE};
use treelace_tree::watch::Watch;
use treelace_tree::write::html;

/// A node on its way: an index of the old tree, or, from `old.len()` on, a row of the content.
type Ref = u32;

/// The document that `delta` makes of `old`, and its XIDs. `xids` are those of `old`; `None`: those
/// the delta names.
pub fn apply(
    delta: &Delta,
    old: &Tree,
    xids: Option<&Xids>,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<(Tree, Xids)> {
    let found = digest_of(old);
    if found != delta.from {
        return Err(Error::Delta(format!(
            "this delta is for the document {}, not for {}",
            hex(&delta.from),
            hex(&found)
        )));
    }
    let old_xids = match (xids, &delta.from_map) {
        (Some(xids), _) => xids.clone(),
        (None, Some(map)) => Xids::from_map(old, map, delta.next_xid).map_err(damaged)?,
        (None, None) => Xids::first(old),
    };
    let (tree, new_xids) = run(delta, old, &old_xids, limits, watch)?;
    if digest_of(&tree) != delta.to {
        return Err(wrong("what it makes is not what it was made from"));
    }
    Ok((tree, new_xids))
}

/// What the operations make of `old`; nobody has looked at the digests.
fn run(
    delta: &Delta,
    old: &Tree,
    old_xids: &Xids,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<(Tree, Xids)> {
    if old_xids.of.len() != old.len() {
        return Err(Error::Usage("XIDs of another document".to_string()));
    }
    let mut work = Work::new(delta, old, old_xids)?;
    work.take_values()?;
    work.detach()?;
    work.attach()?;
    watch.check()?;
    let (mut tree, new_xids) = work.write(limits, watch)?;
    if tree.meta().format == Format::Html && !tree.meta().is_fragment {
        // no operation says the quirks mode, but another doctype means another one
        let doctype = html::doctype_of(&tree);
        if doctype != html::doctype_of(old) {
            tree = tree.with_quirks(html::quirks_of(&doctype));
        }
    }
    new_xids.check().map_err(damaged)?;
    Ok((tree, new_xids))
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::Delta(format!("this delta is damaged: {what}"))
}

fn damaged(error: Error) -> Error {
    wrong(error)
}

/// A digest as people see it.
pub(crate) fn hex(digest: &Digest) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// New values of a node that stays.
#[derive(Default)]
struct Changed<'d> {
    text: Option<String>,
    name: Option<&'d AttributeName>,
    attributes: Vec<(&'d AttributeName, &'d AttributeChange)>,
    order: Option<&'d [u32]>,
}

struct Work<'d> {
    delta: &'d Delta,
    old: &'d Tree,
    old_xids: &'d Xids,
    /// Where a node is found: old ones by their XID, coming ones too.
    by_xid: Map<u64, Ref>,
    changed: Map<Ref, Changed<'d>>,
    /// Old nodes that leave their place.
    is_detached: Vec<bool>,
    /// Children of the parents that an operation touches.
    lists: Map<Ref, Vec<Ref>>,
}

impl<'d> Work<'d> {
    fn new(delta: &'d Delta, old: &'d Tree, old_xids: &'d Xids) -> Result<Self> {
        let base = old.len() as u64;
        if base + delta.content.xids.len() as u64 >= u64::from(NONE)
            || delta.content.xids.len() != delta.content.tree.len()
        {
            return Err(wrong("its content is not whole"));
        }
        let mut by_xid: Map<u64, Ref> = Map::default();
        by_xid.reserve(old.len());
        for (i, &xid) in old_xids.of.iter().enumerate() {
            by_xid.insert(xid, i as Ref);
        }
        let mut work = Work {
            delta,
            old,
            old_xids,
            by_xid,
            changed: Map::default(),
            is_detached: vec![false; old.len()],
            lists: Map::default(),
        };
        for operation in &delta.operations {
            let (Operation::Insert { nodes, .. } | Operation::Delete { nodes, .. }) = operation
            else {
                continue;
            };
            work.check_run(nodes)?;
            if let Operation::Insert { .. } = operation {
                for row in nodes.clone().filter(|&row| !delta.content.is_hole[row as usize]) {
                    if work
                        .by_xid
                        .insert(delta.content.xids[row as usize], work.of_row(row))
                        .is_some()
                    {
                        return Err(wrong(format!(
                            "node {} comes in twice",
                            delta.content.xids[row as usize]
                        )));
                    }
                }
            }
        }
        Ok(work)
    }

    /// Rows of an operation are whole sibling subtrees at the top of the content.
    fn check_run(&self, nodes: &std::ops::Range<u32>) -> Result<()> {
        let tree = &self.delta.content.tree;
        let (start, end) = (nodes.start as usize, nodes.end as usize);
        let is_fine = start >= 1
            && start < end
            && end <= tree.len()
            && tree.depth(start) == 1
            && (end == tree.len() || tree.depth(end) == 1);
        is_fine.then_some(()).ok_or_else(|| wrong("an operation names nodes that it does not have"))
    }

    fn of_row(&self, row: u32) -> Ref {
        self.old.len() as Ref + row
    }

    fn find(&self, xid: u64) -> Result<Ref> {
        self.by_xid.get(&xid).copied().ok_or_else(|| wrong(format!("there is no node {xid}")))
    }

    fn find_old(&self, xid: u64) -> Result<usize> {
        let node = self.find(xid)? as usize;
        (node < self.old.len())
            .then_some(node)
            .ok_or_else(|| wrong(format!("node {xid} is not in the old document")))
    }

    /// Texts, names and attributes.
    fn take_values(&mut self) -> Result<()> {
        for operation in &self.delta.operations {
            match operation {
                Operation::Update { xid, change } => {
                    let node = self.find_old(*xid)?;
                    if matches!(self.old.kind(node), Kind::Document | Kind::Element) {
                        return Err(wrong(format!("node {xid} has no text of its own")));
                    }
                    let text = text_edit::apply(change, self.old.text(node))
                        .ok_or_else(|| wrong(format!("node {xid} has another text")))?;
                    self.change(node).text = Some(text);
                }
                Operation::Rename { xid, new, .. } => {
                    let node = self.find_old(*xid)?;
                    if !can_be_renamed(self.old.kind(node)) {
                        return Err(wrong(format!("node {xid} has no name")));
                    }
                    self.change(node).name = Some(new);
                }
                Operation::Attribute { xid, name, change } => {
                    let node = self.find_old(*xid)?;
                    self.change(node).attributes.push((name, change));
                }
                Operation::Reorder { xid, order } => {
                    let node = self.find_old(*xid)?;
                    self.change(node).order =
                        Some(&order.new).filter(|order| !order.is_empty()).map(Vec::as_slice);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn change(&mut self, node: usize) -> &mut Changed<'d> {
        self.changed.entry(node as Ref).or_default()
    }

    /// Takes out what goes and what moves.
    fn detach(&mut self) -> Result<()> {
        let mut leaving: Vec<(Place, u64)> = Vec::new();
        for operation in &self.delta.operations {
            match operation {
                Operation::Delete { place, nodes } => {
                    let content = &self.delta.content;
                    let mut row = nodes.start as usize;
                    let mut at = place.at;
                    while row < nodes.end as usize {
                        if content.is_hole[row] {
                            return Err(wrong("a deleted node is elsewhere"));
                        }
                        leaving.push((Place { parent: place.parent, at }, content.xids[row]));
                        row = content.tree.end(row);
                        at = at.checked_add(1).ok_or_else(|| wrong("a position is too large"))?;
                    }
                }
                Operation::Move { xids, from, .. } => {
                    for (k, &xid) in xids.iter().enumerate() {
                        let at = u32::try_from(k)
                            .ok()
                            .and_then(|k| from.at.checked_add(k))
                            .ok_or_else(|| wrong("a position is too large"))?;
                        leaving.push((Place { parent: from.parent, at }, xid));
                    }
                }
                _ => {}
            }
        }
        let mut children: Map<usize, Vec<usize>> = Map::default();
        for (place, xid) in leaving {
            let node = self.find_old(xid)?;
            let parent = self.find_old(place.parent)?;
            let listed =
                children.entry(parent).or_insert_with(|| self.old.children(parent).collect());
            let is_there = listed.get((place.at as usize).wrapping_sub(1)) == Some(&node);
            if !is_there || std::mem::replace(&mut self.is_detached[node], true) {
                return Err(wrong(format!("node {xid} is not where it is taken from")));
            }
            self.lists.entry(parent as Ref).or_default();
        }
        let touched: Vec<Ref> = self.lists.keys().copied().collect();
        for parent in touched {
            let stay = self.staying(parent);
            self.lists.insert(parent, stay);
        }
        Ok(())
    }

    /// The children that stay with a parent, before anything comes in.
    fn staying(&self, parent: Ref) -> Vec<Ref> {
        let base = self.old.len() as Ref;
        if parent < base {
            return self
                .old
                .children(parent as usize)
                .filter(|&i| !self.is_detached[i])
                .map(|i| i as Ref)
                .collect();
        }
        let content = &self.delta.content;
        content
            .tree
            .children((parent - base) as usize)
            .filter(|&row| !content.is_hole[row])
            .map(|row| base + row as Ref)
            .collect()
    }

    /// Puts in what comes and what moves, by increasing position.
    fn attach(&mut self) -> Result<()> {
        let mut coming: Vec<(Ref, u32, Ref)> = Vec::new();
        for operation in &self.delta.operations {
            match operation {
                Operation::Insert { place, nodes } => {
                    let parent = self.find(place.parent)?;
                    let mut row = nodes.start as usize;
                    let mut at = place.at;
                    while row < nodes.end as usize {
                        if self.delta.content.is_hole[row] {
                            return Err(wrong("an inserted node is elsewhere"));
                        }
                        coming.push((parent, at, self.of_row(row as u32)));
                        row = self.delta.content.tree.end(row);
                        at = at.checked_add(1).ok_or_else(|| wrong("a position is too large"))?;
                    }
                }
                Operation::Move { xids, to, .. } => {
                    let parent = self.find(to.parent)?;
                    for (k, &xid) in xids.iter().enumerate() {
                        coming.push((
                            parent,
                            to.at.saturating_add(k as u32),
                            self.find_old(xid)? as Ref,
                        ));
                    }
                }
                _ => {}
            }
        }
        coming.sort_unstable();
        // a node that is attached twice could close a circle: each moved or inserted node comes
        // exactly once
        let mut nodes: Vec<Ref> = coming.iter().map(|&(_, _, node)| node).collect();
        nodes.sort_unstable();
        if nodes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong("a node comes in at two places"));
        }
        let mut k = 0;
        while k < coming.len() {
            let parent = coming[k].0;
            let group = coming[k..].iter().take_while(|it| it.0 == parent).count();
            let stay = match self.lists.remove(&parent) {
                Some(list) => list,
                None => self.staying(parent),
            };
            self.lists.insert(parent, merged(stay, &coming[k..k + group])?);
            k += group;
        }
        Ok(())
    }

    /// Writes the new document.
    fn write(&self, limits: Limits, watch: &dyn Watch) -> Result<(Tree, Xids)> {
        let mut meta = self.old.meta().clone();
        meta.problems.clear();
        meta.problem_count = 0;
        let mut writer = Writer {
            builder: Builder::with_capacity(
                meta,
                limits,
                self.old.len() + self.delta.content.xids.len(),
                0,
            ),
            names: [
                vec![NONE; self.old.names().len()],
                vec![NONE; self.delta.content.tree.names().len()],
            ],
            is_html: self.old.meta().format == Format::Html,
            template_from: Vec::new(),
        };
        let mut xids = vec![0];
        // (parent, depth of its children, next child) of the lists that are being written
        let mut waiting: Vec<(Ref, u32)> = Vec::new();
        self.push_children(0, 1, &mut waiting);
        while let Some((node, depth)) = waiting.pop() {
            if xids.len() % 8192 == 0 {
                watch.check()?;
            }
            if xids.len() as u64 > limits.nodes {
                return Err(Error::limit("nodes", limits.nodes));
            }
            let base = self.old.len() as Ref;
            let (tree, index, source) = if node < base {
                (self.old, node as usize, 0)
            } else {
                (&*self.delta.content.tree, (node - base) as usize, 1)
            };
            writer.node(tree, index, source, depth, self.changed.get(&node))?;
            xids.push(if node < base {
                self.old_xids.of[index]
            } else {
                self.delta.content.xids[index]
            });
            self.push_children(node, depth + 1, &mut waiting);
        }
        Ok((writer.builder.finish(), Xids { of: xids, next: self.delta.next_xid }))
    }

    /// Puts the children of a node on the stack, last first.
    fn push_children(&self, node: Ref, depth: u32, waiting: &mut Vec<(Ref, u32)>) {
        let start = waiting.len();
        match self.lists.get(&node) {
            Some(list) => waiting.extend(list.iter().map(|&child| (child, depth))),
            None if node < self.old.len() as Ref => {
                waiting.extend(self.old.children(node as usize).map(|child| (child as Ref, depth)))
            }
            None => waiting.extend(self.staying(node).into_iter().map(|child| (child, depth))),
        }
        waiting[start..].reverse();
    }
}

/// The stayers, with the comers at their positions (1-based, in the finished list, increasing).
fn merged(stay: Vec<Ref>, coming: &[(Ref, u32, Ref)]) -> Result<Vec<Ref>> {
    let total = stay.len() + coming.len();
    let mut list = Vec::with_capacity(total);
    let mut stay = stay.into_iter();
    for &(_, at, node) in coming {
        while list.len() + 1 < at as usize {
            list.push(stay.next().ok_or_else(|| wrong(format!("position {at} is past the end")))?);
        }
        if list.len() + 1 != at as usize {
            return Err(wrong(format!("two nodes come to position {at}")));
        }
        list.push(node);
    }
    list.extend(stay);
    Ok(list)
}

/// Copies nodes into a builder.
struct Writer {
    builder: Builder,
    /// Name numbers of the old tree and of the content, in the new tree; `NONE`: not asked for yet.
    names: [Vec<NameId>; 2],
    is_html: bool,
    /// Depths at which the contents of an HTML template begin.
    template_from: Vec<u32>,
}

impl Writer {
    fn name(&mut self, tree: &Tree, source: usize, id: NameId) -> NameId {
        let known = self.names[source][id as usize];
        if known != NONE {
            return known;
        }
        let names = tree.names();
        let made = self.builder.intern(names.prefix(id), names.namespace(id), names.local(id));
        self.names[source][id as usize] = made;
        made
    }

    fn intern(&mut self, name: &AttributeName) -> NameId {
        self.builder.intern(&name.prefix, &name.namespace, &name.local)
    }

    fn node(
        &mut self,
        tree: &Tree,
        i: usize,
        source: usize,
        depth: u32,
        changed: Option<&Changed<'_>>,
    ) -> Result<()> {
        while self.builder.open_depth() > depth as usize {
            self.builder.close();
        }
        while self.template_from.last().is_some_and(|&from| from > depth) {
            self.template_from.pop();
        }
        let mark = if self.template_from.is_empty() { 0 } else { flags::IN_TEMPLATE }
            | tree.flags(i) & flags::REFERENCE;
        let name = match changed.and_then(|changed| changed.name) {
            Some(name) => self.intern(name),
            None => self.name(tree, source, tree.name(i)),
        };
        if tree.kind(i) == Kind::Element {
            self.builder.open(name, tree.line(i), mark)?;
            let names = self.builder.names();
            if self.is_html && names.local(name) == "template" && names.namespace(name) == HTML {
                self.template_from.push(depth + 1);
            }
        } else {
            let text =
                changed.and_then(|changed| changed.text.as_deref()).unwrap_or_else(|| tree.text(i));
            self.builder.leaf(tree.kind(i), name, text, tree.line(i), mark)?;
        }
        match changed {
            Some(changed) if !changed.attributes.is_empty() || changed.order.is_some() => {
                self.changed_attributes(tree, i, changed)
            }
            _ => {
                for a in tree.attributes(i) {
                    let name = self.name(tree, source, tree.attr_name(a));
                    self.builder.attribute(name, tree.attr_value(a), tree.attr_flags(a))?;
                }
                Ok(())
            }
        }
    }

    fn changed_attributes(&mut self, tree: &Tree, i: usize, changed: &Changed<'_>) -> Result<()> {
        let mut list: Vec<(AttributeName, String, u8)> = tree
            .attributes(i)
            .map(|a| {
                (
                    super::build::name_of(tree, tree.attr_name(a)),
                    tree.attr_value(a).to_string(),
                    tree.attr_flags(a),
                )
            })
            .collect();
        for &(name, change) in &changed.attributes {
            let at = list.iter().position(|(have, _, _)| have == name);
            let differs = || wrong(format!("attribute {} has another value", name.local));
            match (at, change) {
                (Some(at), AttributeChange::Changed(change)) => {
                    list[at].1 = text_edit::apply(change, &list[at].1).ok_or_else(differs)?
                }
                (Some(at), AttributeChange::Went(value)) if list[at].1 == *value => {
                    drop(list.remove(at))
                }
                (None, AttributeChange::Came(value)) => list.push((name.clone(), value.clone(), 0)),
                _ => return Err(differs()),
            }
        }
        if let Some(order) = changed.order {
            let mut natural: Vec<Option<(AttributeName, String, u8)>> =
                list.into_iter().map(Some).collect();
            let mut take = |place: u32| {
                natural.get_mut((place as usize).wrapping_sub(1)).and_then(Option::take)
            };
            list = order
                .iter()
                .map(|&place| take(place))
                .collect::<Option<_>>()
                .ok_or_else(|| wrong("an order names an attribute that is not there"))?;
            if natural.iter().any(Option::is_some) {
                return Err(wrong("an order leaves an attribute out"));
            }
        }
        for (name, value, attr_flags) in &list {
            let name = self.intern(name);
            self.builder.attribute(name, value, *attr_flags)?;
        }
        Ok(())
    }
}
