//! Equal subtrees have equal numbers, in both trees.
//!
//! A subtree is its label and the list of its subtrees; a list is its first subtree and the rest.
//! Both are interned as pairs of numbers, so equality is exact: no hash decides. Linear time.

use super::shape::Shape;
use treelace_tree::hash::Map;

const EMPTY: u32 = 0;

/// The class of every subtree of `old` and of `new`.
pub fn classes(old: &Shape, new: &Shape) -> (Vec<u32>, Vec<u32>) {
    let mut trees: Map<(u32, u32), u32> = Map::default();
    let mut lists: Map<(u32, u32), u32> = Map::default();
    let mut of = |shape: &Shape| {
        let mut class = vec![0; shape.len()];
        // the children seen so far, from the last one on
        let mut list = vec![EMPTY; shape.len()];
        for i in (0..shape.len()).rev() {
            let next = trees.len() as u32;
            class[i] = *trees.entry((shape.label[i], list[i])).or_insert(next);
            if i > 0 {
                let parent = shape.parent[i] as usize;
                let next = lists.len() as u32 + 1;
                list[parent] = *lists.entry((class[i], list[parent])).or_insert(next);
            }
        }
        class
    };
    (of(old), of(new))
}
