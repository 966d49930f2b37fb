//! A page, or one record of it, as rows: what is visible, in document order, each with its depth.

use std::borrow::Cow;

use treelace_tree::tree::{Kind, Tree};

/// Elements whose contents no one sees.
const UNSEEN: [&str; 17] = [
    "script", "style", "noscript", "template", "head", "iframe", "svg", "select", "textarea",
    "object", "audio", "video", "canvas", "map", "noframes", "datalist", "math",
];

/// Elements that dress text: a lone one is a property of its leaf, one that holds blocks is no
/// level of its own.
const DRESS: [&str; 35] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "dfn", "em", "font", "i",
    "ins", "del", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "tt", "u", "var", "center", "time", "data", "output",
];

/// What stands in a line of text beside [`DRESS`].
const INLINE: [&str; 11] =
    ["br", "img", "input", "button", "meter", "progress", "ruby", "rt", "rp", "wbr", "#text"];

/// Words of one row that say what it is; more are cut off.
const MOST_KEYS: usize = 8;

/// The shape of texts longer than this is `long`.
const LONG: usize = 40;

/// Bits of what an element's name means.
mod element {
    pub const UNSEEN: u8 = 1;
    pub const DRESS: u8 = 2;
    pub const INLINE: u8 = 4;
    pub const IMAGE: u8 = 8;
    pub const LINK: u8 = 16;
}

/// Bits of what an attribute's name means.
mod attribute {
    pub const HIDDEN: u8 = 1;
    pub const STYLE: u8 = 2;
    pub const ID: u8 = 4;
    pub const CLASS: u8 = 8;
    pub const PROPERTY: u8 = 16;
    pub const SOURCE: u8 = 32;
    pub const LATER_SOURCE: u8 = 64;
    /// It has no namespace.
    pub const PLAIN: u8 = 128;
}

/// A tree with what its names mean looked up once: there are many nodes, and few names.
#[derive(Debug)]
pub struct Sight<'t> {
    /// The tree.
    pub tree: &'t Tree,
    elements: Vec<u8>,
    attributes: Vec<u8>,
}

/// Who is told the rows of a page, in document order.
pub(super) trait Rows {
    /// An element that is a level of its own.
    fn element(&mut self, depth: u32, node: usize);
    /// A text or an image with the lone inline elements around it, outer first.
    fn leaf(&mut self, depth: u32, node: usize, wrappers: &[u32]);
}

/// What an open element means for the rows inside it.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Level,
    Passed,
    Wrapper,
}

impl<'t> Sight<'t> {
    /// The names of a tree looked up.
    pub fn of(tree: &'t Tree) -> Sight<'t> {
        let names = tree.names();
        let ids = || 0..names.len() as u32;
        let elements = ids().map(|id| element_bits(names.local(id))).collect();
        let attributes = ids()
            .map(|id| {
                attribute_bits(names.local(id))
                    | if names.namespace(id).is_empty() { attribute::PLAIN } else { 0 }
            })
            .collect();
        Sight { tree, elements, attributes }
    }

    /// Whether node `i` is an image.
    pub fn is_image(&self, i: usize) -> bool {
        self.is(i, element::IMAGE)
    }

    fn is(&self, i: usize, bits: u8) -> bool {
        self.tree.is_element(i) && self.elements[self.tree.name(i) as usize] & bits != 0
    }

    /// Value of the attribute without a namespace that means this.
    fn plain(&self, i: usize, bit: u8) -> Option<&'t str> {
        let wanted = bit | attribute::PLAIN;
        let is_it =
            |&a: &usize| self.attributes[self.tree.attr_name(a) as usize] & wanted == wanted;
        self.tree.attributes(i).find(is_it).map(|a| self.tree.attr_value(a))
    }

    /// Address of an image.
    pub fn source(&self, i: usize) -> Option<&'t str> {
        [attribute::SOURCE, attribute::LATER_SOURCE]
            .into_iter()
            .filter_map(|bit| self.plain(i, bit))
            .find(|source| !source.is_empty())
    }

    fn is_unseen(&self, i: usize) -> bool {
        if self.is(i, element::UNSEEN) || self.plain(i, attribute::HIDDEN).is_some() {
            return true;
        }
        self.plain(i, attribute::STYLE).is_some_and(|style| {
            let plain: String =
                style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
            plain.contains("display:none") || plain.contains("visibility:hidden")
        })
    }

    /// Tells `rows` what is visible in the subtree of `root`; its top has depth 1.
    pub(super) fn walk(&self, root: usize, rows: &mut impl Rows) {
        let tree = self.tree;
        let end = tree.end(root);
        let Seen { leaves, holds_block } = self.look(root);
        let mut open: Vec<(usize, Open)> = Vec::new();
        let mut wrappers: Vec<u32> = Vec::new();
        let mut depth = 1;
        let mut i = root;
        while i < end {
            while let Some(&(until, what)) = open.last() {
                if until > i {
                    break;
                }
                open.pop();
                match what {
                    Open::Level => depth -= 1,
                    Open::Wrapper => drop(wrappers.pop()),
                    Open::Passed => {}
                }
            }
            let count = leaves[i - root];
            if count == 0 {
                i = tree.end(i).max(i + 1);
                continue;
            }
            if !tree.is_element(i) || self.is_image(i) {
                rows.leaf(depth, i, &wrappers);
                i = tree.end(i);
                continue;
            }
            let is_link = self.is(i, element::LINK);
            let what = if !self.is(i, element::DRESS) {
                Open::Level
            } else if holds_block[i - root] {
                if is_link {
                    Open::Level
                } else {
                    Open::Passed
                }
            } else if count == 1
                && (is_link
                    || self.plain(i, attribute::CLASS).is_none()
                        && self.plain(i, attribute::ID).is_none())
            {
                Open::Wrapper
            } else {
                Open::Level
            };
            match what {
                Open::Level => {
                    rows.element(depth, i);
                    depth += 1;
                }
                Open::Wrapper => wrappers.push(i as u32),
                Open::Passed => {}
            }
            open.push((tree.end(i), what));
            i += 1;
        }
    }

    /// For each node of a subtree how many leaves it holds (0 where it is not visible), and whether
    /// it holds more than a line of text.
    fn look(&self, root: usize) -> Seen {
        let tree = self.tree;
        let end = tree.end(root);
        let mut leaves = vec![0u32; end - root];
        let mut holds_block = vec![false; end - root];
        let mut i = root;
        while i < end {
            match tree.kind(i) {
                Kind::Text => leaves[i - root] = u32::from(!tree.text(i).trim_start().is_empty()),
                Kind::Element if self.is_unseen(i) => {
                    i = tree.end(i);
                    continue;
                }
                Kind::Element => {
                    leaves[i - root] = u32::from(self.is_image(i) && self.source(i).is_some())
                }
                _ => {}
            }
            i += 1;
        }
        for i in (root + 1..end).rev() {
            let count = leaves[i - root];
            if count == 0 {
                continue;
            }
            let parent = tree.parent(i) as usize - root;
            leaves[parent] = leaves[parent].saturating_add(count);
            if holds_block[i - root]
                || tree.is_element(i) && !self.is(i, element::DRESS | element::INLINE)
            {
                holds_block[parent] = true;
            }
        }
        Seen { leaves, holds_block }
    }

    /// Adds what an element is called to `keys`: sorted, each once, at most [`MOST_KEYS`].
    pub(super) fn keys(&self, i: usize, keys: &mut Vec<String>) {
        let (tree, first) = (self.tree, keys.len());
        for a in tree.attributes(i) {
            let means = self.attributes[tree.attr_name(a) as usize];
            let value = tree.attr_value(a);
            if means & attribute::ID != 0 {
                keys.push(masked('#', value.trim()));
            } else if means & attribute::CLASS != 0 {
                keys.extend(value.split_whitespace().map(|word| masked('.', word)));
            } else if means & attribute::PROPERTY != 0 {
                keys.extend(value.split_whitespace().map(|word| format!("@{word}")));
            }
        }
        if keys.len() > first + 1 {
            keys.truncate(first + MOST_KEYS);
            keys[first..].sort_unstable();
            let mut kept = first;
            for at in first..keys.len() {
                if at == first || keys[at] != keys[kept - 1] {
                    keys.swap(kept, at);
                    kept += 1;
                }
            }
            keys.truncate(kept);
        }
    }

    /// What a leaf is called, in place of what `keys` had: the keys of its wrappers and, of an
    /// image, its own.
    pub(super) fn leaf_keys(&self, i: usize, wrappers: &[u32], keys: &mut Vec<String>) {
        keys.clear();
        wrappers.iter().for_each(|&node| self.keys(node as usize, keys));
        if self.is_image(i) {
            self.keys(i, keys);
        }
        keys.truncate(MOST_KEYS);
        keys.sort_unstable();
        keys.dedup();
    }
}

struct Seen {
    leaves: Vec<u32>,
    holds_block: Vec<bool>,
}

fn element_bits(local: &str) -> u8 {
    let bit = |is: bool, bit: u8| if is { bit } else { 0 };
    bit(UNSEEN.contains(&local), element::UNSEEN)
        | bit(DRESS.contains(&local), element::DRESS)
        | bit(INLINE.contains(&local), element::INLINE)
        | bit(local == "img", element::IMAGE)
        | bit(local == "a", element::LINK)
}

fn attribute_bits(local: &str) -> u8 {
    match local {
        "hidden" => attribute::HIDDEN,
        "style" => attribute::STYLE,
        "id" => attribute::ID,
        "class" => attribute::CLASS,
        "itemprop" | "property" => attribute::PROPERTY,
        "src" => attribute::SOURCE,
        "data-src" => attribute::LATER_SOURCE,
        _ => 0,
    }
}

/// One row: an element, or a leaf (`#text`, `img`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Level; the first row has 0.
    pub depth: u32,
    /// The element's name, `#text` or `img`.
    pub tag: String,
    /// What it is called: `#id`, `.class`, `@itemprop`; runs of digits as one 0; of a leaf also
    /// those of its lone inline wrappers.
    pub keys: Vec<String>,
    /// A leaf's lone inline wrappers, outer first, with a space between.
    pub wrap: String,
    /// A leaf's text with white space collapsed, or the address of an image.
    pub text: String,
}

impl Row {
    /// Whether the row is a leaf.
    pub fn is_leaf(&self) -> bool {
        self.tag == "#text" || self.tag == "img"
    }
}

/// Rows of a page, and the node of each (for the first, which stands for the whole, the document).
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// The rows in document order.
    pub rows: Vec<Row>,
    /// Their nodes.
    pub nodes: Vec<u32>,
}

impl Outline {
    /// The rows of the subtrees of `roots`, under one row `#root`.
    pub fn of(sight: &Sight<'_>, roots: &[u32]) -> Outline {
        let outline =
            Outline { rows: vec![Row { tag: "#root".into(), ..Row::default() }], nodes: vec![0] };
        let mut writer = Writer { sight, outline };
        for &root in roots {
            if (root as usize) < sight.tree.len() {
                sight.walk(root as usize, &mut writer);
            }
        }
        writer.outline
    }
}

struct Writer<'s, 't> {
    sight: &'s Sight<'t>,
    outline: Outline,
}

impl Rows for Writer<'_, '_> {
    fn element(&mut self, depth: u32, node: usize) {
        let mut row = Row { depth, tag: self.sight.tree.local(node).to_owned(), ..Row::default() };
        self.sight.keys(node, &mut row.keys);
        self.outline.rows.push(row);
        self.outline.nodes.push(node as u32);
    }

    fn leaf(&mut self, depth: u32, node: usize, wrappers: &[u32]) {
        let tree = self.sight.tree;
        let is_image = self.sight.is_image(node);
        let mut row =
            Row { depth, tag: if is_image { "img" } else { "#text" }.to_owned(), ..Row::default() };
        row.wrap = wrappers
            .iter()
            .map(|&wrapper| tree.local(wrapper as usize))
            .collect::<Vec<_>>()
            .join(" ");
        self.sight.leaf_keys(node, wrappers, &mut row.keys);
        row.text = if is_image {
            self.sight.source(node).unwrap_or_default().to_owned()
        } else {
            collapsed(tree.text(node)).into_owned()
        };
        self.outline.rows.push(row);
        self.outline.nodes.push(node as u32);
    }
}

/// A sign and a word, runs of digits in it as one 0.
fn masked(sign: char, word: &str) -> String {
    let mut made = String::with_capacity(word.len() + 1);
    made.push(sign);
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        made.push_str(word);
        return made;
    }
    let mut in_digits = false;
    for c in word.chars() {
        if c.is_ascii_digit() {
            if !in_digits {
                made.push('0');
            }
            in_digits = true;
        } else {
            made.push(c);
            in_digits = false;
        }
    }
    made
}

/// White space collapsed and trimmed.
pub fn collapsed(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let is_plain = |(at, c): (usize, char)| {
        !c.is_whitespace() || c == ' ' && !text[at + 1..].starts_with(char::is_whitespace)
    };
    if text.char_indices().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut made = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !made.is_empty() {
            made.push(' ');
        }
        made.push_str(word);
    }
    Cow::Owned(made)
}

/// A rough shape of a text: numbers as 9, words as a, at most twelve signs; long texts are all
/// `long`.
pub fn shape(text: &str) -> String {
    if text.chars().nth(LONG).is_some() {
        return "long".into();
    }
    let mut made = String::new();
    let mut last = ' ';
    for c in text.chars() {
        let sign = match c {
            c if c.is_numeric() => '9',
            c if c.is_alphabetic() => 'a',
            '.' | ',' if last == '9' => continue,
            c if c.is_whitespace() => continue,
            c => c,
        };
        if sign != last {
            made.push(sign);
        }
        last = sign;
    }
    made.chars().take(12).collect()
}
