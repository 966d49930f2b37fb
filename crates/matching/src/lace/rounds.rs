//! The rounds: gather candidates, score them against the matching so far, assign by score, again.

use std::ops::Range;

use super::align::{Aligned, Lists};
use super::context::Context;
use super::doubt::{self, Rivals};
use super::equal_subtrees;
use super::evidence::Evidence;
use super::margins::margins;
use super::sure::{self, SEEN};
use super::weights::{Stage, Weights, STAGES, TERMS};
use super::{Said, Study, EARLY};
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Candidates of one row that the tokens give.
const FROM_TOKENS: usize = 8;
/// Tokens on more new nodes than this lead nowhere.
const COMMON: usize = 60;
/// Children looked at around the expected place, in a long list.
const WINDOW: usize = 12;
/// A candidate this far below the best one and below the threshold is looked at no more.
const HOPELESS: f32 = 4.5;
/// A pair that says this much against itself still counts when two lists are aligned: to stay is
/// more likely than to go.
const ALIGN: f32 = 5.0;
/// A row whose partner stands out this much by itself has all to say.
const CLEAR: f32 = 3.0;
/// One that does not stand out, though few others say the same, has this much to say.
const RARE: f32 = 0.5;
/// Rows looked at before and after the expected place.
const NEARBY: usize = 8;
/// What it weighs that the neighbours hold a place for a row.
const HELD: f32 = 2.0;

/// A candidate partner and what speaks for it by itself.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) row: u32,
    /// Whether it was asked for in the assignment under way.
    is_asked: bool,
    /// Whether it is still looked at.
    pub(super) is_live: bool,
    /// What speaks for it by itself, as the last stage weighs it.
    pub(super) alone: f32,
    /// What speaks for it in the context of this round, above what a pair must reach.
    pub(super) score: f32,
}

/// The state between rounds.
pub(super) struct Rounds<'e> {
    evidence: &'e Evidence,
    weights: &'e Weights,
    candidates: Vec<Vec<Candidate>>,
    /// Rows that were settled in the round before, too.
    was_settled: Vec<bool>,
}

impl<'e> Rounds<'e> {
    pub(super) fn new(evidence: &'e Evidence, weights: &'e Weights) -> Self {
        Rounds { evidence, weights, candidates: Vec::new(), was_settled: Vec::new() }
    }

    pub(super) fn evidence(&self) -> &'e Evidence {
        self.evidence
    }

    /// Some rounds, from a matching on; the partner of each old row.
    pub(super) fn run(
        &mut self,
        rounds: Range<usize>,
        mut to_new: Vec<u32>,
        study: &mut Study,
        watch: &dyn Watch,
    ) -> Result<Vec<u32>> {
        if self.candidates.is_empty() {
            self.candidates = vec![Vec::new(); self.evidence.old.len()];
            self.candidates_by_tokens(watch)?;
        }
        for round in rounds {
            let mut to_old = vec![NONE; self.evidence.new.len()];
            for (i, &j) in to_new.iter().enumerate().filter(|(_, &j)| j != NONE) {
                to_old[j as usize] = i as u32;
            }
            let voices = self.voices(&to_new, &to_old);
            let mut context = Context::new(self.evidence, to_new, to_old, voices);
            self.candidates_by_context(&context, watch)?;
            context.aligned = self.align(&context);
            if let Some(hear) = &mut study.hear {
                self.tell(round, &context, hear);
            }
            self.score(round, &context, watch)?;
            if round >= EARLY {
                self.look_again(round, &context, study, watch)?;
            }
            to_new = self.assign();
        }
        Ok(to_new)
    }

    /// How much each matched row has to say about the rows around it, in [0, 1]: what is matched by
    /// its place alone says nothing.
    fn voices(&self, to_new: &[u32], to_old: &[u32]) -> (Vec<f32>, Vec<f32>) {
        let (mut old_voice, mut new_voice) =
            (self.evidence.old_voice.clone(), self.evidence.new_voice.clone());
        let mut others = vec![f32::NEG_INFINITY; to_old.len()];
        for (i, candidates) in self.candidates.iter().enumerate() {
            for candidate in
                candidates.iter().filter(|candidate| to_old[candidate.row as usize] != i as u32)
            {
                let best = &mut others[candidate.row as usize];
                *best = best.max(candidate.alone);
            }
        }
        for (i, candidates) in
            self.candidates.iter().enumerate().filter(|(i, _)| to_new[*i] != NONE)
        {
            let j = to_new[i];
            let Some(own) = candidates.iter().find(|candidate| candidate.row == j) else {
                continue;
            };
            let rival = candidates
                .iter()
                .filter(|candidate| candidate.row != j)
                .map(|candidate| candidate.alone)
                .fold(others[j as usize], f32::max);
            let voice = ((own.alone - rival) / CLEAR).clamp(0.0, 1.0);
            old_voice[i] = voice.max(RARE * old_voice[i]);
            new_voice[j as usize] = voice.max(RARE * new_voice[j as usize]);
        }
        (old_voice, new_voice)
    }

    /// Tells the evidence for every candidate.
    fn tell(&self, round: usize, context: &Context, hear: &mut dyn FnMut(Said)) {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        for (i, candidates) in self.candidates.iter().enumerate() {
            for candidate in candidates.iter().filter(|candidate| candidate.is_live) {
                let j = candidate.row as usize;
                let mut terms = [0.0; TERMS];
                let alone = candidate.alone;
                self.evidence.collect(i, j, &mut |term, value| terms[term as usize] += value);
                context.collect(old, new, i, j, alone, &mut |term, value| {
                    terms[term as usize] += value
                });
                hear((round, old.node[i], new.node[j], &terms));
            }
        }
    }

    fn add(&mut self, i: usize, j: u32) {
        if j == NONE || j == 0 || self.candidates[i].iter().any(|candidate| candidate.row == j) {
            return;
        }
        if self.evidence.old.is_text(i) != self.evidence.new.is_text(j as usize) {
            return;
        }
        let weights = &self.stage(i, STAGES).terms;
        let mut alone = 0.0;
        self.evidence
            .collect(i, j as usize, &mut |term, value| alone += weights[term as usize] * value);
        self.candidates[i].push(Candidate {
            row: j,
            is_asked: false,
            is_live: true,
            alone,
            score: f32::NEG_INFINITY,
        });
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
            let by_weight =
                |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
            if best.len() > FROM_TOKENS {
                best.select_nth_unstable_by(FROM_TOKENS, by_weight);
                best.truncate(FROM_TOKENS);
            }
            best.sort_unstable_by(by_weight);
            for &(_, j) in &best {
                self.add(i, j);
            }
            if let Some(&j) = by_path.get(&old.path[i]) {
                self.add(i, j);
            }
            // where the children would like to be
            for at in 0..old.children(i).len().min(8) {
                let child = old.children(i)[at] as usize;
                let liked = self.candidates[child]
                    .iter()
                    .copied()
                    .max_by(|a, b| a.alone.total_cmp(&b.alone).then(b.row.cmp(&a.row)));
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
            if context.settled[i] {
                continue;
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
            self.add(i, context.held[i]);
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
            let j =
                if step % 2 == 0 { middle + step / 2 } else { middle.wrapping_sub(step / 2 + 1) };
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

    /// The best alignment of each pair of lists that are not settled.
    fn align(&self, context: &Context) -> Aligned {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let lists = (Lists::new(&context.old_owner), Lists::new(&context.new_owner));
        let mut aligned = Aligned::new(old.len(), new.len());
        let mut pairs = Vec::new();
        for owner in 0..old.len() as u32 {
            let to = context.to_new[owner as usize];
            let rows = lists.0.of(owner);
            if to == NONE || rows.iter().all(|&i| context.settled[i as usize]) {
                continue;
            }
            pairs.clear();
            for &i in rows {
                let inside = self.candidates[i as usize]
                    .iter()
                    .filter(|candidate| context.new_owner[candidate.row as usize] == to);
                pairs.extend(
                    inside
                        .map(|candidate| (i, candidate.row, candidate.alone + ALIGN))
                        .filter(|pair| pair.2 > 0.0),
                );
            }
            aligned.align(&mut pairs, &lists.1);
        }
        aligned
    }

    /// The score of every candidate, against the matching so far. Rows that were and are settled
    /// keep their scores.
    fn score(&mut self, round: usize, context: &Context, watch: &dyn Watch) -> Result<()> {
        let mut candidates = std::mem::take(&mut self.candidates);
        for (i, candidates) in candidates.iter_mut().enumerate() {
            if i % 1024 == 0 {
                watch.check()?;
            }
            if context.settled[i] && self.was_settled.get(i) == Some(&true) {
                continue;
            }
            let stage = self.stage(i, round);
            let mut best = f32::NEG_INFINITY;
            for candidate in candidates.iter_mut().filter(|candidate| candidate.is_live) {
                candidate.score =
                    self.in_context(stage, candidate.alone, (i, candidate.row as usize), context);
                best = best.max(candidate.score);
            }
            if round >= 1 {
                for candidate in candidates
                    .iter_mut()
                    .filter(|candidate| candidate.score < best.min(0.0) - HOPELESS)
                {
                    candidate.is_live = false;
                    candidate.score = f32::NEG_INFINITY;
                }
            }
        }
        self.candidates = candidates;
        self.was_settled.clone_from(&context.settled);
        Ok(())
    }

    /// New scores for the candidates of rows in doubt.
    fn look_again(
        &mut self,
        round: usize,
        context: &Context,
        study: &mut Study,
        watch: &dyn Watch,
    ) -> Result<()> {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let new_rivals = doubt::of_new(&self.candidates, new.len());
        let mut candidates = std::mem::take(&mut self.candidates);
        for (i, candidates) in candidates.iter_mut().enumerate().filter(|(i, _)| {
            !context.settled[*i] && context.held[*i] == NONE && self.evidence.says(*i)
        }) {
            if i % 1024 == 0 {
                watch.check()?;
            }
            let rivals = Rivals::of(candidates);
            if !rivals.doubt() {
                continue;
            }
            for candidate in candidates
                .iter_mut()
                .filter(|candidate| candidate.is_live && rivals.reaches(candidate.score))
            {
                let j = candidate.row as usize;
                let features = doubt::features(
                    (self.evidence, context),
                    (i, j),
                    (candidate.alone, candidate.score),
                    (&rivals, &new_rivals[j]),
                );
                if let Some(hear) = &mut study.doubted {
                    hear((round, old.node[i], new.node[j], &features));
                }
                if let Some(forest) = study.forest {
                    candidate.score = forest.ask(&features);
                }
            }
        }
        self.candidates = candidates;
        Ok(())
    }

    /// The score above what a pair must reach.
    fn in_context(
        &self,
        stage: &Stage,
        alone: f32,
        (i, j): (usize, usize),
        context: &Context,
    ) -> f32 {
        let weights = &stage.terms;
        let mut score = stage.alone * alone - stage.threshold;
        context.collect(&self.evidence.old, &self.evidence.new, i, j, alone, &mut |term, value| {
            score += weights[term as usize] * value
        });
        if context.held[i] == j as u32 {
            score += HELD;
        }
        score
    }

    /// How a round weighs the evidence for a row.
    fn stage(&self, i: usize, round: usize) -> &'e Stage {
        let stages =
            if self.evidence.old.is_text(i) { &self.weights.text } else { &self.weights.element };
        &stages[round.div_ceil(2).min(STAGES - 1)]
    }

    /// Greedy by score, without sorting: each old row asks its best candidate, a new row keeps the
    /// best asker, and who is sent away asks the next. With one score for both this is exactly the
    /// greedy matching.
    fn assign(&mut self) -> Vec<u32> {
        let (old, new) = (&self.evidence.old, &self.evidence.new);
        let (mut to_new, mut to_old) = (vec![NONE; old.len()], vec![NONE; new.len()]);
        let mut won = vec![f32::NEG_INFINITY; new.len()];
        to_new[0] = 0;
        to_old[0] = 0;
        for candidate in self.candidates.iter_mut().flatten() {
            candidate.is_asked = false;
        }
        let mut waiting: Vec<u32> = (1..old.len() as u32).rev().collect();
        while let Some(i) = waiting.pop() {
            let best = self.candidates[i as usize]
                .iter_mut()
                .filter(|candidate| !candidate.is_asked && candidate.score >= 0.0)
                .max_by(|a, b| a.score.total_cmp(&b.score).then(b.row.cmp(&a.row)));
            let Some(best) = best else { continue };
            best.is_asked = true;
            let (j, score) = (best.row as usize, best.score);
            let holder = to_old[j];
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
        equal_subtrees::pair_inside(self.evidence, &mut to_new, &mut to_old);
        to_new
    }

    /// By how much each pair beats all that could be instead, as log-odds.
    pub(super) fn margins(&self, to_new: &[u32]) -> Vec<f32> {
        margins(self.evidence, &self.candidates, to_new)
    }

    /// What there is to see of each pair once all are made.
    pub(super) fn seen(&self, to_new: &[u32], margins: &[f32]) -> Vec<[f32; SEEN]> {
        sure::seen(self.evidence, &self.candidates, to_new, margins)
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
