//! Records laid along a pattern, and their leaves sorted into columns.

use std::collections::HashMap;

use treelace_tree::tree::{Kind, Tree, NONE};

use super::align::{Aligned, NO_ROW};

/// No column.
pub const NO_COLUMN: u32 = u32::MAX;

/// Which row of a pattern belongs to which column.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// How many there are.
    pub count: usize,
    /// Column of each row, or [`NO_COLUMN`]. An element that has one reads as one text: all texts
    /// in it without a row belong to it.
    pub of_row: Vec<u32>,
    /// Whether each row is a leaf.
    pub is_leaf: Vec<bool>,
    /// Rows that hold a list of values: they are counted off from the left.
    pub runs: Vec<Vec<u32>>,
    /// Column by what the holder of its leaves is called, for leaves that found no row.
    pub of_holder: HashMap<String, u32>,
}

/// Leaves of records in their columns: for each slot (record and column that has any) the end of
/// its leaves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sorted {
    /// Record of each slot.
    pub records: Vec<u32>,
    /// Column of each slot.
    pub columns: Vec<u32>,
    /// End of the leaves of each slot.
    pub ends: Vec<u32>,
    /// The leaves.
    pub nodes: Vec<u32>,
}

impl Columns {
    /// Adds the leaves of one record. `known` are leaves whose column is known (or that have none),
    /// whatever the pattern says.
    pub fn sort(
        &self,
        tree: &Tree,
        record: u32,
        aligned: &Aligned,
        known: &HashMap<u32, u32>,
        sorted: &mut Sorted,
    ) {
        let mut parts: Vec<Vec<u32>> = vec![Vec::new(); self.count];
        let mut counts = vec![0usize; self.runs.len()];
        let mut owners: Vec<(u32, u32)> = Vec::new();
        for (&node, &row) in aligned.nodes.iter().zip(&aligned.rows) {
            if known.contains_key(&node) {
                continue;
            }
            while owners.last().is_some_and(|&(owner, _)| tree.end(owner as usize) <= node as usize)
            {
                owners.pop();
            }
            if row == NO_ROW {
                let column = owners.last().map_or(NO_COLUMN, |owner| owner.1);
                if column != NO_COLUMN && tree.kind(node as usize) == Kind::Text {
                    parts[column as usize].push(node);
                }
                continue;
            }
            let row = self.counted_off(row, &mut counts);
            let column = self.of_row.get(row as usize).copied().unwrap_or(NO_COLUMN);
            if !self.is_leaf.get(row as usize).copied().unwrap_or(true) {
                owners.push((node, column));
            } else if column != NO_COLUMN {
                parts[column as usize].push(node);
            }
        }
        for (&node, &column) in known.iter().filter(|known| *known.1 != NO_COLUMN) {
            parts[column as usize].push(node);
            parts[column as usize].sort_unstable();
        }
        if !self.of_holder.is_empty() {
            self.by_holder(tree, aligned, known, &mut parts);
        }
        for (column, nodes) in parts.iter().enumerate().filter(|(_, nodes)| !nodes.is_empty()) {
            sorted.records.push(record);
            sorted.columns.push(column as u32);
            sorted.nodes.extend(nodes);
            sorted.ends.push(sorted.nodes.len() as u32);
        }
    }

    /// The row of a run that a leaf is moved to.
    fn counted_off(&self, row: u32, counts: &mut [usize]) -> u32 {
        for (run, count) in self.runs.iter().zip(counts) {
            if run.contains(&row) {
                *count += 1;
                return run.get(*count - 1).copied().unwrap_or(row);
            }
        }
        row
    }

    /// Fills empty columns with the leaves without a row whose holder is called as theirs; two that
    /// could be it are none.
    fn by_holder(
        &self,
        tree: &Tree,
        aligned: &Aligned,
        known: &HashMap<u32, u32>,
        parts: &mut [Vec<u32>],
    ) {
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (&node, _) in aligned
            .nodes
            .iter()
            .zip(&aligned.rows)
            .filter(|(node, &row)| row == NO_ROW && !known.contains_key(node))
        {
            let column = self.of_holder.get(&holder_name(tree, node as usize)).copied();
            if let Some(column) = column.filter(|&column| parts[column as usize].is_empty()) {
                found.push((column, node));
            }
        }
        for &(column, node) in &found {
            if found.iter().filter(|other| other.0 == column).count() == 1 {
                parts[column as usize] = vec![node];
            }
        }
    }
}

/// What the element that holds a leaf is called, tag and classes; of a plain link or mark with the
/// element around it. Empty without a class.
pub fn holder_name(tree: &Tree, leaf: usize) -> String {
    let mut name = String::new();
    let mut above = if tree.is_element(leaf) { leaf as u32 } else { tree.parent(leaf) };
    for _ in 0..2 {
        if above == NONE || above == 0 {
            return String::new();
        }
        let i = above as usize;
        let mut classes: Vec<&str> =
            tree.attribute(i, "class").unwrap_or_default().split_whitespace().collect();
        classes.sort_unstable();
        let mut called = tree.local(i).to_owned();
        for class in &classes {
            called.push('.');
            called.push_str(class);
        }
        if !name.is_empty() {
            called.push(' ');
            called.push_str(&name);
        }
        if !classes.is_empty() {
            return called;
        }
        name = called;
        above = tree.parent(i);
    }
    String::new()
}

/// For each label the leaf just after the only text that reads so; `None` where there are none or
/// several.
pub fn after_labels(tree: &Tree, leaves: &[u32], labels: &[String]) -> Vec<Option<u32>> {
    let texts: Vec<u32> =
        leaves.iter().copied().filter(|&node| tree.kind(node as usize) == Kind::Text).collect();
    let mut found: HashMap<&str, (u32, Option<u32>)> =
        labels.iter().map(|label| (label.as_str(), (0, None))).collect();
    for (at, &node) in texts.iter().enumerate() {
        if let Some((count, next)) =
            found.get_mut(&*super::outline::collapsed(tree.text(node as usize)))
        {
            *count += 1;
            *next = texts.get(at + 1).copied();
        }
    }
    labels
        .iter()
        .map(|label| {
            found
                .get(label.as_str())
                .and_then(|&(count, next)| if count == 1 { next } else { None })
        })
        .collect()
}
