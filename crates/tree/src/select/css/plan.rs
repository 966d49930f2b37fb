//! A selector, lowered from Servo's form to ours: compounds from left to right, and numbered places
//! for what must be looked up in a tree before the first node is tested.

use selectors::attr::{
    AttrSelectorOperator, NamespaceConstraint, ParsedAttrSelectorOperation, ParsedCaseSensitivity,
};
use selectors::parser::{
    Combinator as ServoCombinator, Component, NthSelectorData, Selector, SelectorList,
};

use super::grammar::{Grammar, Text};
use super::pseudo::Pseudo;
use crate::error::{Error, Result};

/// Compounds that one complex selector may have: their states are the bits of one word.
pub(super) const MAX_COMPOUNDS: usize = 64;

/// How two neighbouring compounds stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combinator {
    Descendant,
    Child,
    NextSibling,
    LaterSibling,
}

/// A namespace condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Namespace {
    Any,
    Is(String),
}

/// A name as written, and in lower case for HTML elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) namespace: Namespace,
    /// `None` is `*`.
    pub(super) local: Option<(String, String)>,
}

/// Simple selectors that hold for one element together.
#[derive(Clone, Default)]
pub(super) struct Compound {
    /// Place in [`Plan::types`]; `None` lets every element pass.
    pub(super) element: Option<usize>,
    /// The cheap ones first.
    pub(super) tests: Vec<Test>,
}

/// Compounds from left to right; `links[k]` stands before `compounds[k]`. The first link counts
/// only inside `:has()`.
#[derive(Clone)]
pub(super) struct Complex {
    pub(super) compounds: Vec<Compound>,
    pub(super) links: Vec<Combinator>,
}

/// A selector list inside another selector.
#[derive(Clone)]
pub(super) enum Inner {
    /// Without combinators: tested where it stands.
    Compounds(Vec<Compound>),
    /// Place in [`Plan::lists`]: answered for all nodes at once.
    List(usize),
}

/// One simple selector, but for the type selector.
#[derive(Clone)]
pub(super) enum Test {
    Id(String),
    Class(String),
    /// Place in [`Plan::attributes`], and what the value must be.
    Attribute(usize, Option<ValueTest>),
    Root,
    Scope,
    Empty,
    Pseudo(Pseudo),
    /// Place in [`Plan::counts`].
    Nth(usize),
    Is(Inner),
    Not(Inner),
    /// Place in [`Plan::relatives`].
    Has(usize),
}

/// `operator value flag` of an attribute selector.
#[derive(Clone)]
pub(super) struct ValueTest {
    pub(super) operator: AttrSelectorOperator,
    pub(super) case: ParsedCaseSensitivity,
    pub(super) value: String,
}

/// `:nth-*(an+b of inner)`.
#[derive(Clone)]
pub(super) struct Nth {
    pub(super) step: i32,
    pub(super) offset: i32,
    pub(super) of_type: bool,
    pub(super) from_end: bool,
    pub(super) of: Option<Inner>,
}

/// A selector list that is answered for all nodes at once.
#[derive(Clone)]
pub(super) struct List {
    pub(super) selectors: Vec<Complex>,
    /// Asked of nodes anywhere in the document, not only of those on the way to a result.
    pub(super) is_wide: bool,
}

/// The argument of a `:has()`.
#[derive(Clone)]
pub(super) struct Relative {
    pub(super) selectors: Vec<Complex>,
    /// Asked only of elements that could be results themselves.
    pub(super) is_local: bool,
}

/// A compiled selector list. Inner lists stand before those that use them.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) selectors: Vec<Complex>,
    pub(super) types: Vec<Name>,
    pub(super) attributes: Vec<Name>,
    pub(super) lists: Vec<List>,
    pub(super) relatives: Vec<Relative>,
    pub(super) counts: Vec<Nth>,
    /// Whether a sibling combinator stands anywhere outside `:has()`.
    pub(super) looks_left: bool,
    pub(super) has_ids: bool,
    pub(super) has_classes: bool,
}

/// Where a selector stands; decides which nodes it will be asked about.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Top,
    Inside,
    Wide,
}

impl Plan {
    pub(super) fn lower(list: &SelectorList<Grammar>) -> Result<Plan> {
        let mut plan = Plan::default();
        plan.selectors = plan.complexes(list.slice(), Place::Top)?;
        Ok(plan)
    }

    fn complexes(&mut self, selectors: &[Selector<Grammar>], place: Place) -> Result<Vec<Complex>> {
        selectors.iter().map(|selector| self.complex(selector, place)).collect()
    }

    fn complex(&mut self, selector: &Selector<Grammar>, place: Place) -> Result<Complex> {
        let mut complex =
            Complex { compounds: vec![Compound::default()], links: vec![Combinator::Descendant] };
        let components: Vec<_> = selector.iter_raw_parse_order_from(0).collect();
        let last_combinator = components.iter().rposition(|it| it.is_combinator()).unwrap_or(0);
        let mut namespace = Namespace::Any;
        let mut local = None;
        for (at, component) in components.iter().enumerate() {
            match component {
                Component::Combinator(combinator) => {
                    self.close(&mut complex, &mut namespace, &mut local);
                    let link = link(*combinator)?;
                    if at == 1 && matches!(components[0], Component::RelativeSelectorAnchor) {
                        complex.links[0] = link;
                        continue;
                    }
                    if matches!(link, Combinator::NextSibling | Combinator::LaterSibling) {
                        self.looks_left = true;
                    }
                    complex.links.push(link);
                    complex.compounds.push(Compound::default());
                }
                Component::RelativeSelectorAnchor
                | Component::ExplicitUniversalType
                | Component::ExplicitAnyNamespace => {}
                Component::ExplicitNoNamespace => namespace = Namespace::Is(String::new()),
                Component::DefaultNamespace(uri) | Component::Namespace(_, uri) => {
                    namespace = Namespace::Is(uri.0.clone())
                }
                Component::LocalName(name) => {
                    local = Some((name.name.0.clone(), name.lower_name.0.clone()))
                }
                simple => {
                    let place = if place == Place::Top && at < last_combinator {
                        Place::Inside
                    } else {
                        place
                    };
                    let tests = self.simple(simple, place)?;
                    complex.compounds.last_mut().expect("one is open").tests.extend(tests);
                }
            }
        }
        self.close(&mut complex, &mut namespace, &mut local);
        if complex.compounds.len() > MAX_COMPOUNDS {
            let count = complex.compounds.len();
            return Err(Error::Usage(format!(
                "CSS selector of {count} compounds; the longest that is read has {MAX_COMPOUNDS}"
            )));
        }
        Ok(complex)
    }

    /// Ends a compound: its type selector gets a number, its tests the right order.
    fn close(
        &mut self,
        complex: &mut Complex,
        namespace: &mut Namespace,
        local: &mut Option<(String, String)>,
    ) {
        let compound = complex.compounds.last_mut().expect("one is open");
        let name =
            Name { namespace: std::mem::replace(namespace, Namespace::Any), local: local.take() };
        if name.namespace != Namespace::Any || name.local.is_some() {
            compound.element = Some(place_of(&mut self.types, name));
        }
        compound.tests.sort_by_key(Test::cost);
    }

    fn simple(&mut self, component: &Component<Grammar>, place: Place) -> Result<Vec<Test>> {
        let test = match component {
            Component::ID(id) => {
                self.has_ids = true;
                Test::Id(id.0.clone())
            }
            Component::Class(class) => {
                self.has_classes = true;
                Test::Class(class.0.clone())
            }
            Component::AttributeInNoNamespaceExists { local_name, local_name_lower } => {
                Test::Attribute(
                    self.attribute(Namespace::Is(String::new()), local_name, local_name_lower),
                    None,
                )
            }
            Component::AttributeInNoNamespace { local_name, operator, value, case_sensitivity } => {
                let value = ValueTest {
                    operator: *operator,
                    case: *case_sensitivity,
                    value: value.0.clone(),
                };
                Test::Attribute(
                    self.attribute(Namespace::Is(String::new()), local_name, local_name),
                    Some(value),
                )
            }
            Component::AttributeOther(attribute) => {
                let namespace = match attribute.namespace() {
                    None => Namespace::Is(String::new()),
                    Some(NamespaceConstraint::Any) => Namespace::Any,
                    Some(NamespaceConstraint::Specific(uri)) => Namespace::Is(uri.0.clone()),
                };
                let value = match &attribute.operation {
                    ParsedAttrSelectorOperation::Exists => None,
                    ParsedAttrSelectorOperation::WithValue {
                        operator,
                        case_sensitivity,
                        value,
                    } => Some(ValueTest {
                        operator: *operator,
                        case: *case_sensitivity,
                        value: value.0.clone(),
                    }),
                };
                Test::Attribute(
                    self.attribute(namespace, &attribute.local_name, &attribute.local_name_lower),
                    value,
                )
            }
            Component::Root => Test::Root,
            Component::Scope => Test::Scope,
            Component::Empty => Test::Empty,
            Component::NonTSPseudoClass(pseudo) => Test::Pseudo(pseudo.clone()),
            Component::Nth(data) if data.ty.is_only() => {
                let edges = [
                    NthSelectorData::first(data.ty.is_of_type()),
                    NthSelectorData::last(data.ty.is_of_type()),
                ];
                return Ok(edges.iter().map(|edge| self.nth(edge, None)).collect());
            }
            Component::Nth(data) => self.nth(data, None),
            Component::NthOf(data) => {
                let of = self.inner(data.selectors(), Place::Wide)?;
                self.nth(data.nth_data(), Some(of))
            }
            Component::Is(list) | Component::Where(list) => {
                Test::Is(self.inner(list.slice(), place)?)
            }
            Component::Negation(list) => Test::Not(self.inner(list.slice(), place)?),
            Component::Has(relatives) => {
                let siblings_before = self.looks_left;
                let selectors = relatives
                    .iter()
                    .map(|it| self.complex(&it.selector, Place::Wide))
                    .collect::<Result<_>>()?;
                self.looks_left = siblings_before;
                self.relatives.push(Relative { selectors, is_local: place == Place::Top });
                Test::Has(self.relatives.len() - 1)
            }
            other => {
                return Err(Error::Usage(format!(
                    "CSS selector: {} has no meaning in a tree",
                    cssparser::ToCss::to_css_string(other)
                )))
            }
        };
        Ok(vec![test])
    }

    fn attribute(&mut self, namespace: Namespace, local: &Text, lower: &Text) -> usize {
        place_of(
            &mut self.attributes,
            Name { namespace, local: Some((local.0.clone(), lower.0.clone())) },
        )
    }

    fn nth(&mut self, data: &NthSelectorData, of: Option<Inner>) -> Test {
        let (step, offset) = (data.an_plus_b.0, data.an_plus_b.1);
        self.counts.push(Nth {
            step,
            offset,
            of_type: data.ty.is_of_type(),
            from_end: data.ty.is_from_end(),
            of,
        });
        Test::Nth(self.counts.len() - 1)
    }

    fn inner(&mut self, selectors: &[Selector<Grammar>], place: Place) -> Result<Inner> {
        // what stands in a list with combinators is asked along the way to a result, not of results
        // only
        let has_combinators =
            selectors.iter().any(|it| it.iter_raw_match_order().any(Component::is_combinator));
        let place = if has_combinators && place == Place::Top { Place::Inside } else { place };
        let mut selectors = self.complexes(selectors, place)?;
        if !has_combinators {
            return Ok(Inner::Compounds(selectors.drain(..).flat_map(|it| it.compounds).collect()));
        }
        self.lists.push(List { selectors, is_wide: place == Place::Wide });
        Ok(Inner::List(self.lists.len() - 1))
    }
}

impl Test {
    /// Rank by what a test costs.
    fn cost(&self) -> u8 {
        match self {
            Test::Root | Test::Scope => 0,
            Test::Id(_) | Test::Class(_) | Test::Attribute(..) => 1,
            Test::Is(Inner::Compounds(_)) | Test::Not(Inner::Compounds(_)) => 2,
            Test::Empty => 3,
            Test::Nth(_) => 4,
            Test::Pseudo(_) => 5,
            Test::Is(Inner::List(_)) | Test::Not(Inner::List(_)) | Test::Has(_) => 6,
        }
    }
}

impl Nth {
    /// Whether `index` (from 1) is `an + b` for some `n ≥ 0`.
    pub(super) fn admits(&self, index: u32) -> bool {
        let distance = i64::from(index) - i64::from(self.offset);
        match i64::from(self.step) {
            0 => distance == 0,
            step => distance % step == 0 && distance / step >= 0,
        }
    }
}

fn link(combinator: ServoCombinator) -> Result<Combinator> {
    match combinator {
        ServoCombinator::Descendant => Ok(Combinator::Descendant),
        ServoCombinator::Child => Ok(Combinator::Child),
        ServoCombinator::NextSibling => Ok(Combinator::NextSibling),
        ServoCombinator::LaterSibling => Ok(Combinator::LaterSibling),
        _ => Err(Error::Usage("CSS selector: pseudo-elements have no node in a tree".into())),
    }
}

fn place_of(names: &mut Vec<Name>, name: Name) -> usize {
    names.iter().position(|it| *it == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
