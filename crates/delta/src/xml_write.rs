//! The XML form of a delta (`docs/reference/delta.rng` is its schema).
//!
//! Deleted and inserted nodes stand in the delta as themselves, in their own namespaces; what they
//! need from above is declared on the root or on the operation. A node that XML cannot express
//! there (a name or a character it has not, an undeclared prefix, a text beside a text) is
//! *escaped*: `d:element`, `d:text` and so on, and characters as `\HEX;` under `escaped="yes"`.
//!
//! This is the second form: short names of operations, places as `PARENT.POSITION`, short values as
//! attributes, digests in base64. [`super::xml_read`] reads the first form as well.

mod expressible;
pub(super) mod long_form;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use super::derived_map::Derivation;
use super::model::{AttributeChange, AttributeName, Delta, Edit, Operation, TextChange};
use super::xids::runs;
use expressible::Look;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Kind, NameId, Tree, XMLNS};
use treelace_tree::watch::Watch;
use treelace_tree::write::chars;

/// The namespace of everything that is ours in a delta.
pub const NAMESPACE: &str = "urn:treelace:delta:2";

/// Values longer than this stand between tags, where a reader can see their lines.
const MOST_INLINE: usize = 200;

/// Writes a delta as XML: one operation a line, nothing else between them. With `is_long` in the
/// first form.
pub fn write(delta: &Delta, is_long: bool, limits: &Limits, watch: &dyn Watch) -> Result<String> {
    let plan = Plan::new(delta, watch)?;
    let mut writer = Writer {
        delta,
        is_escaped: &plan.is_escaped,
        d: &plan.prefix,
        out: String::new(),
        expected: first_inserted(delta),
        derivation: Derivation::of(delta),
        insertions: 0,
    };
    if is_long {
        writer.long_root(&plan.hoisted);
    } else {
        writer.root(&plan.hoisted);
    }
    for (number, operation) in delta.operations.iter().enumerate() {
        if number % 1024 == 0 {
            watch.check()?;
        }
        if is_long {
            writer.long_operation(operation, plan.outer.get(&number), &plan.hoisted);
        } else {
            writer.operation(operation, plan.outer.get(&number), &plan.hoisted);
        }
        Limits::check("memory", limits.memory, writer.out.len() as u64)?;
    }
    writer.out.push_str("</");
    writer.out.push_str(&plan.prefix);
    writer.out.push_str(":delta>\n");
    Ok(writer.out)
}

/// Namespaces by prefix, sorted.
type Bindings<'t> = BTreeMap<&'t str, &'t str>;

/// What is decided before the first character is written.
struct Plan<'t> {
    /// Our own prefix: `d`, or one that the content does not use.
    prefix: String,
    /// By row of the content.
    is_escaped: Vec<bool>,
    /// What the content of an operation needs from above, by number of the operation.
    outer: HashMap<usize, Bindings<'t>>,
    /// What the root declares.
    hoisted: Bindings<'t>,
}

impl<'t> Plan<'t> {
    fn new(delta: &'t Delta, watch: &dyn Watch) -> Result<Self> {
        let tree = &*delta.content.tree;
        let mut plan = Plan {
            prefix: free_prefix(tree),
            is_escaped: vec![false; tree.len()],
            outer: HashMap::new(),
            hoisted: Bindings::new(),
        };
        for (number, operation) in delta.operations.iter().enumerate() {
            let (Operation::Delete { nodes, .. } | Operation::Insert { nodes, .. }) = operation
            else {
                continue;
            };
            let mut look = Look {
                tree,
                is_hole: &delta.content.is_hole,
                bound: HashMap::new(),
                frames: Vec::new(),
                outer: Bindings::new(),
            };
            for row in nodes.start as usize..(nodes.end as usize).min(tree.len()) {
                if row % 8192 == 0 {
                    watch.check()?;
                }
                if !delta.content.is_hole[row] {
                    plan.is_escaped[row] = !look.is_expressible(row, &plan.is_escaped);
                }
            }
            for (&prefix, &namespace) in look.outer.iter().filter(|it| !it.1.is_empty()) {
                plan.hoisted.entry(prefix).or_insert(namespace);
            }
            plan.outer.insert(number, look.outer);
        }
        Ok(plan)
    }
}

/// A prefix that no name of the content has, and no declaration in it binds.
fn free_prefix(tree: &Tree) -> String {
    let names = tree.names();
    let mut used: HashSet<&str> = HashSet::new();
    for id in 0..names.len() as NameId {
        used.insert(names.prefix(id));
        if names.namespace(id) == XMLNS {
            used.insert(names.local(id));
        }
    }
    let mut candidates =
        std::iter::once("d".to_string()).chain((0..).map(|number| format!("d{number}")));
    candidates.find(|it| !used.contains(it.as_str())).unwrap_or_default()
}

struct Writer<'t> {
    delta: &'t Delta,
    is_escaped: &'t [bool],
    /// Our prefix.
    d: &'t str,
    out: String,
    /// The XID that the first node of the next insertion has if nothing else is said.
    expected: Option<u64>,
    /// Present where the map of the new document follows from the operations.
    derivation: Option<Derivation>,
    /// How many insertions were written.
    insertions: usize,
}

/// The XID of the first inserted node where insertions are numbered one after the other, up to the
/// first free XID.
fn first_inserted(delta: &Delta) -> Option<u64> {
    let inserted: usize = delta
        .operations
        .iter()
        .filter_map(|it| match it {
            Operation::Insert { nodes, .. } => Some(delta.content.post_order_xids(nodes).len()),
            _ => None,
        })
        .sum();
    delta.next_xid.checked_sub(inserted as u64)
}

impl Writer<'_> {
    fn root(&mut self, hoisted: &Bindings<'_>) {
        let delta = self.delta;
        self.open("delta");
        self.declare(self.d, NAMESPACE);
        hoisted.iter().for_each(|(prefix, namespace)| self.declare(prefix, namespace));
        self.attribute("from", &base64(&delta.from));
        self.attribute("to", &base64(&delta.to));
        if let Some(nodes) = self.derivation.as_ref().map(|it| it.nodes) {
            self.number("nodes", nodes);
            self.out.push_str(">\n");
            return;
        }
        self.number("next", delta.next_xid);
        self.out.push('>');
        self.maps();
    }

    fn maps(&mut self) {
        for (name, map) in [("from", &self.delta.from_map), ("to", &self.delta.to_map)] {
            if let Some(map) = map {
                self.open(name);
                self.attribute("map", map);
                self.out.push_str("/>");
            }
        }
        self.out.push('\n');
    }

    fn operation(
        &mut self,
        operation: &Operation,
        outer: Option<&Bindings<'_>>,
        hoisted: &Bindings<'_>,
    ) {
        match operation {
            Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                let is_insert = matches!(operation, Operation::Insert { .. });
                let name = if is_insert { "ins" } else { "del" };
                self.open(name);
                for (&prefix, &namespace) in outer.into_iter().flatten() {
                    if hoisted.get(prefix).copied().unwrap_or("") != namespace {
                        self.declare(prefix, namespace);
                    }
                }
                self.run(nodes, is_insert);
                self.attribute("in", &format!("{}.{}", place.parent, place.at));
                if is_insert {
                    let after = self.derivation.as_ref().map(|it| it.after[self.insertions]);
                    after.into_iter().for_each(|after| self.number("after", after));
                    self.insertions += 1;
                }
                self.out.push('>');
                self.content(nodes);
                self.close(name);
            }
            Operation::Move { xids, from, to } => {
                self.open("mov");
                if xids.len() > 1 {
                    self.attribute("map", &runs(xids.iter().copied()));
                } else {
                    self.number("x", xids.first().copied().unwrap_or(0));
                }
                self.attribute("from", &format!("{}.{}", from.parent, from.at));
                if to.parent == from.parent {
                    self.number("to", u64::from(to.at));
                } else {
                    self.attribute("to", &format!("{}.{}", to.parent, to.at));
                }
                self.out.push_str("/>");
            }
            Operation::Update { xid, change } => {
                self.open("upd");
                self.number("x", *xid);
                self.changes("upd", change);
            }
            Operation::Rename { xid, old, new } => {
                self.open("ren");
                self.number("x", *xid);
                let is_escaped = needs_escape_in_name(old) || needs_escape_in_name(new);
                self.flag(is_escaped);
                self.attribute("old", &expanded(old, is_escaped));
                self.optional("old-prefix", &old.prefix, is_escaped);
                self.attribute("new", &expanded(new, is_escaped));
                self.optional("new-prefix", &new.prefix, is_escaped);
                self.out.push_str("/>");
            }
            Operation::Attribute { xid, name, change } => {
                self.open("att");
                self.number("x", *xid);
                let is_escaped = needs_escape_in_name(name);
                self.flag(is_escaped);
                self.attribute("name", &expanded(name, is_escaped));
                self.optional("prefix", &name.prefix, is_escaped);
                match change {
                    AttributeChange::Came(value) => self.side("att", "new", value),
                    AttributeChange::Went(value) => self.side("att", "old", value),
                    AttributeChange::Changed(change) => self.changes("att", change),
                }
            }
            Operation::Reorder { xid, order } => {
                self.open("ord");
                self.number("x", *xid);
                for (name, list) in [("old", &order.old), ("new", &order.new)] {
                    if !list.is_empty() {
                        let words: Vec<String> = list.iter().map(u32::to_string).collect();
                        self.attribute(name, &words.join(" "));
                    }
                }
                self.out.push_str("/>");
            }
        }
        self.out.push('\n');
    }

    /// `x` of the last node of a run, and `map` where that does not say it all; neither where an
    /// insertion goes on counting.
    fn run(&mut self, nodes: &Range<u32>, is_insert: bool) {
        let xids = self.delta.content.post_order_xids(nodes);
        let last = xids.last().copied().unwrap_or(0);
        let is_consecutive =
            xids.iter().rev().zip((0..=last).rev()).all(|(&have, want)| have == want);
        let is_expected = is_insert && is_consecutive && xids.first().copied() == self.expected;
        if is_insert {
            self.expected = self.expected.and_then(|first| first.checked_add(xids.len() as u64));
        }
        if is_expected {
            return;
        }
        self.number("x", last);
        if !is_consecutive {
            self.attribute("map", &runs(xids));
        }
    }

    /// The end of the start tag, what changed, and the end tag: in attributes where values are
    /// short.
    fn changes(&mut self, name: &str, change: &TextChange) {
        match change {
            TextChange::Whole { old, new } if is_inline(old) && is_inline(new) => {
                self.attribute("old", old);
                self.attribute("new", new);
                self.out.push_str("/>");
            }
            TextChange::Edits(edits)
                if edits.iter().all(|edit| is_inline(&edit.old) && is_inline(&edit.new)) =>
            {
                if let [edit] = edits.as_slice() {
                    self.edit(edit);
                    return;
                }
                self.out.push('>');
                for edit in edits {
                    self.open("edit");
                    self.edit(edit);
                }
                self.close(name);
            }
            _ => {
                self.out.push('>');
                self.change(change);
                self.close(name);
            }
        }
    }

    fn edit(&mut self, edit: &Edit) {
        self.number("at", edit.at);
        for (name, text) in [("old", &edit.old), ("new", &edit.new)] {
            if !text.is_empty() {
                self.attribute(name, text);
            }
        }
        self.out.push_str("/>");
    }

    /// As [`Self::changes`], where there is only one side.
    fn side(&mut self, operation: &str, name: &str, text: &str) {
        if is_inline(text) {
            self.attribute(name, text);
            self.out.push_str("/>");
        } else {
            self.out.push('>');
            self.value(name, text, None);
            self.close(operation);
        }
    }

    fn change(&mut self, change: &TextChange) {
        match change {
            TextChange::Whole { old, new } => {
                self.value("old", old, None);
                self.value("new", new, None);
            }
            TextChange::Edits(edits) => {
                for edit in edits {
                    if !edit.old.is_empty() {
                        self.value("old", &edit.old, Some(edit.at));
                    }
                    if !edit.new.is_empty() {
                        self.value("new", &edit.new, edit.old.is_empty().then_some(edit.at));
                    }
                }
            }
        }
    }

    fn value(&mut self, name: &str, text: &str, at: Option<u64>) {
        self.open(name);
        if let Some(at) = at {
            self.number("at", at);
        }
        self.flagged_text(text);
        self.close(name);
    }

    /// `>text`, or ` escaped="yes">text`.
    fn flagged_text(&mut self, text: &str) {
        let is_clean = chars::is_clean(text);
        self.flag(!is_clean);
        self.out.push('>');
        if is_clean {
            escape_text(&mut self.out, text);
        } else {
            escape_text(&mut self.out, &escaped(text));
        }
    }

    fn content(&mut self, nodes: &Range<u32>) {
        let delta = self.delta;
        let tree = &*delta.content.tree;
        let mut open: Vec<usize> = Vec::new();
        for row in nodes.start as usize..(nodes.end as usize).min(tree.len()) {
            while let Some(top) = open.pop_if(|&mut top| tree.end(top) <= row) {
                self.close_element(tree, top);
            }
            if delta.content.is_hole[row] {
                self.open("elsewhere");
                self.number("xid", delta.content.xids[row]);
                self.out.push_str("/>");
            } else if self.node(tree, row) {
                open.push(row);
            }
        }
        while let Some(top) = open.pop() {
            self.close_element(tree, top);
        }
    }

    fn close_element(&mut self, tree: &Tree, row: usize) {
        if self.is_escaped[row] {
            self.close("element");
        } else {
            self.out.push_str("</");
            self.qualified(tree, tree.name(row));
            self.out.push('>');
        }
    }

    /// Writes a node; whether it is an element that stays open.
    fn node(&mut self, tree: &Tree, row: usize) -> bool {
        if self.is_escaped[row] {
            return self.escaped_node(tree, row);
        }
        let text = tree.text(row);
        match tree.kind(row) {
            Kind::Element => {
                self.out.push('<');
                self.qualified(tree, tree.name(row));
                for a in tree.attributes(row) {
                    self.out.push(' ');
                    self.qualified(tree, tree.attr_name(a));
                    self.out.push_str("=\"");
                    chars::escape_attribute(&mut self.out, tree.attr_value(a));
                    self.out.push('"');
                }
                let is_open = tree.end(row) > row + 1;
                self.out.push_str(if is_open { ">" } else { "/>" });
                return is_open;
            }
            Kind::Text => escape_text(&mut self.out, text),
            Kind::Comment => {
                self.out.push_str("<!--");
                self.out.push_str(text);
                self.out.push_str("-->");
            }
            _ => {
                self.out.push_str("<?");
                self.out.push_str(tree.local(row));
                if !text.is_empty() {
                    self.out.push(' ');
                    self.out.push_str(text);
                }
                self.out.push_str("?>");
            }
        }
        false
    }

    fn escaped_node(&mut self, tree: &Tree, row: usize) -> bool {
        let is_reference = tree.flags(row) & flags::REFERENCE != 0;
        match tree.kind(row) {
            Kind::Element => {
                self.open("element");
                self.name_attributes(&super::build::name_of(tree, tree.name(row)));
                self.out.push('>');
                self.attribute_elements(tree, row);
                if tree.end(row) > row + 1 {
                    return true;
                }
                self.close("element");
            }
            Kind::Instruction | Kind::Doctype => {
                let name = if tree.kind(row) == Kind::Doctype { "doctype" } else { "instruction" };
                self.open(name);
                self.name_attributes(&super::build::name_of(tree, tree.name(row)));
                self.out.push('>');
                self.attribute_elements(tree, row);
                self.value("text", tree.text(row), None);
                self.close(name);
            }
            Kind::Comment => self.value("comment", tree.text(row), None),
            _ => self.value(if is_reference { "reference" } else { "text" }, tree.text(row), None),
        }
        false
    }

    fn attribute_elements(&mut self, tree: &Tree, row: usize) {
        for a in tree.attributes(row) {
            let (name, value) =
                (super::build::name_of(tree, tree.attr_name(a)), tree.attr_value(a));
            let is_escaped = needs_escape_in_name(&name) || !chars::is_clean(value);
            self.open("a");
            self.flag(is_escaped);
            self.attribute("name", &expanded(&name, is_escaped));
            self.optional("prefix", &name.prefix, is_escaped);
            self.out.push('>');
            escape_text(
                &mut self.out,
                &if is_escaped { escaped(value) } else { value.to_string() },
            );
            self.close("a");
        }
    }

    fn name_attributes(&mut self, name: &AttributeName) {
        let is_escaped = needs_escape_in_name(name);
        self.flag(is_escaped);
        self.attribute("name", &expanded(name, is_escaped));
        self.optional("prefix", &name.prefix, is_escaped);
    }

    fn qualified(&mut self, tree: &Tree, id: NameId) {
        let names = tree.names();
        if !names.prefix(id).is_empty() {
            self.out.push_str(names.prefix(id));
            self.out.push(':');
        }
        self.out.push_str(names.local(id));
    }

    fn open(&mut self, name: &str) {
        self.out.push('<');
        self.out.push_str(self.d);
        self.out.push(':');
        self.out.push_str(name);
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(self.d);
        self.out.push(':');
        self.out.push_str(name);
        self.out.push('>');
    }

    fn declare(&mut self, prefix: &str, namespace: &str) {
        self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.out.push_str(prefix);
        self.out.push_str("=\"");
        chars::escape_attribute(&mut self.out, namespace);
        self.out.push('"');
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        chars::escape_attribute(&mut self.out, value);
        self.out.push('"');
    }

    fn number(&mut self, name: &str, number: u64) {
        let written = write!(self.out, " {name}=\"{number}\"");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }

    fn optional(&mut self, name: &str, value: &str, is_escaped: bool) {
        if !value.is_empty() {
            self.attribute(name, &if is_escaped { escaped(value) } else { value.to_string() });
        }
    }

    fn flag(&mut self, is_escaped: bool) {
        if is_escaped {
            self.attribute("escaped", "yes");
        }
    }
}

/// Whether a value may stand in an attribute: short, of one line, and without what has to be
/// escaped there.
fn is_inline(text: &str) -> bool {
    text.len() <= MOST_INLINE
        && chars::is_clean(text)
        && !text.bytes().any(|byte| matches!(byte, b'\n' | b'\t' | b'\r' | b'"'))
}

/// The alphabet of base64 that needs no escape in XML, in URLs or file names.
pub(super) const BASE64: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A digest in base64, without the filling at its end: 22 characters.
fn base64(digest: &[u8; 16]) -> String {
    let number = u128::from_be_bytes(*digest);
    // 21 digits of 6 bits, and the last 2 bits in front of 4 zeros
    let bits = |place: u32| if place < 21 { number >> (122 - 6 * place) } else { number << 4 };
    (0..22).map(|place| BASE64[(bits(place) & 63) as usize] as char).collect()
}

/// `& <` and the carriage return; `>` only where it would end something.
fn escape_text(out: &mut String, text: &str) {
    let mut done = 0;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'\r' => "&#xD;",
            b'>' if text[..at].ends_with("]]") => "&gt;",
            _ => continue,
        };
        out.push_str(&text[done..at]);
        out.push_str(reference);
        done = at + 1;
    }
    out.push_str(&text[done..]);
}

/// Every character that XML has not, and the backslash, as `\HEX;`.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\\' || !chars::is_char(c) {
            out.push_str(&format!("\\{:X};", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

fn needs_escape_in_name(name: &AttributeName) -> bool {
    name.namespace.contains('}')
        || [&name.namespace, &name.prefix, &name.local]
            .into_iter()
            .any(|part| !chars::is_clean(part))
}

/// `{uri}local`, or `local` alone where there is no namespace and no brace in front.
fn expanded(name: &AttributeName, is_escaped: bool) -> String {
    let part = |text: &str| if is_escaped { escaped(text) } else { text.to_string() };
    if name.namespace.is_empty() && !name.local.starts_with('{') {
        return part(&name.local);
    }
    format!("{{{}}}{}", part(&name.namespace).replace('}', "\\7D;"), part(&name.local))
}
