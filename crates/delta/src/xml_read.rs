//! Reads the XML form of a delta, which [`super::xml_write`] writes, and the forms it wrote before.
//! Whatever is none of them is a named error.
//!
//! The first form has long names (`d:update xid=…`), parent and position apart, values between
//! tags, and digests in hexadecimal. The second has the short names, always in a namespace; names of
//! attributes apart from the XID and in full; `after` and `nodes` as attributes, insertions counted
//! in the order of the file, and digests of 128 bits.

mod values;

use std::ops::Range;

use super::content::{Content, ContentBuilder};
use super::derived_map::{numbered, to_map, Insertion};
use super::model::{
    AttributeChange, AttributeName, Delta, Edit, Operation, Order, Place, TextChange,
};
use super::xids::read_runs;
use super::xml_write::long_form::NAMESPACE as FIRST_NAMESPACE;
use super::xml_write::NAMESPACE;
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::parse::xml;
use treelace_tree::tree::{flags, Kind, Tree};
use treelace_tree::watch::Watch;
pub(super) use values::digest;
use values::plain_number;

/// The namespace of the second form.
const SECOND_NAMESPACE: &str = "urn:treelace:delta:2";

/// Reads a delta.
pub fn read(bytes: &[u8], limits: Limits, watch: &dyn Watch) -> Result<Delta> {
    let tree =
        xml::parse(bytes, &xml::Options::default(), limits, watch).map_err(
            |error| match error {
                Error::Parse { .. } => Error::Delta(format!("this is no delta: {error}")),
                other => other,
            },
        )?;
    let mut reader =
        Reader { tree: &tree, limits, namespace: NAMESPACE, form: Form::Third, root: 0 };
    let mut roots = tree.children(0);
    let (Some(root), None) = (roots.next(), roots.next()) else {
        return Err(reader.wrong(0, "something stands beside its root"));
    };
    reader.root = root;
    if tree.is_element(root) {
        (reader.namespace, reader.form) = match tree.names().namespace(tree.name(root)) {
            FIRST_NAMESPACE => (FIRST_NAMESPACE, Form::First),
            SECOND_NAMESPACE => (SECOND_NAMESPACE, Form::Second),
            "" => ("", Form::Third),
            _ => (NAMESPACE, Form::Third),
        };
    }
    reader.delta(watch)
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    First,
    Second,
    Third,
}

struct Reader<'t> {
    tree: &'t Tree,
    limits: Limits,
    /// Of our elements; empty where nothing inside the content is ours.
    namespace: &'static str,
    form: Form,
    root: usize,
}

/// What a run of content says about its XIDs, until all content is there.
struct Numbers {
    nodes: Range<u32>,
    is_insert: bool,
    /// The last one's; `None`: an insertion that goes on counting.
    xid: Option<u64>,
    map: Option<String>,
    /// The number behind which an insertion stands in post-order, where the map follows from it.
    after: Option<u64>,
    line: usize,
}

impl Reader<'_> {
    fn wrong(&self, i: usize, what: impl std::fmt::Display) -> Error {
        match self.tree.line(i) {
            0 => Error::Delta(format!("this delta is damaged: {what}")),
            line => Error::Delta(format!("this delta is damaged: {what} (line {line})")),
        }
    }

    /// The name of one of our elements; `None` for any other node.
    fn ours(&self, i: usize) -> Option<&str> {
        (self.tree.is_element(i)
            && self.tree.names().namespace(self.tree.name(i)) == self.namespace)
            .then(|| self.tree.local(i))
    }

    fn delta(&self, watch: &dyn Watch) -> Result<Delta> {
        let root = self.root;
        if self.ours(root) != Some("delta") {
            return Err(Error::Delta("this is no delta: its root is no 'delta'".to_string()));
        }
        let (from, nodes) = self.from(root)?;
        let next = match self.form {
            Form::First => "next-xid",
            Form::Second if nodes.is_some() => "nodes",
            _ => "next",
        };
        let is_said = self.form != Form::Third || nodes.is_none();
        let known = ["from", "to", next];
        self.only(root, &known[..if is_said { 3 } else { 2 }])?;
        let mut delta = Delta {
            from,
            to: self.digest(root, self.required(root, "to")?)?,
            from_map: None,
            to_map: None,
            next_xid: nodes.map_or_else(|| self.number(root, next), Ok)?,
            operations: Vec::new(),
            content: Content::empty(),
        };
        let mut content = ContentBuilder::new(self.limits);
        let mut numbers: Vec<Numbers> = Vec::new();
        for (number, child) in self.tree.children(root).enumerate() {
            if number % 1024 == 0 {
                watch.check()?;
            }
            match self.ours(child) {
                Some(which @ ("from" | "to")) => {
                    self.only(child, &["map"])?;
                    self.empty(child)?;
                    let slot =
                        if which == "from" { &mut delta.from_map } else { &mut delta.to_map };
                    if slot.replace(self.required(child, "map")?.to_string()).is_some() {
                        return Err(self.wrong(child, "a map is there twice"));
                    }
                }
                Some(name) => delta.operations.push(self.operation(
                    child,
                    name,
                    &mut content,
                    &mut numbers,
                    watch,
                )?),
                None if self.is_blank(child) => {}
                None => return Err(self.wrong(child, "something that is no operation")),
            }
        }
        delta.content = content.finish();
        match nodes {
            Some(nodes) => self.derive(&mut delta, nodes, numbers)?,
            None => self.count_on(&mut delta, numbers)?,
        }
        Ok(delta)
    }

    /// Gives inserted nodes that have no numbers of their own the next free ones, in the order of
    /// the file.
    fn count_on(&self, delta: &mut Delta, numbers: Vec<Numbers>) -> Result<()> {
        let count = |content: &Content, it: &Numbers| content.post_order(&it.nodes).len() as u64;
        let inserts = numbers.iter().filter(|it| it.is_insert);
        let inserted: u64 = inserts.map(|it| count(&delta.content, it)).sum();
        let mut expected = delta.next_xid.checked_sub(inserted);
        for mut it in numbers {
            if it.is_insert {
                let nodes = count(&delta.content, &it);
                expected = expected.and_then(|first| first.checked_add(nodes));
                it.xid = it.xid.or(expected.and_then(|next| next.checked_sub(1)));
            }
            self.give_xids(&mut delta.content, &it)?;
        }
        Ok(())
    }

    /// The numbers of the nodes, the first free one and the map of the new document, where none of
    /// them is written because they follow from the number of nodes before.
    fn derive(&self, delta: &mut Delta, nodes: u64, mut numbers: Vec<Numbers>) -> Result<()> {
        let wrong = || self.wrong(self.root, "its numbers do not fit together");
        let size = |it: &Numbers| delta.content.post_order(&it.nodes).len() as u64;
        let sizes: Vec<u64> = numbers.iter().filter(|it| it.is_insert).map(size).collect();
        let after = numbers.iter().filter(|it| it.is_insert).map(|it| it.after);
        let after: Vec<u64> = after.collect::<Option<_>>().ok_or_else(wrong)?;
        if nodes >= u64::MAX / 2 || sizes.contains(&0) {
            return Err(wrong());
        }
        let inserted = if self.form == Form::Second {
            in_file_order(nodes, &after, &sizes)
        } else {
            numbered(nodes, &after, &sizes).ok_or_else(wrong)?
        };
        delta.next_xid = nodes + sizes.iter().sum::<u64>() + 1;
        let inserts = numbers.iter_mut().filter(|it| it.is_insert);
        for (it, insertion) in inserts.zip(&inserted) {
            if it.xid.is_some_and(|xid| xid != insertion.run.1) || it.map.is_some() {
                return Err(wrong());
            }
            it.xid = Some(insertion.run.1);
        }
        for it in &numbers {
            self.give_xids(&mut delta.content, it)?;
        }
        let mut deleted = Vec::new();
        for it in numbers.iter().filter(|it| !it.is_insert) {
            let xids = delta.content.post_order_xids(&it.nodes);
            let (Some(&first), Some(&last)) = (xids.first(), xids.last()) else {
                return Err(wrong());
            };
            if last.checked_sub(first) != Some(xids.len() as u64 - 1) {
                return Err(wrong());
            }
            deleted.push((first, last));
        }
        let is_moving = |it: &Operation| matches!(it, Operation::Move { .. });
        let is_fine = delta.from_map.is_none()
            && delta.to_map.is_none()
            && !delta.operations.iter().any(is_moving);
        delta.to_map =
            is_fine.then(|| to_map(nodes, deleted, &inserted)).flatten().ok_or_else(wrong)?;
        Ok(())
    }

    /// Whether this is the first form.
    fn is_first(&self) -> bool {
        self.form == Form::First
    }

    fn give_xids(&self, content: &mut Content, it: &Numbers) -> Result<()> {
        let rows = content.post_order(&it.nodes);
        let last = it.xid.filter(|&xid| xid < u64::MAX);
        let last = last.ok_or_else(|| self.wrong(it.line, "its nodes have no numbers"))?;
        let xids = match &it.map {
            Some(map) => {
                read_runs(map, rows.len() + 1).map_err(|error| self.wrong(it.line, error))?
            }
            None => {
                let first = (last + 1).checked_sub(rows.len() as u64).filter(|&first| first > 0);
                let first =
                    first.ok_or_else(|| self.wrong(it.line, "it has more nodes than numbers"))?;
                (first..=last).collect()
            }
        };
        if xids.len() != rows.len() || xids.last() != Some(&last) {
            return Err(self.wrong(it.line, "its map does not fit its nodes"));
        }
        for (row, xid) in rows.into_iter().zip(xids) {
            content.xids[row as usize] = xid;
        }
        Ok(())
    }

    fn operation(
        &self,
        i: usize,
        name: &str,
        content: &mut ContentBuilder,
        numbers: &mut Vec<Numbers>,
        watch: &dyn Watch,
    ) -> Result<Operation> {
        let x = if self.is_first() { "xid" } else { "x" };
        let name = match (self.is_first(), name) {
            (true, "delete") => "del",
            (true, "insert") => "ins",
            (true, "move") => "mov",
            (true, "update") => "upd",
            (true, "rename") => "ren",
            (true, "attribute") => "att",
            (true, "order") => "ord",
            (false, name) => name,
            _ => "",
        };
        Ok(match name {
            "del" | "ins" => {
                let is_insert = name == "ins";
                let (place, after) = self.run_place(i, is_insert)?;
                let start = content.next_row();
                self.content(i, content, watch)?;
                let nodes = start..content.next_row();
                if nodes.is_empty() {
                    return Err(self.wrong(i, "an operation without nodes"));
                }
                let is_counted = is_insert && !self.is_first() && self.value(i, x).is_none();
                numbers.push(Numbers {
                    nodes: nodes.clone(),
                    is_insert,
                    xid: if is_counted { None } else { Some(self.number(i, x)?) },
                    map: self.value(i, "map").map(str::to_string),
                    after,
                    line: i,
                });
                if is_insert {
                    Operation::Insert { place, nodes }
                } else {
                    Operation::Delete { place, nodes }
                }
            }
            "mov" => self.moved(i)?,
            "upd" => {
                self.only(i, if self.is_first() { &["xid"] } else { &["x", "at", "old", "new"] })?;
                let xid = self.number(i, x)?;
                match self.change(i)? {
                    AttributeChange::Changed(change) => Operation::Update { xid, change },
                    _ => return Err(self.wrong(i, "an update without its old or its new text")),
                }
            }
            "ren" => {
                self.only(i, &[x, "escaped", "old", "old-prefix", "new", "new-prefix"])?;
                self.empty(i)?;
                Operation::Rename {
                    xid: self.number(i, x)?,
                    old: self.name(i, "old", "old-prefix", true)?,
                    new: self.name(i, "new", "new-prefix", true)?,
                }
            }
            "att" => {
                let known: &[&str] = &[x, "escaped", "name", "prefix", "at", "old", "new"];
                self.only(i, if self.is_first() { &known[..4] } else { known })?;
                let (xid, name) = self.attribute_of(i, x)?;
                Operation::Attribute { xid, name, change: self.change(i)? }
            }
            "ord" => {
                self.only(i, &[x, "old", "new"])?;
                self.empty(i)?;
                Operation::Reorder {
                    xid: self.number(i, x)?,
                    order: Order { old: self.places(i, "old")?, new: self.places(i, "new")? },
                }
            }
            _ => {
                let name = self.ours(i).unwrap_or_default();
                return Err(self.wrong(i, format!("there is no operation '{name}'")));
            }
        })
    }

    /// Where a run of deleted or inserted siblings stands, and behind which node an insertion comes
    /// in post-order.
    fn run_place(&self, i: usize, is_insert: bool) -> Result<(Place, Option<u64>)> {
        if self.is_first() {
            self.only(i, &["xid", "map", "parent", "at"])?;
            let place = Place { parent: self.number(i, "parent")?, at: self.position(i, "at")? };
            return Ok((place, None));
        }
        if self.form == Form::Second {
            self.only(i, &["x", "map", "in", "after"])?;
            let after = self.value(i, "after").map(|_| self.number(i, "after")).transpose()?;
            return Ok((self.place(i, "in", self.required(i, "in")?, None)?, after));
        }
        self.only(i, &["x", "map", "in"])?;
        let (text, after) = match self.required(i, "in")?.split_once('/') {
            Some((text, after)) if is_insert => {
                (text, plain_number(after).ok_or_else(|| self.wrong(i, "'in' is no place"))?.into())
            }
            _ => (self.required(i, "in")?, None),
        };
        let place = self.place(i, "in", text, None)?;
        Ok((place, after.or(place.parent.checked_sub(1))))
    }

    /// `PARENT.POSITION`, or the position alone where the parent is known.
    fn place(&self, i: usize, name: &str, text: &str, parent: Option<u64>) -> Result<Place> {
        let wrong = || self.wrong(i, format!("'{name}' is no place"));
        let (parent, at) = match (text.split_once('.'), parent) {
            (Some((parent, at)), _) => (plain_number(parent).ok_or_else(wrong)?, at),
            (None, Some(parent)) => (parent, text),
            (None, None) => return Err(wrong()),
        };
        let at = plain_number(at).and_then(|at| u32::try_from(at).ok()).filter(|&at| at > 0);
        Ok(Place { parent, at: at.ok_or_else(wrong)? })
    }

    fn moved(&self, i: usize) -> Result<Operation> {
        self.empty(i)?;
        let map = |most: usize| {
            let map = self.value(i, "map");
            map.map(|map| read_runs(map, most).map_err(|error| self.wrong(i, error))).transpose()
        };
        let most = usize::try_from(self.limits.nodes).unwrap_or(usize::MAX).saturating_add(1);
        if !self.is_first() {
            self.only(i, &["x", "map", "from", "to"])?;
            let from = self.place(i, "from", self.required(i, "from")?, None)?;
            let to = self.place(i, "to", self.required(i, "to")?, Some(from.parent))?;
            let xids = map(most)?.map_or_else(|| Ok(vec![self.number(i, "x")?]), Ok)?;
            return Ok(Operation::Move { xids, from, to });
        }
        self.only(i, &["xid", "count", "map", "from", "from-at", "to", "to-at"])?;
        let xid = self.number(i, "xid")?;
        let from = Place { parent: self.number(i, "from")?, at: self.position(i, "from-at")? };
        let parent =
            if self.value(i, "to").is_some() { self.number(i, "to")? } else { from.parent };
        let to = Place { parent, at: self.position(i, "to-at")? };
        let count = if self.value(i, "count").is_some() { self.number(i, "count")? } else { 1 };
        if count > self.limits.nodes {
            return Err(Error::limit("nodes", self.limits.nodes));
        }
        let xids = map((count as usize).saturating_add(1))?.unwrap_or_else(|| vec![xid]);
        if xids.first() != Some(&xid) || xids.len() as u64 != count {
            return Err(self.wrong(i, "a move whose map does not fit"));
        }
        Ok(Operation::Move { xids, from, to })
    }

    /// A piece that stands in attributes; `None` where there is neither an old nor a new text.
    fn edit(&self, i: usize) -> Result<Option<Edit>> {
        let text = |name: &str| self.value(i, name).unwrap_or_default().to_string();
        let has_text = self.value(i, "old").is_some() || self.value(i, "new").is_some();
        if !has_text || self.value(i, "at").is_none() {
            return Ok(None);
        }
        self.empty(i)?;
        Ok(Some(Edit { at: self.number(i, "at")?, old: text("old"), new: text("new") }))
    }

    /// What changed, where it stands in the attributes of `i`.
    fn inline_change(&self, i: usize) -> Result<Option<AttributeChange>> {
        if self.is_first() {
            return Ok(None);
        }
        if let Some(edit) = self.edit(i)? {
            return Ok(Some(AttributeChange::Changed(TextChange::Edits(vec![edit]))));
        }
        let text = |name: &str| self.value(i, name).map(str::to_string);
        let change = match (text("old"), text("new")) {
            (None, None) => return Ok(None),
            (Some(old), Some(new)) => AttributeChange::Changed(TextChange::Whole { old, new }),
            (Some(old), None) => AttributeChange::Went(old),
            (None, Some(new)) => AttributeChange::Came(new),
        };
        self.empty(i)?;
        Ok(Some(change))
    }

    /// `d:old` and `d:new`, in full or as edits with `at`; or the attributes of the same names.
    fn change(&self, i: usize) -> Result<AttributeChange> {
        if let Some(change) = self.inline_change(i)? {
            return Ok(change);
        }
        let (mut old, mut new): (Option<String>, Option<String>) = (None, None);
        let mut edits: Vec<Edit> = Vec::new();
        let mut may_complete = false;
        for child in self.tree.children(i) {
            let (is_old, at) = match self.ours(child) {
                Some("old") => (true, self.value(child, "at")),
                Some("new") => (false, self.value(child, "at")),
                Some("edit") if !self.is_first() => {
                    self.only(child, &["at", "old", "new"])?;
                    let edit = self.edit(child)?;
                    edits.push(edit.ok_or_else(|| self.wrong(child, "an edit without a text"))?);
                    may_complete = false;
                    continue;
                }
                _ if self.is_blank(child) => continue,
                _ => return Err(self.wrong(child, "something beside old and new")),
            };
            self.only(child, &["at", "escaped"])?;
            let text = self.text(child)?;
            if at.is_some() {
                let at = self.number(child, "at")?;
                edits.push(if is_old {
                    Edit { at, old: text, new: String::new() }
                } else {
                    Edit { at, old: String::new(), new: text }
                });
                may_complete = is_old;
                continue;
            }
            if let (false, true, Some(edit)) = (is_old, may_complete, edits.last_mut()) {
                edit.new = text;
                may_complete = false;
                continue;
            }
            let slot = if is_old { &mut old } else { &mut new };
            if !edits.is_empty() || slot.replace(text).is_some() {
                return Err(self.wrong(child, "an old or new text too many"));
            }
        }
        match (old, new) {
            (None, None) if !edits.is_empty() => {
                Ok(AttributeChange::Changed(TextChange::Edits(edits)))
            }
            (Some(old), Some(new)) if edits.is_empty() => {
                Ok(AttributeChange::Changed(TextChange::Whole { old, new }))
            }
            (Some(old), None) if edits.is_empty() => Ok(AttributeChange::Went(old)),
            (None, Some(new)) if edits.is_empty() => Ok(AttributeChange::Came(new)),
            _ => Err(self.wrong(i, "it has neither an old nor a new text")),
        }
    }

    /// Copies what is inside operation `i`.
    fn content(&self, i: usize, content: &mut ContentBuilder, watch: &dyn Watch) -> Result<()> {
        let tree = self.tree;
        let top = tree.depth(i);
        let mut child = i + 1;
        while child < tree.end(i) {
            if child.is_multiple_of(8192) {
                watch.check()?;
            }
            content.close_to(tree.depth(child) - top);
            let Some(name) = self.ours(child).filter(|_| !self.namespace.is_empty()) else {
                self.plain(child, content)?;
                child += 1;
                continue;
            };
            child = match name {
                "element" => {
                    self.only(child, &["escaped", "name", "prefix"])?;
                    content.element(&self.name(child, "name", "prefix", true)?)?;
                    self.attributes(child, content)?
                }
                "elsewhere" => {
                    self.only(child, &["xid"])?;
                    self.empty(child)?;
                    content.hole(self.number(child, "xid")?)?;
                    tree.end(child)
                }
                "text" | "reference" | "comment" => {
                    self.only(child, &["escaped"])?;
                    let kind = if name == "comment" { Kind::Comment } else { Kind::Text };
                    let mark = if name == "reference" { flags::REFERENCE } else { 0 };
                    content.leaf(kind, &AttributeName::none(), &self.text(child)?, mark)?;
                    tree.end(child)
                }
                "instruction" | "doctype" => {
                    self.only(child, &["escaped", "name", "prefix"])?;
                    let text = tree.children(child).find(|&it| self.ours(it) == Some("text"));
                    let text = text.map_or(Ok(String::new()), |it| self.text(it))?;
                    let kind = if name == "doctype" { Kind::Doctype } else { Kind::Instruction };
                    content.leaf(kind, &self.name(child, "name", "prefix", false)?, &text, 0)?;
                    self.attributes(child, content)?;
                    tree.end(child)
                }
                _ => return Err(self.wrong(child, format!("'{name}' inside content"))),
            };
        }
        content.close_to(1);
        Ok(())
    }

    /// A node that stands for itself.
    fn plain(&self, i: usize, content: &mut ContentBuilder) -> Result<()> {
        let tree = self.tree;
        if tree.flags(i) & flags::REFERENCE != 0 {
            return Err(self.wrong(i, "a reference to an entity"));
        }
        let name = super::build::name_of(tree, tree.name(i));
        if tree.kind(i) != Kind::Element {
            return content.leaf(tree.kind(i), &name, tree.text(i), 0);
        }
        content.element(&name)?;
        tree.attributes(i).try_for_each(|a| {
            content.attribute(&super::build::name_of(tree, tree.attr_name(a)), tree.attr_value(a))
        })
    }

    /// The leading `d:a` of an escaped node; where its children begin.
    fn attributes(&self, i: usize, content: &mut ContentBuilder) -> Result<usize> {
        let mut next = i + 1;
        for child in self.tree.children(i).take_while(|&child| self.ours(child) == Some("a")) {
            self.only(child, &["escaped", "name", "prefix"])?;
            content.attribute(
                &self.name(child, "name", "prefix", false)?,
                &self.text_of(child, self.is_escaped(child)?)?,
            )?;
            next = self.tree.end(child);
        }
        Ok(next)
    }
}

/// The numbers of inserted nodes as the second form counts them.
fn in_file_order(nodes: u64, after: &[u64], sizes: &[u64]) -> Vec<Insertion> {
    let mut last = nodes;
    let numbered = after.iter().zip(sizes).map(|(&after, &size)| {
        let first = last + 1;
        last += size;
        Insertion { after, run: (first, last) }
    });
    numbered.collect()
}
