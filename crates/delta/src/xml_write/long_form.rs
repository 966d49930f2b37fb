//! The first XML form: long names, places and values in full, maps always written. Queries over
//! deltas are asked in it (`//d:insert//li`, `//d:update/d:new`): there is one way to say a thing.

use std::ops::Range;

use super::{expanded, needs_escape_in_name, Bindings, Writer};
use crate::apply::hex;
use crate::model::{AttributeChange, Operation};
use crate::xids::runs;

/// The namespace of the first form.
pub const NAMESPACE: &str = "urn:treelace:delta:1";

impl Writer<'_> {
    pub(super) fn long_root(&mut self, hoisted: &Bindings<'_>) {
        let delta = self.delta;
        self.open("delta");
        self.declare(self.d, NAMESPACE);
        hoisted.iter().for_each(|(prefix, namespace)| self.declare(prefix, namespace));
        self.attribute("from", &hex(&delta.from));
        self.attribute("to", &hex(&delta.to));
        self.number("next-xid", delta.next_xid);
        self.out.push('>');
        self.maps();
    }

    pub(super) fn long_operation(
        &mut self,
        operation: &Operation,
        outer: Option<&Bindings<'_>>,
        hoisted: &Bindings<'_>,
    ) {
        match operation {
            Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                let name =
                    if matches!(operation, Operation::Delete { .. }) { "delete" } else { "insert" };
                self.open(name);
                for (&prefix, &namespace) in outer.into_iter().flatten() {
                    if hoisted.get(prefix).copied().unwrap_or("") != namespace {
                        self.declare(prefix, namespace);
                    }
                }
                self.long_run(nodes);
                self.number("parent", place.parent);
                self.number("at", u64::from(place.at));
                self.out.push('>');
                self.content(nodes);
                self.close(name);
            }
            Operation::Move { xids, from, to } => {
                self.open("move");
                self.number("xid", xids.first().copied().unwrap_or(0));
                if xids.len() > 1 {
                    self.number("count", xids.len() as u64);
                    self.attribute("map", &runs(xids.iter().copied()));
                }
                self.number("from", from.parent);
                self.number("from-at", u64::from(from.at));
                if to.parent != from.parent {
                    self.number("to", to.parent);
                }
                self.number("to-at", u64::from(to.at));
                self.out.push_str("/>");
            }
            Operation::Update { xid, change } => {
                self.open("update");
                self.number("xid", *xid);
                self.out.push('>');
                self.change(change);
                self.close("update");
            }
            Operation::Rename { xid, old, new } => {
                self.open("rename");
                self.number("xid", *xid);
                let is_escaped = needs_escape_in_name(old) || needs_escape_in_name(new);
                self.flag(is_escaped);
                self.attribute("old", &expanded(old, is_escaped));
                self.optional("old-prefix", &old.prefix, is_escaped);
                self.attribute("new", &expanded(new, is_escaped));
                self.optional("new-prefix", &new.prefix, is_escaped);
                self.out.push_str("/>");
            }
            Operation::Attribute { xid, name, change } => {
                self.open("attribute");
                self.number("xid", *xid);
                let is_escaped = needs_escape_in_name(name);
                self.flag(is_escaped);
                self.attribute("name", &expanded(name, is_escaped));
                self.optional("prefix", &name.prefix, is_escaped);
                self.out.push('>');
                match change {
                    AttributeChange::Came(value) => self.value("new", value, None),
                    AttributeChange::Went(value) => self.value("old", value, None),
                    AttributeChange::Changed(change) => self.change(change),
                }
                self.close("attribute");
            }
            Operation::Reorder { xid, order } => {
                self.open("order");
                self.number("xid", *xid);
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

    /// `xid` of the last node of a run, and `map` where that does not say it all.
    fn long_run(&mut self, nodes: &Range<u32>) {
        let xids = self.delta.content.post_order_xids(nodes);
        let last = xids.last().copied().unwrap_or(0);
        self.number("xid", last);
        let is_consecutive =
            xids.iter().rev().zip((0..=last).rev()).all(|(&have, want)| have == want);
        if !is_consecutive {
            self.attribute("map", &runs(xids));
        }
    }
}
