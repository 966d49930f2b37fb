//! The first XML form: long names, places and values in full, maps always written. Queries over
//! deltas are asked in it (`//d:insert//li`, `//d:update/d:new`): there is one way to say a thing.

use std::ops::Range;

use super::{Bindings, Writer};
use crate::apply::hex;
use crate::model::{AttributeChange, Operation};
use crate::xids::runs;

/// The namespace of the first form.
pub const NAMESPACE: &str = "urn:treelace:delta:1";

impl Writer<'_> {
    pub(super) fn long_root(&mut self) {
        let delta = self.delta;
        self.open_root(NAMESPACE);
        self.attribute("from", &hex(&delta.from));
        self.attribute("to", &hex(&delta.to));
        self.number("next-xid", delta.next_xid);
        self.out.push('>');
        self.maps();
    }

    pub(super) fn long_operation(&mut self, operation: &Operation, outer: Option<&Bindings<'_>>) {
        match operation {
            Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                let name =
                    if matches!(operation, Operation::Delete { .. }) { "delete" } else { "insert" };
                self.open(name);
                self.declare_outer(outer);
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
                self.rename(("rename", "xid"), *xid, (old, new));
            }
            Operation::Attribute { xid, name, change } => {
                self.attribute_name(("attribute", "xid"), *xid, name);
                self.out.push('>');
                match change {
                    AttributeChange::Came(value) => self.value("new", value, None),
                    AttributeChange::Went(value) => self.value("old", value, None),
                    AttributeChange::Changed(change) => self.change(change),
                }
                self.close("attribute");
            }
            Operation::Reorder { xid, order } => self.reorder(("order", "xid"), *xid, order),
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
