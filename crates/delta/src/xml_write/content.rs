//! The nodes that came and went, as themselves or escaped.

use std::ops::Range;

use super::names::escaped;
use super::{escape_text, Writer};
use crate::build::name_of;
use treelace_tree::tree::{flags, Kind, NameId, Tree};
use treelace_tree::write::chars;

impl Writer<'_> {
    pub(super) fn content(&mut self, nodes: &Range<u32>) {
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
                let name = name_of(tree, tree.name(row));
                self.names(&[("name", "prefix", &name)], true, false);
                self.out.push('>');
                self.attribute_elements(tree, row);
                if tree.end(row) > row + 1 {
                    return true;
                }
                self.close("element");
            }
            Kind::Instruction | Kind::Doctype => {
                let kind = if tree.kind(row) == Kind::Doctype { "doctype" } else { "instruction" };
                self.open(kind);
                let name = name_of(tree, tree.name(row));
                self.names(&[("name", "prefix", &name)], false, false);
                self.out.push('>');
                self.attribute_elements(tree, row);
                self.value("text", tree.text(row), None);
                self.close(kind);
            }
            Kind::Comment => self.value("comment", tree.text(row), None),
            _ => self.value(if is_reference { "reference" } else { "text" }, tree.text(row), None),
        }
        false
    }

    fn attribute_elements(&mut self, tree: &Tree, row: usize) {
        for a in tree.attributes(row) {
            let (name, value) = (name_of(tree, tree.attr_name(a)), tree.attr_value(a));
            self.open("a");
            let is_escaped =
                self.names(&[("name", "prefix", &name)], false, !chars::is_clean(value));
            self.out.push('>');
            escape_text(
                &mut self.out,
                &if is_escaped { escaped(value) } else { value.to_string() },
            );
            self.close("a");
        }
    }

    fn qualified(&mut self, tree: &Tree, id: NameId) {
        let names = tree.names();
        if !names.prefix(id).is_empty() {
            self.out.push_str(names.prefix(id));
            self.out.push(':');
        }
        self.out.push_str(names.local(id));
    }
}
