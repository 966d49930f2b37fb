//! Nodes as bytes that look the same in a delta and in the dictionary it is packed with.
//!
//! A row that is inserted into a table mostly says what the rows beside it say. Written like them,
//! byte for byte, it costs a packer little more than what is new in it. Strings are UTF-8; the
//! bytes from 0xF5 up, which UTF-8 never uses, say what comes next, so nothing is escaped and no
//! length is needed:
//!
//! ```text
//! OPEN name (KEY name VALUE string)* node* CLOSE     an element
//! TEXT string      COMMENT string
//! OTHER kind …     a reference, an instruction, a doctype, a hole
//! END              of a run of siblings; what is open is closed
//! ```
//!
//! A name is its local part where prefix and namespace are the usual ones (those of the root
//! element; none for attributes), else all three. Attributes stand in the order of their names,
//! which equal documents share; the order they were written in goes aside.

use super::content::ContentBuilder;
use super::model::AttributeName;
use treelace_tree::error::{Error, Result};
use treelace_tree::tree::{flags, Kind, NameId, Tree};

const PREFIX: u8 = 0xF6;
const SPACE: u8 = 0xF7;
const OPEN: u8 = 0xF8;
const KEY: u8 = 0xF9;
const VALUE: u8 = 0xFA;
const TEXT: u8 = 0xFB;
const CLOSE: u8 = 0xFC;
const COMMENT: u8 = 0xFD;
const OTHER: u8 = 0xFE;
const END: u8 = 0xFF;
/// Bytes from here on are not text.
const FIRST_MARK: u8 = 0xF5;

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::Delta(format!("this delta is damaged: {why}"))
}

/// Prefix and namespace that elements of a document usually have: those of its root.
pub(super) fn usual(tree: &Tree) -> (&str, &str) {
    let root = tree.children(0).find(|&child| tree.is_element(child));
    root.map_or(("", ""), |root| {
        (tree.names().prefix(tree.name(root)), tree.names().namespace(tree.name(root)))
    })
}

/// What is told beside the bytes, in the order in which it is met.
pub(super) enum Aside<'a> {
    /// A hole at this row.
    Hole(usize),
    /// The places in which sorted attributes were written; two at least.
    Order(&'a [u32]),
}

/// Writes the sibling subtrees in `rows`.
pub(super) fn write(
    tree: &Tree,
    rows: std::ops::Range<usize>,
    is_hole: &dyn Fn(usize) -> bool,
    usual: (&str, &str),
    out: &mut Vec<u8>,
    aside: &mut dyn FnMut(Aside<'_>),
) {
    let ranks = tree.names().ranks();
    let mut sorted: Vec<usize> = Vec::new();
    let mut places: Vec<u32> = Vec::new();
    let top = if rows.is_empty() { 0 } else { tree.depth(rows.start) };
    // depth of the next child of what is open
    let mut depth = top;
    for row in rows {
        while depth > tree.depth(row) {
            out.push(CLOSE);
            depth -= 1;
        }
        if is_hole(row) {
            out.extend_from_slice(&[OTHER, b'0']);
            aside(Aside::Hole(row));
            continue;
        }
        match tree.kind(row) {
            Kind::Element => {
                out.push(OPEN);
                name(tree, tree.name(row), usual, out);
                depth += 1;
            }
            Kind::Text if tree.flags(row) & flags::REFERENCE == 0 => out.push(TEXT),
            Kind::Text => out.extend_from_slice(&[OTHER, b'r', TEXT]),
            Kind::Comment => out.push(COMMENT),
            kind => {
                out.extend_from_slice(&[OTHER, if kind == Kind::Doctype { b'd' } else { b'i' }]);
                name(tree, tree.name(row), ("", ""), out);
            }
        }
        let attributes = tree.attributes(row);
        if !attributes.is_empty() {
            let first = attributes.start;
            sorted.clear();
            sorted.extend(attributes);
            sorted.sort_by_key(|&a| ranks[tree.attr_name(a) as usize]);
            for &a in &sorted {
                out.push(KEY);
                name(tree, tree.attr_name(a), ("", ""), out);
                out.push(VALUE);
                out.extend_from_slice(tree.attr_value(a).as_bytes());
            }
            if sorted.len() > 1 {
                places.clear();
                places.extend(sorted.iter().map(|&a| (a - first) as u32));
                aside(Aside::Order(&places));
            }
        }
        if !matches!(tree.kind(row), Kind::Element | Kind::Text | Kind::Comment) {
            out.push(TEXT);
        }
        if tree.kind(row) != Kind::Element {
            out.extend_from_slice(tree.text(row).as_bytes());
        }
    }
    out.push(END);
}

fn name(tree: &Tree, id: NameId, usual: (&str, &str), out: &mut Vec<u8>) {
    let names = tree.names();
    if (names.prefix(id), names.namespace(id)) != usual {
        out.extend_from_slice(names.prefix(id).as_bytes());
        out.push(PREFIX);
        out.extend_from_slice(names.namespace(id).as_bytes());
        out.push(SPACE);
    }
    out.extend_from_slice(names.local(id).as_bytes());
}

/// Where a reader finds what was told beside the bytes.
pub(super) trait Beside {
    /// The XID of a hole.
    fn hole(&mut self) -> Result<u64>;
    /// The places of `count` attributes, each once.
    fn order(&mut self, count: usize) -> Result<Vec<u32>>;
}

/// Reads one run into the content; how many bytes it took.
pub(super) fn read(
    bytes: &[u8],
    usual: (&str, &str),
    content: &mut ContentBuilder,
    beside: &mut dyn Beside,
) -> Result<usize> {
    let mut input = Input { bytes, at: 0 };
    let start = content.next_row();
    let mut depth = 1u32;
    loop {
        match input.next()? {
            OPEN => {
                let name = input.name(usual)?;
                content.element(&name)?;
                depth += 1;
                input.attributes(content, beside)?;
            }
            CLOSE if depth > 1 => {
                depth -= 1;
                content.close_to(depth);
            }
            TEXT => content.leaf(Kind::Text, &AttributeName::none(), input.string()?, 0)?,
            COMMENT => content.leaf(Kind::Comment, &AttributeName::none(), input.string()?, 0)?,
            OTHER => match input.next()? {
                b'0' => content.hole(beside.hole()?)?,
                b'r' if input.next()? == TEXT => content.leaf(
                    Kind::Text,
                    &AttributeName::none(),
                    input.string()?,
                    flags::REFERENCE,
                )?,
                kind @ (b'd' | b'i') => input.named_leaf(
                    if kind == b'd' { Kind::Doctype } else { Kind::Instruction },
                    content,
                    beside,
                )?,
                _ => return Err(damaged("a node of no kind")),
            },
            END if content.next_row() > start => break,
            END => return Err(damaged("an operation without nodes")),
            _ => return Err(damaged("its nodes are not well nested")),
        }
    }
    content.close_to(1);
    Ok(input.at)
}

struct Input<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Input<'b> {
    fn next(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or_else(|| damaged("it is cut off"))?;
        self.at += 1;
        Ok(byte)
    }

    fn string(&mut self) -> Result<&'b str> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|&byte| byte >= FIRST_MARK)
            .ok_or_else(|| damaged("it is cut off"))?;
        self.at += length;
        std::str::from_utf8(&rest[..length]).map_err(|_| damaged("its texts are not UTF-8"))
    }

    fn name(&mut self, usual: (&str, &str)) -> Result<AttributeName> {
        let first = self.string()?;
        if self.bytes[self.at] != PREFIX {
            return Ok(AttributeName {
                prefix: usual.0.to_string(),
                namespace: usual.1.to_string(),
                local: first.to_string(),
            });
        }
        self.at += 1;
        let namespace = self.string()?.to_string();
        if self.next()? != SPACE {
            return Err(damaged("a name is cut off"));
        }
        Ok(AttributeName {
            prefix: first.to_string(),
            namespace,
            local: self.string()?.to_string(),
        })
    }

    /// The attributes that come next, as they were written.
    fn attribute_list(&mut self, beside: &mut dyn Beside) -> Result<Vec<(AttributeName, &'b str)>> {
        let mut sorted = Vec::new();
        while self.bytes.get(self.at) == Some(&KEY) {
            self.at += 1;
            let name = self.name(("", ""))?;
            if self.next()? != VALUE {
                return Err(damaged("an attribute without a value"));
            }
            sorted.push((name, self.string()?));
        }
        if sorted.len() < 2 {
            return Ok(sorted);
        }
        let mut written: Vec<(u32, (AttributeName, &str))> =
            beside.order(sorted.len())?.into_iter().zip(sorted).collect();
        written.sort_by_key(|it| it.0);
        Ok(written.into_iter().map(|it| it.1).collect())
    }

    fn attributes(&mut self, content: &mut ContentBuilder, beside: &mut dyn Beside) -> Result<()> {
        self.attribute_list(beside)?
            .iter()
            .try_for_each(|(name, value)| content.attribute(name, value))
    }

    fn named_leaf(
        &mut self,
        kind: Kind,
        content: &mut ContentBuilder,
        beside: &mut dyn Beside,
    ) -> Result<()> {
        let name = self.name(("", ""))?;
        let attributes = self.attribute_list(beside)?;
        if self.next()? != TEXT {
            return Err(damaged("a node without its text"));
        }
        content.leaf(kind, &name, self.string()?, 0)?;
        attributes.iter().try_for_each(|(name, value)| content.attribute(name, value))
    }
}

/// Orders of up to this many attributes are one number.
const SHORT_ORDER: usize = 8;

/// An order of places as numbers: for few of them their rank among all orders, 0 for none.
pub(super) fn order_to_numbers(places: &[u32], mut number: impl FnMut(u64)) {
    if places.len() > SHORT_ORDER {
        places.iter().for_each(|&place| number(u64::from(place)));
        return;
    }
    let mut rank = 0u64;
    for (k, &place) in places.iter().enumerate() {
        let smaller = places[k + 1..].iter().filter(|&&other| other < place).count() as u64;
        rank = rank * (places.len() - k) as u64 + smaller;
    }
    number(rank);
}

/// Reads back what [`order_to_numbers`] wrote.
pub(super) fn order_from_numbers(
    count: usize,
    mut number: impl FnMut() -> Result<u64>,
) -> Result<Vec<u32>> {
    let wrong = || damaged("an order of attributes is not one");
    if count > SHORT_ORDER {
        let mut is_taken = vec![false; count];
        let mut places = Vec::with_capacity(count);
        for _ in 0..count {
            let place = number()? as usize;
            if is_taken.get(place) != Some(&false) {
                return Err(wrong());
            }
            is_taken[place] = true;
            places.push(place as u32);
        }
        return Ok(places);
    }
    let mut rank = number()?;
    let mut smaller = vec![0; count];
    for k in (0..count).rev() {
        let base = (count - k) as u64;
        smaller[k] = (rank % base) as usize;
        rank /= base;
    }
    if rank > 0 {
        return Err(wrong());
    }
    let mut free: Vec<u32> = (0..count as u32).collect();
    Ok(smaller.into_iter().map(|at| free.remove(at)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_comes_back() {
        for places in [
            vec![0, 1],
            vec![1, 0],
            vec![2, 0, 1],
            vec![3, 1, 2, 0],
            (0..12).rev().collect::<Vec<u32>>(),
        ] {
            let mut numbers = Vec::new();
            order_to_numbers(&places, |number| numbers.push(number));
            let mut back = numbers.into_iter();
            let read = order_from_numbers(places.len(), || {
                back.next().ok_or_else(|| damaged("it is cut off"))
            })
            .unwrap();
            assert_eq!(read, places);
        }
        assert!(order_from_numbers(2, || Ok(2)).is_err());
        assert!(order_from_numbers(9, || Ok(1)).is_err());
    }
}
