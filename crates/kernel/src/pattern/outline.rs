//! A page, or one record of it, as rows: what is visible, in document order, each with its depth.

use crate::tree::{Kind, Tree};

/// Elements whose contents no one sees.
const UNSEEN: [&str; 17] = [
    "script", "style", "noscript", "template", "head", "iframe", "svg", "select", "textarea", "object", "audio", "video", "canvas", "map",
    "noframes", "datalist", "math",
];

/// Elements that dress text: a lone one is a property of its leaf, one that holds blocks is no level of its own.
const DRESS: [&str; 35] = [
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "dfn", "em", "font", "i", "ins", "del", "kbd", "label", "mark", "nobr", "q",
    "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "center", "time", "data", "output",
];

/// What stands in a line of text beside [`DRESS`].
const INLINE: [&str; 11] = ["br", "img", "input", "button", "meter", "progress", "ruby", "rt", "rp", "wbr", "#text"];

/// Words of one row that say what it is; more are cut off.
const MOST_KEYS: usize = 8;

/// The shape of texts longer than this is `long`.
const LONG: usize = 40;

/// One row: an element, or a leaf (`#text`, `img`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Level; the first row has 0.
    pub depth: u32,
    /// The element's name, `#text` or `img`.
    pub tag: String,
    /// What it is called: `#id`, `.class`, `@itemprop`; runs of digits as one 0; of a leaf also those of its lone inline wrappers.
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

/// What an open element means for the rows inside it.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Level,
    Passed,
    Wrapper(u32),
}

impl Outline {
    /// The rows of the subtrees of `roots`, under one row `#root`.
    pub fn of(tree: &Tree, roots: &[u32]) -> Outline {
        let mut outline = Outline { rows: vec![Row { tag: "#root".into(), ..Row::default() }], nodes: vec![0] };
        for &root in roots {
            if (root as usize) < tree.len() {
                outline.read(tree, root as usize);
            }
        }
        outline
    }

    fn read(&mut self, tree: &Tree, root: usize) {
        let end = tree.end(root);
        let Seen { leaves, holds_block } = look(tree, root);
        let mut open: Vec<(usize, Open)> = Vec::new();
        let mut depth = 1;
        let mut i = root;
        while i < end {
            while let Some(&(until, what)) = open.last() {
                if until > i {
                    break;
                }
                open.pop();
                depth -= u32::from(what == Open::Level);
            }
            let count = leaves[i - root];
            if count == 0 {
                i = tree.end(i).max(i + 1);
                continue;
            }
            let is_element = tree.is_element(i);
            let tag = if is_element { tree.local(i) } else { "#text" };
            if !is_element || tag == "img" {
                self.leaf(tree, i, tag, depth, &open);
                i = tree.end(i);
                continue;
            }
            let is_dress = DRESS.contains(&tag);
            let is_plain = tag == "a" || (tree.attribute(i, "class").is_none() && tree.attribute(i, "id").is_none());
            let what = if is_dress && is_plain && !holds_block[i - root] && count == 1 {
                Open::Wrapper(i as u32)
            } else if is_dress && holds_block[i - root] && tag != "a" {
                Open::Passed
            } else {
                self.rows.push(Row { depth, tag: tag.to_owned(), keys: keys(tree, i), ..Row::default() });
                self.nodes.push(i as u32);
                Open::Level
            };
            depth += u32::from(what == Open::Level);
            open.push((tree.end(i), what));
            i += 1;
        }
    }

    fn leaf(&mut self, tree: &Tree, i: usize, tag: &str, depth: u32, open: &[(usize, Open)]) {
        let mut row = Row { depth, tag: tag.to_owned(), ..Row::default() };
        for (_, what) in open {
            if let Open::Wrapper(node) = what {
                if !row.wrap.is_empty() {
                    row.wrap.push(' ');
                }
                row.wrap.push_str(tree.local(*node as usize));
                row.keys.extend(keys(tree, *node as usize));
            }
        }
        if tag == "img" {
            row.keys.extend(keys(tree, i));
            row.text = source(tree, i).unwrap_or_default().to_owned();
        } else {
            row.text = collapsed(tree.text(i));
        }
        row.keys.truncate(MOST_KEYS);
        row.keys.sort_unstable();
        row.keys.dedup();
        self.rows.push(row);
        self.nodes.push(i as u32);
    }
}

struct Seen {
    leaves: Vec<u32>,
    holds_block: Vec<bool>,
}

/// For each node of a subtree how many leaves it holds (0 where it is not visible), and whether it holds more than a line of text.
fn look(tree: &Tree, root: usize) -> Seen {
    let end = tree.end(root);
    let mut leaves = vec![0u32; end - root];
    let mut holds_block = vec![false; end - root];
    let mut hidden_until = root;
    for i in root..end {
        if i < hidden_until {
            continue;
        }
        match tree.kind(i) {
            Kind::Text => leaves[i - root] = u32::from(!tree.text(i).trim().is_empty()),
            Kind::Element if is_unseen(tree, i) => hidden_until = tree.end(i),
            Kind::Element => leaves[i - root] = u32::from(tree.local(i) == "img" && source(tree, i).is_some()),
            _ => {}
        }
    }
    for i in (root + 1..end).rev() {
        let parent = tree.parent(i) as usize;
        let count = leaves[i - root];
        if count == 0 {
            continue;
        }
        leaves[parent - root] = leaves[parent - root].saturating_add(count);
        let is_inline = !tree.is_element(i) || DRESS.contains(&tree.local(i)) || INLINE.contains(&tree.local(i));
        if !is_inline || holds_block[i - root] {
            holds_block[parent - root] = true;
        }
    }
    Seen { leaves, holds_block }
}

fn is_unseen(tree: &Tree, i: usize) -> bool {
    if UNSEEN.contains(&tree.local(i)) || tree.attribute(i, "hidden").is_some() {
        return true;
    }
    tree.attribute(i, "style").is_some_and(|style| {
        let plain: String = style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        plain.contains("display:none") || plain.contains("visibility:hidden")
    })
}

fn source(tree: &Tree, i: usize) -> Option<&str> {
    [tree.attribute(i, "src"), tree.attribute(i, "data-src")].into_iter().flatten().find(|source| !source.is_empty())
}

fn keys(tree: &Tree, i: usize) -> Vec<String> {
    let mut found = Vec::new();
    for a in tree.attributes(i) {
        let value = tree.attr_value(a);
        match tree.attr_local(a) {
            "id" => found.push(format!("#{}", masked(value.trim()))),
            "class" => found.extend(value.split_whitespace().map(|word| format!(".{}", masked(word)))),
            "itemprop" | "property" => found.extend(value.split_whitespace().map(|word| format!("@{word}"))),
            _ => {}
        }
    }
    found.truncate(MOST_KEYS);
    found.sort_unstable();
    found.dedup();
    found
}

/// Runs of digits as one 0.
fn masked(word: &str) -> String {
    let mut made = String::with_capacity(word.len());
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
pub fn collapsed(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !made.is_empty() {
            made.push(' ');
        }
        made.push_str(word);
    }
    made
}

/// A rough shape of a text: numbers as 9, words as a, at most twelve signs; long texts are all `long`.
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
