//! CSS: selectors level 4, as browsers have them.
//!
//! Servo's `selectors` reads the grammar. Matching is our own, for three reasons found in Servo's
//! matcher, which is built for styling one element at a time: `:has()` recurses on the depth of the
//! document, `x ~ y` and `x > y z` go back over all earlier siblings or ancestors of each
//! candidate, and both make hostile pages quadratic or worse. Here a selector list is one automaton
//! that reads the tree once, from front to back ([`pass`]): a compound is one bit, a node's bits
//! say which prefixes of which selectors end in it, and a combinator asks for the bits of the
//! parent, of all ancestors, of the sibling before, or of all siblings before. `:has()` is answered
//! for all elements at once from right to left ([`relative`]), `:nth-child()` for all children of a
//! parent at once ([`nth`]). Time is O(nodes × compounds) for every selector and every tree. The
//! tests hold the answers against Servo's matcher.

mod bind;
mod grammar;
mod nth;
mod pass;
mod plan;
mod pseudo;
mod relative;
#[cfg(test)]
mod servo;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bind::Matcher;
use plan::Plan;

use crate::error::Result;
use crate::tree::Tree;
use crate::watch::Watch;

/// A selector list, compiled: independent of any tree.
#[derive(Clone)]
pub struct Css {
    plan: Plan,
}

impl Css {
    /// Reads a selector list. `namespaces` maps prefixes to namespaces; the empty prefix is the
    /// default namespace.
    pub fn compile(text: &str, namespaces: &BTreeMap<String, String>) -> Result<Css> {
        Ok(Css { plan: Plan::lower(&grammar::parse(text, namespaces)?)? })
    }

    /// The elements below `scope` that match, in document order, at most `limit`. As
    /// `querySelectorAll`: the whole document counts as context, `:scope` is the node itself (the
    /// root element where it is the document).
    pub fn select(
        &self,
        tree: &Tree,
        scope: usize,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<Vec<u32>> {
        Matcher::new(&self.plan, tree, scope, scope + 1..tree.end(scope), watch)?.select(limit)
    }

    /// Whether element `i` matches. Other nodes never do.
    pub fn matches(&self, tree: &Tree, i: usize, watch: &dyn Watch) -> Result<bool> {
        if !tree.is_element(i) {
            return Ok(false);
        }
        // :scope of Element.matches is the element itself
        let found = Matcher::new(&self.plan, tree, i, i..i + 1, watch)?.select(1)?;
        Ok(!found.is_empty())
    }
}
