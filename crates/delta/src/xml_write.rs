//! The XML form of a delta (`docs/reference/delta.rng` is its schema).
//!
//! Deleted and inserted nodes stand in the delta as themselves, in their own namespaces; what they
//! need from above is declared on the root or on the operation. A node that XML cannot express
//! there (a name or a character it has not, an undeclared prefix, a text beside a text) is
//! *escaped*: `d:element`, `d:text` and so on, and characters as `\HEX;` under `escaped="yes"`.
//!
//! This is the third form: short names of operations, places as `PARENT.POSITION`, short values as
//! attributes, digests in base64. Our elements stand in no namespace; in ours only where something
//! inside the content is ours too, or the content needs the default namespace for itself.
//! [`super::xml_read`] reads the forms before as well.

mod content;
mod expressible;
pub(super) mod long_form;
mod names;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use std::ops::Range;

use super::derived_map::Derivation;
use super::model::{
    AttributeChange, AttributeName, Delta, Digest, Edit, Operation, Order, Place, TextChange,
};
use super::xids::runs;
use expressible::Look;
use treelace_tree::error::Result;
use treelace_tree::limits::Limits;
use treelace_tree::tree::{NameId, Tree, XMLNS};
use treelace_tree::watch::Watch;
use treelace_tree::write::chars;

/// The namespace of what is ours in a delta, where it needs one.
pub const NAMESPACE: &str = "treelace:3";

/// Values longer than this stand between tags, where a reader can see their lines.
const MOST_INLINE: usize = 200;

/// Writes a delta as XML: one operation a line, nothing else between them. With `is_long` in the
/// first form.
pub fn write(delta: &Delta, is_long: bool, limits: &Limits, watch: &dyn Watch) -> Result<String> {
    let plan = Plan::new(delta, is_long, watch)?;
    let mut writer = Writer {
        delta,
        is_long,
        is_escaped: &plan.is_escaped,
        hoisted: &plan.hoisted,
        d: &plan.prefix,
        out: String::new(),
        expected: first_inserted(delta),
        derivation: Derivation::of(delta),
        insertions: 0,
    };
    if is_long {
        writer.long_root();
    } else {
        writer.root();
    }
    for (number, operation) in delta.operations.iter().enumerate() {
        if number % 1024 == 0 {
            watch.check()?;
        }
        if is_long {
            writer.long_operation(operation, plan.outer.get(&number));
        } else {
            writer.operation(operation, plan.outer.get(&number));
        }
        Limits::check("memory", limits.memory, writer.out.len() as u64)?;
    }
    writer.close("delta");
    writer.out.push('\n');
    Ok(writer.out)
}

/// Namespaces by prefix, sorted.
type Bindings<'t> = BTreeMap<&'t str, &'t str>;

/// What is decided before the first character is written.
struct Plan<'t> {
    /// Our own prefix: `d`, or one that the content does not use; empty where we need none.
    prefix: String,
    /// By row of the content.
    is_escaped: Vec<bool>,
    /// What the content of an operation needs from above, by number of the operation.
    outer: HashMap<usize, Bindings<'t>>,
    /// What the root declares.
    hoisted: Bindings<'t>,
}

impl<'t> Plan<'t> {
    fn new(delta: &'t Delta, is_long: bool, watch: &dyn Watch) -> Result<Self> {
        let tree = &*delta.content.tree;
        let mut plan = Plan {
            prefix: String::new(),
            is_escaped: vec![false; tree.len()],
            outer: HashMap::new(),
            hoisted: Bindings::new(),
        };
        let mut needs_prefix = is_long;
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
                if delta.content.is_hole[row] {
                    needs_prefix = true;
                } else {
                    let is_first = row == nodes.start as usize;
                    plan.is_escaped[row] = !look.is_expressible(row, is_first, &plan.is_escaped);
                    needs_prefix |= plan.is_escaped[row];
                }
            }
            for (&prefix, &namespace) in look.outer.iter().filter(|it| !it.1.is_empty()) {
                plan.hoisted.entry(prefix).or_insert(namespace);
            }
            plan.outer.insert(number, look.outer);
        }
        if !is_long {
            delta.operations.iter().for_each(|it| names::hoist(&mut plan.hoisted, it));
        }
        if needs_prefix || plan.hoisted.contains_key("") {
            plan.prefix = free_prefix(tree, &plan.hoisted);
        }
        Ok(plan)
    }
}

/// A prefix that no name of the content has, and no declaration binds.
fn free_prefix(tree: &Tree, hoisted: &Bindings<'_>) -> String {
    let names = tree.names();
    let mut used: HashSet<&str> = hoisted.keys().copied().collect();
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
    is_long: bool,
    is_escaped: &'t [bool],
    /// What the root declares.
    hoisted: &'t Bindings<'t>,
    /// Our prefix, or nothing.
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
    fn root(&mut self) {
        self.open_root(NAMESPACE);
        let digests = (base64(&self.delta.from), base64(&self.delta.to));
        if let Some(nodes) = self.derivation.as_ref().map(|it| it.nodes) {
            self.attribute("from", &format!("{nodes}.{}", digests.0));
            self.attribute("to", &digests.1);
            self.out.push_str(">\n");
            return;
        }
        self.attribute("from", &digests.0);
        self.attribute("to", &digests.1);
        self.number("next", self.delta.next_xid);
        self.out.push('>');
        self.maps();
    }

    fn open_root(&mut self, namespace: &str) {
        self.open("delta");
        if !self.d.is_empty() {
            self.declare(self.d, namespace);
        }
        let hoisted = self.hoisted;
        hoisted.iter().for_each(|(prefix, namespace)| self.declare(prefix, namespace));
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

    fn operation(&mut self, operation: &Operation, outer: Option<&Bindings<'_>>) {
        match operation {
            Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                let is_insert = matches!(operation, Operation::Insert { .. });
                let name = if is_insert { "ins" } else { "del" };
                self.open(name);
                self.declare_outer(outer);
                self.run(nodes, place, is_insert);
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
            Operation::Rename { xid, old, new } => self.rename(("ren", "x"), *xid, (old, new)),
            Operation::Attribute { xid, name, change } => {
                self.attribute_name(("att", "x"), *xid, name);
                match change {
                    AttributeChange::Came(value) => self.side("att", "new", value),
                    AttributeChange::Went(value) => self.side("att", "old", value),
                    AttributeChange::Changed(change) => self.changes("att", change),
                }
            }
            Operation::Reorder { xid, order } => self.reorder(("ord", "x"), *xid, order),
        }
        self.out.push('\n');
    }

    /// What the content of an operation needs and the root does not say.
    fn declare_outer(&mut self, outer: Option<&Bindings<'_>>) {
        for (&prefix, &namespace) in outer.into_iter().flatten() {
            if self.hoisted.get(prefix).copied().unwrap_or("") != namespace {
                self.declare(prefix, namespace);
            }
        }
    }

    /// A whole operation, by the name of its element and of the attribute that has the XID.
    fn rename(&mut self, words: (&str, &str), xid: u64, names: (&AttributeName, &AttributeName)) {
        self.open(words.0);
        self.number(words.1, xid);
        let names = [("old", "old-prefix", names.0), ("new", "new-prefix", names.1)];
        self.names(&names, true, false);
        self.out.push_str("/>");
    }

    /// The start of an operation on an attribute, up to its values: `x="XID@NAME"` where the name
    /// is short.
    fn attribute_name(&mut self, words: (&str, &str), xid: u64, name: &AttributeName) {
        self.open(words.0);
        if let Some(short) = self.short_name(name, false) {
            self.attribute(words.1, &format!("{xid}@{short}"));
        } else {
            self.number(words.1, xid);
            self.names(&[("name", "prefix", name)], false, false);
        }
    }

    fn reorder(&mut self, words: (&str, &str), xid: u64, order: &Order) {
        self.open(words.0);
        self.number(words.1, xid);
        for (name, list) in [("old", &order.old), ("new", &order.new)] {
            if !list.is_empty() {
                let words: Vec<String> = list.iter().map(u32::to_string).collect();
                self.attribute(name, &words.join(" "));
            }
        }
        self.out.push_str("/>");
    }

    /// `x` of the last node of a run, and `map` where that does not say it all; neither where an
    /// insertion goes on counting. Then the place, and behind which node it stands in post-order
    /// where the map of the new document follows from that, unless it stands just before its parent.
    fn run(&mut self, nodes: &Range<u32>, place: &Place, is_insert: bool) {
        let place_text = format!("{}.{}", place.parent, place.at);
        let after =
            self.derivation.as_ref().filter(|_| is_insert).map(|it| it.after[self.insertions]);
        if let Some(after) = after {
            self.insertions += 1;
            let is_last = place.parent == after + 1;
            let behind = if is_last { String::new() } else { format!("/{after}") };
            self.attribute("in", &format!("{place_text}{behind}"));
            return;
        }
        let xids = self.delta.content.post_order_xids(nodes);
        let last = xids.last().copied().unwrap_or(0);
        let is_consecutive =
            xids.iter().rev().zip((0..=last).rev()).all(|(&have, want)| have == want);
        let is_expected = is_insert && is_consecutive && xids.first().copied() == self.expected;
        if is_insert {
            self.expected = self.expected.and_then(|first| first.checked_add(xids.len() as u64));
        }
        if !is_expected {
            self.number("x", last);
            if !is_consecutive {
                self.attribute("map", &runs(xids));
            }
        }
        self.attribute("in", &place_text);
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
            escape_text(&mut self.out, &names::escaped(text));
        }
    }

    fn open(&mut self, name: &str) {
        self.out.push('<');
        self.our_name(name);
    }

    fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.our_name(name);
        self.out.push('>');
    }

    fn our_name(&mut self, name: &str) {
        if !self.d.is_empty() {
            self.out.push_str(self.d);
            self.out.push(':');
        }
        self.out.push_str(name);
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

/// A digest in base64, without the filling at its end: 11 characters.
fn base64(digest: &Digest) -> String {
    let number = u64::from_be_bytes(*digest);
    // 10 digits of 6 bits, and the last 4 bits in front of 2 zeros
    let bits = |place: u32| if place < 10 { number >> (58 - 6 * place) } else { number << 2 };
    (0..11).map(|place| BASE64[(bits(place) & 63) as usize] as char).collect()
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
