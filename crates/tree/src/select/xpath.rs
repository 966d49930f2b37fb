//! XPath 1.0, the whole of it (W3C Recommendation, 16 November 1999), on the columns of the tree.
//!
//! [`parser`] makes a plan, [`run`] evaluates it, [`axes`] walks a whole node-set at once,
//! [`steps`] applies predicates, [`compare`] and [`functions`] are §3.4 and §4 of the
//! Recommendation. What the tree is to XPath: adjacent texts are one text, a doctype is nothing,
//! namespace declarations are no attributes but make namespaces, defaulted attributes are
//! attributes.
//!
//! In an HTML tree a name test without prefix means elements of that local name in any namespace,
//! in any case of ASCII letters: `//div` finds `div`, `//svg` the SVG element. That is what lxml's
//! trees, which know no namespaces, and browsers, where such a name means HTML, have in common for
//! all but a few names.

mod axes;
mod compare;
mod functions;
pub(super) mod lexer;
mod parser;
mod plan;
mod run;
mod steps;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeMap;

pub use value::{Item, Part, Value};

use crate::error::Result;
use crate::tree::{Kind, Tree};
use crate::watch::Watch;
use run::{Context, Run};

/// An expression, compiled: independent of any tree.
#[derive(Debug, Clone)]
pub struct XPath {
    plan: plan::Plan,
}

/// The result of an evaluation, with the strings of what is no node of the tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A node-set, in document order.
    Nodes(Vec<Found>),
    /// A string.
    Text(String),
    /// A number.
    Number(f64),
    /// A boolean.
    Boolean(bool),
}

/// One node of a node-set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A node of the tree.
    Node(usize),
    /// An attribute.
    Attribute {
        /// Its element.
        element: usize,
        /// Its number among the attributes of the element, from 0.
        number: usize,
    },
    /// A namespace in scope on an element.
    Namespace {
        /// The element.
        element: usize,
        /// Its prefix; empty for the default namespace.
        prefix: String,
        /// Its name.
        uri: String,
    },
}

impl XPath {
    /// Reads an expression. `namespaces` maps the prefixes in it to namespaces; `xml` need not be
    /// there.
    pub fn compile(text: &str, namespaces: &BTreeMap<String, String>) -> Result<XPath> {
        Ok(XPath { plan: parser::parse(text, namespaces)? })
    }

    /// The names of the variables of the expression.
    pub fn variables(&self) -> &[String] {
        &self.plan.variables
    }

    /// The value of the expression with node `start` as context.
    pub fn evaluate(
        &self,
        tree: &Tree,
        start: usize,
        variables: &[(String, Value)],
        watch: &dyn Watch,
    ) -> Result<Answer> {
        let run = Run::new(&self.plan, tree, start, variables, watch)?;
        Ok(
            match run.value(&self.plan.expr, Context::alone(Item::node(first_text(tree, start))))? {
                Value::Nodes(nodes) => {
                    Answer::Nodes(nodes.into_iter().map(|item| found(&run, item)).collect())
                }
                Value::Text(text) => Answer::Text(text),
                Value::Number(number) => Answer::Number(number),
                Value::Boolean(boolean) => Answer::Boolean(boolean),
            },
        )
    }
}

/// Adjacent texts are one for XPath: the first of them.
fn first_text(tree: &Tree, i: usize) -> usize {
    let mut first = i;
    while tree.kind(first) == Kind::Text
        && tree.kind(first - 1) == Kind::Text
        && tree.parent(first - 1) == tree.parent(first)
    {
        first -= 1;
    }
    first
}

fn found(run: &Run<'_>, item: Item) -> Found {
    let element = item.index();
    match item.part() {
        Part::Node => Found::Node(element),
        Part::Attribute(number) => Found::Attribute { element, number },
        Part::Namespace(k) => {
            let (prefix, uri) = run.namespaces(element).get(k).copied().unwrap_or_default();
            Found::Namespace { element, prefix: prefix.to_string(), uri: uri.to_string() }
        }
    }
}
