//! The Metropolis walk: full matchings built edge by edge, each from a part of the one before.

use super::bounds::{self, Edges};
use super::{cost, members, Problem};
use crate::random::Random;
use treelace_tree::error::Result;
use treelace_tree::watch::Watch;

/// An edge of a matching; `None` on one end is no-match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) old: Option<usize>,
    pub(super) new: Option<usize>,
}

/// The edges that remain in the graph; a node that is fixed keeps the one it is fixed by.
pub(super) struct State {
    pub(super) edges: [Edges; 2],
    open: [Vec<bool>; 2],
}

impl State {
    /// The complete graph between nodes of one kind, with the documents paired if there are any.
    pub(super) fn new(problem: &Problem<'_>) -> State {
        let [old, new] = [problem.sides[0].len(), problem.sides[1].len()];
        let to_new = (0..old)
            .map(|i| (0..new).filter(|&j| problem.may_pair(i, j)).fold(0, |set, j| set | 1 << j))
            .collect();
        let to_old = (0..new)
            .map(|j| (0..old).filter(|&i| problem.may_pair(i, j)).fold(0, |set, i| set | 1 << i))
            .collect();
        let edges = [
            Edges { to: to_new, alone: vec![true; old] },
            Edges { to: to_old, alone: vec![true; new] },
        ];
        let mut state = State { edges, open: [vec![true; old], vec![true; new]] };
        if problem.shapes[0].has_document {
            state.fix(Choice { old: Some(0), new: Some(0) });
        }
        state
    }

    /// Fixes an edge: every other edge of its ends goes.
    pub(super) fn fix(&mut self, choice: Choice) {
        let ends = [choice.old, choice.new];
        for side in 0..2 {
            let Some(x) = ends[side] else { continue };
            for y in members(self.edges[side].to[x]) {
                self.edges[1 - side].to[y] &= !(1 << x);
            }
            self.edges[side].to[x] = 0;
            self.edges[side].alone[x] = ends[1 - side].is_none();
            self.open[side][x] = false;
        }
        if let [Some(i), Some(j)] = ends {
            self.edges[0].to[i] = 1 << j;
            self.edges[1].to[j] = 1 << i;
        }
    }

    /// Whether the edge between two nodes is still in the graph.
    pub(super) fn remains(&self, i: usize, j: usize) -> bool {
        self.edges[0].to[i] >> j & 1 == 1
    }

    /// The edges that can still be chosen, with their working costs: the middle of their bounds.
    fn remaining(&self, problem: &Problem<'_>) -> Vec<(f64, Choice)> {
        let options = problem.options;
        let bounds = bounds::all(problem, self);
        let width = problem.sides[1].len();
        let mut found = Vec::new();
        for i in (0..problem.sides[0].len()).filter(|&i| self.open[0][i]) {
            for j in members(self.edges[0].to[i]) {
                let it = bounds[i * width + j];
                let ancestry = (it.least_ancestry + it.most_ancestry) / 2.0;
                let siblings = (it.least_siblings + it.most_siblings) / 2.0;
                let cost = options.rename * problem.rename(i, j)
                    + options.ancestry * ancestry
                    + options.siblings * siblings;
                found.push((cost, Choice { old: Some(i), new: Some(j) }));
            }
        }
        let alone =
            |side: usize| (0..problem.sides[side].len()).filter(move |&x| self.open[side][x]);
        found.extend(alone(0).map(|i| (options.no_match, Choice { old: Some(i), new: None })));
        found.extend(alone(1).map(|j| (options.no_match, Choice { old: None, new: Some(j) })));
        found
    }
}

/// A full matching: its edges in the order of their selection, and what it costs.
#[derive(Clone)]
struct Full {
    choices: Vec<Choice>,
    cost: f64,
}

/// The partner of each old node in the cheapest matching seen.
pub(super) fn walk(problem: &Problem<'_>, watch: &dyn Watch) -> Result<Vec<Option<usize>>> {
    let options = problem.options;
    let mut random = Random::new(options.seed);
    let mut current = suggest(problem, &[], 1.0, &mut random, watch)?;
    let mut best = current.clone();
    for _ in 0..options.iterations {
        let keep = random.below(current.choices.len());
        let suggested =
            suggest(problem, &current.choices[..keep], options.gamma, &mut random, watch)?;
        // f(suggested) / f(current), with f of eq. 2
        if random.unit() < (options.beta * (current.cost - suggested.cost)).exp() {
            current = suggested;
            if current.cost < best.cost {
                best = current.clone();
            }
        }
    }
    Ok(partners(problem, &best.choices))
}

/// A full matching that keeps these edges. Again and again all costs are estimated anew, and the
/// edges are asked from the cheapest on, each taken with chance γ, around and around.
fn suggest(
    problem: &Problem<'_>,
    kept: &[Choice],
    gamma: f64,
    random: &mut Random,
    watch: &dyn Watch,
) -> Result<Full> {
    let mut state = State::new(problem);
    kept.iter().for_each(|&choice| state.fix(choice));
    let mut choices = kept.to_vec();
    loop {
        watch.check()?;
        let mut edges = state.remaining(problem);
        if edges.is_empty() {
            break;
        }
        let mut passed = 0;
        while gamma < 1.0 && random.unit() >= gamma {
            passed += 1;
        }
        let at = passed % edges.len();
        let order = |choice: &Choice| {
            (choice.old.is_none() || choice.new.is_none(), choice.old, choice.new)
        };
        edges.select_nth_unstable_by(at, |a, b| {
            a.0.total_cmp(&b.0).then_with(|| order(&a.1).cmp(&order(&b.1)))
        });
        let choice = edges[at].1;
        state.fix(choice);
        choices.push(choice);
    }
    let cost = cost::priced(problem, &partners(problem, &choices)).cost;
    Ok(Full { choices, cost })
}

fn partners(problem: &Problem<'_>, choices: &[Choice]) -> Vec<Option<usize>> {
    let mut partner = vec![None; problem.sides[0].len()];
    if problem.shapes[0].has_document {
        partner[0] = Some(0);
    }
    for choice in choices {
        if let Some(i) = choice.old {
            partner[i] = choice.new;
        }
    }
    partner
}
