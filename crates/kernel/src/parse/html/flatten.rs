//! From the linked arena to the flat tree, in one walk without recursion.

use super::sink::{Arena, Row};
use super::Options;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{flags, Format, Kind, Lazy, Meta, Span, Tree, NONE, NO_NAME};

/// Lays the rows out in document order.
pub(super) fn flatten(arena: Arena, options: &Options, limits: Limits) -> Result<Tree> {
    if let Some(error) = arena.failure {
        return Err(error);
    }
    let n = arena.rows.len();
    let mut meta = Meta::new(Format::Html);
    meta.quirks = arena.quirks;
    meta.encoding = options.encoding.clone();
    meta.problems = arena.problems;
    meta.problem_count = arena.problem_count;
    meta.is_fragment = options.context.is_some();
    let mut tree = Tree {
        kind: Vec::with_capacity(n),
        name: Vec::with_capacity(n),
        parent: Vec::with_capacity(n),
        end: Vec::with_capacity(n),
        depth: Vec::with_capacity(n),
        flags: Vec::with_capacity(n),
        line: Vec::with_capacity(n),
        text: Vec::with_capacity(n),
        attr_start: Vec::with_capacity(n + 1),
        attr_name: Vec::with_capacity(arena.attributes.len()),
        attr_value: Vec::with_capacity(arena.attributes.len()),
        attr_flags: Vec::new(),
        heap: arena.heap,
        names: arena.names,
        meta,
        lazy: Lazy::default(),
    };
    // html5ever puts a fragment under an html element of its own: its children are the fragment
    let top = if options.context.is_some() { arena.rows[0].first } else { 0 };
    let document = Row { kind: Kind::Document, name: NO_NAME, text: Span::default(), attr_count: 0, ..arena.rows[0] };
    push(&mut tree, &arena.attributes, &document, NONE, 0, 0);
    // a place to go on: the next arena row, its parent in the tree
    let mut open: Vec<(u32, u32)> = Vec::new();
    let first = if top == NONE { NONE } else { arena.rows[top as usize].first };
    open.push((first, 0));
    while let Some((row, parent)) = open.pop() {
        if row == NONE {
            tree.end[parent as usize] = tree.kind.len() as u32;
            continue;
        }
        let it = &arena.rows[row as usize];
        open.push((it.next, parent));
        let depth = tree.depth[parent as usize] + 1;
        let parent_is_template = it.parent != NONE && arena.rows[it.parent as usize].kind == Kind::Document && it.parent != 0;
        let inherited = tree.flags[parent as usize] & flags::IN_TEMPLATE;
        let mark = if parent_is_template { flags::IN_TEMPLATE } else { inherited };
        let node = push(&mut tree, &arena.attributes, it, parent, depth, mark);
        if it.kind == Kind::Element {
            // a template has its contents as children, and may have others that foster parenting put there
            let children = if it.contents == NONE { it.first } else { arena.rows[it.contents as usize].first };
            open.push((children, node));
        }
    }
    tree.attr_flags = vec![0; tree.attr_name.len()];
    if tree.kind.len() as u64 > limits.nodes {
        return Err(Error::Limit { limit: "nodes", bound: limits.nodes, needed: Some(tree.kind.len() as u64) });
    }
    Ok(tree)
}

fn push(tree: &mut Tree, attributes: &[(u32, Span)], row: &Row, parent: u32, depth: u32, flags: u8) -> u32 {
    let i = tree.kind.len() as u32;
    tree.kind.push(row.kind as u8);
    tree.name.push(row.name);
    tree.parent.push(parent);
    tree.end.push(i + 1);
    tree.depth.push(depth);
    tree.flags.push(flags);
    tree.line.push(row.line);
    tree.text.push(row.text);
    if tree.attr_start.is_empty() {
        tree.attr_start.push(0);
    }
    for &(name, value) in &attributes[row.attr_start as usize..(row.attr_start + row.attr_count) as usize] {
        tree.attr_name.push(name);
        tree.attr_value.push(value);
    }
    tree.attr_start.push(tree.attr_name.len() as u32);
    i
}
