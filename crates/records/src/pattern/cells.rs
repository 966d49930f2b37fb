//! The cells of leaves: one text as it reads, the element that holds it, and its items with the
//! links around them.

use crate::cells::{Cells, ItemKind};
use treelace_tree::error::Result;
use treelace_tree::tree::{Kind, Tree, NONE};
use treelace_tree::watch::Watch;

use super::laid::Sorted;
use super::outline::collapsed;

/// Elements that do not break a line of text.
const INLINE: [&str; 35] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "label", "mark", "nobr", "output", "q", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
];

/// Levels above a leaf at which its link is looked for, its own included.
const NEAR: usize = 6;

/// The cells of sorted leaves, one for each slot.
pub fn cells(tree: &Tree, sorted: &Sorted, watch: &dyn Watch) -> Result<Cells> {
    let mut made = Cells::default();
    let mut start = 0;
    for (number, &end) in sorted.ends.iter().enumerate() {
        if number & 0xFFF == 0xFFF {
            watch.check()?;
        }
        push(tree, &sorted.nodes[start..end as usize], &mut made);
        start = end as usize;
    }
    Ok(made)
}

fn push(tree: &Tree, nodes: &[u32], made: &mut Cells) {
    let (first, last) = ends(tree, nodes);
    let first_item = made.nodes.len();
    let mut text = String::new();
    let mut before = None;
    for &node in nodes {
        let i = node as usize;
        if tree.kind(i) == Kind::Text {
            made.item(ItemKind::Text, node);
            if (first..=last).contains(&node) {
                if before.is_some_and(|before| !runs_on(tree, before, i)) {
                    text.push(' ');
                }
                text.push_str(&collapsed(tree.text(i)));
                before = Some(i);
            }
        } else {
            made.item(ItemKind::Image, node);
        }
        if let Some(link) = link_around(tree, i) {
            if !made.has_link(first_item, link) {
                made.item(ItemKind::Link, link);
            }
        }
    }
    made.texts.push(text);
    made.holders.push(holder(tree, first, last));
    made.ends.push(made.nodes.len() as u32);
}

/// The first and the last leaf of a cell, without the brackets and commas at its ends.
fn ends(tree: &Tree, nodes: &[u32]) -> (u32, u32) {
    let is_full = |&&node: &&u32| {
        tree.kind(node as usize) == Kind::Text
            && tree.text(node as usize).contains(char::is_alphanumeric)
    };
    let whole = (nodes.first().copied().unwrap_or(0), nodes.last().copied().unwrap_or(0));
    if nodes.len() == 1 {
        return whole;
    }
    match (nodes.iter().find(is_full), nodes.iter().rfind(is_full)) {
        (Some(&first), Some(&last)) => (first, last),
        _ => whole,
    }
}

/// Whether a text continues the one before without a space.
fn runs_on(tree: &Tree, before: usize, node: usize) -> bool {
    let is_inline = |i: usize| tree.is_element(i) && INLINE.binary_search(&tree.local(i)).is_ok();
    if tree.text(node).starts_with(char::is_whitespace)
        || tree.text(before).ends_with(char::is_whitespace)
    {
        return false;
    }
    if !(before + 1..node).all(is_inline) {
        return false;
    }
    let mut above = tree.parent(before);
    while above != NONE && tree.end(above as usize) <= node {
        if !is_inline(above as usize) {
            return false;
        }
        above = tree.parent(above as usize);
    }
    true
}

/// The link that a leaf stands in, a few levels up.
fn link_around(tree: &Tree, leaf: usize) -> Option<u32> {
    let mut above = leaf as u32;
    for _ in 0..NEAR {
        if above == NONE || above == 0 {
            return None;
        }
        let i = above as usize;
        if tree.is_element(i) && tree.local(i) == "a" {
            return tree.attribute(i, "href").map(|_| above);
        }
        above = tree.parent(i);
    }
    None
}

/// The lowest element around both leaves; an image is its own.
fn holder(tree: &Tree, first: u32, last: u32) -> u32 {
    let mut above =
        if tree.is_element(first as usize) { first } else { tree.parent(first as usize) };
    while above != NONE && above != 0 && tree.end(above as usize) <= last as usize {
        above = tree.parent(above as usize);
    }
    if above == NONE {
        0
    } else {
        above
    }
}

#[cfg(test)]
mod tests {
    use super::INLINE;

    #[test]
    fn the_list_can_be_searched() {
        assert!(INLINE.is_sorted());
    }
}
