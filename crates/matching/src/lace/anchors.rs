//! A first matching, from what stands once in each tree: equal subtrees, values, texts. It is never
//! binding: the rounds score its pairs like any other, but they start with a context and with a
//! guess about renamed tags and classes.

use super::evidence::Evidence;
use super::side::Side;
use treelace_tree::tree::NONE;

/// The partner of each old row, or [`NONE`].
pub(super) fn anchors(evidence: &Evidence) -> Vec<u32> {
    let (old, new) = (&evidence.old, &evidence.new);
    let (mut to_new, mut to_old) = (vec![NONE; old.len()], vec![NONE; new.len()]);
    to_new[0] = 0;
    to_old[0] = 0;
    let mut pair = |i: u32, j: u32| {
        if to_new[i as usize] == NONE
            && to_old[j as usize] == NONE
            && old.is_text(i as usize) == new.is_text(j as usize)
        {
            to_new[i as usize] = j;
            to_old[j as usize] = i;
        }
    };
    for &(i, j) in &evidence.singles {
        for k in 0..old.end[i as usize] - i {
            pair(i + k, j + k);
        }
    }
    let (here, there) = (only_rows(old, evidence.idf.len()), only_rows(new, evidence.idf.len()));
    let mut texts = Vec::new();
    for i in 1..old.len() {
        let mut partners = old
            .own(i)
            .iter()
            .filter(|&&token| here[token as usize] == i as u32)
            .map(|&token| there[token as usize]);
        // the value or text itself comes first among the tokens of a row
        if let Some(j) = partners.find(|&j| j != NONE && j != MANY) {
            pair(i as u32, j);
            texts.push((i, j as usize));
        }
    }
    for (i, j) in texts {
        if old.is_text(i) && new.is_text(j) {
            pair(old.parent[i], new.parent[j]);
        }
    }
    to_new
}

const MANY: u32 = NONE - 1;

/// The one row on which each token stands; [`NONE`] if there is none, [`MANY`] if there are
/// several.
fn only_rows(side: &Side, tokens: usize) -> Vec<u32> {
    let mut rows = vec![NONE; tokens];
    for i in 1..side.len() {
        for &token in side.own(i) {
            let row = &mut rows[token as usize];
            *row = if *row == NONE { i as u32 } else { MANY };
        }
    }
    rows
}
