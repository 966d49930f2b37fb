//! `:has()`, answered for all elements at once: from the right end of the argument back to its
//! anchors.
//!
//! For `:has(> a b)`: all `b`; the `a` among their ancestors; the parents of those. Each step is
//! linear, and no step looks at one anchor at a time.

use super::super::bits::Bits;
use super::bind::Matcher;
use super::plan::{Combinator, Complex};

impl Matcher<'_> {
    /// Whether element `i` has what `:has()` number `place` asks for.
    pub(super) fn has(&self, place: usize, i: usize) -> bool {
        self.relatives[place].get_or_init(|| self.anchors(place)).has(i)
    }

    fn anchors(&self, place: usize) -> Bits {
        let relative = &self.plan.relatives[place];
        let mut anchors = Bits::new(self.tree.len());
        for selector in &relative.selectors {
            let range = self.reach(selector, relative.is_local);
            let mut nodes: Vec<usize> = Vec::new();
            let last = selector.compounds.last().expect("no selector is empty");
            for i in range {
                if !self.tick() {
                    return anchors;
                }
                if self.tree.is_element(i) && self.compound(last, i) && self.sees(i) {
                    nodes.push(i);
                }
            }
            for k in (1..selector.compounds.len()).rev() {
                let before = self.before(&nodes, selector.links[k]);
                nodes = before
                    .iter()
                    .filter(|&i| {
                        self.tick()
                            && self.tree.is_element(i)
                            && self.compound(&selector.compounds[k - 1], i)
                    })
                    .collect();
            }
            for i in self.before(&nodes, selector.links[0]).iter() {
                anchors.add(i);
            }
        }
        anchors
    }

    /// Where the right end of an argument may stand: anywhere, but for anchors that could be
    /// results only what they can see.
    fn reach(&self, selector: &Complex, is_local: bool) -> std::ops::Range<usize> {
        if !is_local || self.range.is_empty() {
            return 1..self.tree.len();
        }
        if self.range.len() > 1 {
            return self.range.clone();
        }
        let looks_right =
            matches!(selector.links[0], Combinator::NextSibling | Combinator::LaterSibling);
        let top = if looks_right {
            self.tree.parent(self.range.start) as usize
        } else {
            self.range.start
        };
        top + 1..self.tree.end(top)
    }

    /// Elements from which `link` leads to one of `nodes` (ascending).
    fn before(&self, nodes: &[usize], link: Combinator) -> Bits {
        let tree = self.tree;
        let mut found = Bits::new(tree.len());
        match link {
            Combinator::Child => {
                for &i in nodes {
                    found.add(tree.parent(i) as usize);
                }
            }
            Combinator::Descendant => {
                for &i in nodes {
                    for ancestor in tree.ancestors(i) {
                        if !found.add(ancestor) || !self.tick() {
                            break;
                        }
                    }
                }
            }
            Combinator::NextSibling | Combinator::LaterSibling => {
                self.left_of(nodes, link, &mut found)
            }
        }
        found
    }

    fn left_of(&self, nodes: &[usize], link: Combinator, found: &mut Bits) {
        let tree = self.tree;
        let mut is_wanted = Bits::new(tree.len());
        let mut parents = Bits::new(tree.len());
        for &i in nodes {
            is_wanted.add(i);
            parents.add(tree.parent(i) as usize);
        }
        let mut passed = Vec::new();
        for parent in parents.iter() {
            passed.clear();
            for child in tree.children(parent).filter(|&child| tree.is_element(child)) {
                if !self.tick() {
                    return;
                }
                if is_wanted.has(child) {
                    match link {
                        Combinator::NextSibling => passed.last().map(|&sibling| found.add(sibling)),
                        _ => passed.drain(..).map(|sibling| found.add(sibling)).last(),
                    };
                }
                passed.push(child);
            }
        }
    }
}
