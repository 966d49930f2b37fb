//! What speaks for a pair by itself, whatever else is matched: names, attributes, the rare things
//! inside and above, equal subtrees.

use std::cell::Cell;

use super::bag::{dice, Bags, Rare, RARE_ABOVE, RARE_BELOW};
use super::shape::{alike, shapes, Shapes, Things};
use super::side::{Attribute, Side};
use super::tokens::{ByHash, Tokens};
use super::weights::Term;
use treelace_tree::tree::NONE;

/// A token on one node in e⁶ says all that a token can say.
const IDF: f32 = 6.0;
/// How many numbers [`Evidence::look`] gives.
pub(super) const LOOKS: usize = 15;
/// Pairs of parents remembered.
const ABOVE: usize = 1 << 12;

/// Both sides with what is computed once.
pub(super) struct Evidence {
    pub(super) old: Side,
    pub(super) new: Side,
    pub(super) idf: Vec<f32>,
    rare_below: Rare,
    rare_above: Rare,
    old_below: Bags,
    new_below: Bags,
    old_above: Bags,
    new_above: Bags,
    things: Things,
    old_shape: Shapes,
    new_shape: Shapes,
    /// Logarithm of the weight of each old bag.
    old_mass: Vec<f32>,
    /// How often each digest, and each frame, stands in the old tree and in the new one.
    digests: ByHash<[u32; 2]>,
    frames: ByHash<[u32; 2]>,
    total: f32,
    /// Parents compared not long ago and how alike what stands above them is: siblings ask one
    /// after the other.
    above: Vec<Cell<(u32, u32, Option<f32>)>>,
    /// How much each row has to say about its parent, in [0, 1]: what is on every second row says
    /// nothing.
    pub(super) old_voice: Vec<f32>,
    /// Subtrees that say something, stand once on each side and are the largest equal ones there:
    /// (old, new).
    pub(super) singles: Vec<(u32, u32)>,
    /// How many such subtrees of the old tree stand twice in the new one.
    pub(super) doubles: u32,
    /// ln(1 + d) / ln(1 + n) for distances of d rows.
    pub(super) logarithms: Vec<f32>,
    pub(super) new_voice: Vec<f32>,
}

impl Evidence {
    pub(super) fn new(old: Side, new: Side, tokens: &Tokens) -> Evidence {
        let total = (old.len() + new.len()) as f32;
        let idf: Vec<f32> = tokens.counts.iter().map(|&count| idf(total, count)).collect();
        let rare_below = Rare::new(tokens, &idf, RARE_BELOW);
        let rare_above = Rare::new(tokens, &idf, RARE_ABOVE);
        let mut digests: ByHash<[u32; 2]> = ByHash::default();
        let mut frames: ByHash<[u32; 2]> = ByHash::default();
        for (at, side) in [&old, &new].into_iter().enumerate() {
            for i in 0..side.len() {
                digests.entry(side.digest[i]).or_default()[at] += 1;
                frames.entry(side.frame[i]).or_default()[at] += 1;
            }
        }
        let voice = |side: &Side| {
            side.digest
                .iter()
                .map(|digest| (2.0 / both(&digests, *digest) as f32).min(1.0))
                .collect()
        };
        let (old_voice, new_voice) = (voice(&old), voice(&new));
        let scale = 1.0 / (new.len() as f32).ln_1p();
        let logarithms =
            (0..=old.len().max(new.len())).map(|rows| (rows as f32).ln_1p() * scale).collect();
        let old_below = Bags::below(&old, &rare_below);
        let (singles, doubles) = copies(&old, &new, &old_below);
        let old_mass = (0..old.len()).map(|i| old_below.mass(i, &rare_below).ln_1p()).collect();
        let (things, old_shape, new_shape) = shapes(&old, &new);
        Evidence {
            old_mass,
            things,
            old_shape,
            new_shape,
            logarithms,
            singles,
            doubles,
            old_voice,
            new_voice,
            old_below,
            new_below: Bags::below(&new, &rare_below),
            old_above: Bags::above(&old, &rare_above),
            new_above: Bags::above(&new, &rare_above),
            old,
            new,
            idf,
            rare_below,
            rare_above,
            digests,
            frames,
            total,
            above: vec![Cell::new((NONE, NONE, None)); ABOVE],
        }
    }

    /// The evidence for a pair of rows of equal kind, context left out.
    #[inline]
    pub(super) fn collect(&self, i: usize, j: usize, add: &mut impl FnMut(Term, f32)) {
        let (old, new) = (&self.old, &self.new);
        if old.label[i] != new.label[j] {
            add(Term::OtherLabel, 1.0);
        }
        let is_equal = old.digest[i] == new.digest[j];
        if is_equal {
            add(Term::Digest, idf(self.total, both(&self.digests, old.digest[i])));
        } else if !old.is_text(i) && old.frame[i] == new.frame[j] {
            add(Term::Frame, idf(self.total, both(&self.frames, old.frame[i])));
        }
        let (left, right) = (self.old_below.get(i), self.new_below.get(j));
        if is_equal {
            if !left.is_empty() {
                add(Term::Bag, 1.0);
                add(Term::BagMass, self.old_mass[i]);
            }
            if !old.children(i).is_empty() {
                add(Term::Shape, 1.0);
            }
        } else {
            if left.is_empty() != right.is_empty() {
                add(Term::BagOneSided, 1.0);
            } else if let Some((alike, shared)) =
                dice((&self.old_below, i), (&self.new_below, j), &self.rare_below)
            {
                add(Term::Bag, alike);
                add(Term::BagOther, 1.0 - alike);
                add(Term::BagMass, shared.ln_1p());
            }
            if let Some(alike) = alike(&self.things, (&self.old_shape, i), (&self.new_shape, j)) {
                add(Term::Shape, alike);
                add(Term::OtherShape, 1.0 - alike);
            }
        }
        add(
            Term::Beside,
            beside(old, new, old.before[i], new.before[j])
                + beside(old, new, old.after[i], new.after[j]),
        );
        self.attributes(i, j, add);
        let (p, q) = (old.parent[i] as usize, new.parent[j] as usize);
        let above = self.above(p, q);
        if let Some(alike) = above {
            add(Term::Above, alike);
            add(Term::AboveOther, 1.0 - alike);
        }
        if old.path[i] == new.path[j] {
            add(Term::Path, 1.0);
        }
        let (a, b) = ((old.end[i] - i as u32) as f32, (new.end[j] - j as u32) as f32);
        add(Term::Size, (a / b).ln().abs().min(4.0));
        let (a, b) = (old.children(i).len() as f32, new.children(j).len() as f32);
        if a != b {
            add(Term::KidCount, (a - b).abs() / a.max(b));
        }
        if a == 0.0 {
            add(Term::Leaf, 1.0);
        }
        if self.is_bare(i) {
            add(Term::Bare, 1.0);
        }
    }

    /// Whether an old row says nothing by itself, nor its subtree anything rare.
    fn is_bare(&self, i: usize) -> bool {
        self.old_below.get(i).is_empty() && self.old.attributes(i).is_empty()
    }

    /// Whether a subtree stands in both trees.
    pub(super) fn is_in_both(&self, digest: u64) -> bool {
        self.digests.get(&digest).is_some_and(|counts| counts[0] > 0 && counts[1] > 0)
    }

    /// Whether an old row is an element that is not bare. Where nothing is said, place and
    /// neighbours decide as they are weighed.
    pub(super) fn says(&self, i: usize) -> bool {
        !self.old.is_text(i) && !self.is_bare(i)
    }

    /// What else there is to see of a pair that is looked at again.
    pub(super) fn look(&self, i: usize, j: usize) -> [f32; LOOKS] {
        let (old, new) = (&self.old, &self.new);
        let (mine, yours, frame) = (
            self.digests[&old.digest[i]],
            self.digests[&new.digest[j]],
            self.frames[&old.frame[i]],
        );
        let number = |count: u32| (count as f32).ln_1p();
        let only = |side: &Side, row: usize| {
            if let [child] = side.children(row) {
                side.digest[*child as usize]
            } else {
                0
            }
        };
        let truth = |is_so: bool| f32::from(u8::from(is_so));
        [
            number(old.end[i] - i as u32),
            number(new.end[j] - j as u32),
            number(old.children(i).len() as u32),
            number(new.children(j).len() as u32),
            number(mine[0]),
            number(mine[1]),
            number(yours[0]),
            number(yours[1]),
            number(frame[0]),
            number(frame[1]),
            old.attributes(i).len() as f32,
            new.attributes(j).len() as f32,
            truth(self.new_below.get(j).is_empty() && new.attributes(j).is_empty()),
            truth(only(new, j) == old.digest[i]),
            truth(only(old, i) == new.digest[j]),
        ]
    }

    /// How alike the rare things are that two rows and their ancestors say.
    fn above(&self, p: usize, q: usize) -> Option<f32> {
        let kept = &self.above[p.wrapping_mul(31).wrapping_add(q) % ABOVE];
        let (last_p, last_q, alike) = kept.get();
        if (last_p, last_q) == (p as u32, q as u32) {
            return alike;
        }
        let alike = dice((&self.old_above, p), (&self.new_above, q), &self.rare_above)
            .map(|(alike, _)| alike);
        kept.set((p as u32, q as u32, alike));
        alike
    }

    /// Attributes one by one, as they stand sorted by name.
    fn attributes(&self, i: usize, j: usize, add: &mut impl FnMut(Term, f32)) {
        let (left, right) = (self.old.attributes(i), self.new.attributes(j));
        let (mut a, mut b) = (0, 0);
        let (mut lost, mut gained) = (0, 0);
        let mut equal = 0.0;
        while a < left.len() && b < right.len() {
            let (x, y) = (&left[a], &right[b]);
            match x.name.cmp(&y.name) {
                std::cmp::Ordering::Less => {
                    lost += 1;
                    a += 1;
                }
                std::cmp::Ordering::Greater => {
                    gained += 1;
                    b += 1;
                }
                std::cmp::Ordering::Equal => {
                    if x.value == y.value {
                        equal += self.idf[x.value as usize];
                    } else {
                        self.differing(x, y, add);
                    }
                    a += 1;
                    b += 1;
                }
            }
        }
        lost += left.len() - a;
        gained += right.len() - b;
        add(Term::Value, equal);
        add(Term::LostAttribute, lost as f32);
        add(Term::GainedAttribute, gained as f32);
    }

    fn differing(&self, x: &Attribute, y: &Attribute, add: &mut impl FnMut(Term, f32)) {
        let (left, right) = (self.old.words(x), self.new.words(y));
        let (mut a, mut b) = (0, 0);
        let (mut shared, mut lost, mut gained) = (0.0f32, 0.0f32, 0.0f32);
        let mut best = 0.0f32;
        while a < left.len() && b < right.len() {
            let (s, t) = (left[a], right[b]);
            if s == t {
                let weight = self.idf[s as usize];
                shared += weight;
                best = best.max(weight);
                a += 1;
                b += 1;
            } else if s < t {
                lost += self.idf[s as usize];
                a += 1;
            } else {
                gained += self.idf[t as usize];
                b += 1;
            }
        }
        lost += left[a..].iter().map(|&t| self.idf[t as usize]).sum::<f32>();
        gained += right[b..].iter().map(|&t| self.idf[t as usize]).sum::<f32>();
        let total = 2.0 * shared + lost + gained + 1e-6;
        add(Term::Words, 2.0 * shared / total * best);
        add(Term::LostWords, lost / (shared + lost + 1e-6));
        add(Term::GainedWords, gained / (shared + gained + 1e-6));
    }
}

/// How often something stands in both trees together.
fn both(counts: &ByHash<[u32; 2]>, key: u64) -> u32 {
    counts[&key].iter().sum()
}

/// How alike two siblings of a pair are at a glance, in [0, 1].
fn beside(old: &Side, new: &Side, mine: u32, yours: u32) -> f32 {
    match (mine, yours) {
        (NONE, NONE) => 1.0,
        (NONE, _) | (_, NONE) => 0.0,
        (mine, yours) => {
            let (mine, yours) = (mine as usize, yours as usize);
            let is_named_alike = old.label[mine] == new.label[yours];
            (f32::from(u8::from(is_named_alike))
                + f32::from(u8::from(old.alone[mine] == new.alone[yours]))
                + 2.0 * f32::from(u8::from(old.digest[mine] == new.digest[yours])))
                / 4.0
        }
    }
}

/// Subtrees found once in each tree, and how many are found once in the old and twice in the new:
/// only of those that say something, and that are not part of a larger one found as often.
fn copies(old: &Side, new: &Side, old_below: &Bags) -> (Vec<(u32, u32)>, u32) {
    let mut found: ByHash<(u32, u32, u32)> = ByHash::default();
    for i in 0..old.len() {
        found.entry(old.digest[i]).or_default().0 += 1;
    }
    for j in 0..new.len() {
        if let Some(counts) = found.get_mut(&new.digest[j]) {
            counts.1 += 1;
            counts.2 = j as u32;
        }
    }
    let (mut singles, mut doubles) = (Vec::new(), 0);
    for i in 1..old.len() {
        let (here, there, j) = found[&old.digest[i]];
        let around = found[&old.digest[old.parent[i] as usize]].1;
        if here != 1 || old.is_text(i) || old_below.get(i).is_empty() || around >= there {
            continue;
        }
        match there {
            1 => singles.push((i as u32, j)),
            2 => doubles += 1,
            _ => {}
        }
    }
    (singles, doubles)
}

/// How much it says that two nodes share what `count` nodes of `total` have.
fn idf(total: f32, count: u32) -> f32 {
    (total / count.max(1) as f32).ln().clamp(0.0, IDF)
}
