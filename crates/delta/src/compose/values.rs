//! Values of nodes under two deltas that are composed: changes joined into one, and whole nodes.

use super::super::build;
use super::super::content::ContentBuilder;
use super::super::model::{AttributeChange, AttributeName, Operation};
use super::super::{text_compose, text_edit};
use super::wrong;
use treelace_tree::error::Result;
use treelace_tree::tree::{flags, Kind, Tree};

pub(super) fn value_xid(operation: &Operation) -> Option<u64> {
    match operation {
        Operation::Update { xid, .. }
        | Operation::Rename { xid, .. }
        | Operation::Attribute { xid, .. }
        | Operation::Reorder { xid, .. } => Some(*xid),
        _ => None,
    }
}

/// What two deltas do to the values of one node, as one.
pub(super) fn joined(
    xid: u64,
    before: &[&Operation],
    after: &[&Operation],
    operations: &mut Vec<Operation>,
) -> Result<()> {
    let (mut text, mut name) = (None, None);
    let mut attributes: Vec<(AttributeName, Option<AttributeChange>)> = Vec::new();
    let touches = |list: &[&Operation]| {
        list.iter().any(|it| matches!(it, Operation::Attribute { .. } | Operation::Reorder { .. }))
    };
    let keeps_order = !(touches(before) && touches(after));
    for operation in before.iter().chain(after) {
        match operation {
            Operation::Update { change, .. } => {
                text = Some(match text.take() {
                    None => change.clone(),
                    Some(earlier) => text_compose::compose(&earlier, change)
                        .ok_or_else(|| wrong(format!("node {xid} has another text")))?,
                });
            }
            Operation::Rename { old, new, .. } => {
                name = Some((
                    name.take()
                        .map_or_else(|| old.clone(), |it: (AttributeName, AttributeName)| it.0),
                    new.clone(),
                ));
            }
            Operation::Attribute { name, change, .. } => {
                match attributes.iter_mut().find(|it| it.0 == *name) {
                    None => attributes.push((name.clone(), Some(change.clone()))),
                    Some((_, slot)) => {
                        let odd = || wrong(format!("attribute {} has another value", name.local));
                        *slot = match slot.take() {
                            None => Some(change.clone()),
                            Some(earlier) => joined_attribute(earlier, change).ok_or_else(odd)?,
                        };
                    }
                }
            }
            Operation::Reorder { .. } if keeps_order => operations.push((*operation).clone()),
            _ => {}
        }
    }
    if let Some((old, new)) = name.filter(|it| it.0 != it.1) {
        operations.push(Operation::Rename { xid, old, new });
    }
    if let Some(change) = text.filter(|change| !text_compose::is_nothing(change)) {
        operations.push(Operation::Update { xid, change });
    }
    for (name, change) in attributes {
        let is_something = |it: &AttributeChange| match it {
            AttributeChange::Changed(change) => !text_compose::is_nothing(change),
            _ => true,
        };
        if let Some(change) = change.filter(is_something) {
            operations.push(Operation::Attribute { xid, name, change });
        }
    }
    Ok(())
}

/// Two changes of one attribute as one; the outer `None` if they do not fit, the inner if nothing
/// is left.
pub(super) fn joined_attribute(
    earlier: AttributeChange,
    later: &AttributeChange,
) -> Option<Option<AttributeChange>> {
    use AttributeChange::{Came, Changed, Went};
    Some(match (earlier, later) {
        (Came(value), Changed(change)) => Some(Came(text_edit::apply(change, &value)?)),
        (Came(value), Went(same)) if value == *same => None,
        (Changed(first), Changed(second)) => Some(Changed(text_compose::compose(&first, second)?)),
        (Changed(first), Went(value)) => {
            Some(Went(text_edit::apply(&text_edit::invert(&first), value)?))
        }
        (Went(old), Came(new)) if old == *new => None,
        (Went(old), Came(new)) => Some(Changed(text_edit::change(&old, new, 0))),
        _ => return None,
    })
}

/// A node by itself.
pub(super) struct Record {
    pub(super) kind: Kind,
    is_reference: bool,
    name: AttributeName,
    text: String,
    attributes: Vec<(AttributeName, String)>,
}

impl Record {
    pub(super) fn of(tree: &Tree, row: usize) -> Self {
        let name = |id| build::name_of(tree, id);
        Record {
            kind: tree.kind(row),
            is_reference: tree.flags(row) & flags::REFERENCE != 0,
            name: name(tree.name(row)),
            text: tree.text(row).to_string(),
            attributes: tree
                .attributes(row)
                .map(|a| (name(tree.attr_name(a)), tree.attr_value(a).to_string()))
                .collect(),
        }
    }

    pub(super) fn write(&self, content: &mut ContentBuilder, xid: u64) -> Result<()> {
        if self.kind == Kind::Element {
            content.element(&self.name)?;
        } else {
            content.leaf(
                self.kind,
                &self.name,
                &self.text,
                if self.is_reference { flags::REFERENCE } else { 0 },
            )?;
        }
        content.set_last_xid(xid);
        self.attributes.iter().try_for_each(|(name, value)| content.attribute(name, value))
    }

    pub(super) fn apply(&mut self, operation: &Operation) -> Result<()> {
        let odd = || wrong("a value is not the one that was changed");
        match operation {
            Operation::Update { change, .. } => {
                self.text = text_edit::apply(change, &self.text).ok_or_else(odd)?
            }
            Operation::Rename { new, .. } => self.name = new.clone(),
            Operation::Attribute { name, change, .. } => {
                let at = self.attributes.iter().position(|it| it.0 == *name);
                match (at, change) {
                    (Some(at), AttributeChange::Changed(change)) => {
                        self.attributes[at].1 =
                            text_edit::apply(change, &self.attributes[at].1).ok_or_else(odd)?;
                    }
                    (Some(at), AttributeChange::Went(value)) if self.attributes[at].1 == *value => {
                        drop(self.attributes.remove(at))
                    }
                    (None, AttributeChange::Came(value)) => {
                        self.attributes.push((name.clone(), value.clone()))
                    }
                    _ => return Err(odd()),
                }
            }
            Operation::Reorder { order, .. } if !order.new.is_empty() => {
                let mut natural: Vec<_> =
                    std::mem::take(&mut self.attributes).into_iter().map(Some).collect();
                let mut take = |place: u32| {
                    natural.get_mut((place as usize).wrapping_sub(1)).and_then(Option::take)
                };
                self.attributes = order
                    .new
                    .iter()
                    .map(|&place| take(place))
                    .collect::<Option<_>>()
                    .ok_or_else(odd)?;
                self.attributes.extend(natural.into_iter().flatten());
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn changes_to(
        &self,
        new: &Record,
        xid: u64,
        operations: &mut Vec<Operation>,
    ) -> Result<()> {
        if self.kind != new.kind || self.is_reference != new.is_reference {
            return Err(wrong(format!("node {xid} became something else")));
        }
        if self.name != new.name {
            operations.push(Operation::Rename {
                xid,
                old: self.name.clone(),
                new: new.name.clone(),
            });
        }
        if self.text != new.text {
            operations.push(Operation::Update {
                xid,
                change: text_edit::change(&self.text, &new.text, 12),
            });
        }
        for (name, value) in &self.attributes {
            let change = match new.attributes.iter().find(|it| it.0 == *name) {
                Some((_, now)) if now == value => continue,
                Some((_, now)) => AttributeChange::Changed(text_edit::change(value, now, 12)),
                None => AttributeChange::Went(value.clone()),
            };
            operations.push(Operation::Attribute { xid, name: name.clone(), change });
        }
        for (name, value) in
            new.attributes.iter().filter(|it| !self.attributes.iter().any(|have| have.0 == it.0))
        {
            operations.push(Operation::Attribute {
                xid,
                name: name.clone(),
                change: AttributeChange::Came(value.clone()),
            });
        }
        Ok(())
    }
}
