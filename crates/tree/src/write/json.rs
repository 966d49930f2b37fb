//! The published JSON form of a tree (`docs/reference/json-form.md`, `tree.schema.json`): plain,
//! lossless, easily patched.
//!
//! A text is a string; every other node is an object with its `kind` (a reference to an entity that
//! could not be read is one, too). An element always has `attributes` (an object: names without a
//! namespace to values) and `children` (a list), so that a path such as
//! `/children/1/attributes/class` can be patched; attributes with a prefix or a namespace stand in
//! `qualified`. The namespace is left out where the format implies it: HTML's for elements of HTML
//! trees, none in XML. [`crate::parse::json`] reads it back.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::json::write_string;
use crate::limits::Limits;
use crate::tree::{flags, Format, Kind, NameId, Tree, HTML};
use crate::watch::Watch;

/// The number of this form; another form must get another.
pub const VERSION: u32 = 1;

/// Writes the subtree of node `index`; with `indent`, each node on a line of its own, so many
/// blanks deeper for each level.
pub fn write(
    tree: &Tree,
    index: usize,
    indent: Option<u32>,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<String> {
    let mut writer = Writer {
        tree,
        out: String::with_capacity((tree.end(index) - index) * 48),
        indent,
        top: tree.depth(index),
    };
    let mut open: Vec<usize> = Vec::new();
    for i in index..tree.end(index) {
        if i % 8192 == 0 {
            watch.check()?;
        }
        writer.close(&mut open, i);
        if i > index {
            if !writer.out.ends_with('[') {
                writer.out.push(',');
            }
            writer.new_line(tree.depth(i));
        }
        writer.node(i, i == index)?;
        if matches!(tree.kind(i), Kind::Document | Kind::Element) {
            open.push(i);
        }
        Limits::check("memory", limits.memory, writer.out.len() as u64)?;
    }
    writer.close(&mut open, tree.end(index));
    Ok(writer.out)
}

struct Writer<'t> {
    tree: &'t Tree,
    out: String,
    indent: Option<u32>,
    top: u32,
}

impl Writer<'_> {
    fn new_line(&mut self, depth: u32) {
        if let Some(indent) = self.indent {
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(' ', (indent * (depth - self.top)) as usize));
        }
    }

    fn close(&mut self, open: &mut Vec<usize>, i: usize) {
        while let Some(top) = open.pop_if(|&mut top| self.tree.end(top) <= i) {
            if self.tree.end(top) > top + 1 {
                self.new_line(self.tree.depth(top));
            }
            self.out.push_str("]}");
        }
    }

    fn node(&mut self, i: usize, is_top: bool) -> Result<()> {
        let tree = self.tree;
        let kind = match tree.kind(i) {
            Kind::Text if tree.flags(i) & flags::REFERENCE != 0 => "reference",
            Kind::Text => {
                write_string(&mut self.out, tree.text(i));
                return Ok(());
            }
            Kind::Document => "document",
            Kind::Element => "element",
            Kind::Comment => "comment",
            Kind::Instruction => "instruction",
            Kind::Doctype => "doctype",
        };
        self.out.push_str("{\"kind\":\"");
        self.out.push_str(kind);
        self.out.push('"');
        if is_top {
            self.out.push_str(&format!(",\"version\":{VERSION}"));
            self.out.push_str(if tree.meta().format == Format::Html {
                ",\"format\":\"html\""
            } else {
                ",\"format\":\"xml\""
            });
            if i == 0 && tree.meta().is_fragment {
                self.out.push_str(",\"fragment\":true");
            }
        }
        match tree.kind(i) {
            Kind::Document => self.out.push_str(",\"children\":["),
            Kind::Element => {
                let implied = if tree.meta().format == Format::Html { HTML } else { "" };
                self.name(tree.name(i), implied);
                self.attributes(i);
                self.out.push_str(",\"children\":[");
            }
            Kind::Doctype => {
                self.name(tree.name(i), "");
                for a in tree.attributes(i) {
                    let key = tree.names().qualified(tree.attr_name(a));
                    if !matches!(key.as_str(), "public" | "system") {
                        return Err(Error::Usage(format!(
                            "node {i}: a doctype has public and system identifiers, not {key:?}"
                        )));
                    }
                    self.field(&key, tree.attr_value(a));
                }
                if !tree.text(i).is_empty() {
                    self.field("subset", tree.text(i));
                }
                self.out.push('}');
            }
            kind => {
                if kind == Kind::Instruction {
                    self.name(tree.name(i), "");
                }
                self.field("text", tree.text(i));
                self.out.push('}');
            }
        }
        Ok(())
    }

    fn field(&mut self, key: &str, value: &str) {
        self.out.push_str(",\"");
        self.out.push_str(key);
        self.out.push_str("\":");
        write_string(&mut self.out, value);
    }

    fn name(&mut self, id: NameId, implied: &str) {
        let names = self.tree.names();
        self.field("name", names.local(id));
        if !names.prefix(id).is_empty() {
            self.field("prefix", names.prefix(id));
        }
        if names.namespace(id) != implied {
            self.field("namespace", names.namespace(id));
        }
    }

    fn attributes(&mut self, i: usize) {
        let tree = self.tree;
        let names = tree.names();
        self.out.push_str(",\"attributes\":{");
        let mut qualified: Vec<usize> = Vec::new();
        let mut is_first = true;
        let mut seen: HashSet<NameId> = HashSet::new();
        let rows = tree.attributes(i);
        for a in rows.clone() {
            let id = tree.attr_name(a);
            // a name that is there twice cannot be a key twice
            let is_plain = names.prefix(id).is_empty() && names.namespace(id).is_empty();
            let is_there = if rows.len() <= 32 {
                (rows.start..a).any(|b| tree.attr_name(b) == id)
            } else {
                !seen.insert(id)
            };
            if !is_plain || is_there {
                qualified.push(a);
                continue;
            }
            if !is_first {
                self.out.push(',');
            }
            is_first = false;
            write_string(&mut self.out, names.local(id));
            self.out.push(':');
            write_string(&mut self.out, tree.attr_value(a));
        }
        self.out.push('}');
        if qualified.is_empty() {
            return;
        }
        self.out.push_str(",\"qualified\":[");
        for (number, &a) in qualified.iter().enumerate() {
            self.out.push_str(if number > 0 { ",{" } else { "{" });
            let before = self.out.len();
            self.name(tree.attr_name(a), "");
            self.field("value", tree.attr_value(a));
            // every field begins with a comma
            self.out.remove(before);
            self.out.push('}');
        }
        self.out.push(']');
    }
}
