//! The compact binary form of a delta.
//!
//! ```text
//! "tlD" VERSION KIND | numbers (LEB128), the lengths of what follows first | texts
//! | inserted nodes | check
//! ```
//!
//! Two kinds. A *whole* one (0) holds everything, like the other forms, inserted nodes among the
//! numbers and texts. A *bound* one (2) is for chains of versions: it is read together with the old
//! document and its XIDs and leaves out all that these already say: what was deleted, old values,
//! XIDs of what moved, both maps. It is no less complete: reading it gives the same delta. Texts
//! and inserted nodes ([`markup`]) stand together and unpacked, so that the caller can pack the
//! whole with the old document as a dictionary ([`dictionary`] gives one that equal documents
//! share, in the same bytes).

use std::collections::HashMap;
use std::ops::Range;

use super::apply;
use super::content::{Content, ContentBuilder};
use super::markup;
use super::model::{
    AttributeChange, AttributeName, Delta, Edit, Operation, Order, Place, TextChange,
};
use super::xids::{read_runs, runs, Xids};
use treelace_tree::error::{Error, Result};
use treelace_tree::limits::Limits;
use treelace_tree::tree::{flags, Kind, Tree};
use treelace_tree::watch::Watch;

const MAGIC: &[u8; 3] = b"tlD";
const VERSION: u8 = 1;
const WHOLE: u8 = 0;
const BOUND: u8 = 2;
const CHECK: usize = 8;
/// Bytes of the old digest that a bound delta keeps: enough to name a mistake, the new digest is
/// the proof.
const SHORT: usize = 4;
/// Bytes of the new digest that a bound delta keeps: it is made when the delta is read, and
/// compared.
const PROOF: usize = 8;

fn damaged(why: impl std::fmt::Display) -> Error {
    Error::Delta(format!("this delta is damaged: {why}"))
}

/// The old document and its XIDs, to which a bound delta is bound.
#[derive(Clone, Copy)]
pub struct Base<'t> {
    /// The document.
    pub tree: &'t Tree,
    /// The XIDs of its nodes.
    pub xids: &'t Xids,
}

/// Writes a delta: whole, or bound to a base.
pub fn write(
    delta: &Delta,
    base: Option<Base<'_>>,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<Vec<u8>> {
    let mut out = Out::default();
    if let Some(base) = base {
        if base.tree.digest(0) != delta.from {
            return Err(damaged("it is for another document"));
        }
        out.numbers.extend_from_slice(&delta.from[..SHORT]);
        out.numbers.extend_from_slice(&delta.to[..PROOF]);
    } else {
        out.numbers.extend_from_slice(&delta.from);
        out.numbers.extend_from_slice(&delta.to);
    }
    match base {
        Some(base) => out.number(
            delta
                .next_xid
                .checked_sub(base.xids.next)
                .ok_or_else(|| damaged("its numbers begin before those of the document"))?,
        ),
        None => {
            out.number(delta.next_xid);
            out.map(delta.from_map.as_deref())?;
            out.map(delta.to_map.as_deref())?;
        }
    }
    let index = base.map(|base| {
        base.xids
            .of
            .iter()
            .enumerate()
            .map(|(node, &xid)| (xid, node))
            .collect::<HashMap<u64, usize>>()
    });
    let old = base.zip(index.as_ref()).map(|(base, index)| OldDocument {
        base,
        index,
        is_moved: Vec::new(),
        children: HashMap::new(),
    });
    out.number(delta.operations.len() as u64);
    let mut fresh = base.map_or(0, |base| base.xids.next);
    for (number, operation) in delta.operations.iter().enumerate() {
        if number % 1024 == 0 {
            watch.check()?;
        }
        out.operation(operation, &delta.content, old.as_ref(), &mut fresh)?;
        Limits::check(
            "memory",
            limits.memory,
            (out.numbers.len() + out.text.len() + out.markup.len()) as u64,
        )?;
    }
    let mut bytes = Vec::with_capacity(out.numbers.len() + out.text.len() + 32);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[VERSION, if base.is_some() { BOUND } else { WHOLE }]);
    let mut length = Out::default();
    length.number(out.text.len() as u64);
    if base.is_some() {
        length.number(out.markup.len() as u64);
    }
    bytes.extend_from_slice(&length.numbers);
    bytes.extend_from_slice(&out.numbers);
    bytes.extend_from_slice(&out.text);
    bytes.extend_from_slice(&out.markup);
    if base.is_none() {
        let check = blake3::hash(&bytes);
        bytes.extend_from_slice(&check.as_bytes()[..CHECK]);
    }
    Ok(bytes)
}

/// Bytes that equal documents share and that look like what a delta holds: a dictionary for packing
/// a bound one.
pub fn dictionary(tree: &Tree) -> Vec<u8> {
    let mut out = Vec::new();
    markup::write(tree, 1..tree.len(), &|_| false, markup::usual(tree), &mut out, &mut |_| ());
    out
}

#[derive(Default)]
struct Out {
    numbers: Vec<u8>,
    text: Vec<u8>,
    /// Inserted nodes of a bound delta.
    markup: Vec<u8>,
    /// XID written last: the next is near.
    xid: u64,
    names: HashMap<AttributeName, u64>,
}

/// The old document as a bound delta looks at it.
struct OldDocument<'t> {
    base: Base<'t>,
    index: &'t HashMap<u64, usize>,
    is_moved: Vec<bool>,
    /// Of the parents that were asked for.
    children: HashMap<usize, Vec<usize>>,
}

impl OldDocument<'_> {
    fn node(&self, xid: u64) -> Result<usize> {
        self.index.get(&xid).copied().ok_or_else(|| damaged(format!("there is no node {xid}")))
    }

    fn attribute(&self, xid: u64, name: &AttributeName) -> Result<&str> {
        let (tree, node) = (self.base.tree, self.node(xid)?);
        let found = tree
            .attributes(node)
            .find(|&a| super::build::name_of(tree, tree.attr_name(a)) == *name);
        found
            .map(|a| tree.attr_value(a))
            .ok_or_else(|| damaged(format!("node {xid} has no attribute {}", name.local)))
    }
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

    fn map(&mut self, map: Option<&str>) -> Result<()> {
        match map {
            None => self.number(0),
            Some(map) => {
                let list = read_runs(map, (u32::MAX - 1) as usize).map_err(damaged)?;
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

    fn change(&mut self, change: &TextChange, old: Option<&str>) {
        match (change, old) {
            (TextChange::Whole { old, new }, None) => {
                self.number(0);
                self.string(old);
                self.string(new);
            }
            (TextChange::Whole { new, .. }, Some(old)) => {
                let before = super::text_edit::common_prefix(old, new);
                let behind = super::text_edit::common_suffix(&old[before..], &new[before..]);
                self.number(0);
                self.number(before as u64);
                self.number(behind as u64);
                self.string(&new[before..new.len() - behind]);
            }
            (TextChange::Edits(edits), known) => {
                self.number(edits.len() as u64);
                let mut at = 0u64;
                for edit in edits {
                    let length = edit.old.chars().count() as u64;
                    self.number(edit.at.saturating_sub(at));
                    match known {
                        None => self.string(&edit.old),
                        Some(_) => self.number(length),
                    }
                    self.string(&edit.new);
                    at = edit.at.saturating_add(length);
                }
            }
        }
    }

    fn operation(
        &mut self,
        operation: &Operation,
        content: &Content,
        old: Option<&OldDocument<'_>>,
        fresh: &mut u64,
    ) -> Result<()> {
        match operation {
            Operation::Update { xid, change } => {
                self.number(0);
                self.xid(*xid);
                let text = old
                    .map(|old| old.node(*xid).map(|node| old.base.tree.text(node)))
                    .transpose()?;
                self.change(change, text);
            }
            Operation::Rename { xid, old: before, new } => {
                self.number(1);
                self.xid(*xid);
                if old.is_none() {
                    self.name(before);
                }
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
                    AttributeChange::Came(value) => self.string(value),
                    AttributeChange::Went(value) if old.is_none() => self.string(value),
                    AttributeChange::Went(_) => {}
                    AttributeChange::Changed(change) => {
                        let value = old.map(|old| old.attribute(*xid, name)).transpose()?;
                        self.change(change, value);
                    }
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
                if old.is_some() {
                    let tree = &*content.tree;
                    self.number(
                        (nodes.start as usize..nodes.end as usize)
                            .filter(|&row| tree.depth(row) == 1)
                            .count() as u64,
                    );
                } else {
                    self.rows(content, nodes);
                    self.run_list(&content.post_order_xids(nodes));
                }
            }
            Operation::Move { xids, from, to } => {
                self.number(7);
                self.place(*from);
                self.place(*to);
                self.number(xids.len() as u64);
                if old.is_none() {
                    self.run_list(xids);
                }
            }
            Operation::Insert { place, nodes } => {
                let xids = content.post_order_xids(nodes);
                let end = *fresh + xids.len() as u64;
                let is_fresh = old.is_some() && xids.iter().copied().eq(*fresh..end);
                self.number(if is_fresh { 9 } else { 8 });
                self.place(*place);
                match old {
                    Some(old) => self.markup(content, nodes, markup::usual(old.base.tree)),
                    None => self.rows(content, nodes),
                }
                if is_fresh {
                    *fresh = end;
                } else {
                    self.run_list(&xids);
                }
            }
        }
        Ok(())
    }

    fn markup(&mut self, content: &Content, nodes: &Range<u32>, usual: (&str, &str)) {
        let mut bytes = std::mem::take(&mut self.markup);
        let rows = nodes.start as usize..nodes.end as usize;
        markup::write(
            &content.tree,
            rows,
            &|row| content.is_hole[row],
            usual,
            &mut bytes,
            &mut |aside| match aside {
                markup::Aside::Hole(row) => self.xid(content.xids[row]),
                markup::Aside::Order(places) => {
                    markup::order_to_numbers(places, |number| self.number(number))
                }
            },
        );
        self.markup = bytes;
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

/// Reads a delta. A bound one needs the base it was written with.
pub fn read(
    bytes: &[u8],
    base: Option<Base<'_>>,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<Delta> {
    if bytes.len() < 5 || &bytes[..3] != MAGIC {
        return Err(Error::Delta("this is no delta".to_string()));
    }
    if bytes[3] != VERSION {
        return Err(damaged(format!(
            "it has version {}, and this treelace reads {VERSION}",
            bytes[3]
        )));
    }
    let body = match bytes[4] {
        WHOLE => {
            let body = bytes
                .len()
                .checked_sub(CHECK)
                .filter(|&body| body >= 5)
                .ok_or_else(|| damaged("it is cut off"))?;
            if blake3::hash(&bytes[..body]).as_bytes()[..CHECK] != bytes[body..] {
                return Err(damaged("its bytes are not those that were written"));
            }
            body
        }
        BOUND => bytes.len(),
        _ => return Err(damaged("it is of no kind")),
    };
    let bound = if bytes[4] == BOUND {
        Some(base.ok_or_else(|| {
            Error::Delta(
                "this delta is bound to its old document: read it with that document".to_string(),
            )
        })?)
    } else {
        None
    };
    let mut head = In::new(&bytes[5..body], "", &[]);
    let (text, markup) = (head.number()?, if bound.is_some() { head.number()? } else { 0 });
    let rest = &head.numbers[head.at..];
    let behind = |rest: &[u8], length: u64| {
        let length = usize::try_from(length).map_err(damaged)?;
        rest.len().checked_sub(length).ok_or_else(|| damaged("it is cut off"))
    };
    let (rest, markup) = rest.split_at(behind(rest, markup)?);
    let (numbers, text) = rest.split_at(behind(rest, text)?);
    let input = In::new(
        numbers,
        std::str::from_utf8(text).map_err(|_| damaged("its texts are not UTF-8"))?,
        markup,
    );
    input.delta(bound, limits, watch)
}

struct In<'b> {
    numbers: &'b [u8],
    at: usize,
    text: &'b str,
    text_at: usize,
    markup: &'b [u8],
    xid: u64,
    names: Vec<AttributeName>,
}

impl markup::Beside for In<'_> {
    fn hole(&mut self) -> Result<u64> {
        self.xid()
    }

    fn order(&mut self, count: usize) -> Result<Vec<u32>> {
        markup::order_from_numbers(count, || self.number())
    }
}

impl<'b> In<'b> {
    fn new(numbers: &'b [u8], text: &'b str, markup: &'b [u8]) -> Self {
        In { numbers, at: 0, text, text_at: 0, markup, xid: 0, names: Vec::new() }
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
        Ok(self.xid)
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
            let last = first.checked_add(more).ok_or_else(|| damaged("a number is too large"))?;
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

    fn change(&mut self, old: Option<&str>) -> Result<TextChange> {
        let count = self.count()?;
        let Some(old) = old else {
            if count == 0 {
                return Ok(TextChange::Whole { old: self.string()?, new: self.string()? });
            }
            let mut at = 0u64;
            let mut edits = Vec::with_capacity(count);
            for _ in 0..count {
                at = at
                    .checked_add(self.number()?)
                    .ok_or_else(|| damaged("a position is too large"))?;
                let edit = Edit { at, old: self.string()?, new: self.string()? };
                at = at.saturating_add(edit.old.chars().count() as u64);
                edits.push(edit);
            }
            return Ok(TextChange::Edits(edits));
        };
        if count == 0 {
            let (before, behind) = (self.number()? as usize, self.number()? as usize);
            let middle = self.string()?;
            let fits = before.checked_add(behind).is_some_and(|both| both <= old.len());
            let fits =
                fits && old.is_char_boundary(before) && old.is_char_boundary(old.len() - behind);
            if !fits {
                return Err(damaged("a text does not fit"));
            }
            return Ok(TextChange::Whole {
                old: old.to_string(),
                new: format!("{}{middle}{}", &old[..before], &old[old.len() - behind..]),
            });
        }
        let mut rest = old.chars();
        let mut at = 0u64;
        let mut edits = Vec::with_capacity(count);
        for _ in 0..count {
            let (skip, length) = (self.number()?, self.number()?);
            if skip > 0 && rest.nth((skip - 1).try_into().map_err(damaged)?).is_none() {
                return Err(damaged("a text does not fit"));
            }
            at += skip;
            let before = rest.as_str();
            if length > 0 && rest.nth((length - 1).try_into().map_err(damaged)?).is_none() {
                return Err(damaged("a text does not fit"));
            }
            let piece = &before[..before.len() - rest.as_str().len()];
            edits.push(Edit { at, old: piece.to_string(), new: self.string()? });
            at += length;
        }
        Ok(TextChange::Edits(edits))
    }

    fn delta(mut self, base: Option<Base<'_>>, limits: Limits, watch: &dyn Watch) -> Result<Delta> {
        let mut delta = Delta {
            from: [0; 16],
            to: [0; 16],
            from_map: None,
            to_map: None,
            next_xid: 0,
            operations: Vec::new(),
            content: Content::empty(),
        };
        let mut proof = [0; PROOF];
        let index: HashMap<u64, usize> = base
            .map(|base| base.xids.of.iter().enumerate().map(|(node, &xid)| (xid, node)).collect())
            .unwrap_or_default();
        if let Some(base) = base {
            let short: [u8; SHORT] = self.digest()?;
            let found = base.tree.digest(0);
            if short != found[..SHORT] {
                return Err(Error::Delta(format!(
                    "this delta is for the document {}…, not for {}",
                    short.map(|b| format!("{b:02x}")).concat(),
                    apply::hex(&found)
                )));
            }
            delta.from = found;
            proof = self.digest()?;
            delta.next_xid = base
                .xids
                .next
                .checked_add(self.number()?)
                .ok_or_else(|| damaged("a number is too large"))?;
            delta.from_map = (!base.xids.is_first(base.tree)).then(|| base.xids.to_map(base.tree));
        } else {
            delta.from = self.digest()?;
            delta.to = self.digest()?;
            delta.next_xid = self.number()?;
            delta.from_map = self.map(&limits)?;
            delta.to_map = self.map(&limits)?;
        }
        let mut old = base.map(|base| OldDocument {
            base,
            index: &index,
            is_moved: vec![false; base.tree.len()],
            children: HashMap::new(),
        });
        let mut work = Reading {
            content: ContentBuilder::new(limits),
            xids: Vec::new(),
            fresh: base.map_or(0, |base| base.xids.next),
            deleted: Vec::new(),
            number: 0,
        };
        for number in 0..self.count()? {
            if number % 1024 == 0 {
                watch.check()?;
            }
            let operation = self.operation(old.as_mut(), &mut work, &limits)?;
            delta.operations.push(operation);
        }
        if self.at != self.numbers.len()
            || self.text_at != self.text.len()
            || !self.markup.is_empty()
        {
            return Err(damaged("it does not end where it should"));
        }
        if let Some(old) = &old {
            for &(number, ref tops) in &work.deleted {
                let nodes = copy_deleted(old, tops, &mut work.content)?;
                if let Operation::Delete { nodes: slot, .. } = &mut delta.operations[number] {
                    *slot = nodes;
                }
            }
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
        if let Some(base) = base {
            let (made, xids) = apply::run(&delta, base.tree, base.xids, limits, watch)?;
            delta.to = made.digest(0);
            if delta.to[..PROOF] != proof {
                return Err(damaged("what it makes is not what it was made from"));
            }
            delta.to_map = (!xids.is_first(&made)).then(|| xids.to_map(&made));
        }
        Ok(delta.tidy())
    }

    fn operation(
        &mut self,
        old: Option<&mut OldDocument<'_>>,
        work: &mut Reading,
        limits: &Limits,
    ) -> Result<Operation> {
        let kind = self.number()?;
        Ok(match kind {
            0 => {
                let xid = self.xid()?;
                let text = old
                    .as_deref()
                    .map(|old| old.node(xid).map(|node| old.base.tree.text(node)))
                    .transpose()?;
                Operation::Update { xid, change: self.change(text)? }
            }
            1 => {
                let xid = self.xid()?;
                let before = match old {
                    Some(old) => {
                        super::build::name_of(old.base.tree, old.base.tree.name(old.node(xid)?))
                    }
                    None => self.name()?,
                };
                Operation::Rename { xid, old: before, new: self.name()? }
            }
            2..=4 => {
                let (xid, name) = (self.xid()?, self.name()?);
                let change = match (kind, old) {
                    (2, _) => AttributeChange::Came(self.string()?),
                    (3, None) => AttributeChange::Went(self.string()?),
                    (3, Some(old)) => AttributeChange::Went(old.attribute(xid, &name)?.to_string()),
                    (_, None) => AttributeChange::Changed(self.change(None)?),
                    (_, Some(old)) => {
                        AttributeChange::Changed(self.change(Some(old.attribute(xid, &name)?))?)
                    }
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
            6 => {
                let place = self.place()?;
                let nodes = match old {
                    None => self.run(work, None)?,
                    Some(old) => {
                        let count = self.number()?;
                        work.deleted.push((work.number, siblings(old, place, count)?));
                        0..0
                    }
                };
                work.number += 1;
                return Ok(Operation::Delete { place, nodes });
            }
            7 => {
                let (from, to) = (self.place()?, self.place()?);
                let count = self.number()?;
                let xids = match old {
                    None => self.run_list(limits.nodes)?,
                    Some(old) => {
                        let nodes = siblings(old, from, count)?;
                        nodes.iter().for_each(|&node| old.is_moved[node] = true);
                        nodes.into_iter().map(|node| old.base.xids.of[node]).collect()
                    }
                };
                if xids.is_empty() || xids.len() as u64 != count {
                    return Err(damaged("a move of nothing"));
                }
                Operation::Move { xids, from, to }
            }
            8 | 9 => {
                let place = self.place()?;
                let usual = old.map(|old| markup::usual(old.base.tree));
                let nodes =
                    if kind == 8 { self.run(work, usual)? } else { self.fresh_run(work, usual)? };
                Operation::Insert { place, nodes }
            }
            _ => return Err(damaged("there is no such operation")),
        })
        .inspect(|_| work.number += 1)
    }

    fn run(&mut self, work: &mut Reading, usual: Option<(&str, &str)>) -> Result<Range<u32>> {
        let nodes = self.nodes(&mut work.content, usual)?;
        let xids = self.run_list(u64::from(nodes.end - nodes.start) + 1)?;
        work.xids.push((nodes.clone(), xids));
        Ok(nodes)
    }

    fn fresh_run(&mut self, work: &mut Reading, usual: Option<(&str, &str)>) -> Result<Range<u32>> {
        let before = work.content.hole_count();
        let nodes = self.nodes(&mut work.content, usual)?;
        let count = u64::from(nodes.end - nodes.start) - (work.content.hole_count() - before);
        let end = work.fresh.checked_add(count).ok_or_else(|| damaged("a number is too large"))?;
        work.xids.push((nodes.clone(), (work.fresh..end).collect()));
        work.fresh = end;
        Ok(nodes)
    }

    /// The nodes of an operation: as bytes like those of the old document, where there is one.
    fn nodes(
        &mut self,
        content: &mut ContentBuilder,
        usual: Option<(&str, &str)>,
    ) -> Result<Range<u32>> {
        let Some(usual) = usual else { return self.rows(content) };
        let (start, bytes) = (content.next_row(), self.markup);
        let taken = markup::read(bytes, usual, content, self)?;
        self.markup = &bytes[taken..];
        Ok(start..content.next_row())
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
    fresh: u64,
    /// Operations that delete, and the old nodes they take, until all moves are known.
    deleted: Vec<(usize, Vec<usize>)>,
    number: usize,
}

/// Adjacent children of an old node.
fn siblings(old: &mut OldDocument<'_>, place: Place, count: u64) -> Result<Vec<usize>> {
    let tree = old.base.tree;
    let parent = old.node(place.parent)?;
    let all = old.children.entry(parent).or_insert_with(|| tree.children(parent).collect());
    let start = place.at as usize - 1;
    let end = usize::try_from(count).ok().and_then(|count| start.checked_add(count));
    let nodes = end.and_then(|end| all.get(start..end)).filter(|nodes| !nodes.is_empty());
    nodes.map(<[usize]>::to_vec).ok_or_else(|| damaged("it takes more than is there"))
}

/// Copies old subtrees, with holes where something moved away.
fn copy_deleted(
    old: &OldDocument<'_>,
    tops: &[usize],
    content: &mut ContentBuilder,
) -> Result<Range<u32>> {
    let tree = old.base.tree;
    let start = content.next_row();
    for &top in tops {
        let mut i = top;
        while i < tree.end(top) {
            content.close_to(tree.depth(i) - tree.depth(top) + 1);
            if old.is_moved[i] && i != top {
                content.hole(old.base.xids.of[i])?;
                i = tree.end(i);
            } else {
                content.node(tree, i, old.base.xids.of[i])?;
                i += 1;
            }
        }
    }
    content.close_to(1);
    Ok(start..content.next_row())
}
