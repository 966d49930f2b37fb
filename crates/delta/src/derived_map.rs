//! The XID map of a new document, where it follows from the operations.
//!
//! The nodes of a first version are numbered from 1 in post-order. Deletions take runs of these
//! numbers away, insertions put runs of new ones behind a known number; so long as nothing moves,
//! that is the map of the new document, and a delta need not write it.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::model::{Delta, Operation};

/// A run of numbers, both ends included.
type Run = (u64, u64);

/// Inserted nodes: the number that stands before them in post-order (0: none), and their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Insertion {
    pub after: u64,
    pub run: Run,
}

/// What a delta has to say so that its map follows.
pub(super) struct Derivation {
    /// Nodes of the old document.
    pub nodes: u64,
    /// The node of the old document behind which each insertion stands in post-order (0: none), in
    /// the order of the operations.
    pub after: Vec<u64>,
}

impl Derivation {
    /// `None` where the map does not follow from the operations, or the delta starts from a later
    /// version.
    pub fn of(delta: &Delta) -> Option<Self> {
        let is_moving = |it: &Operation| matches!(it, Operation::Move { .. });
        if delta.from_map.is_some() || delta.operations.iter().any(is_moving) {
            return None;
        }
        let (mut deleted, mut inserted) = (Vec::new(), Vec::new());
        for operation in &delta.operations {
            let (Operation::Delete { nodes, .. } | Operation::Insert { nodes, .. }) = operation
            else {
                continue;
            };
            let xids = delta.content.post_order_xids(nodes);
            let run = (*xids.first()?, *xids.last()?);
            if xids.windows(2).any(|pair| pair[0].checked_add(1) != Some(pair[1])) {
                return None;
            }
            if matches!(operation, Operation::Delete { .. }) {
                &mut deleted
            } else {
                &mut inserted
            }
            .push(run);
        }
        let sizes: Vec<u64> = inserted.iter().map(|run| run.1 - run.0 + 1).collect();
        let nodes = delta.next_xid.checked_sub(sizes.iter().sum())?.checked_sub(1)?;
        if nodes >= u64::MAX / 2 {
            return None; // room to count on
        }
        let mut before = BTreeMap::new();
        let mut last = 0;
        for run in read(delta.to_map.as_deref().unwrap_or_default())? {
            before.insert(run.0, last);
            if run.0 <= nodes {
                last = run.1.min(nodes);
            }
        }
        let after = |run: &Run| {
            let (&start, &last) = before.range(..=run.0).next_back()?;
            Some(if start <= nodes { nodes } else { last })
        };
        let after: Vec<u64> = inserted.iter().map(after).collect::<Option<_>>()?;
        let insertions = numbered(nodes, &after, &sizes)?;
        let follows = insertions.iter().map(|it| it.run).eq(inserted)
            && to_map(nodes, deleted, &insertions)? == delta.to_map;
        follows.then_some(Derivation { nodes, after })
    }
}

/// The numbers of inserted nodes: they are counted on from `nodes` in post-order, so by the node
/// they stand behind, and in the order of the operations where that is the same.
pub(super) fn numbered(nodes: u64, after: &[u64], sizes: &[u64]) -> Option<Vec<Insertion>> {
    let mut order: Vec<usize> = (0..after.len()).collect();
    order.sort_by_key(|&it| after[it]);
    let mut insertions = vec![Insertion { after: 0, run: (0, 0) }; after.len()];
    let mut last = nodes;
    for (place, &it) in order.iter().enumerate() {
        let is_next = place > 0 && after[order[place - 1]] == after[it];
        let behind = if is_next { last } else { after[it] };
        let run = (last + 1, last.checked_add(sizes[it]).filter(|&end| end < u64::MAX)?);
        insertions[it] = Insertion { after: behind, run };
        last = run.1;
    }
    Some(insertions)
}

/// The map of the new document: `Some(None)` if it is that of a first version; `None` if the
/// numbers do not fit together.
pub(super) fn to_map(
    nodes: u64,
    mut deleted: Vec<Run>,
    inserted: &[Insertion],
) -> Option<Option<String>> {
    deleted.sort_unstable();
    let mut behind: BTreeMap<u64, Run> = BTreeMap::new();
    for it in inserted {
        if behind.insert(it.after, it.run).is_some() {
            return None;
        }
    }
    let mut made = Made::default();
    made.insertions_behind(0, &mut behind);
    let mut start = 1;
    for (first, last) in deleted.into_iter().chain([(nodes + 1, nodes + 1)]) {
        if first < start || last < first || last > nodes + 1 {
            return None;
        }
        made.keep((start, first - 1), &mut behind);
        start = last + 1;
    }
    let count: u64 = inserted.iter().map(|it| it.run.1 - it.run.0 + 1).sum();
    let is_first = made.runs.as_slice() == [(1, nodes.checked_add(count)?)]
        || (nodes == 0 && made.runs.is_empty());
    behind.is_empty().then(|| (!is_first).then(|| written(&made.runs)))
}

/// Runs in order, joined where one goes on where the other ends.
#[derive(Default)]
struct Made {
    runs: Vec<Run>,
}

impl Made {
    fn push(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.1 + 1 == run.0 => last.1 = run.1,
            _ => self.runs.push(run),
        }
    }

    fn insertions_behind(&mut self, number: u64, behind: &mut BTreeMap<u64, Run>) {
        let mut number = number;
        while let Some(run) = behind.remove(&number) {
            self.push(run);
            number = run.1;
        }
    }

    /// A run that stays, cut where something was inserted.
    fn keep(&mut self, run: Run, behind: &mut BTreeMap<u64, Run>) {
        let mut start = run.0;
        while start <= run.1 {
            let cut = behind.range(start..=run.1).next().map_or(run.1, |(&after, _)| after);
            self.push((start, cut));
            self.insertions_behind(cut, behind);
            start = cut + 1;
        }
    }
}

fn written(runs: &[Run]) -> String {
    let mut out = String::new();
    for &(first, last) in runs {
        let separator = if out.is_empty() { "" } else { ";" };
        let written = match first == last {
            true => write!(out, "{separator}{first}"),
            false => write!(out, "{separator}{first}-{last}"),
        };
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    out
}

fn read(map: &str) -> Option<Vec<Run>> {
    let parts = map.split(';').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some((first.parse().ok()?, last.parse().ok()?))
        })
        .collect()
}
