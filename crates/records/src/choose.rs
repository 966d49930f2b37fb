//! Which of the ranked candidates are kept, and how much belief stands behind each.

use super::features::texts_in;
use super::rules::roles;
use super::{Candidates, Run, View};

/// A list of records that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// The candidate's records, without rows that name columns.
    pub records: Vec<Run>,
    /// The belief in it and in those that are nearly the same.
    pub belief: f64,
}

/// A candidate's records and where their texts are.
type Kept = (Vec<Run>, Vec<(u32, u32)>);

/// The first `most` candidates of `order` that differ in the texts of their records, rows that name
/// columns left out. The belief behind one is the sum over those of the first `looked_at` that
/// share at least `near` of their texts (intersection over union) with it.
pub fn choose(
    view: &View,
    candidates: &Candidates,
    order: &[u32],
    beliefs: &[f64],
    most: usize,
    looked_at: usize,
    near: f64,
) -> Vec<Chosen> {
    let mut kept: Vec<Kept> = Vec::new();
    for &c in order {
        if kept.len() == most {
            break;
        }
        let records = without_headers(view, candidates.records(c as usize));
        let texts = spans(view, &records);
        if kept.iter().all(|(_, other)| *other != texts) {
            kept.push((records, texts));
        }
    }
    let sets: Vec<Vec<u64>> = order
        .iter()
        .take(looked_at)
        .map(|&c| bits(view, &spans(view, candidates.records(c as usize))))
        .collect();
    let chosen = |(records, texts): Kept| {
        let mine = bits(view, &texts);
        let mut belief = 0.0;
        for (set, &other) in sets.iter().zip(order) {
            let both: u32 = mine.iter().zip(set).map(|(a, b)| (a & b).count_ones()).sum();
            let either: u32 = mine.iter().zip(set).map(|(a, b)| (a | b).count_ones()).sum();
            if f64::from(both) >= near * f64::from(either) {
                belief += beliefs[other as usize];
            }
        }
        Chosen { records, belief }
    };
    kept.into_iter().map(chosen).collect()
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

/// First and last text of each record.
fn spans(view: &View, records: &[Run]) -> Vec<(u32, u32)> {
    let span = |&record| {
        let texts = texts_in(view, record);
        (texts.start as u32, texts.end as u32)
    };
    records.iter().map(span).collect()
}

/// A set of texts, one bit each.
fn bits(view: &View, spans: &[(u32, u32)]) -> Vec<u64> {
    let mut set = vec![0; view.text_nodes.len().div_ceil(64)];
    for text in spans.iter().flat_map(|&(start, end)| start as usize..end as usize) {
        set[text / 64] |= 1 << (text % 64);
    }
    set
}
