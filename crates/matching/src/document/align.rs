//! From a pair down to its children: equal subtrees in order, then votes, then what they say, then
//! place.

use super::super::common::common;
use super::super::subtrees::Side;
use super::bags::Bag;
use super::rivals;
use super::votes::Votes;
use super::{State, ALIKE, PLACED, VOTED};
use treelace_tree::error::Result;
use treelace_tree::increasing::heaviest_increasing;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// A node of fewer bytes does not leave its parent while another could take its place there.
const LEAST_MOVE: u32 = 60;
/// Pairs of free children in a gap that are compared one by one.
const MOST_COMPARED: usize = 1600;
/// Two nodes less alike than this are not paired for what they say.
const LEAST_ALIKE: f32 = 0.25;
/// Enough for two that are alone between the same neighbours.
const LITTLE_ALIKE: f32 = 0.1;
/// A node of fewer bytes can be paired by its place alone.
const SMALL: u32 = 160;

/// Lines up the children of every pair in the new subtree of `top`, parents before children.
pub(super) fn sweep(
    state: &mut State<'_, '_>,
    votes: &Votes,
    top: usize,
    watch: &dyn Watch,
) -> Result<()> {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut j = top;
    let end = new.tree.end(top);
    while j < end {
        if j.is_multiple_of(1024) {
            watch.check()?;
        }
        let i = state.old_of[j];
        if i != NONE && old.class[i as usize] == new.class[j] && is_whole(state, i as usize, j) {
            j = new.tree.end(j);
            continue;
        }
        if i != NONE
            && new.tree.first_child(j).is_some()
            && old.tree.first_child(i as usize).is_some()
        {
            children(state, votes, i as usize, j);
        }
        j += 1;
    }
    Ok(())
}

/// Whether two partners of one class are paired node for node; their last nodes tell, since equal
/// subtrees are paired at once.
fn is_whole(state: &State<'_, '_>, i: usize, j: usize) -> bool {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let last = |side: &Side<'_>, k: usize| {
        (k..side.tree.end(k)).rev().find(|&k| !side.is_blank[k]).unwrap_or(k)
    };
    state.new_of[last(old, i)] == last(new, j) as u32
}

/// Lines up the children of `p` and `q`.
fn children(state: &mut State<'_, '_>, votes: &Votes, p: usize, q: usize) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let olds: Vec<usize> = old.solid_children(p).collect();
    let news: Vec<usize> = new.solid_children(q).collect();
    release_weak(state, (p, q), &olds, &news);
    // what is paired across and in order cuts the children into gaps
    let mut fixed: Vec<(usize, u32, u64)> = Vec::new();
    for (x, &a) in olds.iter().enumerate() {
        let b = state.new_of[a];
        if b != NONE && new.tree.parent(b as usize) as usize == q {
            fixed.push((x, state.new_place[b as usize], u64::from(old.bytes[a]) + 1));
        }
    }
    let rows: Vec<(u32, u64)> = fixed.iter().map(|row| (row.1, row.2)).collect();
    let (mut x, mut y) = (0, 0);
    let ends = heaviest_increasing(&rows).into_iter().map(|k| (fixed[k].0, fixed[k].1 as usize));
    for (next_x, next_y) in ends.chain([(olds.len(), news.len())]) {
        if x < next_x && y < next_y {
            let free_old: Vec<usize> =
                olds[x..next_x].iter().copied().filter(|&a| state.new_of[a] == NONE).collect();
            let free_new: Vec<usize> =
                news[y..next_y].iter().copied().filter(|&b| state.old_of[b] == NONE).collect();
            gap(state, votes, &free_old, &free_new);
        }
        (x, y) = (next_x + 1, next_y + 1);
    }
    unique_labels(state, votes, &olds, &news);
}

/// A small node that is paired across parents is free again where a node of its label is open on
/// the other side of its own parent: a value that changed in place, not one that moved. What finds
/// no partner here may still move ([`super::moves`]).
fn release_weak(state: &mut State<'_, '_>, (p, q): (usize, usize), olds: &[usize], news: &[usize]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let weak_old = |a: usize, b: u32| {
        b != NONE
            && new.tree.parent(b as usize) as usize != q
            && old.bytes[a].min(new.bytes[b as usize]) < LEAST_MOVE
            && !rivals::is_record(old, a)
    };
    let weak_new = |a: u32, b: usize| {
        a != NONE
            && old.tree.parent(a as usize) as usize != p
            && old.bytes[a as usize].min(new.bytes[b]) < LEAST_MOVE
            && !rivals::is_record(new, b)
    };
    let leaving: Vec<usize> =
        olds.iter().copied().filter(|&a| weak_old(a, state.new_of[a])).collect();
    let coming: Vec<usize> =
        news.iter().copied().filter(|&b| weak_new(state.old_of[b], b)).collect();
    if leaving.is_empty() && coming.is_empty() {
        return;
    }
    let is_open = |partner: u32| partner == NONE;
    let mut old_open: Vec<u32> = olds
        .iter()
        .filter(|&&a| is_open(state.new_of[a]))
        .chain(&leaving)
        .map(|&a| old.label[a])
        .collect();
    let mut new_open: Vec<u32> = news
        .iter()
        .filter(|&&b| is_open(state.old_of[b]))
        .chain(&coming)
        .map(|&b| new.label[b])
        .collect();
    old_open.sort_unstable();
    new_open.sort_unstable();
    for a in leaving {
        let b = state.new_of[a];
        if b != NONE && new_open.binary_search(&old.label[a]).is_ok() {
            state.release(a, b as usize);
        }
    }
    for b in coming {
        let a = state.old_of[b];
        if a != NONE && old_open.binary_search(&new.label[b]).is_ok() {
            state.release(a as usize, b);
        }
    }
}

/// Pairs free children between two neighbours that stay.
fn gap(state: &mut State<'_, '_>, votes: &Votes, olds: &[usize], news: &[usize]) {
    if olds.is_empty() || news.is_empty() {
        return;
    }
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let old_classes: Vec<u32> = olds.iter().map(|&a| old.class[a]).collect();
    let new_classes: Vec<u32> = news.iter().map(|&b| new.class[b]).collect();
    let equal = common(&old_classes, &new_classes);
    for &(x, y) in &equal {
        state.pair_subtrees(olds[x], news[y]);
    }
    between(olds, news, &equal, |olds, news| by_votes(state, votes, olds, news));
}

/// Calls `settle` for the stretches between pairs of positions.
fn between(
    olds: &[usize],
    news: &[usize],
    pairs: &[(usize, usize)],
    mut settle: impl FnMut(&[usize], &[usize]),
) {
    let (mut x, mut y) = (0, 0);
    for &(next_x, next_y) in pairs.iter().chain([&(olds.len(), news.len())]) {
        if x < next_x && y < next_y {
            settle(&olds[x..next_x], &news[y..next_y]);
        }
        (x, y) = (next_x + 1, next_y + 1);
    }
}

/// Pairs what the votes speak for, in order.
fn by_votes(state: &mut State<'_, '_>, votes: &Votes, olds: &[usize], news: &[usize]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let mut rows: Vec<(usize, u32, u64)> = Vec::new();
    for (y, &b) in news.iter().enumerate() {
        // the heaviest vote for a node of this stretch
        let here = votes
            .of(b)
            .filter_map(|vote| Some((olds.binary_search(&(vote.old as usize)).ok()?, vote)));
        let Some((x, vote)) = here.max_by_key(|(x, vote)| (vote.loudness, std::cmp::Reverse(*x)))
        else {
            continue;
        };
        let a = olds[x];
        let least = u64::from(old.heft[a].min(new.heft[b]));
        let is_heard = u64::from(vote.weight) * 8 >= least
            && u64::from(vote.loudness) * 3 >= u64::from(votes.new_sum[b]);
        let is_renamed = old.label[a] != new.label[b]
            && (u64::from(vote.weight) * 2 < least
                || !old.tree.is_element(a)
                || state.keeps_its_name(a, b));
        if is_heard && !is_renamed && old.tree.kind(a) == new.tree.kind(b) {
            rows.push((x, y as u32, u64::from(vote.weight) + 1));
        }
    }
    rows.sort_unstable_by_key(|row| (row.0, std::cmp::Reverse(row.2), row.1));
    rows.dedup_by_key(|row| row.0);
    let weighted: Vec<(u32, u64)> = rows.iter().map(|row| (row.1, row.2)).collect();
    let pairs: Vec<(usize, usize)> = heaviest_increasing(&weighted)
        .into_iter()
        .map(|k| (rows[k].0, rows[k].1 as usize))
        .collect();
    for &(x, y) in &pairs {
        state.pair(olds[x], news[y], VOTED);
    }
    between(olds, news, &pairs, |olds, news| by_content(state, votes, olds, news));
}

/// Pairs what says alike things, in order; then small leaves by place.
fn by_content(state: &mut State<'_, '_>, votes: &Votes, olds: &[usize], news: &[usize]) {
    if olds.len() * news.len() > MOST_COMPARED {
        // too many to compare all: those at about the same place
        let width = (MOST_COMPARED as f64).sqrt() as usize;
        for (olds, news) in olds.chunks(width).zip(news.chunks(width)) {
            by_content(state, votes, olds, news);
        }
        return;
    }
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let old_bags: Vec<Bag> = olds.iter().map(|&a| Bag::of(old, &state.steady, a)).collect();
    let new_bags: Vec<Bag> = news.iter().map(|&b| Bag::of(new, &state.steady, b)).collect();
    let old_rivals: Vec<f32> = olds.iter().map(|&a| rivals::of_old(state, votes, a)).collect();
    let new_rivals: Vec<f32> = news.iter().map(|&b| rivals::of_new(state, votes, b)).collect();
    let width = news.len() + 1;
    let mut scores = vec![0f32; olds.len() * news.len()];
    let mut best = vec![0f32; (olds.len() + 1) * width];
    for x in (0..olds.len()).rev() {
        for y in (0..news.len()).rev() {
            let (a, b) = (olds[x], news[y]);
            let mut with = 0.0;
            if old.label[a] == new.label[b] {
                let alike = old_bags[x].similarity(&new_bags[y]);
                if alike >= LEAST_ALIKE.max(old_rivals[x]).max(new_rivals[y]) {
                    with = alike * (1.0 + old.bytes[a].min(new.bytes[b]) as f32).ln();
                    scores[x * news.len() + y] = with;
                }
            }
            let skip = best[(x + 1) * width + y].max(best[x * width + y + 1]);
            best[x * width + y] =
                if with > 0.0 { skip.max(with + best[(x + 1) * width + y + 1]) } else { skip };
        }
    }
    let mut pairs = Vec::new();
    let (mut x, mut y) = (0, 0);
    while x < olds.len() && y < news.len() {
        let with = scores[x * news.len() + y];
        if with > 0.0 && best[x * width + y] == with + best[(x + 1) * width + y + 1] {
            state.pair(olds[x], news[y], ALIKE);
            pairs.push((x, y));
            (x, y) = (x + 1, y + 1);
        } else if best[(x + 1) * width + y] >= best[x * width + y + 1] {
            x += 1;
        } else {
            y += 1;
        }
    }
    between(olds, news, &pairs, |olds, news| by_place(state, votes, olds, news));
}

/// Pairs small nodes of one label in turn (a short value that changed altogether), and the only two
/// of a label if either is small.
fn by_place(state: &mut State<'_, '_>, votes: &Votes, olds: &[usize], news: &[usize]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    // a record that stands elsewhere in the other version does not stay for its place alone
    let olds: Vec<usize> =
        olds.iter().copied().filter(|&a| rivals::of_old(state, votes, a) == 0.0).collect();
    let news: Vec<usize> =
        news.iter().copied().filter(|&b| rivals::of_new(state, votes, b) == 0.0).collect();
    let (olds, news) = (olds.as_slice(), news.as_slice());
    // an element whose children all went elsewhere is as good as a leaf
    let is_small = |side: &Side<'_>, partner: &[u32], k: usize| {
        let mut elements =
            side.tree.children(k).filter(|&child| side.tree.is_element(child)).peekable();
        let is_emptied = elements.peek().is_some() && elements.all(|child| partner[child] != NONE);
        side.bytes[k] < SMALL
            || is_emptied
            || !side.tree.is_element(k)
            || state.steady[side.label[k] as usize] < 0.5
    };
    let old_labels: Vec<u32> = olds
        .iter()
        .map(|&a| if is_small(old, &state.new_of, a) { old.label[a] } else { NONE })
        .collect();
    let new_labels: Vec<u32> = news
        .iter()
        .map(|&b| if is_small(new, &state.old_of, b) { new.label[b] } else { NONE - 1 })
        .collect();
    let pairs = common(&old_labels, &new_labels);
    for &(x, y) in &pairs {
        state.pair(olds[x], news[y], PLACED);
    }
    between(olds, news, &pairs, |olds, news| {
        if let ([a], [b]) = (olds, news) {
            if state.could_pair(*a, *b) && could_be_one(state, *a, *b) {
                state.pair(*a, *b, PLACED);
            }
        }
    });
}

/// Whether two nodes of a label, alone between the same neighbours, can be one: either is small,
/// neither holds elements, or they have a little in common.
fn could_be_one(state: &State<'_, '_>, a: usize, b: usize) -> bool {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let is_leaf =
        |side: &Side<'_>, k: usize| side.tree.children(k).all(|child| !side.tree.is_element(child));
    old.bytes[a].min(new.bytes[b]) < SMALL
        || (is_leaf(old, a) && is_leaf(new, b))
        || Bag::of(old, &state.steady, a).similarity(&Bag::of(new, &state.steady, b))
            >= LITTLE_ALIKE
}

/// The paper's rule: a free child is paired with the only other free child of its label, if neither
/// parent has another of that label.
fn unique_labels(state: &mut State<'_, '_>, votes: &Votes, olds: &[usize], news: &[usize]) {
    let (old, new) = (&state.subtrees.old, &state.subtrees.new);
    let free_old: Vec<usize> = olds
        .iter()
        .copied()
        .filter(|&a| state.new_of[a] == NONE && old.tree.is_element(a))
        .collect();
    let free_new: Vec<usize> = news
        .iter()
        .copied()
        .filter(|&b| state.old_of[b] == NONE && new.tree.is_element(b))
        .collect();
    if free_old.is_empty() || free_new.is_empty() {
        return;
    }
    let only = |labels: Vec<(u32, usize)>| -> Vec<(u32, usize)> {
        let mut labels = labels;
        labels.sort_unstable();
        let is_only = |k: usize| {
            (k == 0 || labels[k - 1].0 != labels[k].0)
                && (k + 1 == labels.len() || labels[k + 1].0 != labels[k].0)
        };
        (0..labels.len()).filter(|&k| is_only(k)).map(|k| labels[k]).collect()
    };
    let old_only = only(olds.iter().map(|&a| (old.label[a], a)).collect());
    let new_only = only(news.iter().map(|&b| (new.label[b], b)).collect());
    for &(label, b) in new_only.iter().filter(|(_, b)| free_new.binary_search(b).is_ok()) {
        if let Ok(at) = old_only.binary_search_by_key(&label, |row| row.0) {
            let a = old_only[at].1;
            let is_elsewhere =
                rivals::of_old(state, votes, a) > 0.0 || rivals::of_new(state, votes, b) > 0.0;
            if free_old.binary_search(&a).is_ok() && !is_elsewhere {
                state.pair(a, b, PLACED);
            }
        }
    }
}
