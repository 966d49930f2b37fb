//! A plan on one tree: names looked up, and the tests of one element.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

use selectors::attr::{CaseSensitivity, ParsedCaseSensitivity};

use super::super::bits::Bits;
use super::super::names::NameSet;
use super::nth::Counts;
use super::plan::{Compound, Inner, Name, Namespace, Plan, Test, ValueTest};
use crate::error::{Error, Result};
use crate::tree::{flags, Format, Kind, NameId, Quirks, Tree, HTML};
use crate::watch::Watch;

/// Steps between two looks at the watch.
const PATIENCE: u32 = 1 << 14;

/// Attribute names that a test means, on HTML elements of HTML trees and on others.
struct AttributeNames {
    on_html: NameSet,
    /// `None` where it is the same.
    elsewhere: Option<NameSet>,
}

/// Everything about one selection on one tree.
pub(super) struct Matcher<'a> {
    pub(super) plan: &'a Plan,
    pub(super) tree: &'a Tree,
    pub(super) scope: usize,
    /// Where results may stand.
    pub(super) range: Range<usize>,
    /// Whether the contents of templates are seen: only from inside one.
    pub(super) sees_templates: bool,
    pub(super) page_language: OnceCell<Option<&'a str>>,
    pub(super) types: Vec<NameSet>,
    pub(super) lists: Vec<OnceCell<Bits>>,
    pub(super) relatives: Vec<OnceCell<Bits>>,
    pub(super) counts: Vec<RefCell<Counts>>,
    /// For each name the first of the same type.
    pub(super) canonical: OnceCell<Vec<NameId>>,
    attributes: Vec<AttributeNames>,
    id: Option<NameId>,
    class: Option<NameId>,
    case: CaseSensitivity,
    watch: &'a dyn Watch,
    steps: Cell<u32>,
    failure: Cell<Option<Error>>,
    pub(super) has_failed: Cell<bool>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        tree: &'a Tree,
        scope: usize,
        range: Range<usize>,
        watch: &'a dyn Watch,
    ) -> Result<Self> {
        let names = tree.names();
        let is_html_tree = tree.meta().format == Format::Html;
        let admits = |name: &Name, id: NameId, is_lower: bool| {
            let namespace_fits = match &name.namespace {
                Namespace::Any => true,
                Namespace::Is(uri) => names.namespace(id) == uri,
            };
            namespace_fits
                && name.local.as_ref().is_none_or(|(local, lower)| {
                    names.local(id) == if is_lower { lower } else { local }
                })
        };
        let lower = |name: &'a Name| name.local.as_ref().map(|(_, lower)| lower.as_str());
        let attribute = |name: &'a Name| {
            let is_mixed = name.local.as_ref().is_some_and(|(local, lower)| local != lower);
            let collect =
                |is_lower| NameSet::collect(tree, lower(name), |id| admits(name, id, is_lower));
            AttributeNames {
                on_html: collect(is_html_tree),
                elsewhere: (is_mixed && is_html_tree).then(|| collect(false)),
            }
        };
        Ok(Matcher {
            plan,
            tree,
            scope,
            range,
            sees_templates: tree.flags(scope) & flags::IN_TEMPLATE != 0,
            page_language: OnceCell::new(),
            types: plan
                .types
                .iter()
                .map(|name| {
                    NameSet::collect(tree, lower(name), |id| {
                        admits(name, id, is_html_tree && names.namespace(id) == HTML)
                    })
                })
                .collect(),
            attributes: plan.attributes.iter().map(attribute).collect(),
            lists: plan.lists.iter().map(|_| OnceCell::new()).collect(),
            relatives: plan.relatives.iter().map(|_| OnceCell::new()).collect(),
            counts: plan.counts.iter().map(|_| RefCell::default()).collect(),
            canonical: OnceCell::new(),
            id: if plan.has_ids { names.find("", "", "id") } else { None },
            class: if plan.has_classes { names.find("", "", "class") } else { None },
            case: if tree.meta().quirks == Quirks::Full {
                CaseSensitivity::AsciiCaseInsensitive
            } else {
                CaseSensitivity::CaseSensitive
            },
            watch,
            steps: Cell::new(0),
            failure: Cell::new(None),
            has_failed: Cell::new(false),
        })
    }

    /// One step of a walk inside a test. `false`: stop, the answer does not matter any more.
    pub(super) fn tick(&self) -> bool {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps >= PATIENCE {
            self.steps.set(0);
            return self.look();
        }
        !self.has_failed.get()
    }

    /// Asks the watch. `false`: stop.
    pub(super) fn look(&self) -> bool {
        if let Err(error) = self.watch.check() {
            self.failure.set(Some(error));
            self.has_failed.set(true);
        }
        !self.has_failed.get()
    }

    /// The error that stopped the walk, if one did.
    pub(super) fn verdict(&self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Whether selection sees node `i` at all.
    #[inline]
    pub(super) fn sees(&self, i: usize) -> bool {
        self.sees_templates || self.tree.flags(i) & flags::IN_TEMPLATE == 0
    }

    /// Whether element `i` passes all of a compound.
    pub(super) fn compound(&self, compound: &Compound, i: usize) -> bool {
        compound.element.is_none_or(|place| self.types[place].has(self.tree.name(i)))
            && self.tests(&compound.tests, i)
    }

    /// Whether element `i` passes all of these tests.
    #[inline]
    pub(super) fn tests(&self, tests: &[Test], i: usize) -> bool {
        tests.iter().all(|test| self.test(test, i))
    }

    fn test(&self, test: &Test, i: usize) -> bool {
        match test {
            Test::Id(id) => self
                .value(self.id, i)
                .is_some_and(|value| self.case.eq(value.as_bytes(), id.as_bytes())),
            Test::Class(class) => {
                self.value(self.class, i).is_some_and(|value| has_token(value, class, self.case))
            }
            Test::Attribute(place, None) => self.attribute_values(*place, i).next().is_some(),
            Test::Attribute(place, Some(wanted)) => {
                let case = self.case_of(wanted, i);
                self.attribute_values(*place, i)
                    .any(|value| wanted.operator.eval_str(value, &wanted.value, case))
            }
            Test::Root => self.is_root(i),
            Test::Scope if self.scope == 0 => self.is_root(i),
            Test::Scope => self.scope == i,
            Test::Empty => self.is_empty(i),
            Test::Pseudo(pseudo) => self.pseudo(pseudo, i),
            Test::Nth(place) => self.nth(*place, i),
            Test::Is(inner) => self.inner(inner, i),
            Test::Not(inner) => !self.inner(inner, i),
            Test::Has(place) => self.has(*place, i),
        }
    }

    pub(super) fn inner(&self, inner: &Inner, i: usize) -> bool {
        match inner {
            Inner::Compounds(compounds) => {
                compounds.iter().any(|compound| self.compound(compound, i))
            }
            Inner::List(place) => self.lists[*place].get_or_init(|| self.list(*place)).has(i),
        }
    }

    #[inline]
    fn value(&self, name: Option<NameId>, i: usize) -> Option<&str> {
        let name = name?;
        let tree = self.tree;
        tree.attributes(i).find(|&a| tree.attr_name(a) == name).map(|a| tree.attr_value(a))
    }

    fn attribute_values(&self, place: usize, i: usize) -> impl Iterator<Item = &str> {
        let tree = self.tree;
        let names = &self.attributes[place];
        let set = match &names.elsewhere {
            Some(elsewhere) if !self.is_html(i) => elsewhere,
            _ => &names.on_html,
        };
        tree.attributes(i)
            .filter(move |&a| set.has(tree.attr_name(a)))
            .map(move |a| tree.attr_value(a))
    }

    fn case_of(&self, wanted: &ValueTest, i: usize) -> CaseSensitivity {
        match wanted.case {
            ParsedCaseSensitivity::CaseSensitive | ParsedCaseSensitivity::ExplicitCaseSensitive => {
                CaseSensitivity::CaseSensitive
            }
            ParsedCaseSensitivity::AsciiCaseInsensitive => CaseSensitivity::AsciiCaseInsensitive,
            ParsedCaseSensitivity::AsciiCaseInsensitiveIfInHtmlElementInHtmlDocument => {
                match self.tree.meta().format == Format::Html && self.is_html(i) {
                    true => CaseSensitivity::AsciiCaseInsensitive,
                    false => CaseSensitivity::CaseSensitive,
                }
            }
        }
    }

    /// The root element of a document; a fragment has none.
    fn is_root(&self, i: usize) -> bool {
        self.tree.parent(i) == 0 && !self.tree.meta().is_fragment
    }

    /// No element and no character among the children; the contents of a template are no children
    /// of it.
    fn is_empty(&self, i: usize) -> bool {
        let tree = self.tree;
        tree.children(i).filter(|&child| self.sees(child)).all(|child| match tree.kind(child) {
            Kind::Element => false,
            Kind::Text => tree.text(child).is_empty(),
            _ => true,
        })
    }
}

/// Whether a list of words holds this one.
fn has_token(value: &str, token: &str, case: CaseSensitivity) -> bool {
    if value.len() <= token.len() {
        return case.eq(value.as_bytes(), token.as_bytes());
    }
    let is_space = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C');
    value
        .as_bytes()
        .split(is_space)
        .any(|word| word.len() == token.len() && case.eq(word, token.as_bytes()))
}
