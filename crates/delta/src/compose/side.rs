//! One of two deltas that are composed: what leaves and comes, by parent, and what that does to
//! positions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::model::{Delta, Operation};
use super::wrong;
use treelace_tree::error::Result;

/// Children that leave or come: position from 1, XID; sorted.
pub(super) type Listed = Vec<(u32, u64)>;

/// One of the two deltas, looked up by XID.
pub(super) struct Side<'d> {
    pub(super) delta: &'d Delta,
    /// Rows of the content.
    pub(super) gone: HashMap<u64, usize>,
    pub(super) came: HashMap<u64, usize>,
    pub(super) leaving: BTreeMap<u64, Listed>,
    pub(super) coming: BTreeMap<u64, Listed>,
    pub(super) values: BTreeMap<u64, Vec<&'d Operation>>,
}

impl<'d> Side<'d> {
    pub(super) fn new(delta: &'d Delta) -> Result<Self> {
        let mut side = Side {
            delta,
            gone: HashMap::new(),
            came: HashMap::new(),
            leaving: BTreeMap::new(),
            coming: BTreeMap::new(),
            values: BTreeMap::new(),
        };
        let (tree, content) = (&*delta.content.tree, &delta.content);
        for operation in &delta.operations {
            match operation {
                Operation::Delete { place, nodes } | Operation::Insert { place, nodes } => {
                    let is_delete = matches!(operation, Operation::Delete { .. });
                    if nodes.start == 0
                        || nodes.start >= nodes.end
                        || nodes.end as usize > tree.len()
                    {
                        return Err(wrong("an operation names nodes that it does not have"));
                    }
                    let mut at = place.at;
                    for row in nodes.start as usize..nodes.end as usize {
                        let xid = content.xids[row];
                        if tree.depth(row) == 1 {
                            let lists =
                                if is_delete { &mut side.leaving } else { &mut side.coming };
                            lists.entry(place.parent).or_default().push((at, xid));
                            at = at
                                .checked_add(1)
                                .ok_or_else(|| wrong("a position is too large"))?;
                        }
                        let known = if is_delete { &mut side.gone } else { &mut side.came };
                        if !content.is_hole[row] && known.insert(xid, row).is_some() {
                            return Err(wrong(format!("node {xid} comes or goes twice")));
                        }
                    }
                }
                Operation::Move { xids, from, to } => {
                    for (number, &xid) in xids.iter().enumerate() {
                        let step = |at: u32| {
                            u32::try_from(number)
                                .ok()
                                .and_then(|it| at.checked_add(it))
                                .ok_or_else(|| wrong("a position is too large"))
                        };
                        side.leaving.entry(from.parent).or_default().push((step(from.at)?, xid));
                        side.coming.entry(to.parent).or_default().push((step(to.at)?, xid));
                    }
                }
                Operation::Update { xid, .. }
                | Operation::Rename { xid, .. }
                | Operation::Attribute { xid, .. }
                | Operation::Reorder { xid, .. } => {
                    side.values.entry(*xid).or_default().push(operation);
                }
            }
        }
        side.leaving
            .values_mut()
            .chain(side.coming.values_mut())
            .for_each(|list| list.sort_unstable());
        Ok(side)
    }

    pub(super) fn leaving(&self, parent: u64) -> &[(u32, u64)] {
        self.leaving.get(&parent).map_or(&[], Vec::as_slice)
    }

    pub(super) fn coming(&self, parent: u64) -> &[(u32, u64)] {
        self.coming.get(&parent).map_or(&[], Vec::as_slice)
    }

    /// Children of a row of the content, holes included.
    pub(super) fn children(&self, row: usize) -> Vec<u64> {
        self.delta.content.tree.children(row).map(|child| self.delta.content.xids[child]).collect()
    }
}

/// Where a child stands that stays, if `gone` leave and `come` arrive.
pub(super) fn shifted(at: u32, gone: &[(u32, u64)], come: &[(u32, u64)]) -> Result<u32> {
    let before = gone.partition_point(|it| it.0 < at) as u32;
    let rank =
        at.checked_sub(1 + before).ok_or_else(|| wrong("two nodes stand at one position"))?;
    // comers with at most `rank` stayers before them
    let mut low = 0;
    let mut high = come.len();
    while low < high {
        let middle = (low + high) / 2;
        if u64::from(come[middle].0) <= u64::from(rank) + 1 + middle as u64 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    rank.checked_add(1 + low as u32).ok_or_else(|| wrong("a position is too large"))
}

/// A whole list of children after `gone` left and `come` arrived.
pub(super) fn changed(list: &[u64], gone: &[(u32, u64)], come: &[(u32, u64)]) -> Result<Vec<u64>> {
    for &(at, xid) in gone {
        if list.get((at as usize).wrapping_sub(1)) != Some(&xid) {
            return Err(wrong(format!("node {xid} is not where it is taken from")));
        }
    }
    let leaves: BTreeSet<u32> = gone.iter().map(|it| it.0).collect();
    let mut stay = list
        .iter()
        .enumerate()
        .filter(|(number, _)| !leaves.contains(&(*number as u32 + 1)))
        .map(|it| *it.1);
    let mut made = Vec::with_capacity(list.len() + come.len());
    for &(at, xid) in come {
        while made.len() + 1 < at as usize {
            made.push(stay.next().ok_or_else(|| wrong(format!("position {at} is past the end")))?);
        }
        if made.len() + 1 != at as usize {
            return Err(wrong(format!("two nodes come to position {at}")));
        }
        made.push(xid);
    }
    made.extend(stay);
    Ok(made)
}
