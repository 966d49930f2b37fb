//! [`Forest`]: a sum of decision trees over features, learnt by the caller.

use treelace_tree::error::{Error, Result};

/// Most leaves of a tree: one bit each.
const MOST_LEAVES: usize = 64;

/// Decision trees, by what they ask (Lucchese et al., *QuickScorer*, SIGIR 2015): the questions
/// about one feature stand side by side, the lowest bound first. A row of features goes through
/// those that it answers with *more than the bound*, and each strikes out the leaves of its tree
/// that cannot be reached. What is left at last is one leaf a tree, the leftmost one that was not
/// struck out. So a row takes no branch that the processor could guess wrongly.
#[derive(Debug, Clone)]
pub struct Forest {
    /// The questions about feature `f` are `questions[starts[f]..starts[f + 1]]`.
    starts: Vec<u32>,
    questions: Vec<Question>,
    /// The values of the leaves, from left to right, tree by tree; and where each tree's start.
    values: Vec<f64>,
    first_leaf: Vec<u32>,
    base: f64,
}

/// A bound of a feature, the tree that asks, and the leaves of it that stay where the feature is
/// above the bound.
#[derive(Debug, Clone, Copy)]
struct Question {
    bound: f64,
    tree: u32,
    kept: u64,
}

impl Forest {
    /// The trees that start at `roots`, each in preorder: of node `i` the left child is `i + 1` and
    /// the right one `right[i]`; 0 marks a leaf. Children must stand behind their parents, so that
    /// every way down ends.
    pub fn new(
        roots: Vec<u32>,
        feature: Vec<u32>,
        bound: Vec<f64>,
        right: Vec<u32>,
        value: Vec<f64>,
        base: f64,
    ) -> Result<Forest> {
        let n = right.len();
        let is_whole = feature.len() == n
            && bound.len() == n
            && value.len() == n
            && roots.iter().all(|&root| (root as usize) < n);
        let goes_down = right
            .iter()
            .enumerate()
            .all(|(i, &right)| right == 0 || (right as usize) > i + 1 && (right as usize) < n);
        if !is_whole || !goes_down {
            return Err(Error::Usage("a tree's children must stand behind it".into()));
        }
        let (mut asked, mut values) = (Vec::new(), Vec::new());
        let mut first_leaf = Vec::with_capacity(roots.len());
        for (tree, &root) in roots.iter().enumerate() {
            first_leaf.push(values.len() as u32);
            let start = values.len();
            // a node, or the end of the left side of the question with this number
            let mut ahead = vec![Ahead::Node(root as usize)];
            while let Some(next) = ahead.pop() {
                match next {
                    Ahead::Node(i) if right[i] == 0 => values.push(value[i]),
                    Ahead::Node(i) => {
                        let left = values.len() - start;
                        ahead.push(Ahead::Node(right[i] as usize));
                        ahead.push(Ahead::LeftDone { node: i, left });
                        ahead.push(Ahead::Node(i + 1));
                    }
                    Ahead::LeftDone { node, left } => {
                        let struck = bits_below(values.len() - start) & !bits_below(left);
                        let question =
                            Question { bound: bound[node], tree: tree as u32, kept: !struck };
                        asked.push((feature[node], question));
                    }
                }
                if values.len() - start > MOST_LEAVES {
                    return Err(Error::Usage(format!("a tree has {MOST_LEAVES} leaves at most")));
                }
            }
        }
        asked.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.bound.total_cmp(&b.1.bound)));
        let width = asked.last().map_or(0, |last| last.0 as usize + 1);
        let starts =
            (0..=width).map(|f| asked.partition_point(|it| (it.0 as usize) < f) as u32).collect();
        let questions = asked.into_iter().map(|it| it.1).collect();
        Ok(Forest { starts, questions, values, first_leaf, base })
    }

    /// How many features it looks at, at least.
    pub fn width(&self) -> usize {
        self.starts.len() - 1
    }

    /// For each row of so many features, the sum of the leaves that it falls into, trees in order:
    /// up to a bound goes left.
    pub fn weigh(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let mut left = vec![u64::MAX; self.first_leaf.len()];
        let mut sum = |row: &[f64]| {
            left.fill(u64::MAX);
            for (range, &value) in self.starts.windows(2).zip(row) {
                let about = &self.questions[range[0] as usize..range[1] as usize];
                for question in about.iter().take_while(|it| value > it.bound || value.is_nan()) {
                    left[question.tree as usize] &= question.kept;
                }
            }
            left.iter().zip(&self.first_leaf).fold(self.base, |sum, (bits, &first)| {
                sum + self.values[first as usize + bits.trailing_zeros() as usize]
            })
        };
        rows.chunks_exact(width.max(1)).map(&mut sum).collect()
    }
}

/// What is still to do on a way through a tree.
enum Ahead {
    Node(usize),
    LeftDone { node: usize, left: usize },
}

/// The bits of the first so many leaves.
fn bits_below(leaves: usize) -> u64 {
    if leaves >= MOST_LEAVES {
        u64::MAX
    } else {
        (1 << leaves) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A way down as the trees are written, one step after the other.
    fn walked(roots: &[u32], trees: &[(u32, f64, u32, f64)], base: f64, row: &[f64]) -> f64 {
        roots.iter().fold(base, |sum, &root| {
            let mut node = root as usize;
            while trees[node].2 != 0 {
                let (feature, bound, right, _) = trees[node];
                node = if row[feature as usize] <= bound { node + 1 } else { right as usize };
            }
            sum + trees[node].3
        })
    }

    #[test]
    fn rows_end_in_the_leaves_that_the_ways_down_lead_to() {
        // (feature, bound, right, value), two trees of three leaves and one that is a leaf
        let trees = [
            (0, 0.5, 4, 0.0),
            (1, 2.0, 3, 0.0),
            (0, 0.0, 0, 1.0),
            (0, 0.0, 0, 2.0),
            (0, 0.0, 0, 4.0),
            (1, -1.0, 7, 0.0),
            (0, 0.0, 0, 8.0),
            (0, 0.5, 9, 0.0),
            (0, 0.0, 0, 16.0),
            (0, 0.0, 0, 32.0),
            (0, 0.0, 0, 64.0),
        ];
        let roots = [0, 5, 10];
        let forest = Forest::new(
            roots.to_vec(),
            trees.iter().map(|it| it.0).collect(),
            trees.iter().map(|it| it.1).collect(),
            trees.iter().map(|it| it.2).collect(),
            trees.iter().map(|it| it.3).collect(),
            0.25,
        )
        .unwrap();
        for x in [-2.0, 0.5, 0.6, f64::NAN] {
            for y in [-1.0, -0.5, 2.0, 2.5, f64::NAN] {
                let wanted = walked(&roots, &trees, 0.25, &[x, y]);
                assert_eq!(forest.weigh(&[x, y], 2), [wanted], "{x} {y}");
            }
        }
        assert_eq!(forest.width(), 2);
    }

    #[test]
    fn trees_that_go_up_or_are_too_large_are_refused() {
        let tree = |right: Vec<u32>| {
            let n = right.len();
            Forest::new(vec![0], vec![0; n], vec![0.0; n], right, vec![0.0; n], 0.0)
        };
        assert!(tree(vec![2, 0, 0]).is_ok());
        assert!(tree(vec![1, 0, 0]).is_err() && tree(vec![3, 0, 0]).is_err());
        // a list of questions, each with a leaf on its right
        let deep = |questions: u32| (0..questions).map(|i| 2 * questions - i).collect::<Vec<_>>();
        let of = |questions: u32| [deep(questions), vec![0; questions as usize + 1]].concat();
        assert!(tree(of(63)).is_ok() && tree(of(64)).is_err());
    }
}
