//! The rounds: gather candidates, score them against the matching so far, assign by score, again.

use super::context::Context;
use super::evidence::Evidence;
use super::weights::{Term, Weights, TERMS};
use super::Snapshot;
use crate::error::Result;
use crate::tree::NONE;
use crate::watch::Watch;

/// Candidates of one row that the tokens give.
const FROM_TOKENS: usize = 12;
/// Tokens on more new nodes than this lead nowhere.
const COMMON: usize = 60;
/// Children looked at around the expected place, in a long list.
const WINDOW: usize = 16;
/// A candidate this far below the best one and below the threshold is looked at no more.
const HOPELESS: f32 = 6.0;
/// Rows looked at before and after the expected place.
const NEARBY: usize = 8;

/// A candidate partner and what speaks for it by itself.
#[derive(Clone, Copy)]
struct Candidate {
    row: u32,
    live: bool,
    alone: f32,
}

/// The state between rounds.
pub(super) struct Rounds<'e> {
    evidence: &'e Evidence,
    weights: &'e Weights,
    candidates: Vec<Vec<Candidate>>,
    scores: Vec<f32>,
    starts: Vec<u32>,
}

impl<'e> Rounds<'e> {
    pub(super) fn new(evidence: &'e Evidence, weights: &'e Weights) -> Self {
        Rounds { evidence, weights, candidates: vec![Vec::new(); evidence.old.len()], scores: Vec::new(), starts: Vec::new() }
    }

    /// All rounds; the partner of each old row and the score of the pair.
    pub(super) fn run(
        mut self,
        start: Option<Vec<u32>>,
        mut snap: Option<(&[usize], &mut Snapshot)>,
        watch: &dyn Watch,
    ) -> Result<(Vec<u32>, Vec<f32>)> {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let (mut to_new, mut to_old) = (vec![NONE; old.len()], vec![NONE; new.len()]);
        to_new[0] = 0;
        to_old[0] = 0;
        if let Some(start) = start {
            for (i, &j) in start.iter().enumerate() {
                if j != NONE {
                    to_new[i] = j;
                    to_old[j as usize] = i as u32;
                }
            }
        }
        self.candidates_by_tokens(watch)?;
        let rounds = self.weights.rounds;
        let mut won = vec![0.0; old.len()];
        for round in 0..rounds {
            let context = Context::new(self.evidence, to_new, to_old);
            if round > 0 || context.to_new.len() > 1 {
                self.candidates_by_context(&context, watch)?;
            }
            if let Some((which, out)) = &mut snap {
                if which.contains(&round) {
                    self.snapshot(&context, out);
                }
            }
            self.score(round, &context, watch)?;
            let threshold = if round + 1 == rounds { self.weights.threshold_end } else { self.weights.threshold };
            (to_new, to_old, won) = self.assign(threshold);
        }
        Ok((to_new, won))
    }

    fn add(&mut self, i: usize, j: u32) {
        if j == NONE || j == 0 || self.candidates[i].iter().any(|candidate| candidate.row == j) {
            return;
        }
        if self.evidence.old.is_text(i) != self.evidence.new.is_text(j as usize) {
            return;
        }
        let weights = self.weights(i);
        let mut alone = 0.0;
        self.evidence.collect(i, j as usize, &mut |term, value| alone += weights[term as usize] * value);
        self.candidates[i].push(Candidate { row: j, live: true, alone });
    }

    /// First candidates: equal subtrees, equal paths, shared tokens.
    fn candidates_by_tokens(&mut self, watch: &dyn Watch) -> Result<()> {
        let evidence = self.evidence;
        let (old, new) = (&evidence.old, &evidence.new);
        let mut postings: Vec<Vec<u32>> = vec![Vec::new(); evidence.idf.len()];
        let mut by_digest: super::tokens::ByHash<Vec<u32>> = Default::default();
        let mut by_path: super::tokens::ByHash<u32> = Default::default();
        for j in 1..new.len() {
            for &token in new.own(j) {
                let list = &mut postings[token as usize];
                if list.len() <= COMMON {
                    list.push(j as u32);
                }
            }
            let twins = by_digest.entry(new.digest[j]).or_default();
            if twins.len() <= COMMON {
                twins.push(j as u32);
            }
            by_path.insert(new.path[j], j as u32);
        }
        let mut sum = vec![0.0f32; new.len()];
        let mut touched: Vec<u32> = Vec::new();
        let mut best: Vec<(f32, u32)> = Vec::new();
        for i in (1..old.len()).rev() {
            if i % 1024 == 0 {
                watch.check()?;
            }
            for &token in old.own(i) {
                let list = &postings[token as usize];
                if list.len() > COMMON {
                    continue;
                }
                for &j in list {
                    if sum[j as usize] == 0.0 {
                        touched.push(j);
                    }
                    sum[j as usize] += evidence.idf[token as usize] + 1e-6;
                }
            }
            if let Some(twins) = by_digest.get(&old.digest[i]) {
                if twins.len() <= COMMON {
                    for &j in twins {
                        if sum[j as usize] == 0.0 {
                            touched.push(j);
                        }
                        sum[j as usize] += 6.0 / twins.len() as f32;
                    }
                }
            }
            best.clear();
            best.extend(touched.iter().map(|&j| (sum[j as usize], j)));
            for &j in &touched {
                sum[j as usize] = 0.0;
            }
            touched.clear();
            best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            best.truncate(FROM_TOKENS);
            for &(_, j) in &best {
                self.add(i, j);
            }
            if let Some(&j) = by_path.get(&old.path[i]) {
                self.add(i, j);
            }
            // where the children would like to be
            for at in 0..old.children(i).len().min(8) {
                let child = old.children(i)[at] as usize;
                let liked = self.candidates[child].iter().copied().max_by(|a, b| a.alone.total_cmp(&b.alone).then(b.row.cmp(&a.row)));
                if let Some(liked) = liked {
                    self.add(i, new.parent[liked.row as usize]);
                }
            }
        }
        Ok(())
    }

    /// Candidates that the matching so far suggests.
    fn candidates_by_context(&mut self, context: &Context, watch: &dyn Watch) -> Result<()> {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        for i in 1..old.len() {
            if i % 1024 == 0 {
                watch.check()?;
            }
            let expected = context.expected[i];
            let parent = old.parent[i] as usize;
            let to = context.to_new[parent];
            if to != NONE {
                self.add_children(i, to, expected);
                let inside = new.children(to as usize);
                let mut looked = 0;
                for at in window(inside, expected, WINDOW) {
                    let wrapper = inside[at];
                    if context.to_old[wrapper as usize] == NONE && !new.is_text(wrapper as usize) {
                        self.add_children(i, wrapper, expected);
                        looked += 1;
                        if looked == 4 {
                            break;
                        }
                    }
                }
            } else {
                let above = old.parent[parent];
                if above != NONE && context.to_new[above as usize] != NONE {
                    self.add_children(i, context.to_new[above as usize], expected);
                }
            }
            if to != NONE {
                let above = old.parent[parent];
                if above != NONE && context.to_new[above as usize] != NONE {
                    self.add_children_near(i, context.to_new[above as usize], expected);
                }
            }
            self.add_nearby(i, expected);
            let left = context.old_left[i];
            if left != NONE {
                let after = new.end[context.to_new[left as usize] as usize];
                if (after as usize) < new.len() {
                    self.add(i, after);
                }
            }
            let right = context.old_right[i];
            if right != NONE {
                self.add_before(i, context.to_new[right as usize]);
            }
            for at in 0..old.children(i).len().min(8) {
                let child = old.children(i)[at] as usize;
                let to = context.to_new[child];
                if to != NONE {
                    let above = new.parent[to as usize];
                    self.add(i, above);
                    if above != NONE && context.to_old[above as usize] == NONE {
                        self.add(i, new.parent[above as usize]);
                    }
                } else if !old.is_text(child) {
                    for deep in 0..old.children(child).len().min(4) {
                        let to = context.to_new[old.children(child)[deep] as usize];
                        if to != NONE {
                            self.add(i, new.parent[to as usize]);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Rows of the same name around the expected place.
    fn add_nearby(&mut self, i: usize, expected: f32) {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let middle = (expected.round().max(1.0) as usize).min(new.len() - 1);
        let mut found = 0;
        for step in 0..2 * NEARBY {
            let j = if step % 2 == 0 { middle + step / 2 } else { middle.wrapping_sub(step / 2 + 1) };
            if j > 0 && j < new.len() && new.label[j] == old.label[i] {
                self.add(i, j as u32);
                found += 1;
                if found == 3 {
                    break;
                }
            }
        }
    }

    /// The sibling before `right`, and what stands last in it.
    fn add_before(&mut self, i: usize, right: u32) {
        let new = &self.evidence.new;
        let brothers = new.children(new.parent[right as usize] as usize);
        let at = brothers.partition_point(|&row| row < right);
        if at > 0 {
            self.add(i, brothers[at - 1]);
        }
    }

    fn add_children_near(&mut self, i: usize, parent: u32, expected: f32) {
        let inside = self.evidence.new.children(parent as usize);
        for at in window(inside, expected, 4) {
            self.add(i, inside[at]);
        }
    }

    fn add_children(&mut self, i: usize, parent: u32, expected: f32) {
        let inside = self.evidence.new.children(parent as usize);
        for at in window(inside, expected, WINDOW) {
            self.add(i, inside[at]);
        }
    }

    /// The score of every candidate, against the matching so far.
    fn score(&mut self, round: usize, context: &Context, watch: &dyn Watch) -> Result<()> {
        self.scores.clear();
        self.starts.clear();
        for i in 0..self.candidates.len() {
            if i % 1024 == 0 {
                watch.check()?;
            }
            self.starts.push(self.scores.len() as u32);
            let mut best = f32::NEG_INFINITY;
            for at in 0..self.candidates[i].len() {
                let candidate = self.candidates[i][at];
                let score = if candidate.live { candidate.alone + self.in_context(i, candidate.row as usize, context) } else { f32::NEG_INFINITY };
                best = best.max(score);
                self.scores.push(score);
            }
            if round >= 2 {
                let from = self.starts[i] as usize;
                for at in 0..self.candidates[i].len() {
                    if self.scores[from + at] < best.min(self.weights.threshold) - HOPELESS {
                        self.candidates[i][at].live = false;
                    }
                }
            }
        }
        self.starts.push(self.scores.len() as u32);
        Ok(())
    }

    fn in_context(&self, i: usize, j: usize, context: &Context) -> f32 {
        let weights = self.weights(i);
        let mut score = 0.0;
        context.collect(&self.evidence.old, &self.evidence.new, i, j, &mut |term, value| score += weights[term as usize] * value);
        score
    }

    fn weights(&self, i: usize) -> &[f32; TERMS] {
        if self.evidence.old.is_text(i) {
            &self.weights.text
        } else {
            &self.weights.element
        }
    }

    /// All candidates with all their terms, for those who fit weights.
    fn snapshot(&self, context: &Context, out: &mut Snapshot) {
        for i in 1..self.candidates.len() {
            for candidate in &self.candidates[i] {
                let mut terms = [0.0; TERMS];
                let mut add = |term: Term, value: f32| terms[term as usize] += value;
                self.evidence.collect(i, candidate.row as usize, &mut add);
                context.collect(&self.evidence.old, &self.evidence.new, i, candidate.row as usize, &mut add);
                out.push((self.evidence.old.node[i], self.evidence.new.node[candidate.row as usize], terms));
            }
        }
    }

    /// Greedy by score, without sorting: each old row asks its best candidate, a new row keeps the best asker, and who is
    /// sent away asks the next. With one score for both this is exactly the greedy matching.
    fn assign(&self, threshold: f32) -> (Vec<u32>, Vec<u32>, Vec<f32>) {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let (mut to_new, mut to_old) = (vec![NONE; old.len()], vec![NONE; new.len()]);
        let mut won = vec![f32::NEG_INFINITY; new.len()];
        let mut asked = vec![false; self.scores.len()];
        to_new[0] = 0;
        to_old[0] = 0;
        let mut waiting: Vec<u32> = (1..old.len() as u32).rev().collect();
        while let Some(i) = waiting.pop() {
            let (from, to) = (self.starts[i as usize] as usize, self.starts[i as usize + 1] as usize);
            let mut best: Option<usize> = None;
            for (at, &is_asked) in asked.iter().enumerate().take(to).skip(from) {
                if is_asked || self.scores[at] < threshold {
                    continue;
                }
                let row = self.candidates[i as usize][at - from].row;
                let better = best.is_none_or(|b| {
                    let other = self.candidates[i as usize][b - from].row;
                    self.scores[at] > self.scores[b] || (self.scores[at] == self.scores[b] && row < other)
                });
                if better {
                    best = Some(at);
                }
            }
            let Some(at) = best else { continue };
            asked[at] = true;
            let j = self.candidates[i as usize][at - from].row as usize;
            let holder = to_old[j];
            let score = self.scores[at];
            if holder == NONE || score > won[j] || (score == won[j] && i < holder) {
                to_old[j] = i;
                won[j] = score;
                to_new[i as usize] = j as u32;
                if holder != NONE {
                    to_new[holder as usize] = NONE;
                    waiting.push(holder);
                }
            } else {
                waiting.push(i);
            }
        }
        let won = to_new.iter().map(|&j| if j == NONE { 0.0 } else { won[j as usize] }).collect();
        (to_new, to_old, won)
    }
}

/// The places in a sorted list of rows around the expected row, at most `width` of them.
fn window(rows: &[u32], expected: f32, width: usize) -> std::ops::Range<usize> {
    if rows.len() <= width {
        return 0..rows.len();
    }
    let middle = rows.partition_point(|&row| (row as f32) < expected);
    let from = middle.saturating_sub(width / 2).min(rows.len() - width);
    from..from + width
}
