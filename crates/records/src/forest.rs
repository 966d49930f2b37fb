//! [`Forest`]: a sum of decision trees over features, learnt by the caller.

use treelace_tree::error::{Error, Result};

/// Decision trees one after the other, each in preorder: of node `i` the left child is `i + 1` and
/// the right one `right[i]`; 0 marks a leaf.
#[derive(Debug, Clone)]
pub struct Forest {
    roots: Vec<u32>,
    feature: Vec<u32>,
    bound: Vec<f64>,
    right: Vec<u32>,
    value: Vec<f64>,
    base: f64,
}

impl Forest {
    /// The trees that start at `roots`. Children must stand behind their parents, so that every way
    /// down ends.
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
        if is_whole && goes_down {
            Ok(Forest { roots, feature, bound, right, value, base })
        } else {
            Err(Error::Usage("a tree's children must stand behind it".into()))
        }
    }

    /// How many features it looks at, at least.
    pub fn width(&self) -> usize {
        self.feature.iter().map(|&feature| feature as usize + 1).max().unwrap_or(0)
    }

    /// The sum of the leaves that a row of features falls into, trees in order: up to a bound goes
    /// left.
    pub fn weigh(&self, row: &[f64]) -> f64 {
        self.roots.iter().fold(self.base, |sum, &root| {
            let mut node = root as usize;
            while self.right[node] != 0 {
                let is_left = row[self.feature[node] as usize] <= self.bound[node];
                node = if is_left { node + 1 } else { self.right[node] as usize };
            }
            sum + self.value[node]
        })
    }
}
