//! From the linked arena to the flat tree, in one walk without recursion.

use super::arena::{Arena, Row};
use super::Options;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{flags, Format, Kind, Lazy, Meta, NameId, Span, Tree, NONE, NO_NAME};

/// A place to go on: the next arena row, its parent in the tree.
struct Place {
    row: u32,
    parent: u32,
    /// What the nodes here are marked with.
    mark: u8,
}

/// A tree, and the line where it first was deeper than a tree may be.
pub(super) struct Flattened {
    pub tree: Tree,
    pub too_deep: Option<u32>,
}

/// Lays the rows out in document order. What is deeper than [`Limits::HTML_DEPTH`] is attached at
/// that level.
pub(super) fn flatten(arena: Arena<'_>, options: &Options) -> Result<Flattened> {
    if let Some(failure) = &arena.failure {
        return Err(failure.clone());
    }
    let mut tree = empty(&arena, options);
    let Arena { rows, attributes, late, ropes, heap, names, .. } = arena;
    tree.heap = heap;
    tree.names = names;
    let mut too_deep = None;
    push(
        &mut tree,
        &attributes,
        &Row { attr_count: 0, line: 0, name: NO_NAME, ..rows[0] },
        NONE,
        0,
        0,
    );
    // html5ever puts a fragment under an html element of its own: its children are the fragment
    let top = if options.context.is_none() { 0 } else { rows[0].first };
    let first = if top == NONE { NONE } else { rows[top as usize].first };
    let mut places = vec![Place { row: first, parent: 0, mark: 0 }];
    while let Some(place) = places.last_mut() {
        let Place { row, parent, mark } = *place;
        if row == NONE {
            places.pop();
            // at the deepest level an element and its children have one parent, and that is still
            // open
            if places.last().is_none_or(|outer| outer.parent != parent) {
                tree.end[parent as usize] = tree.kind.len() as u32;
            }
            continue;
        }
        let it = &rows[row as usize];
        place.row = it.next;
        let depth = tree.depth[parent as usize] + 1;
        let text = if it.kind == Kind::Text && it.extra != NONE {
            join(&mut tree.heap, it.text, &ropes[it.extra as usize].pieces)?
        } else {
            it.text
        };
        if it.kind == Kind::Text
            && depth == Limits::HTML_DEPTH
            && lengthen(&mut tree, parent, text)?
        {
            continue;
        }
        let node = push(&mut tree, &attributes, &Row { text, ..*it }, parent, depth, mark);
        if let Some(late) = late.iter().find(|late| late.row == row) {
            add_attributes(&mut tree, &late.attributes);
        }
        let is_template = it.kind == Kind::Element && it.extra != NONE;
        let children = if is_template { rows[it.extra as usize].first } else { it.first };
        if children != NONE {
            let mark = if is_template { flags::IN_TEMPLATE } else { mark };
            if depth < Limits::HTML_DEPTH {
                places.push(Place { row: children, parent: node, mark });
            } else {
                too_deep.get_or_insert(rows[children as usize].line);
                places.push(Place { row: children, parent, mark });
            }
        }
    }
    tree.attr_flags = vec![0; tree.attr_name.len()];
    Ok(Flattened { tree, too_deep })
}

fn empty(arena: &Arena<'_>, options: &Options) -> Tree {
    let n = arena.rows.len();
    let mut meta = Meta::new(Format::Html);
    meta.quirks = arena.quirks;
    meta.is_fragment = options.context.is_some();
    Tree {
        kind: Vec::with_capacity(n),
        name: Vec::with_capacity(n),
        parent: Vec::with_capacity(n),
        end: Vec::with_capacity(n),
        depth: Vec::with_capacity(n),
        flags: Vec::with_capacity(n),
        line: Vec::with_capacity(n),
        text: Vec::with_capacity(n),
        attr_start: {
            let mut start = Vec::with_capacity(n + 1);
            start.push(0);
            start
        },
        attr_name: Vec::with_capacity(arena.attributes.len()),
        attr_value: Vec::with_capacity(arena.attributes.len()),
        attr_flags: Vec::new(),
        heap: String::new(),
        names: Default::default(),
        meta,
        lazy: Lazy::default(),
    }
}

fn push(
    tree: &mut Tree,
    attributes: &[(NameId, Span)],
    row: &Row,
    parent: u32,
    depth: u32,
    flags: u8,
) -> u32 {
    let i = tree.kind.len() as u32;
    tree.kind.push(row.kind as u8);
    tree.name.push(row.name);
    tree.parent.push(parent);
    tree.end.push(i + 1);
    tree.depth.push(depth);
    tree.flags.push(flags);
    tree.line.push(row.line);
    tree.text.push(row.text);
    tree.attr_start.push(tree.attr_name.len() as u32);
    if row.attr_count > 0 {
        add_attributes(
            tree,
            &attributes[row.attr_start as usize..(row.attr_start + row.attr_count) as usize],
        );
    }
    i
}

/// Gives the node pushed last these attributes.
fn add_attributes(tree: &mut Tree, attributes: &[(NameId, Span)]) {
    tree.attr_name.extend(attributes.iter().map(|&(name, _)| name));
    tree.attr_value.extend(attributes.iter().map(|&(_, value)| value));
    if let Some(end) = tree.attr_start.last_mut() {
        *end = tree.attr_name.len() as u32;
    }
}

/// Puts the pieces of a text behind each other.
fn join(heap: &mut String, first: Span, pieces: &[Span]) -> Result<Span> {
    let start = heap.len();
    for span in std::iter::once(&first).chain(pieces) {
        let (from, to) = (span.start as usize, (span.start + span.len) as usize);
        heap.extend_from_within(from..to);
    }
    span_from(heap, start)
}

/// Where levels were cut off two texts may meet that did not: puts `text` behind the text before
/// it, if there is one.
fn lengthen(tree: &mut Tree, parent: u32, text: Span) -> Result<bool> {
    let last = tree.kind.len() - 1;
    if tree.kind(last) != Kind::Text || tree.parent[last] != parent {
        return Ok(false);
    }
    let before = tree.text[last];
    let start = if (before.start + before.len) as usize == tree.heap.len() {
        before.start as usize
    } else {
        let start = tree.heap.len();
        tree.heap.extend_from_within(before.start as usize..(before.start + before.len) as usize);
        start
    };
    tree.heap.extend_from_within(text.start as usize..(text.start + text.len) as usize);
    tree.text[last] = span_from(&tree.heap, start)?;
    Ok(true)
}

fn span_from(heap: &str, start: usize) -> Result<Span> {
    if heap.len() > u32::MAX as usize {
        return Err(Error::limit("memory", u64::from(u32::MAX)));
    }
    Ok(Span { start: start as u32, len: (heap.len() - start) as u32 })
}
