//! Which of the scored candidates are kept, and how much belief is left for each.

use super::features::{texts_in, CLOSE_MEAN, FEATURES};
use super::rules::roles;
use super::{Candidates, Run, View};
use treelace_tree::hash::Map;

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
    /// When a list gives its place to one that it is a part of.
    pub whole: Whole,
}

/// What a list under several parents must be to come in the place of a part of it.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    /// How many times the records of the part it has at least.
    pub more: f64,
    /// How alike its records are at least, beside those of the part.
    pub alike: f64,
    /// Its odds of being right at least, beside those of the part.
    pub odds: f64,
}

/// A candidate's records, where their texts are, how many; how alike the records are, and whether
/// they stand under several parents.
struct Seen {
    records: Vec<Run>,
    texts: Vec<u64>,
    size: f64,
    alike: f64,
    is_joined: bool,
    belief: f64,
    overlap: f64,
}

/// The likeliest candidate first, then again and again the one with most belief left: what it
/// shares with a list that is kept counts for less, and what is nearly the same not at all. So
/// beliefs only fall. Ties break by the order of `order`.
///
/// A list that is a part of another one (a year's meetings, what goes into the sauce) is kept as
/// that whole, with the belief in the part.
pub fn choose(
    view: &View,
    candidates: &Candidates,
    features: &[f64],
    order: &[u32],
    beliefs: &[f64],
    choice: Choice,
) -> Vec<Chosen> {
    let see = |&c: &u32| {
        let c = c as usize;
        let records = without_headers(view, candidates.records(c));
        let texts = bits(view, &records);
        let size = texts.iter().map(|word| f64::from(word.count_ones())).sum();
        Seen {
            records,
            texts,
            size,
            alike: features[c * FEATURES + CLOSE_MEAN],
            is_joined: candidates.is_joined[c],
            belief: beliefs[c],
            overlap: 0.0,
        }
    };
    let mut left: Vec<Seen> = order.iter().take(choice.looked_at).map(see).collect();
    let mut chosen = Vec::new();
    while chosen.len() < choice.most && !left.is_empty() {
        let value = |seen: &Seen| seen.belief * (1.0 - choice.taken * seen.overlap);
        let best =
            (1..left.len())
                .fold(0, |best, at| if value(&left[at]) > value(&left[best]) { at } else { best });
        let belief = value(&left[best]);
        let kept = left.remove(whole_of(view, &left, best, choice).unwrap_or(best));
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
        chosen.push(Chosen { belief, records: kept.records });
    }
    chosen
}

/// The likeliest of those that the list at `part` is a part of, and of which the lists that are
/// kept have taken no more.
fn whole_of(view: &View, left: &[Seen], part: usize, choice: Choice) -> Option<usize> {
    let Whole { more, alike, odds } = choice.whole;
    let part = &left[part];
    let is_whole = |it: &Seen| {
        it.is_joined
            && it.records.len() as f64 >= more * part.records.len() as f64
            && it.alike >= alike * part.alike
            && it.belief * (1.0 - part.belief) >= odds * part.belief * (1.0 - it.belief)
            && it.overlap <= part.overlap
            && part.texts.iter().zip(&it.texts).all(|(mine, all)| mine & !all == 0)
            && holds(view, &it.records, &part.records)
    };
    let wholes = (0..left.len()).filter(|&at| is_whole(&left[at]));
    wholes.reduce(|best, at| if left[at].belief > left[best].belief { at } else { best })
}

/// Whether each of the records of a part is one of the whole, by their texts.
fn holds(view: &View, whole: &[Run], part: &[Run]) -> bool {
    let ends: Map<usize, usize> = whole
        .iter()
        .map(|&record| texts_in(view, record))
        .map(|texts| (texts.start, texts.end))
        .collect();
    part.iter()
        .map(|&record| texts_in(view, record))
        .all(|texts| ends.get(&texts.start) == Some(&texts.end))
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
