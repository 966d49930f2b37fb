//! The pass: a selector list as an automaton that reads elements in document order.
//!
//! Each compound of each selector is one bit. Bit `k` of an element is set when compound `k` fits
//! it and the compounds to its left fit where its combinators say. What an element needs to know of
//! the nodes before it is in the frame of its parent: the bits of the parent, of all ancestors, of
//! the sibling before, of all siblings before. On `{a{b}{c{d}}}` the selector `a > b + c d` sets
//! bit 0 on `a`, bit 1 on `b`, bit 2 on `c`, bit 3 on `d`: one look at each node.

use std::ops::ControlFlow;

use super::super::bits::Bits;
use super::super::names::NameSet;
use super::bind::Matcher;
use super::plan::{Combinator, Complex, Test, MAX_COMPOUNDS};
use crate::error::Result;
use crate::tree::Kind;

/// The bits of one run of the automaton.
struct Automaton<'a> {
    /// For each bit the tests that are left when the name has been looked at.
    tests: Vec<&'a [Test]>,
    /// For each name of the tree the bits it may have.
    by_name: Vec<u64>,
    /// Bits without anything to their left.
    first: u64,
    /// Bits that complete a selector.
    last: u64,
    after_ancestor: u64,
    after_parent: u64,
    after_sibling_before: u64,
    after_siblings_before: u64,
}

/// What the children of an element know.
#[derive(Clone, Copy)]
struct Frame {
    end: usize,
    parent: u64,
    ancestors: u64,
    sibling_before: u64,
    siblings_before: u64,
}

/// Nodes to read: some by number, then a range.
struct Way {
    nodes: Vec<usize>,
    range: std::ops::Range<usize>,
}

impl Matcher<'_> {
    /// The answer: at most `limit` elements in document order.
    pub(super) fn select(&self, limit: usize) -> Result<Vec<u32>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let chunks = self.chunks(&self.plan.selectors);
        let is_plain = self.plan.selectors.iter().all(|it| it.compounds.len() == 1);
        let way = if is_plain {
            Way { nodes: Vec::new(), range: self.range.clone() }
        } else {
            self.way()
        };
        let mut is_sorted = true;
        for chunk in &chunks {
            let before = found.len();
            self.run(chunk, &way, |i| {
                found.push(i as u32);
                if found.len() - before >= limit {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            self.verdict()?;
            is_sorted &= before == 0;
        }
        if !is_sorted {
            found.sort_unstable();
            found.dedup();
            found.truncate(limit);
        }
        Ok(found)
    }

    /// Inner list number `place`, for all nodes that may be asked about.
    pub(super) fn list(&self, place: usize) -> Bits {
        let list = &self.plan.lists[place];
        let mut found = Bits::new(self.tree.len());
        let way = if list.is_wide {
            Way { nodes: Vec::new(), range: 1..self.tree.len() }
        } else {
            self.way()
        };
        for chunk in &self.chunks(&list.selectors) {
            self.run_all(chunk, &way, |i| {
                found.add(i);
                ControlFlow::Continue(())
            });
        }
        found
    }

    /// The nodes on the way to a result: ancestors of the range from the top (and where a selector
    /// looks left, their earlier siblings), then the range.
    fn way(&self) -> Way {
        let start = self.range.start;
        let mut nodes = Vec::new();
        let mut path: Vec<usize> = self.tree.ancestors(start.min(self.tree.len() - 1)).collect();
        if start >= self.tree.len() || self.range.is_empty() {
            path.clear();
        }
        path.pop();
        path.reverse();
        if self.plan.looks_left {
            let is_alone = self.range.len() == 1;
            for &node in path.iter().chain(is_alone.then_some(&start)) {
                nodes.extend(
                    self.tree.children(self.tree.parent(node) as usize).take_while(|&sibling| {
                        sibling < node || (sibling == node && node != start)
                    }),
                );
            }
        } else {
            nodes = path;
        }
        Way { nodes, range: self.range.clone() }
    }

    /// Selectors in groups that fit one word of bits.
    fn chunks<'p>(&self, selectors: &'p [Complex]) -> Vec<Automaton<'p>> {
        let mut chunks = Vec::new();
        let mut rest = selectors;
        while !rest.is_empty() {
            let mut bits = 0;
            let count = rest
                .iter()
                .take_while(|it| {
                    bits += it.compounds.len();
                    bits <= MAX_COMPOUNDS
                })
                .count();
            let (chunk, others) = rest.split_at(count.max(1));
            chunks.push(self.automaton(chunk));
            rest = others;
        }
        chunks
    }

    fn automaton<'p>(&self, selectors: &'p [Complex]) -> Automaton<'p> {
        let mut it = Automaton {
            tests: Vec::new(),
            by_name: Vec::new(),
            first: 0,
            last: 0,
            after_ancestor: 0,
            after_parent: 0,
            after_sibling_before: 0,
            after_siblings_before: 0,
        };
        let mut any_name = 0;
        let mut named = Vec::new();
        for selector in selectors {
            for (k, (compound, link)) in selector.compounds.iter().zip(&selector.links).enumerate()
            {
                let bit = 1 << it.tests.len();
                it.tests.push(&compound.tests);
                match compound.element {
                    None => any_name |= bit,
                    Some(place) => named.push((place, bit)),
                }
                match link {
                    _ if k == 0 => it.first |= bit,
                    Combinator::Descendant => it.after_ancestor |= bit,
                    Combinator::Child => it.after_parent |= bit,
                    Combinator::NextSibling => it.after_sibling_before |= bit,
                    Combinator::LaterSibling => it.after_siblings_before |= bit,
                }
            }
            it.last |= 1 << (it.tests.len() - 1);
        }
        it.by_name = vec![any_name; self.tree.names().len()];
        for (place, bit) in named {
            match &self.types[place] {
                NameSet::None => {}
                NameSet::One(id) => it.by_name[*id as usize] |= bit,
                NameSet::Some(flags) => flags
                    .iter()
                    .zip(&mut it.by_name)
                    .filter(|(flag, _)| **flag)
                    .for_each(|(_, bits)| *bits |= bit),
            }
        }
        it
    }

    /// Tells `found` of each element of the range that completes a selector.
    fn run(
        &self,
        automaton: &Automaton<'_>,
        way: &Way,
        mut found: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        if automaton.first & automaton.last == automaton.first | automaton.last {
            self.scan(automaton, way.range.clone(), found);
            return;
        }
        let start = way.range.start;
        self.run_all(
            automaton,
            way,
            |i| if i >= start { found(i) } else { ControlFlow::Continue(()) },
        );
    }

    /// Selectors without combinators need no frames.
    fn scan(
        &self,
        automaton: &Automaton<'_>,
        range: std::ops::Range<usize>,
        mut found: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        let tree = self.tree;
        let mut next_look = range.start + 4096;
        for i in range {
            if i >= next_look {
                next_look = i + 4096;
                if !self.look() {
                    return;
                }
            }
            let candidates = automaton.by_name[tree.name(i) as usize];
            if candidates == 0 || tree.kind(i) != Kind::Element {
                continue;
            }
            if self.bits(automaton, candidates, i) != 0 && self.sees(i) && found(i).is_break() {
                return;
            }
            if self.has_failed.get() {
                return;
            }
        }
    }

    /// As [`Matcher::run`], for all nodes of the way.
    fn run_all(
        &self,
        automaton: &Automaton<'_>,
        way: &Way,
        mut found: impl FnMut(usize) -> ControlFlow<()>,
    ) {
        let tree = self.tree;
        let mut top = Frame {
            end: tree.len(),
            parent: 0,
            ancestors: 0,
            sibling_before: 0,
            siblings_before: 0,
        };
        let mut frames = Vec::new();
        let mut next_look = 4096;
        let mut nodes = way.nodes.iter().copied();
        let mut next = way.range.start;
        let mut count = 0;
        loop {
            let i = match nodes.next() {
                Some(i) => i,
                None if next < way.range.end => {
                    next += 1;
                    next - 1
                }
                None => return,
            };
            count += 1;
            if count >= next_look {
                next_look = count + 4096;
                if !self.look() {
                    return;
                }
            }
            if tree.kind(i) != Kind::Element {
                continue;
            }
            while i >= top.end {
                top = frames.pop().expect("the document holds every node");
            }
            let mut candidates = automaton.first
                | (top.ancestors << 1 & automaton.after_ancestor)
                | (top.parent << 1 & automaton.after_parent)
                | (top.sibling_before << 1 & automaton.after_sibling_before)
                | (top.siblings_before << 1 & automaton.after_siblings_before);
            candidates &= automaton.by_name[tree.name(i) as usize];
            let bits = if candidates == 0 { 0 } else { self.bits(automaton, candidates, i) };
            if bits & automaton.last != 0 && self.sees(i) && found(i).is_break() {
                return;
            }
            if self.has_failed.get() {
                return;
            }
            top.sibling_before = bits;
            top.siblings_before |= bits;
            if tree.end(i) > i + 1 {
                frames.push(top);
                top = Frame {
                    end: tree.end(i),
                    parent: bits,
                    ancestors: top.ancestors | bits,
                    sibling_before: 0,
                    siblings_before: 0,
                };
            }
        }
    }

    fn bits(&self, automaton: &Automaton<'_>, candidates: u64, i: usize) -> u64 {
        let mut rest = candidates;
        let mut bits = 0;
        while rest != 0 {
            let k = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if self.tests(automaton.tests[k], i) {
                bits |= 1 << k;
            }
        }
        bits
    }
}
