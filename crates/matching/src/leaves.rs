//! Text, comments and the other leaves, paired after the elements: under parents that are paired,
//! between neighbours that are paired.
//!
//! A matcher that looks at elements alone still owes an answer for the text below them. The
//! children of two paired parents are cut into stretches by the elements that are paired across
//! them, in order; in a stretch equal leaves are paired first (a longest common subsequence), then,
//! between those, leaves of one kind in turn. Equal leaves have confidence 1, others 0.5.

use super::Pairs;
use treelace_tree::error::Result;
use treelace_tree::tree::{Tree, NONE};
use treelace_tree::watch::Watch;

/// Cells of the table for one stretch; a longer one is paired from both ends and then in turn.
const CELLS: usize = 1 << 20;
const CHANGED: f64 = 0.5;

/// The pairs given (old, new, confidence), the documents, and the leaves below them.
pub fn complete(
    old: &Tree,
    new: &Tree,
    pairs: &[(u32, u32, f64)],
    watch: &dyn Watch,
) -> Result<Pairs> {
    let mut partner = vec![NONE; old.len()];
    let mut taken = vec![false; new.len()];
    let mut confidence = vec![1.0; old.len()];
    for &(i, j, sure) in pairs {
        partner[i as usize] = j;
        taken[j as usize] = true;
        confidence[i as usize] = sure;
    }
    partner[0] = 0;
    taken[0] = true;
    for p in 0..old.len() {
        if p.is_multiple_of(1024) {
            watch.check()?;
        }
        if partner[p] == NONE || old.first_child(p).is_none() {
            continue;
        }
        let q = partner[p] as usize;
        let mut fresh = Vec::new();
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        let mut others = new.children(q).peekable();
        for i in old.children(p) {
            let j = partner[i];
            if j == NONE {
                if !old.is_element(i) {
                    olds.push(i);
                }
                continue;
            }
            if new.parent(j as usize) as usize != q
                || others.peek().is_none_or(|&next| next > j as usize)
            {
                continue;
            }
            for other in others.by_ref() {
                if other == j as usize {
                    break;
                }
                if !new.is_element(other) && !taken[other] {
                    news.push(other);
                }
            }
            stretch(old, new, &mut olds, &mut news, &mut fresh);
        }
        news.extend(others.filter(|&other| !new.is_element(other) && !taken[other]));
        stretch(old, new, &mut olds, &mut news, &mut fresh);
        for (i, j, sure) in fresh {
            partner[i] = j as u32;
            taken[j] = true;
            confidence[i] = sure;
        }
    }
    let mut all = Pairs::default();
    for i in (0..old.len()).filter(|&i| partner[i] != NONE) {
        all.push(i, partner[i] as usize, confidence[i]);
    }
    Ok(all)
}

/// Pairs the leaves of one stretch and empties it.
fn stretch(
    old: &Tree,
    new: &Tree,
    olds: &mut Vec<usize>,
    news: &mut Vec<usize>,
    found: &mut Vec<(usize, usize, f64)>,
) {
    let same = |i: usize, j: usize| {
        old.kind(i) == new.kind(j) && old.local(i) == new.local(j) && old.text(i) == new.text(j)
    };
    let front = olds.iter().zip(news.iter()).take_while(|&(&i, &j)| same(i, j)).count();
    let (mut a, mut b) = (0, 0);
    let mut equal: Vec<(usize, usize)> = (0..front).map(|k| (k, k)).collect();
    let (rows, columns) = (olds.len() - front, news.len() - front);
    if rows > 0 && columns > 0 && rows * columns <= CELLS {
        // length of the longest common subsequence of what follows
        let width = columns + 1;
        let mut best = vec![0u32; (rows + 1) * width];
        for r in (0..rows).rev() {
            for c in (0..columns).rev() {
                best[r * width + c] = match same(olds[front + r], news[front + c]) {
                    true => best[(r + 1) * width + c + 1] + 1,
                    false => best[(r + 1) * width + c].max(best[r * width + c + 1]),
                };
            }
        }
        let (mut r, mut c) = (0, 0);
        while r < rows && c < columns {
            if same(olds[front + r], news[front + c]) {
                equal.push((front + r, front + c));
                r += 1;
                c += 1;
            } else if best[(r + 1) * width + c] >= best[r * width + c + 1] {
                r += 1;
            } else {
                c += 1;
            }
        }
    }
    equal.push((olds.len(), news.len()));
    for (next_a, next_b) in equal {
        while a < next_a && b < next_b {
            if old.kind(olds[a]) == new.kind(news[b]) {
                found.push((olds[a], news[b], CHANGED));
                a += 1;
            }
            b += 1;
        }
        if next_a < olds.len() && next_b < news.len() {
            found.push((olds[next_a], news[next_b], 1.0));
        }
        (a, b) = (next_a + 1, next_b + 1);
    }
    olds.clear();
    news.clear();
}
