//! What a matching says about the place of every node: computed once a round, read for every pair.

use super::align::Aligned;
use super::evidence::Evidence;
use super::side::Side;
use super::weights::Term;
use treelace_tree::tree::NONE;

/// An ancestor one level further up counts this much.
const DECAY: f32 = 0.7;
/// Descendants asked where their partner is.
const SAMPLE: usize = 8;
/// Children asked for their vote.
const KIDS: usize = 24;
/// How many numbers [`Context::look`] gives.
pub(super) const LOOKS: usize = 8;
/// New lists remembered that rows of one old list went to.
const LISTS: usize = 8;

/// A matching of rows and what follows from it.
pub(super) struct Context<'e> {
    /// Partner of each old row, or [`NONE`].
    pub(super) to_new: Vec<u32>,
    /// Partner of each new row, or [`NONE`].
    pub(super) to_old: Vec<u32>,
    /// Nearest matched node to the left and right of each row, in the list it would stand in if unmatched elements were
    /// transparent; [`NONE`] at the ends.
    pub(super) old_left: Vec<u32>,
    pub(super) old_right: Vec<u32>,
    pub(super) new_left: Vec<u32>,
    pub(super) new_right: Vec<u32>,
    /// Nearest matched ancestor of each row.
    pub(super) old_owner: Vec<u32>,
    pub(super) new_owner: Vec<u32>,
    /// Where each old row should stand in the new tree, going by the longest increasing run of pairs.
    pub(super) expected: Vec<f32>,
    /// How much the matched children of each row have to say.
    pub(super) old_kids: Vec<f32>,
    pub(super) new_kids: Vec<f32>,
    /// How much a row has to say about its parent: much if its contents are rare.
    old_voice: Vec<f32>,
    new_voice: Vec<f32>,
    /// Whether the neighbours of a row stand side by side in the other tree: then it is gone, or new, or came from elsewhere.
    old_closed: Vec<bool>,
    new_closed: Vec<bool>,
    /// What stands where each row should stand, between the partners of its neighbours, if it is matched; else [`NONE`].
    old_slot: Vec<u32>,
    new_slot: Vec<u32>,
    /// The best alignment in order of each pair of lists.
    pub(super) aligned: Aligned,
    /// For rows matched to their equal in their place: nothing to look for.
    pub(super) settled: Vec<bool>,
    /// How much more often than by chance what stands once on both sides stands under another parent, as a logarithm. Chance is
    /// that a subtree was removed and a copy of it survives.
    wandering: f32,
    logarithms: &'e [f32],
    company: Company,
    /// The share of the old rows without a partner.
    gone: f32,
}

/// Which lists go together: how much the pairs have to say that stand in each pair of lists.
struct Company {
    /// For each old row the span of what its list has in common with new lists.
    start: Vec<u32>,
    shared: Vec<(u32, f32)>,
    /// How much all matched rows of each list have to say.
    old_total: Vec<f32>,
    new_total: Vec<f32>,
}

impl Company {
    fn new((old_voice, new_voice): (&[f32], &[f32]), to_new: &[u32], old_owner: &[u32], new_owner: &[u32]) -> Company {
        let (mut old_total, mut new_total) = (vec![0.0; to_new.len()], vec![0.0; new_owner.len()]);
        let mut start = vec![0u32; to_new.len() + 1];
        for i in (1..to_new.len()).filter(|&i| to_new[i] != NONE) {
            start[old_owner[i] as usize + 1] += 1;
        }
        for i in 0..to_new.len() {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut shared = vec![(NONE, 0.0f32); start[to_new.len()] as usize];
        for i in (1..to_new.len()).filter(|&i| to_new[i] != NONE) {
            let (a, b) = (old_owner[i] as usize, new_owner[to_new[i] as usize]);
            let (mine, yours) = (old_voice[i], new_voice[to_new[i] as usize]);
            old_total[a] += mine;
            new_total[b as usize] += yours;
            let list = &mut shared[start[a] as usize..next[a] as usize];
            let said = mine + yours;
            if let Some(known) = list.iter_mut().rev().take(LISTS).find(|known| known.0 == b) {
                known.1 += said;
            } else {
                shared[next[a] as usize] = (b, said);
                next[a] += 1;
            }
        }
        Company { start, shared, old_total, new_total }
    }

    /// How much the other rows of both lists say for these lists, and how much against.
    fn of(&self, context: &Context, i: usize, j: usize) -> (f32, f32) {
        let (a, b) = (context.old_owner[i] as usize, context.new_owner[j]);
        let list = &self.shared[self.start[a] as usize..self.start[a + 1] as usize];
        let mut together = list.iter().take_while(|known| known.0 != NONE).take(LISTS).find(|known| known.0 == b).map_or(0.0, |known| known.1);
        let mut total = self.old_total[a] + self.new_total[b as usize];
        let (to, from) = (context.to_new[i], context.to_old[j]);
        if to != NONE {
            total -= context.old_voice[i];
        }
        if from != NONE {
            total -= context.new_voice[j];
        }
        if to != NONE && context.new_owner[to as usize] == b {
            together -= context.old_voice[i] + context.new_voice[to as usize];
            if to != j as u32 {
                total -= context.new_voice[to as usize];
            }
        }
        if from != NONE && from != i as u32 && context.old_owner[from as usize] == a as u32 {
            together -= context.old_voice[from as usize] + context.new_voice[j];
            total -= context.old_voice[from as usize];
        }
        let together = together.max(0.0);
        (together, (total - together).max(0.0))
    }
}

impl<'e> Context<'e> {
    /// What the matching says about a pair of rows.
    #[inline]
    pub(super) fn collect(&self, old: &Side, new: &Side, i: usize, j: usize, alone: f32, add: &mut impl FnMut(Term, f32)) {
        let (p, q) = (old.parent[i] as usize, new.parent[j] as usize);
        // what stands in the way only because of the partner in hand does not stand in the way
        let unless = |partner: u32, own: usize| if partner == own as u32 { NONE } else { partner };
        let (p_to, q_to) = (unless(self.to_new[p], j), unless(self.to_old[q], i));
        let a = if p_to != NONE {
            p as u32
        } else if self.to_new[p] == NONE {
            self.old_owner[i]
        } else {
            self.old_owner[p]
        };
        let b = if q_to != NONE {
            q as u32
        } else if self.to_old[q] == NONE {
            self.new_owner[j]
        } else {
            self.new_owner[q]
        };
        let mut related = self.to_new[a as usize] == b;
        if related {
            add(
                match (p_to != NONE, q_to != NONE) {
                    (true, true) => Term::Parent,
                    (true, false) if new.parent[q] == b => Term::Wrapped,
                    (false, true) if old.parent[p] == a => Term::Unwrapped,
                    (false, false) if new.parent[q] == b && old.parent[p] == a => Term::Rewrapped,
                    _ => Term::FarParent,
                },
                1.0,
            );
        } else if (p_to != NONE && new.parent[q] == p_to) || (q_to != NONE && old.parent[p] == q_to) {
            related = true;
            add(Term::Between, 1.0);
        } else if p_to != NONE && q_to != NONE {
            add(Term::Conflict, 1.0);
        } else if p_to != NONE || q_to != NONE {
            add(Term::HalfConflict, 1.0);
        } else {
            add(Term::Orphan, 1.0);
        }
        if !related {
            add(Term::Wandering, self.wandering);
            add(Term::Stranger, alone.max(0.0));
        }
        let (together, apart) = self.company.of(self, i, j);
        add(if related { Term::Company } else { Term::FarCompany }, together / (together + apart + 1.0));
        add(if related { Term::Apart } else { Term::FarApart }, apart / (together + apart + 1.0));
        // ancestors beyond the parent
        let mut above = old.parent[p];
        let (mut weight, mut chain, mut total) = (1.0, 0.0, 0.0);
        for _ in 0..6 {
            if above == NONE || above == 0 {
                break;
            }
            let to = self.to_new[above as usize];
            if to != NONE {
                total += weight;
                if new.holds(to, j as u32) {
                    chain += weight;
                }
            }
            weight *= DECAY;
            above = old.parent[above as usize];
        }
        if total > 0.0 {
            add(Term::Chain, chain / total);
        }
        add(Term::Place, self.distance((j as f32 - self.expected[i]).abs()));
        let mut near = f32::MAX;
        let (left, right) = (self.old_left[i], self.old_right[i]);
        if left != NONE {
            near = near.min(((j as f32 - self.to_new[left as usize] as f32) - (i as f32 - left as f32)).abs());
        }
        if right != NONE {
            near = near.min(((j as f32 - self.to_new[right as usize] as f32) - (i as f32 - right as f32)).abs());
        }
        if near < f32::MAX {
            add(Term::Near, self.distance(near));
        }
        if self.old_closed[i] {
            add(Term::ClosedOld, 1.0);
        }
        if self.new_closed[j] {
            add(Term::ClosedNew, 1.0);
        }
        if related {
            let (mine, yours) = ((i as u32 - a) as f32, (j as f32) - b as f32);
            add(Term::Offset, self.distance((mine - yours).abs()));
        }
        if self.aligned.to_new[i] == j as u32 {
            add(Term::Aligned, 1.0);
        } else {
            let elsewhere = u8::from(self.aligned.to_new[i] != NONE) + u8::from(self.aligned.to_old[j] != NONE);
            add(Term::AlignedElsewhere, f32::from(elsewhere));
        }
        if related && self.is_exchanged(old, i, j) {
            add(Term::Exchanged, 1.0);
        }
        let mut sides = 0;
        for (mine, yours) in [(self.old_left[i], self.new_left[j]), (self.old_right[i], self.new_right[j])] {
            let mine = if mine == NONE { NONE } else { self.to_new[mine as usize] };
            if mine != yours {
                add(Term::OtherSide, 1.0);
            } else if mine != NONE || related {
                sides += 1;
            }
        }
        match sides {
            0 => {}
            1 => add(Term::Side, 1.0),
            _ => add(Term::Sides, 1.0),
        }
        self.children(old, new, i, j, add);
        self.inside(old, new, i, j, add);
    }

    /// What else the matching says of a pair that is looked at again.
    pub(super) fn look(&self, old: &Side, new: &Side, i: usize, j: usize) -> [f32; LOOKS] {
        let (p, q) = (old.parent[i] as usize, new.parent[j] as usize);
        let held = |partner: u32, own: usize| match partner {
            NONE => 0.0,
            partner if partner == own as u32 => 1.0,
            _ => -1.0,
        };
        [
            held(self.to_new[i], j),
            held(self.to_old[j], i),
            self.old_voice[p],
            self.new_voice[q],
            self.old_kids[i],
            self.new_kids[j],
            self.gone,
            self.wandering,
        ]
    }

    /// Whether the row that now stands in the place of `i` stood in the place of `j`.
    /// Twins that change places leave no trace.
    fn is_exchanged(&self, old: &Side, i: usize, j: usize) -> bool {
        let came = self.old_slot[i];
        let from = if came == NONE { NONE } else { self.to_old[came as usize] };
        from != NONE && from != i as u32 && from == self.new_slot[j] && old.digest[from as usize] != old.digest[i]
    }

    /// Whether what stands in the one subtree has its partners in the other: a sample of both is asked.
    fn inside(&self, old: &Side, new: &Side, i: usize, j: usize, add: &mut impl FnMut(Term, f32)) {
        let (n, m) = (old.end[i] as usize - i - 1, new.end[j] as usize - j - 1);
        if n == 0 || m == 0 || n + m < 4 {
            return;
        }
        let (mut asked, mut within) = (0.0, 0.0);
        for k in 0..n.min(SAMPLE) {
            let row = i + 1 + k * n / n.min(SAMPLE);
            let to = self.to_new[row];
            if to != NONE {
                asked += self.old_voice[row];
                if new.holds(j as u32, to) {
                    within += self.old_voice[row];
                }
            }
        }
        for k in 0..m.min(SAMPLE) {
            let row = j + 1 + k * m / m.min(SAMPLE);
            let to = self.to_old[row];
            if to != NONE {
                asked += self.new_voice[row];
                if old.holds(i as u32, to) {
                    within += self.new_voice[row];
                }
            }
        }
        if asked > 0.0 {
            let heard = 1.0 / (asked + 1.0);
            add(Term::Inside, within * heard);
            add(Term::Outside, (asked - within) * heard);
        }
    }

    /// What the children say: the share of their voices that speak for the pair. A child that holds `j` itself has no voice.
    fn children(&self, old: &Side, new: &Side, i: usize, j: usize, add: &mut impl FnMut(Term, f32)) {
        let mut heard = self.old_kids[i] + self.new_kids[j];
        if heard <= 0.0 {
            return;
        }
        let mut votes = 0.0;
        for &child in old.children(i).iter().take(KIDS) {
            let to = self.to_new[child as usize];
            if to == j as u32 {
                heard -= self.old_voice[child as usize];
            } else if to != NONE {
                let above = new.parent[to as usize];
                if above == j as u32 || (above != 0 && new.parent[above as usize] == j as u32) {
                    votes += self.old_voice[child as usize];
                }
            }
        }
        if let Some(holder) = new.children(j).iter().take(KIDS).find(|&&child| self.to_old[child as usize] == i as u32) {
            heard -= self.new_voice[*holder as usize];
        }
        if heard > 1e-3 {
            let share = (2.0 * votes / heard).min(1.0);
            let weight = heard / (heard + 1.0);
            add(Term::Kids, weight * share);
            add(Term::OtherKids, weight * (1.0 - share));
            add(Term::KidsMass, votes.ln_1p());
        }
    }

    /// A distance in rows on a logarithmic scale from 0 to 1.
    fn distance(&self, rows: f32) -> f32 {
        self.logarithms[(rows as usize).min(self.logarithms.len() - 1)]
    }

    pub(super) fn new(evidence: &'e Evidence, to_new: Vec<u32>, to_old: Vec<u32>, voices: (Vec<f32>, Vec<f32>)) -> Context<'e> {
        let (old, new) = (&evidence.old, &evidence.new);
        let (old_owner, old_left, old_right) = neighbours(old, &to_new);
        let (new_owner, new_left, new_right) = neighbours(new, &to_old);
        let expected = expected(&to_new, new.len());
        let (old_voice, new_voice) = voices;
        let old_kids = matched_children(old, &to_new, &old_voice);
        let new_kids = matched_children(new, &to_old, &new_voice);
        let old_closed = closed(old, new, &to_new, &old_owner, &old_left, &old_right);
        let new_closed = closed(new, old, &to_old, &new_owner, &new_left, &new_right);
        let settled = (0..old.len())
            .map(|i| {
                let j = to_new[i];
                let is_same = |mine: u32, yours: u32| if mine == NONE { yours == NONE } else { to_new[mine as usize] == yours };
                i > 0
                    && j != NONE
                    && old.digest[i] == new.digest[j as usize]
                    && to_new[old.parent[i] as usize] == new.parent[j as usize]
                    && is_same(old_left[i], new_left[j as usize])
                    && is_same(old_right[i], new_right[j as usize])
            })
            .collect();
        let company = Company::new((&old_voice, &new_voice), &to_new, &old_owner, &new_owner);
        let gone = to_new.iter().filter(|&&j| j == NONE).count() as f32 / to_new.len() as f32;
        let wandering = wandering(evidence, gone, &to_new, &old_owner, &new_owner);
        let old_slot = slots(old.len(), &to_new, &old_owner, &old_left, &old_right, (new, &to_old, &new_owner, &new_left));
        let new_slot = slots(new.len(), &to_old, &new_owner, &new_left, &new_right, (old, &to_new, &old_owner, &old_left));
        Context {
            old_slot,
            new_slot,
            aligned: Aligned::default(),
            settled,
            wandering,
            to_new,
            to_old,
            old_left,
            old_right,
            new_left,
            new_right,
            old_owner,
            new_owner,
            expected,
            old_kids,
            new_kids,
            old_voice,
            new_voice,
            old_closed,
            new_closed,
            logarithms: &evidence.logarithms,
            company,
            gone,
        }
    }
}

fn wandering(evidence: &Evidence, gone: f32, to_new: &[u32], old_owner: &[u32], new_owner: &[u32]) -> f32 {
    let (mut wandered, mut copied) = (0, evidence.doubles);
    // what was removed together says so once
    let mut is_counted = vec![false; to_new.len()];
    for &(i, j) in &evidence.singles {
        let owner = old_owner[i as usize] as usize;
        let is_near = to_new[owner] == new_owner[j as usize] || evidence.new.holds(to_new[old_owner[owner] as usize], j);
        if !is_near && (to_new[i as usize] == NONE || to_new[i as usize] == j) {
            wandered += u32::from(!std::mem::replace(&mut is_counted[owner], true));
        } else if to_new[i as usize] != j && to_new[i as usize] != NONE {
            copied += 1;
        }
    }
    let chance = copied as f32 * gone / (1.0 - gone).max(0.05);
    ((wandered as f32 + 1.0) / (chance + 1.0)).ln().clamp(0.0, 3.0)
}

fn matched_children(side: &Side, partner: &[u32], voice: &[f32]) -> Vec<f32> {
    let matched = |i: usize| side.children(i).iter().take(KIDS).filter(|&&child| partner[child as usize] != NONE);
    (0..side.len()).map(|i| matched(i).map(|&child| voice[child as usize]).sum()).collect()
}

/// For each row of `side` whether the partners of its neighbours leave no room between them in `other`.
fn closed(side: &Side, other: &Side, partner: &[u32], owner: &[u32], left: &[u32], right: &[u32]) -> Vec<bool> {
    let to = |row: u32| partner[row as usize];
    let is_closed = |i: usize| {
        let list = to(owner[i]);
        let after = if left[i] == NONE { list + 1 } else { other.end[to(left[i]) as usize] };
        let before = if right[i] == NONE { other.end[list as usize] } else { to(right[i]) };
        after == before
    };
    (0..side.len()).map(|i| i > 0 && is_closed(i)).collect()
}

/// For each row what stands between the partners of its neighbours, if it is one matched row.
fn slots(
    rows: usize,
    partner: &[u32],
    owner: &[u32],
    left: &[u32],
    right: &[u32],
    (other, other_partner, other_owner, other_left): (&Side, &[u32], &[u32], &[u32]),
) -> Vec<u32> {
    let to = |row: u32| partner[row as usize];
    let mut slots = vec![NONE; rows];
    for i in 1..rows {
        // the row before the right neighbour's partner, in its list
        if right[i] != NONE {
            let after = to(right[i]) as usize;
            let came = other_left[after];
            let before = if left[i] == NONE { NONE } else { to(left[i]) };
            if came != NONE && other_owner[after] == to(owner[i]) && came != before && other_left[came as usize] == before {
                slots[i] = came;
            }
        } else {
            let after = if left[i] == NONE { to(owner[i]) + 1 } else { other.end[to(left[i]) as usize] };
            if (after as usize) < other.len() && other_partner[after as usize] != NONE && other_owner[after as usize] == to(owner[i]) {
                slots[i] = after;
            }
        }
    }
    slots
}

/// Left and right neighbours, in two walks. The list a row stands in belongs to its nearest matched ancestor.
fn neighbours(side: &Side, partner: &[u32]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let n = side.len();
    let mut owner = vec![0u32; n];
    let mut last = vec![NONE; n];
    let mut left = vec![NONE; n];
    for i in 1..n {
        let parent = side.parent[i];
        owner[i] = if partner[parent as usize] != NONE { parent } else { owner[parent as usize] };
        let list = owner[i] as usize;
        left[i] = last[list];
        if partner[i] != NONE {
            last[list] = i as u32;
        }
    }
    let mut next = vec![NONE; n];
    let mut right = vec![NONE; n];
    // parents before children, children from right to left
    let mut stack: Vec<u32> = side.children(0).to_vec();
    while let Some(i) = stack.pop() {
        let list = owner[i as usize] as usize;
        right[i as usize] = next[list];
        if partner[i as usize] != NONE {
            next[list] = i;
        }
        stack.extend_from_slice(side.children(i as usize));
    }
    (owner, left, right)
}

/// Where each old row should stand: between its neighbours in the longest increasing subsequence of the pairs, itself left out.
fn expected(to_new: &[u32], new_len: usize) -> Vec<f32> {
    let n = to_new.len();
    let rows: Vec<u32> = (0..n as u32).filter(|&i| to_new[i as usize] != NONE).collect();
    let run = increasing(&rows, to_new);
    let mut expected = vec![0.0; n];
    // the run as points, with one past both ends
    let mut points: Vec<(f32, f32)> = run.iter().map(|&i| (i as f32, to_new[i as usize] as f32)).collect();
    points.push((n as f32, new_len as f32));
    let mut at = 0; // points[at] is the first one not before i
    let mut before = (-1.0, -1.0);
    for (i, place) in expected.iter_mut().enumerate() {
        let here = i as f32;
        while points[at].0 < here {
            before = points[at];
            at += 1;
        }
        let after = if points[at].0 == here { points[at + 1] } else { points[at] };
        *place = before.1 + (after.1 - before.1) * (here - before.0) / (after.0 - before.0);
    }
    expected
}

/// The longest increasing subsequence of the partners of `rows`; O(n log n).
fn increasing(rows: &[u32], to_new: &[u32]) -> Vec<u32> {
    let mut tails: Vec<u32> = Vec::new(); // positions in rows
    let mut back = vec![NONE; rows.len()];
    for (at, &i) in rows.iter().enumerate() {
        let value = to_new[i as usize];
        let length = tails.partition_point(|&t| to_new[rows[t as usize] as usize] < value);
        back[at] = if length > 0 { tails[length - 1] } else { NONE };
        if length == tails.len() {
            tails.push(at as u32);
        } else {
            tails[length] = at as u32;
        }
    }
    let mut run = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(NONE);
    while at != NONE {
        run.push(rows[at as usize]);
        at = back[at as usize];
    }
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, the same each time.
    fn numbers(seed: u64) -> impl FnMut(u32) -> u32 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % below
        }
    }

    #[test]
    fn the_run_is_increasing_and_no_other_is_longer() {
        for seed in 0..300 {
            let mut number = numbers(seed);
            let n = 1 + number(12) as usize;
            // a random one-to-one matching of n rows, some without a partner
            let mut free: Vec<u32> = (0..n as u32).collect();
            let to_new: Vec<u32> = (0..n).map(|_| if number(4) == 0 { NONE } else { free.swap_remove(number(free.len() as u32) as usize) }).collect();
            let rows: Vec<u32> = (0..n as u32).filter(|&i| to_new[i as usize] != NONE).collect();
            let run = increasing(&rows, &to_new);
            assert!(run.windows(2).all(|pair| pair[0] < pair[1] && to_new[pair[0] as usize] < to_new[pair[1] as usize]));
            // by definition: every subset
            let longest = (0u32..1 << rows.len())
                .map(|chosen| (0..rows.len()).filter(|at| (chosen >> at) & 1 == 1).map(|at| to_new[rows[at] as usize]).collect::<Vec<u32>>())
                .filter(|values| values.windows(2).all(|pair| pair[0] < pair[1]))
                .map(|values| values.len())
                .max();
            assert_eq!(Some(run.len()), longest);
        }
    }

    #[test]
    fn neighbours_are_the_nearest_matched_in_the_list_of_the_nearest_matched_ancestor() {
        for seed in 0..300 {
            let mut number = numbers(seed);
            let n = 2 + number(14) as usize;
            // preorder: the parent of a row is the row before it or one of that one's ancestors
            let mut side = Side { parent: vec![NONE], node: (0..n as u32).collect(), ..Side::default() };
            for i in 1..n as u32 {
                let mut parent = i - 1;
                while parent != 0 && number(2) == 0 {
                    parent = side.parent[parent as usize];
                }
                side.parent.push(parent);
            }
            side.link();
            let partner: Vec<u32> = (0..n).map(|i| if i == 0 || number(3) > 0 { 1 } else { NONE }).collect();
            let (owner, left, right) = neighbours(&side, &partner);
            let owner_of = |i: usize| {
                let mut above = side.parent[i];
                while partner[above as usize] == NONE {
                    above = side.parent[above as usize];
                }
                above
            };
            for i in 1..n {
                assert_eq!(owner[i], owner_of(i));
                let stands_in_the_list = |k: &usize| partner[*k] != NONE && owner_of(*k) == owner[i];
                let apart = |k: &usize| !side.holds(i as u32, *k as u32);
                assert_eq!(left[i], (1..i).rev().find(stands_in_the_list).map_or(NONE, |k| k as u32));
                assert_eq!(right[i], (i + 1..n).filter(apart).find(stands_in_the_list).map_or(NONE, |k| k as u32));
            }
        }
    }
}
