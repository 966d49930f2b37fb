//! The compact binary form of a delta.
//!
//! ```text
//! "tlD" VERSION KIND | length of the texts, numbers (LEB128) | texts | check
//! ```
//!
//! It holds everything, like the other forms; inserted nodes stand among the numbers and texts. There
//! is one kind (0). Version 1, which is still read, had digests of 128 bits.

use std::collections::HashMap;
use std::ops::Range;

use super::content::{Content, ContentBuilder};
use super::model::{
    cut, AttributeChange, AttributeName, Delta, Digest, Edit, Operation, Order, Place, TextChange,
};
use super::xids::{read_runs, runs};
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Kind};
use treelace_tree::watch::Watch;

const MAGIC: &[u8; 3] = b"tlD";
const VERSION: u8 = 2;
const FIRST_VERSION: u8 = 1;
const WHOLE: u8 = 0;
const CHECK: usize = 8;

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::Delta(format!("this delta is damaged: {why}"))
}

/// Writes a delta.
pub fn write(delta: &Delta, limits: &Limits, watch: &dyn Watch) -> Result<Vec<u8>> {
    let mut out = Out::default();
    out.numbers.extend_from_slice(&delta.from);
    out.numbers.extend_from_slice(&delta.to);
    out.number(delta.next_xid);
    out.map(delta.from_map.as_deref(), limits)?;
    out.map(delta.to_map.as_deref(), limits)?;
    out.number(delta.operations.len() as u64);
    for (number, operation) in delta.operations.iter().enumerate() {
        if number % 1024 == 0 {
            watch.check()?;
        }
        out.operation(operation, &delta.content);
        Limits::check("memory", limits.memory, (out.numbers.len() + out.text.len()) as u64)?;
    }
    let mut bytes = Vec::with_capacity(out.numbers.len() + out.text.len() + 32);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[VERSION, WHOLE]);
    let mut length = Out::default();
    length.number(out.text.len() as u64);
    bytes.extend_from_slice(&length.numbers);
    bytes.extend_from_slice(&out.numbers);
    bytes.extend_from_slice(&out.text);
    let check = blake3::hash(&bytes);
    bytes.extend_from_slice(&check.as_bytes()[..CHECK]);
    Ok(bytes)
}

#[derive(Default)]
struct Out {
    numbers: Vec<u8>,
    text: Vec<u8>,
    /// XID written last: the next is near.
    xid: u64,
    names: HashMap<AttributeName, u64>,
}

impl Out {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.numbers.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.numbers.push(number as u8);
    }

    fn signed(&mut self, number: i64) {
        self.number(((number << 1) ^ (number >> 63)) as u64);
    }

    fn xid(&mut self, xid: u64) {
        self.signed(xid.wrapping_sub(self.xid) as i64);
        self.xid = xid;
    }

    fn string(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.text.extend_from_slice(text.as_bytes());
    }

    fn name(&mut self, name: &AttributeName) {
        let next = self.names.len() as u64;
        match self.names.get(name) {
            Some(&number) => self.number(number),
            None => {
                self.number(next);
                self.string(&name.prefix);
                self.string(&name.namespace);
                self.string(&name.local);
                self.names.insert(name.clone(), next);
            }
        }
    }

    fn map(&mut self, map: Option<&str>, limits: &Limits) -> Result<()> {
        match map {
            None => self.number(0),
            Some(map) => {
                let list = read_runs(map, limits.nodes as usize).map_err(damaged)?;
                self.number(1);
                self.run_list(&list);
            }
        }
        Ok(())
    }

    /// Numbers as runs: how many, then for each the way from the last and its length.
    fn run_list(&mut self, list: &[u64]) {
        let found: Vec<&[u64]> = list.chunk_by(|a, b| a.checked_add(1) == Some(*b)).collect();
        self.number(found.len() as u64);
        for run in found {
            self.signed(run[0].wrapping_sub(self.xid) as i64);
            self.number(run.len() as u64 - 1);
            self.xid = run[run.len() - 1];
        }
    }

    fn place(&mut self, place: Place) {
        self.xid(place.parent);
        self.number(u64::from(place.at));
    }

    fn change(&mut self, change: &TextChange) {
        match change {
            TextChange::Whole { old, new } => {
                self.number(0);
                self.string(old);
                self.string(new);
            }
            TextChange::Edits(edits) => {
                self.number(edits.len() as u64);
                let mut at = 0u64;
                for edit in edits {
                    self.number(edit.at.saturating_sub(at));
                    self.string(&edit.old);
                    self.string(&edit.new);
                    at = edit.at.saturating_add(edit.old.chars().count() as u64);
                }
            }
        }
    }

    fn operation(&mut self, operation: &Operation, content: &Content) {
        match operation {
            Operation::Update { xid, change } => {
                self.number(0);
                self.xid(*xid);
                self.change(change);
            }
            Operation::Rename { xid, old, new } => {
                self.number(1);
                self.xid(*xid);
                self.name(old);
                self.name(new);
            }
            Operation::Attribute { xid, name, change } => {
                self.number(match change {
                    AttributeChange::Came(_) => 2,
                    AttributeChange::Went(_) => 3,
                    AttributeChange::Changed(_) => 4,
                });
                self.xid(*xid);
                self.name(name);
                match change {
                    AttributeChange::Came(value) | AttributeChange::Went(value) => {
                        self.string(value)
                    }
                    AttributeChange::Changed(change) => self.change(change),
                }
            }
            Operation::Reorder { xid, order } => {
                self.number(5);
                self.xid(*xid);
                for list in [&order.old, &order.new] {
                    self.number(list.len() as u64);
                    list.iter().for_each(|&place| self.number(u64::from(place)));
                }
            }
            Operation::Delete { place, nodes } => {
                self.number(6);
                self.place(*place);
                self.rows(content, nodes);
                self.run_list(&content.post_order_xids(nodes));
            }
            Operation::Move { xids, from, to } => {
                self.number(7);
                self.place(*from);
                self.place(*to);
                self.number(xids.len() as u64);
                self.run_list(xids);
            }
            Operation::Insert { place, nodes } => {
                self.number(8);
                self.place(*place);
                self.rows(content, nodes);
                self.run_list(&content.post_order_xids(nodes));
            }
        }
    }

    fn rows(&mut self, content: &Content, nodes: &Range<u32>) {
        let tree = &*content.tree;
        self.number(u64::from(nodes.end - nodes.start));
        let mut depth = 0u32;
        for row in nodes.start as usize..nodes.end as usize {
            let kind = match tree.kind(row) {
                _ if content.is_hole[row] => 0,
                Kind::Text if tree.flags(row) & flags::REFERENCE != 0 => 6,
                kind => kind as u64,
            };
            self.number(u64::from(depth + 1 - tree.depth(row)) << 3 | kind);
            depth =
                if kind == Kind::Element as u64 { tree.depth(row) } else { tree.depth(row) - 1 };
            if kind == 0 {
                self.xid(content.xids[row]);
                continue;
            }
            if matches!(tree.kind(row), Kind::Element | Kind::Instruction | Kind::Doctype) {
                self.name(&super::build::name_of(tree, tree.name(row)));
                self.number(tree.attributes(row).len() as u64);
                for a in tree.attributes(row) {
                    self.name(&super::build::name_of(tree, tree.attr_name(a)));
                    self.string(tree.attr_value(a));
                }
            }
            if tree.kind(row) != Kind::Element {
                self.string(tree.text(row));
            }
        }
    }
}

/// Reads a delta.
pub fn read(bytes: &[u8], limits: Limits, watch: &dyn Watch) -> Result<Delta> {
    if bytes.len() < 5 || &bytes[..3] != MAGIC {
        return Err(Error::Delta("this is no delta".to_string()));
    }
    if !matches!(bytes[3], FIRST_VERSION | VERSION) {
        return Err(damaged(format!(
            "it has version {}, and this treelace reads up to {VERSION}",
            bytes[3]
        )));
    }
    if bytes[4] != WHOLE {
        return Err(damaged("it is of no kind"));
    }
    let body = bytes
        .len()
        .checked_sub(CHECK)
        .filter(|&body| body >= 5)
        .ok_or_else(|| damaged("it is cut off"))?;
    if blake3::hash(&bytes[..body]).as_bytes()[..CHECK] != bytes[body..] {
        return Err(damaged("its bytes are not those that were written"));
    }
    let mut head = In::new(&bytes[5..body], "");
    let length = usize::try_from(head.number()?).map_err(damaged)?;
    let rest = &head.numbers[head.at..];
    let (numbers, text) =
        rest.split_at(rest.len().checked_sub(length).ok_or_else(|| damaged("it is cut off"))?);
    let input = In::new(
        numbers,
        std::str::from_utf8(text).map_err(|_| damaged("its texts are not UTF-8"))?,
    );
    input.delta(bytes[3] == FIRST_VERSION, limits, watch)
}

struct In<'b> {
    numbers: &'b [u8],
    at: usize,
    text: &'b str,
    text_at: usize,
    xid: u64,
    names: Vec<AttributeName>,
}

impl<'b> In<'b> {
    fn new(numbers: &'b [u8], text: &'b str) -> Self {
        In { numbers, at: 0, text, text_at: 0, xid: 0, names: Vec::new() }
    }

    fn number(&mut self) -> Result<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.numbers.get(self.at).ok_or_else(|| damaged("it is cut off"))?;
            self.at += 1;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a number has no end"))
    }

    fn signed(&mut self) -> Result<i64> {
        let code = self.number()?;
        Ok((code >> 1) as i64 ^ -((code & 1) as i64))
    }

    /// A number of things that take at least one byte each.
    fn count(&mut self) -> Result<usize> {
        let number = self.number()?;
        if number > (self.numbers.len() - self.at) as u64 {
            return Err(damaged("it counts more than it holds"));
        }
        Ok(number as usize)
    }

    fn position(&mut self) -> Result<u32> {
        u32::try_from(self.number()?)
            .ok()
            .filter(|&at| at > 0)
            .ok_or_else(|| damaged("a position is out of range"))
    }

    fn xid(&mut self) -> Result<u64> {
        self.xid = self.xid.wrapping_add(self.signed()? as u64);
        if self.xid == u64::MAX {
            return Err(damaged("a number is too large"));
        }
        Ok(self.xid)
    }

    fn document_digest(&mut self, is_first: bool) -> Result<Digest> {
        if is_first {
            self.digest().map(cut)
        } else {
            self.digest()
        }
    }

    fn digest<const N: usize>(&mut self) -> Result<[u8; N]> {
        let bytes =
            self.numbers.get(self.at..self.at + N).ok_or_else(|| damaged("it is cut off"))?;
        self.at += N;
        let mut digest = [0; N];
        digest.copy_from_slice(bytes);
        Ok(digest)
    }

    fn string(&mut self) -> Result<String> {
        let length = usize::try_from(self.number()?).map_err(damaged)?;
        let end = self.text_at.checked_add(length).ok_or_else(|| damaged("a text is too long"))?;
        let text = self.text.get(self.text_at..end).ok_or_else(|| damaged("a text is cut off"))?;
        self.text_at = end;
        Ok(text.to_string())
    }

    fn name(&mut self) -> Result<AttributeName> {
        let number = self.number()?;
        if number == self.names.len() as u64 {
            let name = AttributeName {
                prefix: self.string()?,
                namespace: self.string()?,
                local: self.string()?,
            };
            self.names.push(name);
        }
        self.names
            .get(usize::try_from(number).map_err(damaged)?)
            .cloned()
            .ok_or_else(|| damaged("a name is not there"))
    }

    fn run_list(&mut self, most: u64) -> Result<Vec<u64>> {
        let mut list = Vec::new();
        for _ in 0..self.count()? {
            let first = self.xid.wrapping_add(self.signed()? as u64);
            let more = self.number()?;
            let last = first.checked_add(more).filter(|&last| last < u64::MAX);
            let last = last.ok_or_else(|| damaged("a number is too large"))?;
            if more >= most || list.len() as u64 + more >= most {
                return Err(damaged("it numbers more nodes than there are"));
            }
            list.extend(first..=last);
            self.xid = last;
        }
        Ok(list)
    }

    fn map(&mut self, limits: &Limits) -> Result<Option<String>> {
        match self.number()? {
            0 => Ok(None),
            1 => Ok(Some(runs(self.run_list(limits.nodes)?))),
            _ => Err(damaged("a map is of no kind")),
        }
    }

    fn place(&mut self) -> Result<Place> {
        Ok(Place { parent: self.xid()?, at: self.position()? })
    }

    fn change(&mut self) -> Result<TextChange> {
        let count = self.count()?;
        if count == 0 {
            return Ok(TextChange::Whole { old: self.string()?, new: self.string()? });
        }
        let mut at = 0u64;
        let mut edits = Vec::with_capacity(count);
        for _ in 0..count {
            at =
                at.checked_add(self.number()?).ok_or_else(|| damaged("a position is too large"))?;
            let edit = Edit { at, old: self.string()?, new: self.string()? };
            at = at.saturating_add(edit.old.chars().count() as u64);
            edits.push(edit);
        }
        Ok(TextChange::Edits(edits))
    }

    fn delta(mut self, is_first: bool, limits: Limits, watch: &dyn Watch) -> Result<Delta> {
        let mut delta = Delta {
            from: self.document_digest(is_first)?,
            to: self.document_digest(is_first)?,
            next_xid: self.number()?,
            from_map: self.map(&limits)?,
            to_map: self.map(&limits)?,
            operations: Vec::new(),
            content: Content::empty(),
        };
        let mut work = Reading { content: ContentBuilder::new(limits), xids: Vec::new() };
        for number in 0..self.count()? {
            if number % 1024 == 0 {
                watch.check()?;
            }
            let operation = self.operation(&mut work, &limits)?;
            delta.operations.push(operation);
        }
        if self.at != self.numbers.len() || self.text_at != self.text.len() {
            return Err(damaged("it does not end where it should"));
        }
        delta.content = work.content.finish();
        for (nodes, xids) in work.xids {
            let rows = delta.content.post_order(&nodes);
            if rows.len() != xids.len() {
                return Err(damaged("its numbers do not fit its nodes"));
            }
            rows.into_iter()
                .zip(xids)
                .for_each(|(row, xid)| delta.content.xids[row as usize] = xid);
        }
        Ok(delta.tidy())
    }

    fn operation(&mut self, work: &mut Reading, limits: &Limits) -> Result<Operation> {
        let kind = self.number()?;
        Ok(match kind {
            0 => Operation::Update { xid: self.xid()?, change: self.change()? },
            1 => Operation::Rename { xid: self.xid()?, old: self.name()?, new: self.name()? },
            2..=4 => {
                let (xid, name) = (self.xid()?, self.name()?);
                let change = match kind {
                    2 => AttributeChange::Came(self.string()?),
                    3 => AttributeChange::Went(self.string()?),
                    _ => AttributeChange::Changed(self.change()?),
                };
                Operation::Attribute { xid, name, change }
            }
            5 => {
                let xid = self.xid()?;
                let mut lists = [Vec::new(), Vec::new()];
                for list in &mut lists {
                    for _ in 0..self.count()? {
                        list.push(self.position()?);
                    }
                }
                let [old, new] = lists;
                Operation::Reorder { xid, order: Order { old, new } }
            }
            6 => Operation::Delete { place: self.place()?, nodes: self.run(work)? },
            7 => {
                let (from, to) = (self.place()?, self.place()?);
                let count = self.number()?;
                let xids = self.run_list(limits.nodes)?;
                if xids.is_empty() || xids.len() as u64 != count {
                    return Err(damaged("a move of nothing"));
                }
                Operation::Move { xids, from, to }
            }
            8 => Operation::Insert { place: self.place()?, nodes: self.run(work)? },
            _ => return Err(damaged("there is no such operation")),
        })
    }

    fn run(&mut self, work: &mut Reading) -> Result<Range<u32>> {
        let nodes = self.rows(&mut work.content)?;
        let xids = self.run_list(u64::from(nodes.end - nodes.start) + 1)?;
        work.xids.push((nodes.clone(), xids));
        Ok(nodes)
    }

    fn rows(&mut self, content: &mut ContentBuilder) -> Result<Range<u32>> {
        let start = content.next_row();
        let count = self.count()?;
        if count == 0 {
            return Err(damaged("an operation without nodes"));
        }
        let mut depth = 0u64;
        for _ in 0..count {
            let code = self.number()?;
            let here = (depth + 1)
                .checked_sub(code >> 3)
                .filter(|&here| here > 0)
                .ok_or_else(|| damaged("it closes more than is open"))?;
            content.close_to(here as u32);
            depth = here - 1;
            let kind = match code & 7 {
                0 => {
                    let xid = self.xid()?;
                    content.hole(xid)?;
                    continue;
                }
                6 => Kind::Text,
                number => Kind::from_u8(number as u8)
                    .filter(|&kind| kind != Kind::Document)
                    .ok_or_else(|| damaged("a node of no kind"))?,
            };
            let mark = if code & 7 == 6 { flags::REFERENCE } else { 0 };
            let is_named = matches!(kind, Kind::Element | Kind::Instruction | Kind::Doctype);
            let name = if is_named { self.name()? } else { AttributeName::none() };
            let mut attributes = Vec::new();
            if is_named {
                for _ in 0..self.count()? {
                    attributes.push((self.name()?, self.string()?));
                }
            }
            if kind == Kind::Element {
                content.element(&name)?;
                depth = here;
            } else {
                content.leaf(kind, &name, &self.string()?, mark)?;
            }
            attributes.iter().try_for_each(|(name, value)| content.attribute(name, value))?;
        }
        content.close_to(1);
        Ok(start..content.next_row())
    }
}

/// What is gathered while operations are read.
struct Reading {
    content: ContentBuilder,
    xids: Vec<(Range<u32>, Vec<u64>)>,
}
