//! Valiente's bottom-up distance ("An efficient bottom-up distance between trees", SPIRE 2001):
//! only nodes of equal subtrees are paired.
//!
//! The old tree is read level by level; an unpaired node whose subtree occurs in the new tree, free
//! from top to bottom, is paired with the first such place, node for node. `distance = n + m - 2 ·
//! pairs`. Labels count, so there are no renames. Linear.

use super::Restricted;
use crate::classes::classes;
use crate::shape::Shape;
use treelace_tree::error::Result;
use treelace_tree::hash::Map;
use treelace_tree::tree::NONE;
use treelace_tree::watch::Watch;

/// The distance and its mapping.
pub fn bottom_up(old: &Shape, new: &Shape, watch: &dyn Watch) -> Result<Restricted> {
    let (old_class, new_class) = classes(old, new);
    let mut places: Map<u32, Vec<u32>> = Map::default();
    for j in (0..new.len()).rev() {
        places.entry(new_class[j]).or_default().push(j as u32);
    }
    let depths = old.depths();
    let mut by_level: Vec<u32> = (0..old.len() as u32).collect();
    by_level.sort_by_key(|&i| depths[i as usize]);
    let mut is_paired = vec![false; old.len()];
    // taken itself, or with a node below that is taken
    let mut is_used = vec![false; new.len()];
    let mut pairs = Vec::new();
    for &i in &by_level {
        let i = i as usize;
        if i.is_multiple_of(4096) {
            watch.check()?;
        }
        if is_paired[i] {
            continue;
        }
        // what is used stays used
        let Some(free) = places.get_mut(&old_class[i]) else { continue };
        while free.last().is_some_and(|&j| is_used[j as usize]) {
            free.pop();
        }
        let Some(j) = free.pop() else { continue };
        let j = j as usize;
        for k in 0..old.size_of(i) {
            is_paired[i + k] = true;
            is_used[j + k] = true;
            pairs.push(((i + k) as u32, (j + k) as u32));
        }
        let mut above = new.parent[j];
        while above != NONE && !is_used[above as usize] {
            is_used[above as usize] = true;
            above = new.parent[above as usize];
        }
    }
    pairs.sort_unstable();
    let is_document = |i: u32| old.has_document && i == 0;
    let kept = pairs.iter().filter(|&&(i, _)| !is_document(i)).count();
    Ok(Restricted { distance: (old.size() + new.size() - 2 * kept) as u64, pairs })
}
