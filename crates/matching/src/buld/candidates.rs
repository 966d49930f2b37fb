//! The best candidate for a new node: an equal old subtree, the nearer its matched ancestor the
//! better (§5.2, §5.3).
//!
//! The paper's secondary index: for levels 1 to 3 all candidates of a class sorted by their
//! ancestor, so the candidates under a matched ancestor are one slice. Matched ones are skipped for
//! good by links that shorten as they are used: no cap, no second look. Above level 3 candidates
//! are enumerated; there are at most W₀/W of them, and d grows only as W/W₀.

use super::super::subtrees::Subtrees;
use super::{State, SHORT_TEXT};
use treelace_tree::error::Result;
use treelace_tree::tree::{Kind, NONE};
use treelace_tree::watch::Watch;

/// Levels with an index of their own.
const LEVELS: usize = 3;

/// Rows (class, ancestor at this level, node), sorted.
#[derive(Default)]
struct Index {
    rows: Vec<(u32, u32, u32)>,
    /// The next row that may be free: the row itself, or one behind it.
    next: Vec<u32>,
}

/// All indexes.
pub(super) struct Candidates {
    levels: [Index; LEVELS],
    /// Old nodes by class, in document order.
    by_class: Index,
    /// Child position of every old and new node.
    old_position: Vec<u32>,
    new_position: Vec<u32>,
}

impl Index {
    fn finish(&mut self) {
        self.rows.sort_unstable();
        self.next = (0..=self.rows.len() as u32).collect();
    }

    /// The first row from `row` on that may be free.
    fn free_from(&mut self, row: usize, is_taken: &impl Fn(u32) -> bool) -> usize {
        let mut end = row;
        loop {
            let next = self.next[end] as usize;
            if next != end {
                end = next;
            } else if end < self.rows.len() && is_taken(self.rows[end].2) {
                self.next[end] = end as u32 + 1;
            } else {
                break;
            }
        }
        let mut at = row;
        while at < end {
            at = std::mem::replace(&mut self.next[at], end as u32) as usize;
        }
        end
    }

    /// The first free node of `class` under `ancestor`, and the row after it.
    fn first(&mut self, class: u32, ancestor: u32, is_taken: &impl Fn(u32) -> bool) -> Option<u32> {
        let start = self.rows.partition_point(|row| (row.0, row.1) < (class, ancestor));
        let at = self.free_from(start, is_taken);
        self.rows.get(at).filter(|row| (row.0, row.1) == (class, ancestor)).map(|row| row.2)
    }
}

impl Candidates {
    /// Indexes the old nodes whose class occurs in the new version.
    pub fn index(subtrees: &Subtrees<'_>, watch: &dyn Watch) -> Result<Self> {
        let old = &subtrees.old;
        let mut it = Candidates {
            levels: Default::default(),
            by_class: Index::default(),
            old_position: old.tree.positions(),
            new_position: subtrees.new.tree.positions(),
        };
        for i in 1..old.tree.len() {
            let class = old.class[i];
            if subtrees.new_count[class as usize] == 0 {
                continue;
            }
            it.by_class.rows.push((class, 0, i as u32));
            for (level, ancestor) in old.tree.ancestors(i).take(LEVELS).enumerate() {
                it.levels[level].rows.push((class, ancestor as u32, i as u32));
            }
        }
        watch.check()?;
        it.levels.iter_mut().for_each(Index::finish);
        it.by_class.finish();
        Ok(it)
    }

    /// The best free candidate for new node `j`, up to `depth` levels.
    pub fn best(&mut self, state: &State<'_, '_>, j: usize, depth: u32) -> Option<usize> {
        let (old, new) = (&state.subtrees.old, &state.subtrees.new);
        if state.new_locked[j] {
            return None;
        }
        let class = new.class[j];
        if state.subtrees.old_count[class as usize] == 0 {
            return None;
        }
        let is_taken = |i: u32| state.new_of[i as usize] != NONE || state.old_locked[i as usize];
        let start = self.by_class.rows.partition_point(|row| row.0 < class);
        let first = self.by_class.free_from(start, &is_taken);
        let only = self.by_class.rows.get(first).filter(|row| row.0 == class)?.2 as usize;
        let second = self.by_class.free_from(first + 1, &is_taken);
        let is_single = self.by_class.rows.get(second).is_none_or(|row| row.0 != class);
        let is_short = new.tree.kind(j) != Kind::Element && new.tree.text(j).len() < SHORT_TEXT;
        if is_single && !is_short {
            return Some(only);
        }
        for (level, ancestor) in new.tree.ancestors(j).take(depth as usize).enumerate() {
            let partner = state.old_of[ancestor];
            if partner == NONE {
                continue;
            }
            let found = if level < LEVELS {
                if level == 0 {
                    if let Some(i) = self.at_same_position(state, j, partner) {
                        return Some(i);
                    }
                }
                self.levels[level].first(class, partner, &is_taken)
            } else {
                let is_under =
                    |i: u32| old.tree.ancestors(i as usize).nth(level) == Some(partner as usize);
                let end = self.by_class.rows.partition_point(|row| row.0 <= class);
                self.by_class.rows[first..end]
                    .iter()
                    .map(|row| row.2)
                    .find(|&i| !is_taken(i) && is_under(i))
            };
            if let Some(i) = found {
                return Some(i as usize);
            }
        }
        None
    }

    /// The child of `parent` at the position of `j`, if it is free and equal to it.
    fn at_same_position(&mut self, state: &State<'_, '_>, j: usize, parent: u32) -> Option<usize> {
        let class = state.subtrees.new.class[j];
        let rows = &self.levels[0].rows;
        let start = rows.partition_point(|row| (row.0, row.1) < (class, parent));
        let end = start + rows[start..].partition_point(|row| (row.0, row.1) == (class, parent));
        let position = self.new_position[j];
        let at = start
            + rows[start..end].partition_point(|row| self.old_position[row.2 as usize] < position);
        let row = rows[start..end].get(at - start)?;
        let i = row.2 as usize;
        (self.old_position[i] == position && state.is_free(i, j)).then_some(i)
    }
}
