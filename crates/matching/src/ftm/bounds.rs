//! Between which numbers the cost of a pair must lie, given the edges that remain.
//!
//! For a pair (m, n), and again with the two trees exchanged:
//!
//! - *ancestry*: at most the children of m with an edge to a node that is no child of n; at least
//!   those with no edge to a child of n and none to no-match.
//! - *siblings*: with U_D, L_D the same for the siblings of m other than m, against the siblings of
//!   n other than n; U_I = 1 + those with an edge to such a sibling, L_I = 1 + those with no other
//!   edge. Once D is not empty there are at least two families, and never more than |D| + 1, so |D|
//!   / (|I| |F|) is at most U_D / (2 L_I) and at least L_D / (U_I (L_D + 1)).

use super::walk::State;
use super::{members, Problem, Set, Side};

/// Bounds of c_a and c_s of one pair.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// c_a is at least this.
    pub least_ancestry: f64,
    /// c_a is at most this.
    pub most_ancestry: f64,
    /// c_s is at least this.
    pub least_siblings: f64,
    /// c_s is at most this.
    pub most_siblings: f64,
}

/// The edges of one side: for each node the nodes it may still go to, and whether it may stay
/// alone.
pub(super) struct Edges {
    pub(super) to: Vec<Set>,
    pub(super) alone: Vec<bool>,
}

/// The bounds of all pairs, in rows of the old tree; what stands at pairs that do not remain means
/// nothing.
pub(super) fn all(problem: &Problem<'_>, state: &State) -> Vec<Bounds> {
    let [old, new] = &problem.sides;
    let width = new.len();
    let mut out = vec![Bounds::default(); old.len() * width];
    half(old, new, &state.edges[0], |m, n| m * width + n, &mut out);
    half(new, old, &state.edges[1], |m, n| n * width + m, &mut out);
    out
}

fn half(
    me: &Side,
    you: &Side,
    edges: &Edges,
    at: impl Fn(usize, usize) -> usize,
    out: &mut [Bounds],
) {
    for m in 0..me.len() {
        if me.children[m] == 0 {
            continue;
        }
        for n in members(edges.to[m]) {
            let entry = &mut out[at(m, n)];
            for x in members(me.children[m]) {
                let inside = edges.to[x] & you.children[n];
                entry.most_ancestry += f64::from(u8::from(edges.to[x] & !you.children[n] != 0));
                entry.least_ancestry += f64::from(u8::from(inside == 0 && !edges.alone[x]));
            }
        }
    }
    for group in me.groups.iter().filter(|group| group.len() > 1) {
        for n in 0..you.len() {
            // counted once for the whole group; each member then takes itself out
            let whole =
                group.iter().fold(Counts::default(), |sum, &x| sum + Counts::of(x, n, you, edges));
            for &m in group.iter().filter(|&&m| edges.to[m] >> n & 1 == 1) {
                let others = whole - Counts::of(m, n, you, edges);
                let entry = &mut out[at(m, n)];
                entry.most_siblings += others.most_out / (2.0 * (1.0 + others.least_in));
                entry.least_siblings +=
                    others.least_out / ((1.0 + others.most_in) * (1.0 + others.least_out));
            }
        }
    }
}

/// Siblings that can, and must, go to siblings of n or elsewhere.
#[derive(Clone, Copy, Default)]
struct Counts {
    most_out: f64,
    least_out: f64,
    most_in: f64,
    least_in: f64,
}

impl Counts {
    fn of(x: usize, n: usize, you: &Side, edges: &Edges) -> Counts {
        let others = you.siblings[n] & !(1 << n);
        let (to, alone) = (edges.to[x], edges.alone[x]);
        let one = |holds: bool| f64::from(u8::from(holds));
        Counts {
            most_out: one(to & !you.siblings[n] != 0),
            least_out: one(to & others == 0 && !alone),
            most_in: one(to & others != 0),
            least_in: one(to & others != 0 && to & !others == 0 && !alone),
        }
    }
}

impl std::ops::Add for Counts {
    type Output = Counts;

    fn add(self, other: Counts) -> Counts {
        Counts {
            most_out: self.most_out + other.most_out,
            least_out: self.least_out + other.least_out,
            most_in: self.most_in + other.most_in,
            least_in: self.least_in + other.least_in,
        }
    }
}

impl std::ops::Sub for Counts {
    type Output = Counts;

    fn sub(self, other: Counts) -> Counts {
        Counts {
            most_out: self.most_out - other.most_out,
            least_out: self.least_out - other.least_out,
            most_in: self.most_in - other.most_in,
            least_in: self.least_in - other.least_in,
        }
    }
}
