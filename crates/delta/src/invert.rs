//! The delta that leads back.

use super::model::{AttributeChange, Delta, Operation, Order};
use super::text_edit;

/// Swaps insert and delete, origin and target, old and new. `invert(invert(d)) == d`.
pub fn invert(delta: &Delta) -> Delta {
    let mut operations: Vec<Operation> = delta.operations.iter().map(turned).collect();
    operations.sort_by_key(rank);
    Delta {
        from: delta.to,
        to: delta.from,
        from_map: delta.to_map.clone(),
        to_map: delta.from_map.clone(),
        next_xid: delta.next_xid,
        operations,
        content: delta.content.clone(),
    }
}

/// Values first, then deletes, moves, inserts: the order in which `build` writes them.
pub(super) fn rank(operation: &Operation) -> u8 {
    match operation {
        Operation::Delete { .. } => 1,
        Operation::Move { .. } => 2,
        Operation::Insert { .. } => 3,
        _ => 0,
    }
}

fn turned(operation: &Operation) -> Operation {
    match operation.clone() {
        Operation::Delete { place, nodes } => Operation::Insert { place, nodes },
        Operation::Insert { place, nodes } => Operation::Delete { place, nodes },
        Operation::Move { xids, from, to } => Operation::Move { xids, from: to, to: from },
        Operation::Update { xid, change } => {
            Operation::Update { xid, change: text_edit::invert(&change) }
        }
        Operation::Rename { xid, old, new } => Operation::Rename { xid, old: new, new: old },
        Operation::Attribute { xid, name, change } => {
            let change = match change {
                AttributeChange::Came(value) => AttributeChange::Went(value),
                AttributeChange::Went(value) => AttributeChange::Came(value),
                AttributeChange::Changed(change) => {
                    AttributeChange::Changed(text_edit::invert(&change))
                }
            };
            Operation::Attribute { xid, name, change }
        }
        Operation::Reorder { xid, order } => {
            Operation::Reorder { xid, order: Order { old: order.new, new: order.old } }
        }
    }
}
