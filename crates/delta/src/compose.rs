//! Two deltas as one, without the documents.
//!
//! With A → B → C, a parent that is in all three has children that leave and come at known
//! positions; the others stay, in order, and need no name: position `p` of a stayer is its rank
//! among the stayers plus what came before it. So the places of everything that leaves A's list or
//! comes into C's follow by arithmetic for each parent. Nodes that are only in A or only in C have
//! all their children in the content of one of the two deltas. What leaves and comes back to its
//! old place has not moved.
//!
//! Values: change after change is the outer change; a change of a node that came is part of what
//! came, of a node that will go, taken back in what goes. The order of attributes is kept only
//! where one of the two touched them; equality does not see it.

mod side;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::content::ContentBuilder;
use super::invert::invert;
use super::model::{Delta, Operation, Place};
use super::xids::{read_runs, runs};
use side::{changed, shifted, Listed, Side};
use treelace_tree::error::{Error, Result};
use treelace_tree::increasing::heaviest_increasing;
use treelace_tree::limits::Limits;
use treelace_tree::tree::Kind;
use treelace_tree::watch::Watch;
use values::{joined, value_xid, Record};

/// The delta that does what `first` and then `second` do. If `second` numbers the nodes otherwise
/// than `first` leaves them (it was made without their XIDs), its numbers are translated.
pub fn compose(first: &Delta, second: &Delta, limits: Limits, watch: &dyn Watch) -> Result<Delta> {
    if first.to != second.from {
        let names = (super::apply::hex(&first.to), super::apply::hex(&second.from));
        return Err(Error::Delta(format!(
            "these deltas do not follow each other: the first makes {}, the second is for {}",
            names.0, names.1
        )));
    }
    let translated = translated(first, second)?;
    let second = translated.as_ref().unwrap_or(second);
    watch.check()?;
    let both = Both::new(first, second)?;
    let mut operations = both.values()?;
    watch.check()?;
    let places = both.places()?;
    let mut content = ContentBuilder::new(limits);
    both.deletes(&places, &mut operations, &mut content)?;
    both.moves(&places, &mut operations)?;
    both.inserts(&places, &mut operations, &mut content)?;
    Ok(Delta {
        from: first.from,
        to: second.to,
        from_map: first.from_map.clone(),
        to_map: second.to_map.clone(),
        next_xid: first.next_xid.max(second.next_xid),
        operations,
        content: content.finish(),
    })
}

fn wrong(what: impl std::fmt::Display) -> Error {
    Error::Delta(format!("these deltas cannot be composed: {what}"))
}

/// Nodes that an operation brings, less those it takes.
fn growth(delta: &Delta) -> i64 {
    let size = |nodes: &std::ops::Range<u32>| delta.content.post_order(nodes).len() as i64;
    let part = |operation: &Operation| match operation {
        Operation::Insert { nodes, .. } => size(nodes),
        Operation::Delete { nodes, .. } => -size(nodes),
        _ => 0,
    };
    delta.operations.iter().map(part).sum()
}

/// `second` with the numbers that `first` gives the nodes; `None` if it has them.
fn translated(first: &Delta, second: &Delta) -> Result<Option<Delta>> {
    if first.to_map == second.from_map {
        return Ok(None);
    }
    let most = (u32::MAX - 1) as usize;
    let list = |map: &str| read_runs(map, most).map_err(wrong);
    let (have, want) = match (&second.from_map, &first.to_map) {
        (Some(have), Some(want)) => (list(have)?, list(want)?),
        (Some(have), None) => {
            let have = list(have)?;
            let want = (1..=have.len() as u64).collect();
            (have, want)
        }
        (None, Some(want)) => {
            let want = list(want)?;
            ((1..=want.len() as u64).collect(), want)
        }
        (None, None) => return Ok(None),
    };
    if have.len() != want.len() {
        return Err(wrong("their XID maps are of different sizes"));
    }
    let size = have.len() as i64 + growth(second);
    let mut number: HashMap<u64, u64> = have.into_iter().zip(want).collect();
    number.insert(0, 0);
    // nodes of the second that are not in the middle version get fresh numbers, in the order of
    // their old ones
    let mut fresh: BTreeSet<u64> = BTreeSet::new();
    for operation in &second.operations {
        if let Operation::Insert { nodes, .. } = operation {
            fresh.extend(
                second
                    .content
                    .post_order_xids(nodes)
                    .into_iter()
                    .filter(|xid| !number.contains_key(xid)),
            );
        }
    }
    let mut next = first.next_xid;
    for xid in fresh {
        number.insert(xid, next);
        next += 1;
    }
    let new = |xid: &u64| {
        number.get(xid).copied().ok_or_else(|| wrong(format!("there is no node {xid}")))
    };
    let to: Vec<u64> = match &second.to_map {
        Some(map) => list(map)?,
        None => {
            (1..=u64::try_from(size).map_err(|_| wrong("more nodes go than there are"))?).collect()
        }
    };
    let mut delta = second.clone();
    delta.to_map = Some(runs(to.iter().map(new).collect::<Result<Vec<_>>>()?));
    delta.from_map.clone_from(&first.to_map);
    delta.next_xid = next;
    for operation in &mut delta.operations {
        match operation {
            Operation::Delete { place, .. } | Operation::Insert { place, .. } => {
                place.parent = new(&place.parent)?
            }
            Operation::Move { xids, from, to } => {
                *xids = xids.iter().map(new).collect::<Result<_>>()?;
                (from.parent, to.parent) = (new(&from.parent)?, new(&to.parent)?);
            }
            Operation::Update { xid, .. }
            | Operation::Rename { xid, .. }
            | Operation::Attribute { xid, .. }
            | Operation::Reorder { xid, .. } => {
                *xid = new(xid)?;
            }
        }
    }
    let used: Vec<bool> = {
        let mut used = vec![false; delta.content.xids.len()];
        delta.operations.iter().filter_map(Operation::nodes).for_each(|nodes| {
            nodes.clone().for_each(|row| {
                if let Some(it) = used.get_mut(row as usize) {
                    *it = true;
                }
            });
        });
        used
    };
    for (row, xid) in delta.content.xids.iter_mut().enumerate() {
        if used[row] {
            *xid = new(xid)?;
        }
    }
    Ok(Some(delta))
}

/// Where nodes leave A and come into C.
#[derive(Default)]
struct Places {
    /// XID to place in A; of nodes that are in both A and C only if they move.
    from: BTreeMap<u64, Place>,
    /// XID to place in C.
    to: BTreeMap<u64, Place>,
    /// Children of nodes that are only in A.
    old_children: HashMap<u64, Vec<u64>>,
    /// Children of nodes that are only in C.
    new_children: HashMap<u64, Vec<u64>>,
}

struct Both<'d> {
    first: Side<'d>,
    second: Side<'d>,
    /// The way back of `first`: for values that must be taken back.
    back: Delta,
}

impl<'d> Both<'d> {
    fn new(first: &'d Delta, second: &'d Delta) -> Result<Self> {
        let both =
            Both { first: Side::new(first)?, second: Side::new(second)?, back: invert(first) };
        let is_odd = |xid: &u64| both.first.came.contains_key(xid) && !both.is_in_b(*xid);
        if both.first.gone.keys().any(|xid| both.first.came.contains_key(xid))
            || both.second.gone.keys().any(|xid| both.second.came.contains_key(xid))
        {
            return Err(wrong("a node comes and goes at once"));
        }
        if both.first.came.keys().any(is_odd)
            || both.second.came.keys().any(|&xid| both.first.came.contains_key(&xid))
        {
            return Err(wrong("a node comes twice"));
        }
        Ok(both)
    }

    fn is_in_b(&self, xid: u64) -> bool {
        !self.first.gone.contains_key(&xid)
    }

    fn is_in_a(&self, xid: u64) -> bool {
        self.first.gone.contains_key(&xid)
            || !(self.first.came.contains_key(&xid) || self.second.came.contains_key(&xid))
    }

    fn is_in_c(&self, xid: u64) -> bool {
        self.second.came.contains_key(&xid)
            || !(self.second.gone.contains_key(&xid) || self.first.gone.contains_key(&xid))
    }

    /// Every node one of the deltas brings or takes, sorted.
    fn known(&self) -> BTreeSet<u64> {
        let sides = [&self.first, &self.second];
        sides.iter().flat_map(|side| side.gone.keys().chain(side.came.keys())).copied().collect()
    }

    fn places(&self) -> Result<Places> {
        let mut places = Places::default();
        let (first, second) = (&self.first, &self.second);
        let mut parents: BTreeSet<u64> =
            [&first.leaving, &first.coming, &second.leaving, &second.coming]
                .iter()
                .flat_map(|map| map.keys())
                .copied()
                .collect();
        parents.extend(self.known());
        for parent in parents {
            let (in_a, in_c) = (self.is_in_a(parent), self.is_in_c(parent));
            match (in_a, in_c) {
                (true, true) => self.common(parent, &mut places)?,
                (true, false) => {
                    let list = self.old_list(parent)?;
                    note(&mut places.from, parent, (1..).zip(list.iter().copied()), |xid| {
                        self.is_in_c(xid)
                    })?;
                    places.old_children.insert(parent, list);
                }
                (false, true) => {
                    let list = self.new_list(parent)?;
                    note(&mut places.to, parent, (1..).zip(list.iter().copied()), |xid| {
                        self.is_in_a(xid)
                    })?;
                    places.new_children.insert(parent, list);
                }
                (false, false) => {}
            }
        }
        Ok(places)
    }

    /// Children in A of a node that is not in C, or that went and came back.
    fn old_list(&self, parent: u64) -> Result<Vec<u64>> {
        if let Some(&row) = self.first.gone.get(&parent) {
            return Ok(self.first.children(row));
        }
        let row = self
            .second
            .gone
            .get(&parent)
            .ok_or_else(|| wrong(format!("nobody knows the children of node {parent}")))?;
        changed(&self.second.children(*row), self.first.coming(parent), self.first.leaving(parent))
    }

    /// Children in C of a node that is not in A, or that went and came back.
    fn new_list(&self, parent: u64) -> Result<Vec<u64>> {
        if let Some(&row) = self.second.came.get(&parent) {
            return Ok(self.second.children(row));
        }
        let row = self
            .first
            .came
            .get(&parent)
            .ok_or_else(|| wrong(format!("nobody knows the children of node {parent}")))?;
        changed(&self.first.children(*row), self.second.leaving(parent), self.second.coming(parent))
    }

    /// A parent that is in both: what leaves its list in A, what comes into its list in C.
    fn common(&self, parent: u64, places: &mut Places) -> Result<()> {
        let (first, second) = (&self.first, &self.second);
        let (mut leaving, mut coming): (Listed, Listed);
        if first.gone.contains_key(&parent) {
            leaving = (1..).zip(self.old_list(parent)?).collect();
            coming = (1..).zip(self.new_list(parent)?).collect();
        } else {
            let came: BTreeSet<u64> = first.coming(parent).iter().map(|it| it.1).collect();
            let gone: BTreeSet<u64> = second.leaving(parent).iter().map(|it| it.1).collect();
            leaving = first.leaving(parent).to_vec();
            for &(at, xid) in second.leaving(parent).iter().filter(|it| !came.contains(&it.1)) {
                leaving.push((shifted(at, first.coming(parent), first.leaving(parent))?, xid));
            }
            coming = second.coming(parent).to_vec();
            for &(at, xid) in first.coming(parent).iter().filter(|it| !gone.contains(&it.1)) {
                coming.push((shifted(at, second.leaving(parent), second.coming(parent))?, xid));
            }
            leaving.sort_unstable();
            coming.sort_unstable();
        }
        let stay = self.returned(&leaving, &coming);
        let is_away = |it: &&(u32, u64)| !stay.contains(&it.1);
        note(&mut places.from, parent, leaving.iter().filter(is_away).copied(), |_| true)?;
        note(&mut places.to, parent, coming.iter().filter(is_away).copied(), |_| true)
    }

    /// Children that left and came back between the same stayers, as many as keep their order.
    fn returned(&self, leaving: &Listed, coming: &Listed) -> BTreeSet<u64> {
        let rank = |list: &Listed| -> HashMap<u64, (u32, u32)> {
            list.iter()
                .enumerate()
                .map(|(number, &(at, xid))| (xid, (at.wrapping_sub(number as u32), at)))
                .collect()
        };
        let before = rank(leaving);
        let after = rank(coming);
        let same: Vec<(u64, u32)> = coming
            .iter()
            .filter_map(|&(_, xid)| {
                let (old, new) = (before.get(&xid)?, after.get(&xid)?);
                (old.0 == new.0).then_some((xid, old.1))
            })
            .collect();
        let rows: Vec<(u32, u64)> = same.iter().map(|it| (it.1, 1)).collect();
        heaviest_increasing(&rows).into_iter().map(|number| same[number].0).collect()
    }

    // operations

    fn deletes(
        &self,
        places: &Places,
        operations: &mut Vec<Operation>,
        content: &mut ContentBuilder,
    ) -> Result<()> {
        let tops: Listing = places
            .from
            .iter()
            .filter(|it| !self.is_in_c(*it.0))
            .map(|(&xid, &place)| (place.parent, place.at, xid))
            .collect();
        let expected =
            self.known().into_iter().filter(|&xid| self.is_in_a(xid) && !self.is_in_c(xid)).count();
        let mut left = expected;
        for run in adjacent(tops) {
            let nodes = self.write(&run.2, &places.old_children, content, &mut left, true)?;
            operations.push(Operation::Delete { place: Place { parent: run.0, at: run.1 }, nodes });
        }
        (left == 0).then_some(()).ok_or_else(|| wrong("something goes that was nowhere"))
    }

    fn inserts(
        &self,
        places: &Places,
        operations: &mut Vec<Operation>,
        content: &mut ContentBuilder,
    ) -> Result<()> {
        let tops: Listing = places
            .to
            .iter()
            .filter(|it| !self.is_in_a(*it.0))
            .map(|(&xid, &place)| (place.parent, place.at, xid))
            .collect();
        let mut left =
            self.known().into_iter().filter(|&xid| self.is_in_c(xid) && !self.is_in_a(xid)).count();
        for run in adjacent(tops) {
            let nodes = self.write(&run.2, &places.new_children, content, &mut left, false)?;
            operations.push(Operation::Insert { place: Place { parent: run.0, at: run.1 }, nodes });
        }
        (left == 0).then_some(()).ok_or_else(|| wrong("something comes that is nowhere"))
    }

    fn moves(&self, places: &Places, operations: &mut Vec<Operation>) -> Result<()> {
        let is_common = |xid: &u64| self.is_in_a(*xid) && self.is_in_c(*xid);
        let moved = places.to.iter().filter(|it| is_common(it.0));
        let mut rows: Vec<(u64, u32, u64, Place)> = Vec::new();
        for (&xid, to) in moved {
            let from = places
                .from
                .get(&xid)
                .ok_or_else(|| wrong(format!("node {xid} comes from nowhere")))?;
            rows.push((to.parent, to.at, xid, *from));
        }
        if places.from.keys().any(|xid| is_common(xid) && !places.to.contains_key(xid)) {
            return Err(wrong("a node moves nowhere"));
        }
        rows.sort_unstable_by_key(|row| (row.0, row.1));
        for (parent, at, xid, from) in rows {
            if let Some(Operation::Move { xids, from: origin, to }) = operations.last_mut() {
                let count = xids.len() as u32;
                let follows = to.parent == parent
                    && to.at + count == at
                    && origin.parent == from.parent
                    && origin.at + count == from.at;
                if follows {
                    xids.push(xid);
                    continue;
                }
            }
            operations.push(Operation::Move { xids: vec![xid], from, to: Place { parent, at } });
        }
        Ok(())
    }

    /// Writes nodes that are only in A (or only in C) with all below them.
    fn write(
        &self,
        tops: &[u64],
        children: &HashMap<u64, Vec<u64>>,
        content: &mut ContentBuilder,
        left: &mut usize,
        is_old: bool,
    ) -> Result<std::ops::Range<u32>> {
        let start = content.next_row();
        let mut waiting: Vec<(u64, u32)> = tops.iter().rev().map(|&xid| (xid, 1)).collect();
        while let Some((xid, depth)) = waiting.pop() {
            content.close_to(depth);
            if self.is_in_a(xid) && self.is_in_c(xid) {
                content.hole(xid)?;
                continue;
            }
            *left = left
                .checked_sub(1)
                .ok_or_else(|| wrong(format!("node {xid} stands inside itself")))?;
            let record = if is_old { self.old_record(xid)? } else { self.new_record(xid)? };
            record.write(content, xid)?;
            if record.kind == Kind::Element {
                waiting.extend(
                    children.get(&xid).into_iter().flatten().rev().map(|&child| (child, depth + 1)),
                );
            }
        }
        content.close_to(1);
        Ok(start..content.next_row())
    }

    fn old_record(&self, xid: u64) -> Result<Record> {
        if let Some(&row) = self.first.gone.get(&xid) {
            return Ok(Record::of(&self.first.delta.content.tree, row));
        }
        let row =
            self.second.gone.get(&xid).ok_or_else(|| wrong(format!("nobody knows node {xid}")))?;
        let mut record = Record::of(&self.second.delta.content.tree, *row);
        if self.first.values.contains_key(&xid) {
            let is_it = |operation: &&Operation| value_xid(operation) == Some(xid);
            self.back
                .operations
                .iter()
                .filter(is_it)
                .try_for_each(|operation| record.apply(operation))?;
        }
        Ok(record)
    }

    fn new_record(&self, xid: u64) -> Result<Record> {
        if let Some(&row) = self.second.came.get(&xid) {
            return Ok(Record::of(&self.second.delta.content.tree, row));
        }
        let row =
            self.first.came.get(&xid).ok_or_else(|| wrong(format!("nobody knows node {xid}")))?;
        let mut record = Record::of(&self.first.delta.content.tree, *row);
        self.second
            .values
            .get(&xid)
            .into_iter()
            .flatten()
            .try_for_each(|operation| record.apply(operation))?;
        Ok(record)
    }

    /// Updates, renames and attributes of the nodes that are in A and C.
    fn values(&self) -> Result<Vec<Operation>> {
        let mut operations = Vec::new();
        let mut xids: BTreeSet<u64> =
            self.first.values.keys().chain(self.second.values.keys()).copied().collect();
        xids.extend(self.first.gone.keys().filter(|xid| self.second.came.contains_key(xid)));
        for xid in xids.into_iter().filter(|&xid| self.is_in_a(xid) && self.is_in_c(xid)) {
            if self.first.gone.contains_key(&xid) {
                self.old_record(xid)?.changes_to(&self.new_record(xid)?, xid, &mut operations)?;
                continue;
            }
            let (before, after) = (self.first.values.get(&xid), self.second.values.get(&xid));
            match (before, after) {
                (Some(only), None) | (None, Some(only)) => {
                    operations.extend(only.iter().map(|&it| it.clone()))
                }
                (Some(before), Some(after)) => joined(xid, before, after, &mut operations)?,
                (None, None) => {}
            }
        }
        Ok(operations)
    }
}

/// Parent, position, XID.
type Listing = Vec<(u64, u32, u64)>;

/// Runs of adjacent siblings: parent, position of the first, XIDs.
fn adjacent(mut tops: Listing) -> Vec<(u64, u32, Vec<u64>)> {
    tops.sort_unstable();
    let mut found: Vec<(u64, u32, Vec<u64>)> = Vec::new();
    for (parent, at, xid) in tops {
        match found.last_mut() {
            Some(last)
                if last.0 == parent && u64::from(last.1) + last.2.len() as u64 == u64::from(at) =>
            {
                last.2.push(xid)
            }
            _ => found.push((parent, at, vec![xid])),
        }
    }
    found
}

/// Notes places, each node once.
fn note(
    places: &mut BTreeMap<u64, Place>,
    parent: u64,
    list: impl Iterator<Item = (u32, u64)>,
    is_wanted: impl Fn(u64) -> bool,
) -> Result<()> {
    for (at, xid) in list.filter(|it| is_wanted(it.1)) {
        if places.insert(xid, Place { parent, at }).is_some() {
            return Err(wrong(format!("node {xid} stands at two places")));
        }
    }
    Ok(())
}
