//! One evaluation: a plan on a tree, from a context node.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;

use super::super::names::NameSet;
use super::plan::{Expr, NameTest, Path, Plan, Start, Test};
use super::value::{from_number, to_number, Item, Part, Value};
use crate::error::{Error, Result};
use crate::tree::{attr_flags, flags, Format, Kind, NameId, Names, Tree, HTML, XML, XMLNS};
use crate::watch::Watch;

/// Steps between two looks at the watch.
const PATIENCE: usize = 1 << 16;

/// Everything that stays the same during one evaluation.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) tree: &'a Tree,
    pub(super) names: Vec<NameSet>,
    declarations: OnceCell<NameSet>,
    pub(super) is_html: bool,
    sees_templates: bool,
    variables: Vec<&'a Value>,
    constants: Vec<OnceCell<Value>>,
    ids: OnceCell<HashMap<&'a str, usize>>,
    watch: &'a dyn Watch,
    steps: Cell<usize>,
    text_bytes: Cell<usize>,
}

/// Bytes of long texts that one query may make: a quarter of the usual limit of memory, since a
/// text is held twice while it grows, and again when it is handed over.
const MAX_TEXT_BYTES: usize = 1 << 29;
/// Texts below do not count.
const LONG_TEXT: usize = 1 << 16;

/// The context of an expression (§1): node, position, size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    pub(super) item: Item,
    pub(super) position: usize,
    pub(super) size: usize,
}

impl Context {
    /// A node alone.
    pub(super) fn alone(item: Item) -> Context {
        Context { item, position: 1, size: 1 }
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        tree: &'a Tree,
        start: usize,
        values: &'a [(String, Value)],
        watch: &'a dyn Watch,
    ) -> Result<Self> {
        let is_html = tree.meta().format == Format::Html;
        let names = tree.names();
        let variables = plan.variables.iter().map(|name| {
            let given = values.iter().find(|(key, _)| key == name).map(|(_, value)| value);
            given.ok_or_else(|| Error::Usage(format!("XPath variable ${name} has no value")))
        });
        Ok(Run {
            plan,
            tree,
            names: plan
                .names
                .iter()
                .map(|test| {
                    NameSet::collect(tree, test.lower.as_deref(), |id| {
                        admits(test, names, id, is_html)
                    })
                })
                .collect(),
            declarations: OnceCell::new(),
            is_html,
            sees_templates: tree.flags(start) & flags::IN_TEMPLATE != 0,
            variables: variables.collect::<Result<_>>()?,
            constants: (0..plan.constants).map(|_| OnceCell::new()).collect(),
            ids: OnceCell::new(),
            watch,
            steps: Cell::new(0),
            text_bytes: Cell::new(0),
        })
    }

    /// Names of namespace declarations: no attributes for XPath.
    pub(super) fn declarations(&self) -> &NameSet {
        self.declarations.get_or_init(|| {
            NameSet::collect(self.tree, None, |id| self.tree.names().namespace(id) == XMLNS)
        })
    }

    /// Counts work done; now and then asks whether to go on.
    #[inline]
    pub(super) fn spend(&self, steps: usize) -> Result<()> {
        let spent = self.steps.get() + steps;
        if spent < PATIENCE {
            self.steps.set(spent);
            return Ok(());
        }
        self.steps.set(0);
        self.watch.check()
    }

    /// Counts the bytes of texts that a function made, the long ones; there is a bound for all of
    /// one query.
    pub(super) fn made_text(&self, bytes: usize) -> Result<()> {
        if bytes >= LONG_TEXT {
            let made = self.text_bytes.get() + bytes;
            if made > MAX_TEXT_BYTES {
                return Err(Error::limit("memory", MAX_TEXT_BYTES as u64));
            }
            self.text_bytes.set(made);
        }
        Ok(())
    }

    /// Any expression.
    pub(super) fn value(&self, expr: &Expr, context: Context) -> Result<Value> {
        Ok(match expr {
            Expr::Union(_) | Expr::Path(_) => Value::Nodes(self.nodes(expr, context)?),
            Expr::Literal(text) => Value::Text(text.clone()),
            Expr::Number(_) | Expr::Calculate(..) | Expr::Negate(_) => {
                Value::Number(self.number(expr, context)?)
            }
            Expr::Or(_) | Expr::And(_) | Expr::Compare(..) => {
                Value::Boolean(self.boolean(expr, context)?)
            }
            Expr::Variable(place) => self.variables[*place].clone(),
            Expr::Constant(place, inner) => self.constant(*place, inner)?.clone(),
            Expr::Call(function, arguments) => self.call(*function, arguments, context)?,
        })
    }

    /// A constant of the plan, computed when it is first wanted.
    pub(super) fn constant(&self, place: usize, expr: &Expr) -> Result<&Value> {
        if let Some(value) = self.constants[place].get() {
            return Ok(value);
        }
        let value = self.value(expr, Context::alone(Item::node(0)))?;
        Ok(self.constants[place].get_or_init(|| value))
    }

    /// The value of a variable.
    pub(super) fn variable(&self, place: usize) -> &'a Value {
        self.variables[place]
    }

    /// An expression as a node-set, in document order.
    pub(super) fn nodes(&self, expr: &Expr, context: Context) -> Result<Vec<Item>> {
        match expr {
            Expr::Path(path) => self.path(path, context),
            Expr::Union(parts) => {
                let mut all = Vec::new();
                let mut room = 1 << 16;
                for part in parts {
                    all.extend(self.nodes(part, context)?);
                    if all.len() > room {
                        // the same nodes many times over are kept once, not until the end
                        all.sort_unstable();
                        all.dedup();
                        room = (2 * all.len()).max(1 << 16);
                        self.spend(all.len())?;
                    }
                }
                all.sort_unstable();
                all.dedup();
                Ok(all)
            }
            other => match self.value(other, context)? {
                Value::Nodes(nodes) => Ok(nodes),
                _ => {
                    Err(Error::Usage("XPath: a variable that is used as a node-set is none".into()))
                }
            },
        }
    }

    fn path(&self, path: &Path, context: Context) -> Result<Vec<Item>> {
        let mut nodes = match &path.start {
            Start::Context => vec![context.item],
            Start::Root => vec![Item::node(0)],
            Start::Filter(primary, predicates) => {
                let mut nodes = self.nodes(primary, context)?;
                for predicate in predicates {
                    nodes = self.apply(predicate, nodes)?;
                }
                nodes
            }
        };
        for step in &path.steps {
            if nodes.is_empty() {
                break;
            }
            nodes = self.step(&nodes, step)?;
        }
        Ok(nodes)
    }

    /// An expression as a boolean (§4.3).
    pub(super) fn boolean(&self, expr: &Expr, context: Context) -> Result<bool> {
        match expr {
            Expr::Or(parts) => {
                for part in parts {
                    if self.boolean(part, context)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expr::And(parts) => {
                for part in parts {
                    if !self.boolean(part, context)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expr::Compare(first, rest) => self.comparisons(first, rest, context),
            Expr::Path(path) if path.is_searchable => {
                self.search(&path.steps, context.item, &mut |_| Ok(true))
            }
            Expr::Call(function, arguments) => self.call_boolean(*function, arguments, context),
            Expr::Constant(place, inner) => Ok(truth(self.constant(*place, inner)?)),
            Expr::Variable(place) => Ok(truth(self.variable(*place))),
            other => Ok(truth(&self.value(other, context)?)),
        }
    }

    /// An expression as a number (§4.4).
    pub(super) fn number(&self, expr: &Expr, context: Context) -> Result<f64> {
        match expr {
            Expr::Number(number) => Ok(*number),
            Expr::Negate(inner) => Ok(-self.number(inner, context)?),
            Expr::Calculate(first, rest) => {
                let mut sum = self.number(first, context)?;
                for (operator, operand) in rest {
                    let right = self.number(operand, context)?;
                    sum = calculate(*operator, sum, right);
                }
                Ok(sum)
            }
            Expr::Path(_) => Ok(to_number(&self.text(expr, context)?)),
            Expr::Constant(place, inner) => Ok(self.number_of(self.constant(*place, inner)?)),
            Expr::Variable(place) => Ok(self.number_of(self.variable(*place))),
            other => Ok(self.number_of(&self.value(other, context)?)),
        }
    }

    /// An expression as a string (§4.2): of a node-set, the string-value of its first node.
    pub(super) fn text<'s>(&'s self, expr: &'s Expr, context: Context) -> Result<Cow<'s, str>> {
        match expr {
            Expr::Literal(text) => Ok(Cow::Borrowed(text)),
            Expr::Path(path) if path.is_ordered => {
                let mut first = None;
                self.search(&path.steps, context.item, &mut |item| {
                    first = Some(item);
                    Ok(true)
                })?;
                Ok(first.map_or(Cow::Borrowed(""), |item| self.string_value(item)))
            }
            Expr::Constant(place, inner) => Ok(self.text_of(self.constant(*place, inner)?)),
            Expr::Variable(place) => Ok(self.text_of(self.variable(*place))),
            Expr::Call(function, arguments) => self.call_text(*function, arguments, context),
            other => Ok(Cow::Owned(self.text_of(&self.value(other, context)?).into_owned())),
        }
    }

    pub(super) fn text_of<'s>(&'s self, value: &'s Value) -> Cow<'s, str> {
        match value {
            Value::Nodes(nodes) => {
                nodes.first().map_or(Cow::Borrowed(""), |&item| self.string_value(item))
            }
            Value::Text(text) => Cow::Borrowed(text),
            Value::Number(number) => Cow::Owned(from_number(*number)),
            Value::Boolean(boolean) => Cow::Borrowed(if *boolean { "true" } else { "false" }),
        }
    }

    pub(super) fn number_of(&self, value: &Value) -> f64 {
        match value {
            Value::Number(number) => *number,
            Value::Boolean(boolean) => f64::from(u8::from(*boolean)),
            other => to_number(&self.text_of(other)),
        }
    }

    // what a tree looks like to XPath (§5)

    /// Whether node `i` exists for XPath: not the doctype, not in a template, of adjacent texts
    /// only the first.
    pub(super) fn sees(&self, i: usize) -> bool {
        match self.tree.kind(i) {
            Kind::Doctype => false,
            Kind::Text => self.starts_text(i) && self.is_outside(i),
            _ => self.is_outside(i),
        }
    }

    /// Whether node `i` is outside of every template, or templates are seen.
    #[inline]
    pub(super) fn is_outside(&self, i: usize) -> bool {
        self.sees_templates || self.tree.flags(i) & flags::IN_TEMPLATE == 0
    }

    /// Whether text `i` is the first of its adjacent texts, and these are not all empty.
    pub(super) fn starts_text(&self, i: usize) -> bool {
        let tree = self.tree;
        let follows_text = tree.kind(i - 1) == Kind::Text && tree.parent(i - 1) == tree.parent(i);
        !follows_text && self.texts(i).any(|it| !tree.text(it).is_empty())
    }

    /// Text `i` and the texts directly after it.
    fn texts(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let tree = self.tree;
        (i..tree.len())
            .take_while(move |&it| tree.kind(it) == Kind::Text && tree.parent(it) == tree.parent(i))
    }

    /// Whether tree node `i` passes a test whose principal kind is the element.
    #[inline]
    pub(super) fn passes(&self, test: &Test, i: usize) -> bool {
        let tree = self.tree;
        match test {
            Test::Name(place) => {
                self.names[*place].has(tree.name(i)) && tree.is_element(i) && self.is_outside(i)
            }
            Test::Star => tree.is_element(i) && self.is_outside(i),
            Test::Node => self.sees(i),
            Test::Text => tree.kind(i) == Kind::Text && self.sees(i),
            Test::Comment => tree.kind(i) == Kind::Comment && self.is_outside(i),
            Test::Instruction(target) => {
                tree.kind(i) == Kind::Instruction
                    && target.as_ref().is_none_or(|it| tree.local(i) == it)
                    && self.is_outside(i)
            }
        }
    }

    /// Whether an item of any kind passes a test (`self::`).
    pub(super) fn item_passes(&self, test: &Test, item: Item) -> bool {
        match item.part() {
            Part::Node => self.passes(test, item.index()),
            _ => *test == Test::Node,
        }
    }

    /// The string-value of a node (§5).
    pub(super) fn string_value(&self, item: Item) -> Cow<'_, str> {
        let tree = self.tree;
        let i = item.index();
        match item.part() {
            Part::Attribute(k) => {
                return Cow::Borrowed(tree.attr_value(tree.attributes(i).start + k))
            }
            Part::Namespace(k) => {
                return Cow::Borrowed(self.namespaces(i).get(k).map_or("", |it| it.1))
            }
            Part::Node => {}
        }
        match tree.kind(i) {
            Kind::Element | Kind::Document => self.joined(
                (i + 1..tree.end(i))
                    .filter(|&it| tree.kind(it) == Kind::Text && self.is_outside(it)),
            ),
            Kind::Text => self.joined(self.texts(i)),
            _ => Cow::Borrowed(tree.text(i)),
        }
    }

    fn joined(&self, mut texts: impl Iterator<Item = usize>) -> Cow<'_, str> {
        let Some(first) = texts.next() else { return Cow::Borrowed("") };
        let Some(second) = texts.next() else { return Cow::Borrowed(self.tree.text(first)) };
        let mut all = self.tree.text(first).to_string();
        all.push_str(self.tree.text(second));
        texts.for_each(|it| all.push_str(self.tree.text(it)));
        Cow::Owned(all)
    }

    /// Prefixes and namespaces in scope on element `i` (§5.4): `xml`, then those declared on its
    /// ancestors from the top, then its own; of one element the last declaration first. The
    /// Recommendation leaves the order open; this is libxml2's.
    pub(super) fn namespaces(&self, i: usize) -> Vec<(&'a str, &'a str)> {
        let (tree, declarations) = (self.tree, self.declarations());
        let mut found: Vec<(&str, &str)> = Vec::new();
        for node in std::iter::once(i).chain(tree.ancestors(i)) {
            for a in tree
                .attributes(node)
                .filter(|&a| tree.is_element(node) && declarations.has(tree.attr_name(a)))
            {
                let prefix = if tree.names().prefix(tree.attr_name(a)).is_empty() {
                    ""
                } else {
                    tree.attr_local(a)
                };
                if prefix != "xml" && !found.iter().any(|it| it.0 == prefix) {
                    found.push((prefix, tree.attr_value(a)));
                }
            }
        }
        found.retain(|it| !it.1.is_empty());
        found.push(("xml", XML));
        found.reverse();
        found
    }

    /// The first element with an ID (§5.2.1): an attribute of type ID, and in HTML the attribute
    /// `id`.
    pub(super) fn element_by_id(&self, id: &str) -> Option<usize> {
        let tree = self.tree;
        let ids = self.ids.get_or_init(|| {
            let plain = if self.is_html { tree.names().find("", "", "id") } else { None };
            let mut ids = HashMap::new();
            for i in (1..tree.len()).filter(|&i| tree.is_element(i) && self.is_outside(i)) {
                for a in tree.attributes(i).filter(|&a| {
                    tree.attr_flags(a) & attr_flags::ID != 0 || Some(tree.attr_name(a)) == plain
                }) {
                    ids.entry(tree.attr_value(a)).or_insert(i);
                }
            }
            ids
        });
        ids.get(id).copied()
    }
}

/// A value as a boolean.
pub(super) fn truth(value: &Value) -> bool {
    match value {
        Value::Nodes(nodes) => !nodes.is_empty(),
        Value::Text(text) => !text.is_empty(),
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::Boolean(boolean) => *boolean,
    }
}

fn calculate(operator: super::plan::Arithmetic, left: f64, right: f64) -> f64 {
    use super::plan::Arithmetic;
    match operator {
        Arithmetic::Plus => left + right,
        Arithmetic::Minus => left - right,
        Arithmetic::Times => left * right,
        Arithmetic::Div => left / right,
        Arithmetic::Mod => left % right,
    }
}

/// Whether a name test means name `id`.
///
/// XML: no prefix means no namespace (§2.3). HTML: an element name without prefix means the local
/// name in any namespace, as lxml's trees (which have none) and browsers (which let it mean HTML)
/// have it; the case of ASCII letters does not count.
fn admits(test: &NameTest, names: &Names, id: NameId, is_html: bool) -> bool {
    let (namespace, local) = (names.namespace(id), names.local(id));
    if test.is_attribute && namespace == XMLNS {
        return false;
    }
    let is_space_right = match &test.namespace {
        Some(uri) => namespace == uri,
        None => namespace.is_empty() || (is_html && !test.is_attribute),
    };
    let ignores_case = is_html && (test.namespace.is_none() || namespace == HTML);
    let is_name_right = test.local.as_ref().is_none_or(|wanted| {
        if ignores_case {
            local.eq_ignore_ascii_case(wanted)
        } else {
            local == wanted
        }
    });
    is_space_right && is_name_right
}
