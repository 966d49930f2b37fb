//! The JSON form of a delta: the same operations as in XML, one object each
//! (`docs/explanation/delta.md` has the keys).
//!
//! A name is its local part, or `[local, namespace, prefix]`. A text is a string; other nodes are
//! objects. JSON can write every character, so that nothing needs an escape of ours.

use std::fmt::Write;
use std::ops::Range;

use super::apply::hex;
use super::content::{Content, ContentBuilder};
use super::model::{
    AttributeChange, AttributeName, Delta, Digest, Edit, Operation, Order, Place, TextChange,
};
use super::xids::{read_runs, runs};
use treelace_tree::error::{Error, Result};
use treelace_tree::json::{self, write_string, Json};
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Kind, NameId, Tree};
use treelace_tree::watch::Watch;

/// The number of this form; another form must get another.
const VERSION: u32 = 1;

/// Writes a delta as JSON, one operation a line.
pub fn write(delta: &Delta, limits: &Limits, watch: &dyn Watch) -> Result<String> {
    let mut out = Out { text: format!("{{\"treelace-delta\":{VERSION}") };
    out.string("from", &hex(&delta.from));
    out.string("to", &hex(&delta.to));
    out.number("next_xid", delta.next_xid);
    for (key, map) in [("from_map", &delta.from_map), ("to_map", &delta.to_map)] {
        if let Some(map) = map {
            out.string(key, map);
        }
    }
    out.key("operations");
    out.text.push('[');
    for (number, operation) in delta.operations.iter().enumerate() {
        if number % 1024 == 0 {
            watch.check()?;
        }
        out.text.push_str(if number > 0 { ",\n" } else { "\n" });
        out.operation(operation, &delta.content);
        Limits::check("memory", limits.memory, out.text.len() as u64)?;
    }
    out.text.push_str("\n]}\n");
    Ok(out.text)
}

struct Out {
    text: String,
}

impl Out {
    /// `,"key":`
    fn key(&mut self, key: &str) {
        let written = write!(self.text, ",\"{key}\":");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        write_string(&mut self.text, value);
    }

    fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        self.text.push_str(&value.to_string());
    }

    fn numbers(&mut self, key: &str, values: &[u32]) {
        self.key(key);
        let words: Vec<String> = values.iter().map(u32::to_string).collect();
        self.text.push('[');
        self.text.push_str(&words.join(","));
        self.text.push(']');
    }

    fn name(&mut self, name: &AttributeName) {
        if name.namespace.is_empty() && name.prefix.is_empty() {
            return write_string(&mut self.text, &name.local);
        }
        self.list([&name.local, &name.namespace, &name.prefix].map(String::as_str));
    }

    fn list<'s>(&mut self, words: impl IntoIterator<Item = &'s str>) {
        self.text.push('[');
        for (number, word) in words.into_iter().enumerate() {
            if number > 0 {
                self.text.push(',');
            }
            write_string(&mut self.text, word);
        }
        self.text.push(']');
    }

    fn change(&mut self, change: &TextChange) {
        match change {
            TextChange::Whole { old, new } => {
                self.string("old", old);
                self.string("new", new);
            }
            TextChange::Edits(edits) => {
                self.key("edits");
                for (number, edit) in edits.iter().enumerate() {
                    self.text.push_str(if number > 0 { "," } else { "[" });
                    self.text.push_str(&format!("[{},", edit.at));
                    write_string(&mut self.text, &edit.old);
                    self.text.push(',');
                    write_string(&mut self.text, &edit.new);
                    self.text.push(']');
                }
                self.text.push(']');
            }
        }
    }

    fn operation(&mut self, operation: &Operation, content: &Content) {
        self.text.push_str("{\"op\":");
        match operation {
            Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                self.text.push_str(if matches!(operation, Operation::Delete { .. }) {
                    "\"delete\""
                } else {
                    "\"insert\""
                });
                self.string("map", &runs(content.post_order_xids(nodes)));
                self.number("parent", place.parent);
                self.number("at", u64::from(place.at));
                self.key("nodes");
                self.nodes(content, nodes);
            }
            Operation::Move { xids, from, to } => {
                self.text.push_str("\"move\"");
                self.string("map", &runs(xids.iter().copied()));
                self.number("from", from.parent);
                self.number("from_at", u64::from(from.at));
                self.number("to", to.parent);
                self.number("to_at", u64::from(to.at));
            }
            Operation::Update { xid, change } => {
                self.text.push_str("\"update\"");
                self.number("xid", *xid);
                self.change(change);
            }
            Operation::Rename { xid, old, new } => {
                self.text.push_str("\"rename\"");
                self.number("xid", *xid);
                self.key("old");
                self.name(old);
                self.key("new");
                self.name(new);
            }
            Operation::Attribute { xid, name, change } => {
                self.text.push_str("\"attribute\"");
                self.number("xid", *xid);
                self.key("name");
                self.name(name);
                match change {
                    AttributeChange::Came(value) => self.string("new", value),
                    AttributeChange::Went(value) => self.string("old", value),
                    AttributeChange::Changed(change) => self.change(change),
                }
            }
            Operation::Reorder { xid, order } => {
                self.text.push_str("\"order\"");
                self.number("xid", *xid);
                self.numbers("old", &order.old);
                self.numbers("new", &order.new);
            }
        }
        self.text.push('}');
    }

    fn nodes(&mut self, content: &Content, nodes: &Range<u32>) {
        let tree = &*content.tree;
        let mut open: Vec<usize> = Vec::new();
        self.text.push('[');
        for row in nodes.start as usize..(nodes.end as usize).min(tree.len()) {
            while open.pop_if(|&mut top| tree.end(top) <= row).is_some() {
                self.text.push_str("]}");
            }
            if !self.text.ends_with('[') {
                self.text.push(',');
            }
            if content.is_hole[row] {
                self.text.push_str(&format!("{{\"elsewhere\":{}}}", content.xids[row]));
            } else if self.node(tree, row) {
                open.push(row);
            }
        }
        open.iter().for_each(|_| self.text.push_str("]}"));
        self.text.push(']');
    }

    /// Writes a node; whether it stays open for its children.
    fn node(&mut self, tree: &Tree, row: usize) -> bool {
        let named = |id: NameId| super::build::name_of(tree, id);
        let is_reference = tree.flags(row) & flags::REFERENCE != 0;
        match tree.kind(row) {
            Kind::Text if !is_reference => {
                write_string(&mut self.text, tree.text(row));
                return false;
            }
            Kind::Text | Kind::Comment | Kind::Document => {
                self.text.push_str(if is_reference { "{\"reference\":" } else { "{\"comment\":" });
                write_string(&mut self.text, tree.text(row));
                self.text.push('}');
                return false;
            }
            Kind::Element => self.text.push_str("{\"element\":"),
            Kind::Instruction => self.text.push_str("{\"instruction\":"),
            Kind::Doctype => self.text.push_str("{\"doctype\":"),
        }
        self.name(&named(tree.name(row)));
        if !tree.attributes(row).is_empty() {
            self.key("attributes");
            for (number, a) in tree.attributes(row).enumerate() {
                self.text.push_str(if number > 0 { ",[" } else { "[[" });
                self.name(&named(tree.attr_name(a)));
                self.text.push(',');
                write_string(&mut self.text, tree.attr_value(a));
                self.text.push(']');
            }
            self.text.push(']');
        }
        if tree.kind(row) != Kind::Element {
            self.string("text", tree.text(row));
        } else if tree.end(row) > row + 1 {
            self.key("children");
            self.text.push('[');
            return true;
        }
        self.text.push('}');
        false
    }
}

/// Reads a delta from its JSON form.
pub fn read(text: &str, limits: Limits, watch: &dyn Watch) -> Result<Delta> {
    let no_delta = |error| match error {
        Error::Parse { .. } => Error::Delta(format!("this is no delta: {error}")),
        other => other,
    };
    let json = json::read(text, &limits, watch).map_err(no_delta)?;
    Reader { json: &json, limits }.delta(watch).map_err(|error| match error {
        Error::Parse { .. } | Error::Damaged(_) => {
            Error::Delta(format!("this delta is damaged: {error}"))
        }
        other => other,
    })
}

struct Reader<'j, 's> {
    json: &'j Json<'s>,
    limits: Limits,
}

impl Reader<'_, '_> {
    /// The members of object `i`, which has no others than these.
    fn fields<const N: usize>(&self, i: usize, keys: [&str; N]) -> Result<[Option<usize>; N]> {
        if self.json.kind(i) != json::Kind::Object {
            return Err(self.json.wrong(i, "an object was expected"));
        }
        let mut found = [None; N];
        for (key, value) in self.json.members(i) {
            let Some(number) = keys.iter().position(|&it| it == self.json.text(key)) else {
                return Err(self
                    .json
                    .wrong(key, format!("nobody knows the key {:?} here", self.json.text(key))));
            };
            found[number] = Some(value);
        }
        Ok(found)
    }

    fn need(&self, i: usize, value: Option<usize>, key: &str) -> Result<usize> {
        value.ok_or_else(|| self.json.wrong(i, format!("the key {key:?} is missing")))
    }

    fn string(&self, i: usize) -> Result<String> {
        if self.json.kind(i) != json::Kind::String {
            return Err(self.json.wrong(i, "a string was expected"));
        }
        Ok(self.json.text(i).to_string())
    }

    fn number(&self, i: usize) -> Result<u64> {
        let text = self.json.text(i);
        let is_plain =
            self.json.kind(i) == json::Kind::Number && text.bytes().all(|b| b.is_ascii_digit());
        is_plain
            .then(|| text.parse().ok())
            .flatten()
            .ok_or_else(|| self.json.wrong(i, "a whole number was expected"))
    }

    fn position(&self, i: usize) -> Result<u32> {
        u32::try_from(self.number(i)?)
            .ok()
            .filter(|&at| at > 0)
            .ok_or_else(|| self.json.wrong(i, "a position was expected"))
    }

    fn items(&self, i: usize) -> Result<Vec<usize>> {
        if self.json.kind(i) != json::Kind::Array {
            return Err(self.json.wrong(i, "a list was expected"));
        }
        Ok(self.json.inside(i).collect())
    }

    fn name(&self, i: usize) -> Result<AttributeName> {
        if self.json.kind(i) == json::Kind::String {
            return Ok(AttributeName { local: self.string(i)?, ..AttributeName::none() });
        }
        match self.items(i)?[..] {
            [local, namespace, prefix] => Ok(AttributeName {
                local: self.string(local)?,
                namespace: self.string(namespace)?,
                prefix: self.string(prefix)?,
            }),
            _ => Err(self.json.wrong(i, "a name was expected")),
        }
    }

    fn digest(&self, i: usize) -> Result<Digest> {
        super::xml_read::digest(&self.string(i)?)
            .ok_or_else(|| self.json.wrong(i, "a digest was expected"))
    }

    fn delta(&self, watch: &dyn Watch) -> Result<Delta> {
        let keys = ["treelace-delta", "from", "to", "next_xid", "from_map", "to_map", "operations"];
        let [version, from, to, next_xid, from_map, to_map, operations] = self.fields(0, keys)?;
        if self.json.text(self.need(0, version, keys[0])?) != VERSION.to_string() {
            return Err(self.json.wrong(0, format!("this is not version {VERSION} of the form")));
        }
        let mut delta = Delta {
            from: self.digest(self.need(0, from, "from")?)?,
            to: self.digest(self.need(0, to, "to")?)?,
            from_map: from_map.map(|i| self.string(i)).transpose()?,
            to_map: to_map.map(|i| self.string(i)).transpose()?,
            next_xid: self.number(self.need(0, next_xid, "next_xid")?)?,
            operations: Vec::new(),
            content: Content::empty(),
        };
        let mut content = ContentBuilder::new(self.limits);
        let mut maps: Vec<(Range<u32>, String, usize)> = Vec::new();
        for (number, i) in
            self.items(self.need(0, operations, "operations")?)?.into_iter().enumerate()
        {
            if number % 1024 == 0 {
                watch.check()?;
            }
            delta.operations.push(self.operation(i, &mut content, &mut maps, watch)?);
        }
        delta.content = content.finish();
        for (nodes, map, i) in maps {
            let rows = delta.content.post_order(&nodes);
            let xids = read_runs(&map, rows.len() + 1)?;
            if xids.len() != rows.len() {
                return Err(self.json.wrong(i, "its map does not fit its nodes"));
            }
            rows.into_iter()
                .zip(xids)
                .for_each(|(row, xid)| delta.content.xids[row as usize] = xid);
        }
        Ok(delta)
    }

    fn operation(
        &self,
        i: usize,
        content: &mut ContentBuilder,
        maps: &mut Vec<(Range<u32>, String, usize)>,
        watch: &dyn Watch,
    ) -> Result<Operation> {
        let op = if self.json.kind(i) == json::Kind::Object {
            self.json.members(i).find(|it| self.json.text(it.0) == "op")
        } else {
            None
        };
        Ok(match op.map(|it| self.json.text(it.1)) {
            Some(kind @ ("delete" | "insert")) => {
                let [_, map, parent, at, nodes] =
                    self.fields(i, ["op", "map", "parent", "at", "nodes"])?;
                let place = Place {
                    parent: self.number(self.need(i, parent, "parent")?)?,
                    at: self.position(self.need(i, at, "at")?)?,
                };
                let start = content.next_row();
                self.nodes(self.need(i, nodes, "nodes")?, content, watch)?;
                let nodes = start..content.next_row();
                if nodes.is_empty() {
                    return Err(self.json.wrong(i, "an operation without nodes"));
                }
                maps.push((nodes.clone(), self.string(self.need(i, map, "map")?)?, i));
                if kind == "delete" {
                    Operation::Delete { place, nodes }
                } else {
                    Operation::Insert { place, nodes }
                }
            }
            Some("move") => {
                let [_, map, from, from_at, to, to_at] =
                    self.fields(i, ["op", "map", "from", "from_at", "to", "to_at"])?;
                let most = usize::try_from(self.limits.nodes).unwrap_or(usize::MAX - 1);
                let xids = read_runs(&self.string(self.need(i, map, "map")?)?, most)?;
                let from = Place {
                    parent: self.number(self.need(i, from, "from")?)?,
                    at: self.position(self.need(i, from_at, "from_at")?)?,
                };
                let to = Place {
                    parent: self.number(self.need(i, to, "to")?)?,
                    at: self.position(self.need(i, to_at, "to_at")?)?,
                };
                if xids.is_empty() {
                    return Err(self.json.wrong(i, "a move of nothing"));
                }
                Operation::Move { xids, from, to }
            }
            Some("update") => {
                let [_, xid, old, new, edits] =
                    self.fields(i, ["op", "xid", "old", "new", "edits"])?;
                match self.change(i, old, new, edits)? {
                    AttributeChange::Changed(change) => {
                        Operation::Update { xid: self.number(self.need(i, xid, "xid")?)?, change }
                    }
                    _ => {
                        return Err(self.json.wrong(i, "an update without its old or its new text"))
                    }
                }
            }
            Some("rename") => {
                let [_, xid, old, new] = self.fields(i, ["op", "xid", "old", "new"])?;
                let (old, new) =
                    (self.name(self.need(i, old, "old")?)?, self.name(self.need(i, new, "new")?)?);
                Operation::Rename { xid: self.number(self.need(i, xid, "xid")?)?, old, new }
            }
            Some("attribute") => {
                let [_, xid, name, old, new, edits] =
                    self.fields(i, ["op", "xid", "name", "old", "new", "edits"])?;
                let name = self.name(self.need(i, name, "name")?)?;
                Operation::Attribute {
                    xid: self.number(self.need(i, xid, "xid")?)?,
                    name,
                    change: self.change(i, old, new, edits)?,
                }
            }
            Some("order") => {
                let [_, xid, old, new] = self.fields(i, ["op", "xid", "old", "new"])?;
                let places = |at: Option<usize>, key: &str| -> Result<Vec<u32>> {
                    self.items(self.need(i, at, key)?)?
                        .into_iter()
                        .map(|it| self.position(it))
                        .collect()
                };
                Operation::Reorder {
                    xid: self.number(self.need(i, xid, "xid")?)?,
                    order: Order { old: places(old, "old")?, new: places(new, "new")? },
                }
            }
            _ => return Err(self.json.wrong(i, "there is no such operation")),
        })
    }

    fn change(
        &self,
        i: usize,
        old: Option<usize>,
        new: Option<usize>,
        edits: Option<usize>,
    ) -> Result<AttributeChange> {
        match (old, new, edits) {
            (Some(old), Some(new), None) => Ok(AttributeChange::Changed(TextChange::Whole {
                old: self.string(old)?,
                new: self.string(new)?,
            })),
            (Some(old), None, None) => Ok(AttributeChange::Went(self.string(old)?)),
            (None, Some(new), None) => Ok(AttributeChange::Came(self.string(new)?)),
            (None, None, Some(edits)) => {
                let edit = |it: usize| match self.items(it)?[..] {
                    [at, old, new] => Ok(Edit {
                        at: self.number(at)?,
                        old: self.string(old)?,
                        new: self.string(new)?,
                    }),
                    _ => Err(self.json.wrong(it, "an edit was expected")),
                };
                Ok(AttributeChange::Changed(TextChange::Edits(
                    self.items(edits)?.into_iter().map(edit).collect::<Result<_>>()?,
                )))
            }
            _ => Err(self.json.wrong(i, "it needs old and new, or edits")),
        }
    }

    fn nodes(&self, list: usize, content: &mut ContentBuilder, watch: &dyn Watch) -> Result<()> {
        let json = self.json;
        if json.kind(list) != json::Kind::Array {
            return Err(json.wrong(list, "a list was expected"));
        }
        let mut open: Vec<(usize, usize)> = vec![(list + 1, json.end(list))];
        let mut steps = 0u32;
        while let Some(top) = open.last_mut() {
            steps += 1;
            if steps.is_multiple_of(8192) {
                watch.check()?;
            }
            if top.0 >= top.1 {
                open.pop();
                if !open.is_empty() {
                    content.close_to(open.len() as u32);
                }
                continue;
            }
            let here = top.0;
            top.0 = json.end(here);
            open.extend(self.node(here, content)?);
        }
        content.close_to(1);
        Ok(())
    }

    /// Adds a node; where its children stand.
    fn node(&self, i: usize, content: &mut ContentBuilder) -> Result<Option<(usize, usize)>> {
        let none = AttributeName::none();
        if self.json.kind(i) == json::Kind::String {
            content.leaf(Kind::Text, &none, self.json.text(i), 0)?;
            return Ok(None);
        }
        let keys = [
            "element",
            "comment",
            "reference",
            "elsewhere",
            "instruction",
            "doctype",
            "attributes",
            "text",
            "children",
        ];
        let fields = self.fields(i, keys)?;
        let [element, comment, reference, elsewhere, instruction, doctype, ..] = fields;
        let [.., attributes, text, children] = fields;
        let is_named = element.or(instruction).or(doctype);
        let kinds =
            [element, comment, reference, elsewhere, instruction, doctype].iter().flatten().count();
        let fits = kinds == 1
            && (attributes.is_none() || is_named.is_some())
            && (text.is_none() || instruction.or(doctype).is_some());
        if !fits || (children.is_some() && element.is_none()) {
            return Err(self.json.wrong(i, "a node was expected"));
        }
        if let Some(xid) = elsewhere {
            content.hole(self.number(xid)?)?;
        } else if let Some(text) = comment {
            content.leaf(Kind::Comment, &none, &self.string(text)?, 0)?;
        } else if let Some(text) = reference {
            content.leaf(Kind::Text, &none, &self.string(text)?, flags::REFERENCE)?;
        } else if let Some(name) = is_named {
            let name = self.name(name)?;
            if element.is_some() {
                content.element(&name)?;
            } else {
                let text = text.map(|it| self.string(it)).transpose()?.unwrap_or_default();
                content.leaf(
                    if doctype.is_some() { Kind::Doctype } else { Kind::Instruction },
                    &name,
                    &text,
                    0,
                )?;
            }
            for it in attributes.map(|it| self.items(it)).transpose()?.unwrap_or_default() {
                match self.items(it)?[..] {
                    [name, value] => content.attribute(&self.name(name)?, &self.string(value)?)?,
                    _ => return Err(self.json.wrong(it, "an attribute was expected")),
                }
            }
            if element.is_some() {
                if let Some(list) = children {
                    self.items(list)?;
                    return Ok(Some((list + 1, self.json.end(list))));
                }
                return Ok(Some((0, 0)));
            }
        }
        Ok(None)
    }
}
