//! Ways to go through a tree without recursion.

use super::{Tree, NONE};

/// Children of a node, left to right.
pub struct Children<'t> {
    tree: &'t Tree,
    next: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.next >= self.end {
            return None;
        }
        let child = self.next;
        self.next = self.tree.end(child);
        Some(child)
    }
}

/// Ancestors of a node, nearest first, the document last.
pub struct Ancestors<'t> {
    tree: &'t Tree,
    next: u32,
}

impl Iterator for Ancestors<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.next == NONE {
            return None;
        }
        let node = self.next as usize;
        self.next = self.tree.parent(node);
        Some(node)
    }
}

impl Tree {
    /// Child position of every node from 1; 0 for the document.
    pub fn positions(&self) -> Vec<u32> {
        let mut children = vec![0; self.len()];
        let mut positions = vec![0; self.len()];
        for (i, position) in positions.iter_mut().enumerate().skip(1) {
            let before = &mut children[self.parent(i) as usize];
            *before += 1;
            *position = *before;
        }
        positions
    }

    /// Children of node `i`, left to right.
    pub fn children(&self, i: usize) -> Children<'_> {
        Children { tree: self, next: i + 1, end: self.end(i) }
    }

    /// Ancestors of node `i`, nearest first.
    pub fn ancestors(&self, i: usize) -> Ancestors<'_> {
        Ancestors { tree: self, next: self.parent(i) }
    }

    /// The first child, if there is one.
    pub fn first_child(&self, i: usize) -> Option<usize> {
        (self.end(i) > i + 1).then_some(i + 1)
    }

    /// The next sibling, if there is one.
    pub fn next_sibling(&self, i: usize) -> Option<usize> {
        let parent = self.parent(i);
        if parent == NONE {
            return None;
        }
        let next = self.end(i);
        (next < self.end(parent as usize)).then_some(next)
    }

    /// Post-order: for each step the node visited, as one array. Linear, no recursion.
    pub fn post_order(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.len());
        let mut open: Vec<u32> = Vec::new();
        for i in 0..self.len() {
            while let Some(&top) = open.last() {
                if self.end(top as usize) > i {
                    break;
                }
                order.push(top);
                open.pop();
            }
            open.push(i as u32);
        }
        while let Some(top) = open.pop() {
            order.push(top);
        }
        order
    }
}
