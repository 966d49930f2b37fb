//! Reads the XML form of a delta, which [`super::xml_write`] writes. Whatever is not that form is a
//! named error.

use std::ops::Range;

use super::content::{Content, ContentBuilder};
use super::model::{
    AttributeChange, AttributeName, Delta, Edit, Operation, Order, Place, TextChange,
};
use super::xids::read_runs;
use super::xml_write::NAMESPACE;
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::parse::xml;
use treelace_tree::tree::{flags, Kind, Tree};
use treelace_tree::watch::Watch;

/// Reads a delta.
pub fn read(bytes: &[u8], limits: Limits, watch: &dyn Watch) -> Result<Delta> {
    let tree =
        xml::parse(bytes, &xml::Options::default(), limits, watch).map_err(
            |error| match error {
                Error::Parse { .. } => Error::Delta(format!("this is no delta: {error}")),
                other => other,
            },
        )?;
    let reader = Reader { tree: &tree, limits };
    let mut roots = tree.children(0);
    let (Some(root), None) = (roots.next(), roots.next()) else {
        return Err(reader.wrong(0, "something stands beside its root"));
    };
    reader.delta(root, watch)
}

struct Reader<'t> {
    tree: &'t Tree,
    limits: Limits,
}

/// What a run of content says about its XIDs, until all content is there.
struct Numbers {
    nodes: Range<u32>,
    xid: u64,
    map: Option<String>,
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
        (self.tree.is_element(i) && self.tree.names().namespace(self.tree.name(i)) == NAMESPACE)
            .then(|| self.tree.local(i))
    }

    fn delta(&self, root: usize, watch: &dyn Watch) -> Result<Delta> {
        if self.ours(root) != Some("delta") {
            return Err(Error::Delta(format!(
                "this is no delta: its root is not {{{NAMESPACE}}}delta"
            )));
        }
        self.only(root, &["from", "to", "next-xid"])?;
        let mut delta = Delta {
            from: self.digest(root, "from")?,
            to: self.digest(root, "to")?,
            from_map: None,
            to_map: None,
            next_xid: self.number(root, "next-xid")?,
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
        for it in numbers {
            self.give_xids(&mut delta.content, &it)?;
        }
        Ok(delta)
    }

    fn give_xids(&self, content: &mut Content, it: &Numbers) -> Result<()> {
        let rows = content.post_order(&it.nodes);
        let xids = match &it.map {
            Some(map) => {
                read_runs(map, rows.len() + 1).map_err(|error| self.wrong(it.line, error))?
            }
            None => {
                let first = (it.xid + 1).checked_sub(rows.len() as u64).filter(|&first| first > 0);
                let first =
                    first.ok_or_else(|| self.wrong(it.line, "it has more nodes than numbers"))?;
                (first..=it.xid).collect()
            }
        };
        if xids.len() != rows.len() || xids.last() != Some(&it.xid) {
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
        let xid = self.number(i, "xid")?;
        Ok(match name {
            "delete" | "insert" => {
                self.only(i, &["xid", "map", "parent", "at"])?;
                let place =
                    Place { parent: self.number(i, "parent")?, at: self.position(i, "at")? };
                let start = content.next_row();
                self.content(i, content, watch)?;
                let nodes = start..content.next_row();
                if nodes.is_empty() || xid == u64::MAX {
                    return Err(self.wrong(i, "an operation without nodes"));
                }
                numbers.push(Numbers {
                    nodes: nodes.clone(),
                    xid,
                    map: self.value(i, "map").map(str::to_string),
                    line: i,
                });
                if name == "delete" {
                    Operation::Delete { place, nodes }
                } else {
                    Operation::Insert { place, nodes }
                }
            }
            "move" => {
                self.only(i, &["xid", "count", "map", "from", "from-at", "to", "to-at"])?;
                self.empty(i)?;
                let from =
                    Place { parent: self.number(i, "from")?, at: self.position(i, "from-at")? };
                let parent =
                    if self.value(i, "to").is_some() { self.number(i, "to")? } else { from.parent };
                let to = Place { parent, at: self.position(i, "to-at")? };
                let xids = match self.value(i, "map") {
                    None => vec![xid],
                    Some(map) => {
                        let count = self.number(i, "count")?;
                        let most = usize::try_from(count)
                            .ok()
                            .filter(|&count| count as u64 <= self.limits.nodes);
                        let most = most.ok_or_else(|| Error::limit("nodes", self.limits.nodes))?;
                        read_runs(map, most + 1).map_err(|error| self.wrong(i, error))?
                    }
                };
                let count =
                    if self.value(i, "count").is_some() { self.number(i, "count")? } else { 1 };
                if xids.first() != Some(&xid) || xids.len() as u64 != count {
                    return Err(self.wrong(i, "a move whose map does not fit"));
                }
                Operation::Move { xids, from, to }
            }
            "update" => {
                self.only(i, &["xid"])?;
                match self.change(i)? {
                    AttributeChange::Changed(change) => Operation::Update { xid, change },
                    _ => return Err(self.wrong(i, "an update without its old or its new text")),
                }
            }
            "rename" => {
                self.only(i, &["xid", "escaped", "old", "old-prefix", "new", "new-prefix"])?;
                self.empty(i)?;
                Operation::Rename {
                    xid,
                    old: self.name(i, "old", "old-prefix")?,
                    new: self.name(i, "new", "new-prefix")?,
                }
            }
            "attribute" => {
                self.only(i, &["xid", "escaped", "name", "prefix"])?;
                Operation::Attribute {
                    xid,
                    name: self.name(i, "name", "prefix")?,
                    change: self.change(i)?,
                }
            }
            "order" => {
                self.only(i, &["xid", "old", "new"])?;
                self.empty(i)?;
                Operation::Reorder {
                    xid,
                    order: Order { old: self.places(i, "old")?, new: self.places(i, "new")? },
                }
            }
            _ => return Err(self.wrong(i, format!("there is no operation '{name}'"))),
        })
    }

    /// `d:old` and `d:new`, in full or as edits with `at`.
    fn change(&self, i: usize) -> Result<AttributeChange> {
        let (mut old, mut new): (Option<String>, Option<String>) = (None, None);
        let mut edits: Vec<Edit> = Vec::new();
        let mut may_complete = false;
        for child in self.tree.children(i) {
            let (is_old, at) = match self.ours(child) {
                Some("old") => (true, self.value(child, "at")),
                Some("new") => (false, self.value(child, "at")),
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
            let Some(name) = self.ours(child) else {
                self.plain(child, content)?;
                child += 1;
                continue;
            };
            child = match name {
                "element" => {
                    self.only(child, &["escaped", "name", "prefix"])?;
                    content.element(&self.name(child, "name", "prefix")?)?;
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
                    content.leaf(kind, &self.name(child, "name", "prefix")?, &text, 0)?;
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
                &self.name(child, "name", "prefix")?,
                &self.text_of(child, self.is_escaped(child)?)?,
            )?;
            next = self.tree.end(child);
        }
        Ok(next)
    }

    // values

    fn value(&self, i: usize, name: &str) -> Option<&str> {
        self.tree.attribute(i, name)
    }

    fn required(&self, i: usize, name: &str) -> Result<&str> {
        self.value(i, name).ok_or_else(|| self.wrong(i, format!("'{name}' is missing")))
    }

    /// Fails where there is an attribute without a namespace that is not one of these.
    fn only(&self, i: usize, known: &[&str]) -> Result<()> {
        let names = self.tree.names();
        let is_odd = |&a: &usize| {
            names.namespace(self.tree.attr_name(a)).is_empty()
                && !known.contains(&self.tree.attr_local(a))
        };
        match self.tree.attributes(i).find(is_odd) {
            Some(a) => {
                Err(self.wrong(i, format!("nobody knows '{}' here", self.tree.attr_local(a))))
            }
            None => Ok(()),
        }
    }

    fn number(&self, i: usize, name: &str) -> Result<u64> {
        let text = self.required(i, name)?;
        let is_plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let number = is_plain.then(|| text.parse().ok()).flatten();
        number.ok_or_else(|| self.wrong(i, format!("'{name}' is no number")))
    }

    fn position(&self, i: usize, name: &str) -> Result<u32> {
        u32::try_from(self.number(i, name)?)
            .ok()
            .filter(|&at| at > 0)
            .ok_or_else(|| self.wrong(i, format!("'{name}' is no position")))
    }

    fn places(&self, i: usize, name: &str) -> Result<Vec<u32>> {
        let words = self.value(i, name).unwrap_or("").split(' ').filter(|word| !word.is_empty());
        words
            .map(|word| {
                word.parse().map_err(|_| self.wrong(i, format!("'{name}' is no list of places")))
            })
            .collect()
    }

    fn digest(&self, i: usize, name: &str) -> Result<[u8; 16]> {
        digest(self.required(i, name)?)
            .ok_or_else(|| self.wrong(i, format!("'{name}' is no digest")))
    }

    fn is_escaped(&self, i: usize) -> Result<bool> {
        match self.value(i, "escaped") {
            None => Ok(false),
            Some("yes") => Ok(true),
            Some(_) => Err(self.wrong(i, "'escaped' can only be 'yes'")),
        }
    }

    fn name(&self, i: usize, name: &str, prefix: &str) -> Result<AttributeName> {
        let is_escaped = self.is_escaped(i)?;
        let (text, prefix) = (self.required(i, name)?, self.value(i, prefix).unwrap_or(""));
        let (namespace, local) = match text.strip_prefix('{') {
            Some(rest) => rest
                .split_once('}')
                .ok_or_else(|| self.wrong(i, "a name without an end of its namespace"))?,
            None => ("", text),
        };
        let part = |text: &str| {
            if is_escaped {
                unescaped(text).ok_or_else(|| self.wrong(i, "an escape without a character"))
            } else {
                Ok(text.to_string())
            }
        };
        Ok(AttributeName {
            namespace: part(namespace)?,
            prefix: part(prefix)?,
            local: part(local)?,
        })
    }

    /// The text of one of our elements, which holds nothing else.
    fn text(&self, i: usize) -> Result<String> {
        self.text_of(i, self.is_escaped(i)?)
    }

    fn text_of(&self, i: usize, is_escaped: bool) -> Result<String> {
        let mut inside = self.tree.children(i);
        let text = match (inside.next(), inside.next()) {
            (None, _) => "",
            (Some(only), None)
                if self.tree.kind(only) == Kind::Text
                    && self.tree.flags(only) & flags::REFERENCE == 0 =>
            {
                self.tree.text(only)
            }
            _ => return Err(self.wrong(i, "a text with something else in it")),
        };
        if is_escaped {
            return unescaped(text).ok_or_else(|| self.wrong(i, "an escape without a character"));
        }
        Ok(text.to_string())
    }

    fn empty(&self, i: usize) -> Result<()> {
        if self.tree.end(i) > i + 1 {
            return Err(self.wrong(i, "something is inside that should be empty"));
        }
        Ok(())
    }

    fn is_blank(&self, i: usize) -> bool {
        match self.tree.kind(i) {
            Kind::Comment => true,
            Kind::Text => self.tree.text(i).trim_ascii().is_empty(),
            _ => false,
        }
    }
}

/// 32 hexadecimal digits as bytes.
pub(super) fn digest(text: &str) -> Option<[u8; 16]> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let mut digest = [0; 16];
    if digits.len() != 32 {
        return None;
    }
    digest.iter_mut().zip(digits.chunks(2)).for_each(|(byte, pair)| *byte = pair[0] << 4 | pair[1]);
    Some(digest)
}

/// Undoes `\HEX;`.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        let (digits, behind) = after.split_once(';')?;
        if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}
