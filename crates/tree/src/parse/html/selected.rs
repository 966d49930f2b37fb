//! `selectedcontent`: the button of a customisable `select` shows a copy of the option that is
//! selected.
//!
//! The standard makes the copy whenever an option is closed; html5ever tells us only of options
//! with an end tag. Copying once, when all is read, comes to the same: the option that is selected
//! then had the last word.

use super::arena::Arena;
use crate::tree::{Kind, NameId, HTML, NONE, NO_NAME};

/// The numbers of the names in question.
struct Wanted {
    select: NameId,
    option: NameId,
    content: NameId,
}

/// Fills every `selectedcontent` that stands in a `select` of its own.
pub(super) fn fill(arena: &mut Arena<'_>) {
    let find = |local| arena.names.find("", HTML, local);
    let (Some(select), Some(option), Some(content)) =
        (find("select"), find("option"), find("selectedcontent"))
    else {
        return;
    };
    let wanted = Wanted { select, option, content };
    for select in 0..arena.rows.len() as u32 {
        let row = &arena.rows[select as usize];
        if row.kind == Kind::Element && row.name == wanted.select && !has(arena, select, "multiple")
        {
            let (content, option) = search(arena, select, &wanted);
            if content != NONE && option != NONE && arena.failure.is_none() {
                replace_children(arena, content, option);
            }
        }
    }
}

/// The first `selectedcontent` of a `select` and the option that is selected; [`NONE`] where there
/// is none.
fn search(arena: &Arena<'_>, select: u32, wanted: &Wanted) -> (u32, u32) {
    let (mut content, mut first, mut selected) = (NONE, NONE, NONE);
    let mut node = arena.rows[select as usize].first;
    while node != NONE {
        let row = &arena.rows[node as usize];
        // what stands in an option, in another select or in a copy does not count
        let mut goes_in = row.kind == Kind::Element;
        if goes_in && [wanted.select, wanted.option, wanted.content].contains(&row.name) {
            goes_in = false;
            if row.name == wanted.content && content == NONE {
                content = node;
            } else if row.name == wanted.option {
                if has(arena, node, "selected") {
                    selected = node;
                } else if first == NONE && !has(arena, node, "disabled") {
                    first = node;
                }
            }
        }
        node = if goes_in && row.first != NONE { row.first } else { after(arena, node, select) };
    }
    let is_list = attribute(arena, select, "size")
        .and_then(|size| size.trim().parse::<u32>().ok())
        .is_some_and(|size| size > 1);
    let option = if selected != NONE || is_list { selected } else { first };
    (content, option)
}

/// The next node in document order that is not below `node`, inside `top`.
fn after(arena: &Arena<'_>, mut node: u32, top: u32) -> u32 {
    while node != top {
        let row = &arena.rows[node as usize];
        if row.next != NONE {
            return row.next;
        }
        node = row.parent;
    }
    NONE
}

/// Puts copies of the children of `from` in the place of the children of `to`.
fn replace_children(arena: &mut Arena<'_>, to: u32, from: u32) {
    while arena.rows[to as usize].first != NONE {
        arena.unlink(arena.rows[to as usize].first);
    }
    let mut places = vec![(arena.rows[from as usize].first, to)];
    while let Some((node, parent)) = places.pop() {
        if node == NONE || arena.failure.is_some() {
            continue;
        }
        let row = arena.rows[node as usize];
        let copy = arena.push(row.kind, row.name, row.text, row.line);
        let mut extra = row.extra;
        if row.kind == Kind::Element && extra != NONE {
            extra = arena.push(Kind::Document, NO_NAME, row.text, 0);
            places.push((arena.rows[row.extra as usize].first, extra));
        }
        let fresh = arena.row(copy);
        (fresh.attr_start, fresh.attr_count, fresh.extra) = (row.attr_start, row.attr_count, extra);
        arena.insert(parent, NONE, copy);
        places.push((row.next, parent));
        places.push((row.first, copy));
    }
}

fn has(arena: &Arena<'_>, node: u32, local: &str) -> bool {
    attribute(arena, node, local).is_some()
}

fn attribute<'a>(arena: &'a Arena<'_>, node: u32, local: &str) -> Option<&'a str> {
    let name = arena.names.find("", "", local)?;
    arena
        .attributes_of(node)
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, span)| &arena.heap[span.start as usize..(span.start + span.len) as usize])
}
