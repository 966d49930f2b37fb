//! What a matching says about the place of every node: computed once a round, read for every pair.

use super::align::Aligned;
use super::evidence::Evidence;
use super::held::held;
use super::neighbours::{closed, expected, matched_children, neighbours, slots, KIDS};
use super::shared_lists::SharedLists;
use super::side::Side;
use super::weights::Term;
use treelace_tree::tree::NONE;

/// An ancestor one level further up counts this much.
const DECAY: f32 = 0.7;
/// Descendants asked where their partner is.
const SAMPLE: usize = 8;
/// How many numbers [`Context::look`] gives.
pub(super) const LOOKS: usize = 8;
/// A matching of rows and what follows from it.
pub(super) struct Context<'e> {
    /// Partner of each old row, or [`NONE`].
    pub(super) to_new: Vec<u32>,
    /// Partner of each new row, or [`NONE`].
    pub(super) to_old: Vec<u32>,
    /// Nearest matched node to the left and right of each row, in the list it would stand in if
    /// unmatched elements were transparent; [`NONE`] at the ends.
    pub(super) old_left: Vec<u32>,
    pub(super) old_right: Vec<u32>,
    pub(super) new_left: Vec<u32>,
    pub(super) new_right: Vec<u32>,
    /// Nearest matched ancestor of each row.
    pub(super) old_owner: Vec<u32>,
    pub(super) new_owner: Vec<u32>,
    /// Where each old row should stand in the new tree, going by the longest increasing run of
    /// pairs.
    pub(super) expected: Vec<f32>,
    /// How much the matched children of each row have to say.
    pub(super) old_kids: Vec<f32>,
    pub(super) new_kids: Vec<f32>,
    /// How much a row has to say about its parent: much if its contents are rare.
    pub(super) old_voice: Vec<f32>,
    pub(super) new_voice: Vec<f32>,
    /// Whether the neighbours of a row stand side by side in the other tree: then it is gone, or
    /// new, or came from elsewhere.
    old_closed: Vec<bool>,
    new_closed: Vec<bool>,
    /// What stands where each row should stand, between the partners of its neighbours, if it is
    /// matched; else [`NONE`].
    old_slot: Vec<u32>,
    new_slot: Vec<u32>,
    /// The new row that its neighbours hold for each old row, or [`NONE`].
    pub(super) held: Vec<u32>,
    /// The best alignment in order of each pair of lists.
    pub(super) aligned: Aligned,
    /// For rows matched to their equal in their place: nothing to look for.
    pub(super) settled: Vec<bool>,
    /// How much more often than by chance what stands once on both sides stands under another
    /// parent, as a logarithm. Chance is that a subtree was removed and a copy of it survives.
    wandering: f32,
    logarithms: &'e [f32],
    shared_lists: SharedLists,
    /// The share of the old rows without a partner.
    gone: f32,
}

impl<'e> Context<'e> {
    /// What the matching says about a pair of rows.
    #[inline]
    pub(super) fn collect(
        &self,
        old: &Side,
        new: &Side,
        i: usize,
        j: usize,
        alone: f32,
        add: &mut impl FnMut(Term, f32),
    ) {
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
        } else if (p_to != NONE && new.parent[q] == p_to) || (q_to != NONE && old.parent[p] == q_to)
        {
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
        let (together, apart) = self.shared_lists.of(self, i, j);
        add(
            if related { Term::SharedLists } else { Term::FarSharedLists },
            together / (together + apart + 1.0),
        );
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
            near = near.min(
                ((j as f32 - self.to_new[left as usize] as f32) - (i as f32 - left as f32)).abs(),
            );
        }
        if right != NONE {
            near = near.min(
                ((j as f32 - self.to_new[right as usize] as f32) - (i as f32 - right as f32)).abs(),
            );
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
            let elsewhere =
                u8::from(self.aligned.to_new[i] != NONE) + u8::from(self.aligned.to_old[j] != NONE);
            add(Term::AlignedElsewhere, f32::from(elsewhere));
        }
        if related && self.is_exchanged(old, i, j) {
            add(Term::Exchanged, 1.0);
        }
        let mut sides = 0;
        for (mine, yours) in
            [(self.old_left[i], self.new_left[j]), (self.old_right[i], self.new_right[j])]
        {
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
        from != NONE
            && from != i as u32
            && from == self.new_slot[j]
            && old.digest[from as usize] != old.digest[i]
    }

    /// Whether what stands in the one subtree has its partners in the other: a sample of both is
    /// asked.
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

    /// What the children say: the share of their voices that speak for the pair. A child that holds
    /// `j` itself has no voice.
    fn children(
        &self,
        old: &Side,
        new: &Side,
        i: usize,
        j: usize,
        add: &mut impl FnMut(Term, f32),
    ) {
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
        if let Some(holder) = new
            .children(j)
            .iter()
            .take(KIDS)
            .find(|&&child| self.to_old[child as usize] == i as u32)
        {
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

    pub(super) fn new(
        evidence: &'e Evidence,
        to_new: Vec<u32>,
        to_old: Vec<u32>,
        voices: (Vec<f32>, Vec<f32>),
    ) -> Context<'e> {
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
                let is_same = |mine: u32, yours: u32| {
                    if mine == NONE {
                        yours == NONE
                    } else {
                        to_new[mine as usize] == yours
                    }
                };
                i > 0
                    && j != NONE
                    && old.digest[i] == new.digest[j as usize]
                    && to_new[old.parent[i] as usize] == new.parent[j as usize]
                    && is_same(old_left[i], new_left[j as usize])
                    && is_same(old_right[i], new_right[j as usize])
            })
            .collect();
        let held = held(evidence, &to_new, &old_voice);
        let shared_lists =
            SharedLists::new((&old_voice, &new_voice), &to_new, &old_owner, &new_owner);
        let gone = to_new.iter().filter(|&&j| j == NONE).count() as f32 / to_new.len() as f32;
        let wandering = wandering(evidence, gone, &to_new, &old_owner, &new_owner);
        let old_slot = slots(
            old.len(),
            &to_new,
            &old_owner,
            &old_left,
            &old_right,
            (new, &to_old, &new_owner, &new_left),
        );
        let new_slot = slots(
            new.len(),
            &to_old,
            &new_owner,
            &new_left,
            &new_right,
            (old, &to_new, &old_owner, &old_left),
        );
        Context {
            old_slot,
            new_slot,
            held,
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
            shared_lists,
            gone,
        }
    }
}

/// See [`Context::wandering`].
fn wandering(
    evidence: &Evidence,
    gone: f32,
    to_new: &[u32],
    old_owner: &[u32],
    new_owner: &[u32],
) -> f32 {
    let (mut wandered, mut copied) = (0, evidence.doubles);
    // what was removed together says so once
    let mut is_counted = vec![false; to_new.len()];
    for &(i, j) in &evidence.singles {
        let owner = old_owner[i as usize] as usize;
        let is_near = to_new[owner] == new_owner[j as usize]
            || evidence.new.holds(to_new[old_owner[owner] as usize], j);
        if !is_near && (to_new[i as usize] == NONE || to_new[i as usize] == j) {
            wandered += u32::from(!std::mem::replace(&mut is_counted[owner], true));
        } else if to_new[i as usize] != j && to_new[i as usize] != NONE {
            copied += 1;
        }
    }
    let chance = copied as f32 * gone / (1.0 - gone).max(0.05);
    ((wandered as f32 + 1.0) / (chance + 1.0)).ln().clamp(0.0, 3.0)
}
