//! Which of the scored candidates are kept, and how much belief is left for each.

use super::features::texts_in;
use super::rules::roles;
use super::{Candidates, Run, View};

/// A list of records that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The candidate's records, without rows that name columns.
    pub records: Vec<Run>,
    /// The belief in it, less what tables before it have taken.
    pub belief: f64,
}

/// How the choice is made.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// Lists that are kept, at most.
    pub most: usize,
    /// Candidates that are looked at, the likeliest first.
    pub looked_at: usize,
    /// What a list loses of its belief where all its texts, or all of the other's, are taken.
    pub taken: f64,
    /// Share of texts in common (intersection over union) from which on two lists are one.
    pub same: f64,
}

/// A candidate's records, where their texts are, and how many.
struct Seen {
    records: Vec<Run>,
    texts: Vec<u64>,
    size: f64,
    belief: f64,
    overlap: f64,
}

/// The likeliest candidate first, then again and again the one with most belief left: what it
/// shares with a list that is kept counts for less, and what is nearly the same not at all. So
/// beliefs only fall. Ties break by the order of `order`.
pub fn choose(
    view: &View,
    candidates: &Candidates,
    order: &[u32],
    beliefs: &[f64],
    choice: Choice,
) -> Vec<Chosen> {
    let see = |&c: &u32| {
        let records = without_headers(view, candidates.records(c as usize));
        let texts = bits(view, &records);
        let size = texts.iter().map(|word| f64::from(word.count_ones())).sum();
        Seen { records, texts, size, belief: beliefs[c as usize], overlap: 0.0 }
    };
    let mut left: Vec<Seen> = order.iter().take(choice.looked_at).map(see).collect();
    let mut chosen = Vec::new();
    while chosen.len() < choice.most && !left.is_empty() {
        let value = |seen: &Seen| seen.belief * (1.0 - choice.taken * seen.overlap);
        let best =
            (1..left.len())
                .fold(0, |best, at| if value(&left[at]) > value(&left[best]) { at } else { best });
        let kept = left.remove(best);
        left.retain_mut(|other| {
            let both: f64 = kept
                .texts
                .iter()
                .zip(&other.texts)
                .map(|(a, b)| f64::from((a & b).count_ones()))
                .sum();
            other.overlap = other.overlap.max(both / kept.size.min(other.size).max(1.0));
            both < choice.same * (kept.size + other.size - both)
        });
        chosen.push(Chosen { belief: value(&kept), records: kept.records });
    }
    chosen
}

/// Records without the rows that name the columns of a table (all cells are header cells, or in a
/// group of headers), where two others stay.
fn without_headers(view: &View, records: &[Run]) -> Vec<Run> {
    let kept: Vec<Run> = records
        .iter()
        .filter(|record| {
            record.len > 1 || !is_header(view, view.kids[record.start as usize] as usize)
        })
        .copied()
        .collect();
    if kept.len() > 1 {
        kept
    } else {
        records.to_vec()
    }
}

fn is_header(view: &View, row: usize) -> bool {
    let mut cells = view.tree.children(row).filter(|&cell| view.shown[cell]).peekable();
    view.is(row, roles::ROW)
        && (view.is(view.parent(row), roles::HEADER_GROUP)
            || cells.peek().is_some() && cells.all(|cell| view.is(cell, roles::HEADER_CELL)))
}

/// The texts of records as a set, one bit each.
fn bits(view: &View, records: &[Run]) -> Vec<u64> {
    let mut set = vec![0; view.text_nodes.len().div_ceil(64)];
    for text in records.iter().flat_map(|&record| texts_in(view, record)) {
        set[text / 64] |= 1 << (text % 64);
    }
    set
}
