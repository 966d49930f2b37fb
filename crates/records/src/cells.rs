//! Cells: what stands in a slot, as it reads: one text, the element that holds it, and its items
//! with the links around them.

use super::columns::Lined;
use super::rules::{is_space, roles};
use super::view::TEXT;
use super::View;
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// What an item of a cell is. The numbers are what callers see.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A visible text.
    Text = 0,
    /// A link around an item.
    Link = 1,
    /// An image.
    Image = 2,
}

/// The cells of lined-up records, one for each slot.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    /// The text of each as it reads; empty where it has images only.
    pub texts: Vec<String>,
    /// The lowest element around the text of each.
    pub holders: Vec<u32>,
    /// End of the items of each.
    pub ends: Vec<u32>,
    /// Kinds of the items.
    pub kinds: Vec<u8>,
    /// Nodes of the items.
    pub nodes: Vec<u32>,
}

/// The cells of the slots of `lined`, whose records have these roots.
pub fn cells(view: &View, records: &[Vec<u32>], lined: &Lined, watch: &dyn Watch) -> Result<Cells> {
    let mut made = Cells::default();
    let mut start = 0;
    for (number, slot) in lined.slots.iter().enumerate() {
        if number & 0xFFF == 0xFFF {
            watch.check()?;
        }
        let nodes = &lined.nodes[start..slot.end as usize];
        start = slot.end as usize;
        made.push(view, &records[slot.record as usize], nodes);
    }
    Ok(made)
}

impl Cells {
    fn push(&mut self, view: &View, roots: &[u32], nodes: &[u32]) {
        let core = core(view, nodes);
        let (low, high) = (core[0], core[core.len() - 1]);
        let first = self.nodes.len();
        let (mut text, mut last) = (String::new(), None);
        for &node in nodes {
            let i = node as usize;
            if let Some(words) = words(view, i) {
                self.item(ItemKind::Text, node);
                if (low..=high).contains(&node) {
                    if last.is_some_and(|last| !runs_on(view, last, i)) {
                        text.push(' ');
                    }
                    text.push_str(words);
                    last = Some(i);
                }
            } else {
                self.item(ItemKind::Image, node);
            }
            if let Some(link) =
                link_around(view, i, roots).filter(|&link| !self.has_link(first, link))
            {
                self.item(ItemKind::Link, link);
            }
        }
        self.texts.push(text);
        self.holders.push(holder_of(view, core) as u32);
        self.ends.push(self.nodes.len() as u32);
    }

    /// Adds an item to the cell that is being made.
    pub(crate) fn item(&mut self, kind: ItemKind, node: u32) {
        self.kinds.push(kind as u8);
        self.nodes.push(node);
    }

    /// Whether a link is among the items from number `first` on.
    pub(crate) fn has_link(&self, first: usize, link: u32) -> bool {
        self.nodes[first..]
            .iter()
            .zip(&self.kinds[first..])
            .any(|(&node, &kind)| node == link && kind == ItemKind::Link as u8)
    }
}

/// The words of a visible text node.
fn words(view: &View, i: usize) -> Option<&str> {
    (view.tag[i] == TEXT && view.shown[i]).then(|| view.text(view.text_before[i] as usize))
}

/// The nodes without the brackets and commas at their ends.
fn core<'n>(view: &View, nodes: &'n [u32]) -> &'n [u32] {
    let is_full = |&node: &u32| {
        words(view, node as usize).is_some_and(|words| words.chars().any(char::is_alphanumeric))
    };
    match (nodes.iter().position(is_full), nodes.iter().rposition(is_full)) {
        (Some(first), Some(last)) => &nodes[first..=last],
        _ => nodes,
    }
}

/// Whether the second text continues the first without a space: nothing but inline tags between,
/// and no white space on either side.
fn runs_on(view: &View, last: usize, node: usize) -> bool {
    let tree = &view.tree;
    if tree.text(last).ends_with(is_space) || tree.text(node).starts_with(is_space) {
        return false;
    }
    let is_inline = |i: usize| match view.tag[i] {
        TEXT => !is_blank(view, i),
        _ => view.is(i, roles::INLINE) && !view.is(i, roles::BREAK),
    };
    if !(last + 1..node).all(is_inline) {
        return false;
    }
    let mut above = view.parent(last);
    while above > 0 && tree.end(above) <= node {
        if !view.is(above, roles::INLINE) {
            return false;
        }
        above = view.parent(above);
    }
    true
}

/// White space that is seen: a text with nothing hidden around it.
fn is_blank(view: &View, i: usize) -> bool {
    let parent = view.parent(i);
    let text = view.tree.text(i);
    (view.shown[parent] || parent == 0) && !text.is_empty() && text.chars().all(is_space)
}

/// The link around a node, inside its record.
fn link_around(view: &View, node: usize, roots: &[u32]) -> Option<u32> {
    let around = |&root: &u32| root as usize <= node && node < view.tree.end(root as usize);
    let top = roots.iter().copied().find(around).map_or(node, |root| root as usize);
    let mut above = node;
    while above >= top && above > 0 {
        if view.is(above, roles::LINK) && view.tree.attribute(above, "href").is_some() {
            return Some(above as u32);
        }
        above = view.parent(above);
    }
    None
}

/// The lowest element around all of these nodes; an image is its own.
fn holder_of(view: &View, nodes: &[u32]) -> usize {
    let (low, high) =
        nodes.iter().fold((NONE, 0), |(low, high), &node| (low.min(node), high.max(node)));
    let first = nodes[0] as usize;
    let mut above = if view.tag[first] == TEXT { view.parent(first) } else { first };
    while above > 0 && !(above <= low as usize && (high as usize) < view.tree.end(above)) {
        above = view.parent(above);
    }
    above
}
