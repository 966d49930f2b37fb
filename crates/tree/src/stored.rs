//! A tree as bytes, for pickling, process borders and the store: compact, versioned, and checked
//! when it is read.
//!
//! ```text
//! "tlT" VERSION | facts | names | nodes | attributes | texts
//! | BLAKE3 of all before, cut to 16 bytes
//! ```
//!
//! Numbers are LEB128. `parent`, `end` and `depth` follow from how many levels each node closes.
//! Strings (texts and values) are stored once: templates repeat themselves, so that most class
//! names and blanks are a back reference of one or two bytes. Everything survives: lines, flags,
//! problems. Whatever is read is checked by digest, by bounds, and by [`Tree::validate`].

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use rapidhash::fast::RapidHasher;

use crate::error::{Error, Result};
use crate::tree::{Format, Kind, Lazy, Meta, NameId, Names, Problem, Quirks, Span, Tree, NONE};

const MAGIC: &[u8; 3] = b"tlT";
/// Of the layout; another layout must get another number, and this one must stay readable.
const VERSION: u8 = 1;
const CHECK: usize = 16;

/// The bytes of a tree.
pub fn store(tree: &Tree) -> Vec<u8> {
    let mut out = Writer { bytes: Vec::with_capacity(tree.memory() / 4) };
    out.bytes.extend_from_slice(MAGIC);
    out.bytes.push(VERSION);
    store_meta(&mut out, tree.meta());
    store_names(&mut out, tree.names());
    out.number(tree.len() as u64 - 1);
    out.number(tree.attr_name.len() as u64);
    let mut strings = Strings::default();
    let (mut depth, mut line) = (0, tree.line(0));
    out.number(u64::from(line));
    for i in 1..tree.len() {
        // kind, and how many levels end before this node
        let up = u64::from(depth + 1 - tree.depth(i));
        out.number(up << 3 | tree.kind(i) as u64);
        depth = if tree.is_element(i) { tree.depth(i) } else { tree.depth(i) - 1 };
        out.line(&mut line, tree.line(i));
        if !matches!(tree.kind(i), Kind::Text | Kind::Comment) {
            out.number(u64::from(tree.name(i)));
            out.number(tree.attributes(i).len() as u64);
            for a in tree.attributes(i) {
                out.number(u64::from(tree.attr_name(a)));
                strings.put(&mut out, tree.attr_value(a));
            }
        }
        if !tree.is_element(i) {
            strings.put(&mut out, tree.text(i));
        }
    }
    out.runs(&tree.flags);
    out.runs(&tree.attr_flags);
    out.number(strings.text.len() as u64);
    out.bytes.extend_from_slice(strings.text.as_bytes());
    let check = blake3::hash(&out.bytes);
    out.bytes.extend_from_slice(&check.as_bytes()[..CHECK]);
    out.bytes
}

/// The tree of these bytes. Bytes that are not what [`store`] gave are refused as damaged, whatever
/// they are.
pub fn load(bytes: &[u8]) -> Result<Tree> {
    let body = bytes.len().checked_sub(CHECK).ok_or_else(|| damaged("it is cut off"))?;
    let (bytes, check) = bytes.split_at(body);
    if bytes.len() < 4 || &bytes[..3] != MAGIC {
        return Err(damaged("this is no tree"));
    }
    if bytes[3] != VERSION {
        return Err(damaged(&format!(
            "it has version {}, and this treelace reads {VERSION}",
            bytes[3]
        )));
    }
    if &blake3::hash(bytes).as_bytes()[..CHECK] != check {
        return Err(damaged("its bytes are not those that were written"));
    }
    let mut input = Reader { bytes, at: 4 };
    let meta = load_meta(&mut input)?;
    let names = load_names(&mut input)?;
    // every node and every attribute takes at least one byte, so no count can ask for more memory
    // than there are bytes
    let nodes = input.count()? + 1;
    let attributes = input.count()?;
    let mut tree = Tree {
        kind: Vec::with_capacity(nodes),
        name: Vec::with_capacity(nodes),
        parent: Vec::with_capacity(nodes),
        end: Vec::with_capacity(nodes),
        depth: Vec::with_capacity(nodes),
        flags: Vec::new(),
        line: Vec::with_capacity(nodes),
        text: Vec::with_capacity(nodes),
        attr_start: Vec::with_capacity(nodes + 1),
        attr_name: Vec::with_capacity(attributes),
        attr_value: Vec::with_capacity(attributes),
        attr_flags: Vec::new(),
        heap: String::new(),
        names,
        meta,
        lazy: Lazy::default(),
    };
    load_nodes(&mut input, &mut tree, nodes)?;
    tree.flags = input.runs(nodes)?;
    tree.attr_flags = input.runs(tree.attr_name.len())?;
    tree.heap = input.string()?;
    if input.at != bytes.len() || tree.attr_name.len() != attributes {
        return Err(damaged("it does not end where it should"));
    }
    tree.validate()?;
    Ok(tree)
}

fn load_nodes(input: &mut Reader<'_>, tree: &mut Tree, nodes: usize) -> Result<()> {
    let mut strings: Vec<Span> = Vec::new();
    let mut heap = 0u32;
    let mut line = input.small()?;
    let mut open: Vec<u32> = vec![0];
    tree.kind.push(Kind::Document as u8);
    tree.name.push(0);
    tree.parent.push(NONE);
    tree.end.push(nodes as u32);
    tree.depth.push(0);
    tree.line.push(line);
    tree.text.push(Span::default());
    tree.attr_start.push(0);
    tree.attr_start.push(0);
    for i in 1..nodes as u32 {
        let code = input.number()?;
        let kind = Kind::from_u8((code & 7) as u8)
            .filter(|&kind| kind != Kind::Document)
            .ok_or_else(|| damaged("it has a node of no kind"))?;
        let up = code >> 3;
        if up >= open.len() as u64 {
            return Err(damaged("it closes more than is open"));
        }
        for _ in 0..up {
            let closed = open.pop().unwrap_or(0);
            tree.end[closed as usize] = i;
        }
        tree.kind.push(kind as u8);
        tree.parent.push(open[open.len() - 1]);
        tree.depth.push(open.len() as u32);
        tree.end.push(i + 1);
        tree.line.push(input.line(&mut line)?);
        if matches!(kind, Kind::Text | Kind::Comment) {
            tree.name.push(0);
        } else {
            tree.name.push(input.small()?);
            for _ in 0..input.count()? {
                tree.attr_name.push(input.small()?);
                tree.attr_value.push(input.place(&mut strings, &mut heap)?);
            }
        }
        tree.attr_start.push(tree.attr_name.len() as u32);
        if kind == Kind::Element {
            open.push(i);
            tree.text.push(Span::default());
        } else {
            tree.text.push(input.place(&mut strings, &mut heap)?);
        }
    }
    for closed in open {
        tree.end[closed as usize] = nodes as u32;
    }
    Ok(())
}

fn store_meta(out: &mut Writer, meta: &Meta) {
    let quirks = match meta.quirks {
        Quirks::No => 0,
        Quirks::Limited => 1,
        Quirks::Full => 2,
    };
    out.bytes.push(u8::from(meta.format == Format::Html));
    out.bytes.push(quirks);
    out.bytes.push(meta.standalone.map_or(0, |it| 1 + u8::from(it)));
    out.bytes.push(u8::from(meta.is_fragment));
    out.string(&meta.encoding);
    out.number(meta.problem_count);
    out.number(meta.problems.len() as u64);
    for problem in &meta.problems {
        out.number(u64::from(problem.line));
        out.string(&problem.message);
    }
}

fn load_meta(input: &mut Reader<'_>) -> Result<Meta> {
    let mut meta = Meta::new(if input.choice(2)? == 1 { Format::Html } else { Format::Xml });
    meta.quirks = [Quirks::No, Quirks::Limited, Quirks::Full][input.choice(3)?];
    meta.standalone = [None, Some(false), Some(true)][input.choice(3)?];
    meta.is_fragment = input.choice(2)? == 1;
    meta.encoding = input.string()?;
    meta.problem_count = input.number()?;
    for _ in 0..input.count()? {
        meta.problems.push(Problem { line: input.small()?, message: input.string()? });
    }
    Ok(meta)
}

fn store_names(out: &mut Writer, names: &Names) {
    out.number(names.namespaces().len() as u64);
    names.namespaces().for_each(|namespace| out.string(namespace));
    out.number(names.len() as u64 - 1);
    for id in 1..names.len() as NameId {
        out.number(u64::from(names.namespace_id(id)));
        out.string(names.prefix(id));
        out.string(names.local(id));
    }
}

fn load_names(input: &mut Reader<'_>) -> Result<Names> {
    let mut names = Names::default();
    let namespaces = input.count()?;
    for number in 0..namespaces {
        if names.intern_namespace(input.text()?) as usize != number {
            return Err(damaged("a namespace is there twice"));
        }
    }
    for number in 0..input.count()? {
        let namespace = input.small()?;
        if namespace as usize >= namespaces {
            return Err(damaged("a name has a namespace that is not there"));
        }
        let (prefix, local) = (input.text()?, input.text()?);
        if names.intern_in(prefix, namespace, local) as usize != number + 1 {
            return Err(damaged("a name is there twice"));
        }
    }
    names.check_size()?;
    Ok(names)
}

fn damaged(why: &str) -> Error {
    Error::Damaged(format!("stored tree: {why}"))
}

/// Strings put so far: each once.
#[derive(Default)]
struct Strings<'t> {
    text: String,
    numbers: HashMap<&'t str, u64, BuildHasherDefault<RapidHasher<'static>>>,
}

impl<'t> Strings<'t> {
    /// Writes where a string stands: even numbers are the length of a new one, odd ones count back
    /// to one that was there.
    fn put(&mut self, out: &mut Writer, string: &'t str) {
        let next = self.numbers.len() as u64;
        let number = *self.numbers.entry(string).or_insert(next);
        if number == next {
            self.text.push_str(string);
            out.number((string.len() as u64) << 1);
        } else {
            out.number(number << 1 | 1);
        }
    }
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn string(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// A line as the way from the one before; 0, which means that it is not known, as 0.
    fn line(&mut self, before: &mut u32, line: u32) {
        if line == 0 {
            return self.number(0);
        }
        let way = i64::from(line) - i64::from(*before);
        self.number(((way << 1) ^ (way >> 63)) as u64 + 1);
        *before = line;
    }

    /// Equal neighbours together.
    fn runs(&mut self, column: &[u8]) {
        for run in column.chunk_by(|a, b| a == b) {
            self.bytes.push(run[0]);
            self.number(run.len() as u64);
        }
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    fn byte(&mut self) -> Result<u8> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| damaged("it is cut off"))?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number has no end"))
    }

    fn small(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| damaged("a number is too large"))
    }

    /// A number of things that take at least one byte each.
    fn count(&mut self) -> Result<usize> {
        let number = self.number()?;
        if number > (self.bytes.len() - self.at) as u64 {
            return Err(damaged("it counts more than it holds"));
        }
        Ok(number as usize)
    }

    fn choice(&mut self, choices: u8) -> Result<usize> {
        let byte = self.byte()?;
        if byte >= choices {
            return Err(damaged("a fact is out of range"));
        }
        Ok(byte as usize)
    }

    fn text(&mut self) -> Result<&'b str> {
        let len = self.count()?;
        let text = &self.bytes[self.at..self.at + len];
        self.at += len;
        std::str::from_utf8(text).map_err(|_| damaged("a text is not UTF-8"))
    }

    fn string(&mut self) -> Result<String> {
        self.text().map(str::to_string)
    }

    fn line(&mut self, before: &mut u32) -> Result<u32> {
        let code = self.number()?;
        if code == 0 {
            return Ok(0);
        }
        let code = code - 1;
        let way = (code >> 1) as i64 ^ -((code & 1) as i64);
        *before = u32::try_from(i64::from(*before).wrapping_add(way))
            .map_err(|_| damaged("a line is out of range"))?;
        Ok(*before)
    }

    fn runs(&mut self, len: usize) -> Result<Vec<u8>> {
        let mut column = Vec::with_capacity(len);
        while column.len() < len {
            let value = self.byte()?;
            let run = self.number()?;
            if run == 0 || run > (len - column.len()) as u64 {
                return Err(damaged("a run is too long"));
            }
            column.resize(column.len() + run as usize, value);
        }
        Ok(column)
    }

    /// Where a string stands on the heap: see [`Strings::put`].
    fn place(&mut self, strings: &mut Vec<Span>, heap: &mut u32) -> Result<Span> {
        let code = self.number()?;
        if code & 1 == 1 {
            return strings
                .get((code >> 1) as usize)
                .copied()
                .ok_or_else(|| damaged("it points to a text that is not there"));
        }
        let len = u32::try_from(code >> 1).map_err(|_| damaged("a text is too long"))?;
        let span = Span { start: *heap, len };
        *heap = heap.checked_add(len).ok_or_else(|| damaged("its texts are too long"))?;
        strings.push(span);
        Ok(span)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::sample::{build, steps};

    /// Every column, resolved to what it means.
    fn rows(tree: &Tree) -> Vec<String> {
        let name = |id| {
            format!(
                "{}|{}|{}",
                tree.names().prefix(id),
                tree.names().namespace(id),
                tree.names().local(id)
            )
        };
        let row = |i: usize| {
            let attributes: Vec<_> = tree
                .attributes(i)
                .map(|a| (name(tree.attr_name(a)), tree.attr_value(a), tree.attr_flags(a)))
                .collect();
            format!(
                "{:?}",
                (
                    tree.kind(i),
                    name(tree.name(i)),
                    tree.parent(i),
                    tree.end(i),
                    tree.depth(i),
                    tree.flags(i),
                    tree.line(i),
                    tree.text(i),
                    attributes
                )
            )
        };
        (0..tree.len()).map(row).collect()
    }

    /// `bytes` with a check that fits, so that what is behind it is tested too.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let body = bytes.len() - CHECK;
        let check = blake3::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&check.as_bytes()[..CHECK]);
        bytes
    }

    proptest! {
        #[test]
        fn everything_survives(steps in steps(), turned: bool) {
            let tree = build(&steps, turned);
            let back = load(&store(&tree)).unwrap();
            prop_assert_eq!(rows(&back), rows(&tree));
            prop_assert_eq!(back.meta(), tree.meta());
            prop_assert_eq!(store(&back), store(&tree));
        }

        #[test]
        fn damage_is_named(steps in steps(), at in any::<prop::sample::Index>(), flip in 1u8..) {
            let bytes = store(&build(&steps, true));
            let mut flipped = bytes.clone();
            flipped[at.index(bytes.len())] ^= flip;
            prop_assert!(matches!(load(&flipped), Err(Error::Damaged(_))));
            prop_assert!(matches!(load(&bytes[..at.index(bytes.len())]), Err(Error::Damaged(_))));
            // even with a check that fits: an error or a sound tree, never a panic
            if let Ok(tree) = load(&sealed(flipped)) {
                tree.validate().unwrap();
            }
        }
    }
}
