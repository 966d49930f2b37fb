//! Servo's matcher on our tree: the oracle of the tests.

use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode,
    SelectorCaches,
};
use selectors::matching::{matches_selector_list, ElementSelectorFlags};
use selectors::{Element, OpaqueElement};

use super::bind::Matcher;
use super::grammar::{self, Grammar, NoPseudoElement, Text};
use super::plan::{Plan, Test};
use super::pseudo::Pseudo;
use crate::tree::{Format, Quirks, Tree};
use crate::watch::Unwatched;

/// The elements below `scope` that match by Servo's matcher.
pub(super) fn select(text: &str, tree: &Tree, scope: usize) -> Vec<u32> {
    let list = grammar::parse(text, &Default::default()).unwrap();
    let plan = Plan::default();
    let matcher = Matcher::new(&plan, tree, scope, 1..tree.len(), &Unwatched).unwrap();
    let quirks =
        if tree.meta().quirks == Quirks::Full { QuirksMode::Quirks } else { QuirksMode::NoQuirks };
    let mut caches = SelectorCaches::default();
    let mut context = MatchingContext::new(
        MatchingMode::Normal,
        None,
        &mut caches,
        quirks,
        NeedsSelectorFlags::No,
        MatchingForInvalidation::No,
    );
    if scope != 0 {
        context.scope_element = Some(Node { matcher: &matcher, i: scope }.opaque());
    }
    (scope + 1..tree.end(scope))
        .filter(|&i| {
            tree.is_element(i)
                && matcher.sees(i)
                && matches_selector_list(&list, Node { matcher: &matcher, i }, &mut context)
        })
        .map(|i| i as u32)
        .collect()
}

#[derive(Clone, Copy)]
struct Node<'a> {
    matcher: &'a Matcher<'a>,
    i: usize,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.i)
    }
}

impl<'a> Node<'a> {
    fn tree(&self) -> &'a Tree {
        self.matcher.tree
    }

    fn element(&self, i: usize) -> Option<Self> {
        (self.tree().is_element(i) && (self.matcher.sees(i) || !self.matcher.sees(self.i)))
            .then_some(Node { i, ..*self })
    }

    fn siblings(&self) -> Vec<Self> {
        self.tree()
            .children(self.tree().parent(self.i) as usize)
            .filter_map(|i| self.element(i))
            .collect()
    }
}

impl Element for Node<'_> {
    type Impl = Grammar;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(&self.tree().kind_numbers()[self.i])
    }

    fn parent_element(&self) -> Option<Self> {
        self.element(self.tree().parent(self.i) as usize)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.siblings().into_iter().rev().find(|it| it.i < self.i)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.siblings().into_iter().find(|it| it.i > self.i)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.tree().children(self.i).find_map(|i| self.element(i))
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.tree().meta().format == Format::Html && self.matcher.is_html(self.i)
    }

    fn has_local_name(&self, local: &Text) -> bool {
        self.tree().local(self.i) == local.0
    }

    fn has_namespace(&self, namespace: &Text) -> bool {
        self.tree().names().namespace(self.tree().name(self.i)) == namespace.0
    }

    fn is_same_type(&self, other: &Self) -> bool {
        let names = self.tree().names();
        let of = |i: usize| (names.namespace(self.tree().name(i)), self.tree().local(i));
        of(self.i) == of(other.i)
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Text>,
        local: &Text,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        let tree = self.tree();
        tree.attributes(self.i).any(|a| {
            let fits = match namespace {
                NamespaceConstraint::Any => true,
                NamespaceConstraint::Specific(uri) => {
                    tree.names().namespace(tree.attr_name(a)) == uri.0
                }
            };
            fits && tree.attr_local(a) == local.0 && operation.eval_str(tree.attr_value(a))
        })
    }

    fn match_non_ts_pseudo_class(
        &self,
        pseudo: &Pseudo,
        _: &mut MatchingContext<'_, Grammar>,
    ) -> bool {
        self.matcher.tests(&[Test::Pseudo(pseudo.clone())], self.i)
    }

    fn match_pseudo_element(
        &self,
        pseudo: &NoPseudoElement,
        _: &mut MatchingContext<'_, Grammar>,
    ) -> bool {
        match *pseudo {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.matcher.is_link(self.i)
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Text, case: CaseSensitivity) -> bool {
        self.tree()
            .attribute(self.i, "id")
            .is_some_and(|value| case.eq(value.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, class: &Text, case: CaseSensitivity) -> bool {
        let value = self.tree().attribute(self.i, "class").unwrap_or("");
        value.split_ascii_whitespace().any(|it| case.eq(it.as_bytes(), class.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &Text) -> bool {
        false
    }

    fn imported_part(&self, _: &Text) -> Option<Text> {
        None
    }

    fn is_part(&self, _: &Text) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.tree().children(self.i).all(|i| {
            self.element(i).is_none()
                && (self.tree().kind(i) != crate::tree::Kind::Text
                    || self.tree().text(i).is_empty())
        })
    }

    fn is_root(&self) -> bool {
        self.tree().parent(self.i) == 0 && !self.tree().meta().is_fragment
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
