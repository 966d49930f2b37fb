//! What two trees share at their rim, taken off without changing the distance (unit costs).
//!
//! Three facts. Where the roots have equal labels, some optimal mapping pairs them: in any other
//! mapping the new root is inserted, or paired from below, or the old one is paired with a node
//! below the new root, and pairing the roots instead costs no more. Where two forests begin (or
//! end) with equal trees X, some optimal mapping pairs these node for node. For, given any mapping,
//! follow a node of the rest that is paired into the other X: jump to its equal in our own X,
//! follow the mapping again, and so on. Order and ancestry forbid that this ever leads back into
//! the rest, so each of these walks ends in a node of X that is deleted; dropping all pairs that
//! touch X and pairing X with X therefore deletes and inserts no more nodes than before. And a
//! forest of one tree on each side with equal root labels is the first case again.
//!
//! With several different trees on both sides nothing more is certain, and it stops. A page that
//! changed in one place shrinks to that place.

use crate::classes::classes;
use crate::shape::Shape;
use treelace_tree::tree::NONE;

/// What is left of two trees, and the pairs that are certain.
pub struct Stripped {
    /// What is left of the old tree; its root is paired with the root of the new one.
    pub old: Shape,
    /// What is left of the new tree.
    pub new: Shape,
    /// For each node that is left its index in the old shape.
    pub old_index: Vec<u32>,
    /// The same for the new one.
    pub new_index: Vec<u32>,
    /// Pairs of the shapes that were given, the roots of what is left not included.
    pub pairs: Vec<(u32, u32)>,
}

/// Takes off what is shared; `None` if nothing is.
pub fn strip(old: &Shape, new: &Shape) -> Option<Stripped> {
    if old.label[0] != new.label[0] {
        return None;
    }
    let (old_class, new_class) = classes(old, new);
    let mut pairs = Vec::new();
    let mut roots = (0, 0);
    let whole =
        |i: usize, j: usize| (0..old.size_of(i)).map(move |k| ((i + k) as u32, (j + k) as u32));
    loop {
        let (v, w) = roots;
        let (olds, news): (Vec<usize>, Vec<usize>) =
            (old.children(v).collect(), new.children(w).collect());
        let same = |(&i, &j): &(&usize, &usize)| old_class[i] == new_class[j];
        let front = olds.iter().zip(&news).take_while(same).count();
        let (rest_old, rest_new) = (&olds[front..], &news[front..]);
        let back = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(same).count();
        let (mid_old, mid_new) =
            (&rest_old[..rest_old.len() - back], &rest_new[..rest_new.len() - back]);
        for k in 0..front {
            pairs.extend(whole(olds[k], news[k]));
        }
        for k in 1..=back {
            pairs.extend(whole(olds[olds.len() - k], news[news.len() - k]));
        }
        if let (&[i], &[j]) = (mid_old, mid_new) {
            if old.label[i] == new.label[j] {
                pairs.push((v as u32, w as u32));
                roots = (i, j);
                continue;
            }
        }
        let (old_left, old_index) = keep(old, v, mid_old);
        let (new_left, new_index) = keep(new, w, mid_new);
        if old_left.len() == old.len() && new_left.len() == new.len() {
            return None;
        }
        return Some(Stripped { old: old_left, new: new_left, old_index, new_index, pairs });
    }
}

/// A root with some adjacent children of it, and where its nodes come from.
fn keep(shape: &Shape, root: usize, children: &[usize]) -> (Shape, Vec<u32>) {
    let range = match (children.first(), children.last()) {
        (Some(&first), Some(&last)) => first..shape.end[last] as usize,
        _ => 0..0,
    };
    let index: Vec<u32> = std::iter::once(root).chain(range.clone()).map(|i| i as u32).collect();
    let pick = |column: &[u32]| -> Vec<u32> { index.iter().map(|&i| column[i as usize]).collect() };
    let place = |i: u32| if i as usize == root { 0 } else { i - range.start as u32 + 1 };
    let mut left = Shape {
        node: pick(&shape.node),
        label: pick(&shape.label),
        has_document: shape.has_document && root == 0,
        ..Shape::default()
    };
    left.parent =
        std::iter::once(NONE).chain(range.clone().map(|i| place(shape.parent[i]))).collect();
    left.end = std::iter::once(index.len() as u32)
        .chain(range.clone().map(|i| shape.end[i] - range.start as u32 + 1))
        .collect();
    (left, index)
}
