//! Step 5: the Metropolis walk over full matchings.
//!
//! A full matching covers every node once, by an edge or by its no-match edge. It is kept as the
//! list of its edges in the order in which they were selected, because the next suggestion keeps
//! the first few of them.

use super::{Edge, Options};
use crate::random::Random;
use treelace_tree::error::Result;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// Partner and similarity of each old element, if it has one.
pub(super) type Partners = Vec<Option<(u32, f64)>>;

/// All edges sorted by (cost, old, new), the no-match edges among them, before nothing of their own
/// cost.
struct Graph {
    edges: Vec<Row>,
    old: usize,
    new: usize,
}

/// An edge; `NONE` on one end is a no-match node.
#[derive(Clone, Copy)]
struct Row {
    old: u32,
    new: u32,
    cost: f64,
    similarity: f64,
}

/// A full matching: its edges in the order of their selection, and c(M) / |M|.
#[derive(Clone)]
struct Full {
    edges: Vec<u32>,
    mean_cost: f64,
}

/// The best full matching seen on the walk.
pub(super) fn search(
    edges: Vec<Edge>,
    old: usize,
    new: usize,
    options: &Options,
    watch: &dyn Watch,
) -> Result<Partners> {
    let graph = Graph::new(edges, old, new, options.no_match);
    let mut random = Random::new(options.seed);
    let mut current = graph.suggest(&[], 1.0, &mut random, watch)?;
    let mut best = current.clone();
    for _ in 0..options.iterations {
        let keep = random.below(current.edges.len());
        let kept =
            if options.as_printed { graph.cheapest(keep) } else { current.edges[..keep].to_vec() };
        let suggested = graph.suggest(&kept, options.gamma, &mut random, watch)?;
        // f(suggested) / f(current), with f of eq. 11
        let chance = (options.beta * (current.mean_cost - suggested.mean_cost)).exp();
        if random.unit() < chance {
            current = suggested;
            if current.mean_cost < best.mean_cost {
                best = current.clone();
            }
        }
    }
    let mut partners = vec![None; old];
    for &at in &best.edges {
        let edge = graph.edges[at as usize];
        if edge.old != NONE && edge.new != NONE {
            partners[edge.old as usize] = Some((edge.new, edge.similarity));
        }
    }
    Ok(partners)
}

impl Graph {
    /// Step 4: costs (eq. 9), and the order in which Algorithm 2 looks at the edges.
    fn new(edges: Vec<Edge>, old: usize, new: usize, no_match: f64) -> Graph {
        let real = edges.iter().map(|edge| Row {
            old: edge.old,
            new: edge.new,
            cost: 1.0 / (1.0 + edge.similarity),
            similarity: edge.similarity,
        });
        let left =
            (0..old as u32).map(|i| Row { old: i, new: NONE, cost: no_match, similarity: 0.0 });
        let right =
            (0..new as u32).map(|j| Row { old: NONE, new: j, cost: no_match, similarity: 0.0 });
        let mut rows: Vec<Row> = real.chain(left).chain(right).collect();
        let is_no_match = |row: &Row| row.old == NONE || row.new == NONE;
        rows.sort_unstable_by(|a, b| {
            a.cost
                .total_cmp(&b.cost)
                .then_with(|| (is_no_match(a), a.old, a.new).cmp(&(is_no_match(b), b.old, b.new)))
        });
        Graph { edges: rows, old, new }
    }

    /// The first edges a greedy pass selects: what Algorithm 2 keeps as it is printed.
    fn cheapest(&self, count: usize) -> Vec<u32> {
        let mut covered = Covered::new(self);
        let mut kept = Vec::with_capacity(count);
        for (at, edge) in self.edges.iter().enumerate() {
            if kept.len() == count {
                break;
            }
            if covered.is_free(edge) {
                covered.cover(edge);
                kept.push(at as u32);
            }
        }
        kept
    }

    /// Algorithm 2, after the edges to keep: again and again the first remaining edge is taken with
    /// chance γ, else the next, around and around, until every node is covered.
    fn suggest(
        &self,
        kept: &[u32],
        gamma: f64,
        random: &mut Random,
        watch: &dyn Watch,
    ) -> Result<Full> {
        let mut covered = Covered::new(self);
        let mut selected = kept.to_vec();
        let mut cost = 0.0;
        for &at in kept {
            covered.cover(&self.edges[at as usize]);
            cost += self.edges[at as usize].cost;
        }
        // edges passed over, still in order: they stand before `next` and are asked first
        let mut passed: Vec<u32> = Vec::new();
        let mut next = 0;
        let mut steps = 0u32;
        'select: while covered.missing > 0 {
            let mut at = 0;
            loop {
                steps = steps.wrapping_add(1);
                if steps.is_multiple_of(65_536) {
                    watch.check()?;
                }
                let (candidate, place) = if at < passed.len() {
                    (passed[at], Some(at))
                } else if next < self.edges.len() {
                    next += 1;
                    (next as u32 - 1, None)
                } else if passed.is_empty() {
                    break 'select;
                } else {
                    at = 0;
                    continue;
                };
                let edge = &self.edges[candidate as usize];
                if !covered.is_free(edge) {
                    if let Some(place) = place {
                        passed.remove(place);
                    }
                    continue;
                }
                if gamma >= 1.0 || random.unit() < gamma {
                    if let Some(place) = place {
                        passed.remove(place);
                    }
                    covered.cover(edge);
                    selected.push(candidate);
                    cost += edge.cost;
                    continue 'select;
                }
                if place.is_none() {
                    passed.push(candidate);
                }
                at += 1;
            }
        }
        let mean_cost = if selected.is_empty() { 0.0 } else { cost / selected.len() as f64 };
        Ok(Full { edges: selected, mean_cost })
    }
}

/// Which nodes are covered.
struct Covered {
    old: Vec<bool>,
    new: Vec<bool>,
    missing: usize,
}

impl Covered {
    fn new(graph: &Graph) -> Covered {
        Covered {
            old: vec![false; graph.old],
            new: vec![false; graph.new],
            missing: graph.old + graph.new,
        }
    }

    fn is_free(&self, edge: &Row) -> bool {
        (edge.old == NONE || !self.old[edge.old as usize])
            && (edge.new == NONE || !self.new[edge.new as usize])
    }

    fn cover(&mut self, edge: &Row) {
        for (end, covered) in [(edge.old, &mut self.old), (edge.new, &mut self.new)] {
            if end != NONE {
                covered[end as usize] = true;
                self.missing -= 1;
            }
        }
    }
}
