//! Which of the ranked candidates are kept, and how much belief stands behind each.

use super::features::texts_in;
use super::{Candidates, View};

/// A candidate that is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// Its number.
    pub candidate: u32,
    /// The belief in it and in those that are nearly the same.
    pub belief: f64,
}

/// The first `most` candidates of `order` that differ in the texts of their records. The belief behind one is the sum over those of the first
/// `looked_at` that share at least `near` of their texts (intersection over union) with it.
pub fn choose(view: &View, candidates: &Candidates, order: &[u32], beliefs: &[f64], most: usize, looked_at: usize, near: f64) -> Vec<Chosen> {
    let mut kept: Vec<(u32, Vec<(u32, u32)>)> = Vec::new();
    for &c in order {
        if kept.len() == most {
            break;
        }
        let texts = spans(view, candidates, c);
        if kept.iter().all(|(_, other)| *other != texts) {
            kept.push((c, texts));
        }
    }
    let sets: Vec<Vec<u64>> = order.iter().take(looked_at).map(|&c| bits(view, &spans(view, candidates, c))).collect();
    let chosen = |(c, texts): (u32, Vec<(u32, u32)>)| {
        let mine = bits(view, &texts);
        let mut belief = 0.0;
        for (set, &other) in sets.iter().zip(order) {
            let both: u32 = mine.iter().zip(set).map(|(a, b)| (a & b).count_ones()).sum();
            let either: u32 = mine.iter().zip(set).map(|(a, b)| (a | b).count_ones()).sum();
            if f64::from(both) >= near * f64::from(either) {
                belief += beliefs[other as usize];
            }
        }
        Chosen { candidate: c, belief }
    };
    kept.into_iter().map(chosen).collect()
}

/// First and last text of each record.
fn spans(view: &View, candidates: &Candidates, c: u32) -> Vec<(u32, u32)> {
    let span = |&record| {
        let texts = texts_in(view, record);
        (texts.start as u32, texts.end as u32)
    };
    candidates.records(c as usize).iter().map(span).collect()
}

/// A set of texts, one bit each.
fn bits(view: &View, spans: &[(u32, u32)]) -> Vec<u64> {
    let mut set = vec![0; view.text_nodes.len().div_ceil(64)];
    for text in spans.iter().flat_map(|&(start, end)| start as usize..end as usize) {
        set[text / 64] |= 1 << (text % 64);
    }
    set
}
