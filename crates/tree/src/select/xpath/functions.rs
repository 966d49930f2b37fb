//! The core function library (XPath 1.0 §4).

use std::borrow::Cow;

use super::plan::{Expr, Function};
use super::run::{truth, Context, Run};
use super::value::{is_space, round, to_number, Item, Part, Value};
use crate::error::Result;
use crate::tree::{Kind, XML};

impl Run<'_> {
    /// A call, as the type the function gives.
    pub(super) fn call(
        &self,
        function: Function,
        arguments: &[Expr],
        context: Context,
    ) -> Result<Value> {
        use Function as F;
        let number = |place: usize| self.number(&arguments[place], context);
        Ok(match function {
            F::Last => Value::Number(context.size as f64),
            F::Position => Value::Number(context.position as f64),
            F::Count => Value::Number(self.nodes(&arguments[0], context)?.len() as f64),
            F::Id => Value::Nodes(self.id(&arguments[0], context)?),
            F::StringLength => {
                Value::Number(self.subject(arguments, context)?.chars().count() as f64)
            }
            F::Number if arguments.is_empty() => {
                Value::Number(to_number(&self.string_value(context.item)))
            }
            F::Number => Value::Number(number(0)?),
            F::Sum => {
                let nodes = self.nodes(&arguments[0], context)?;
                self.spend(nodes.len())?;
                Value::Number(
                    nodes.iter().fold(0.0, |sum, &item| sum + to_number(&self.string_value(item))),
                )
            }
            F::Floor => Value::Number(number(0)?.floor()),
            F::Ceiling => Value::Number(number(0)?.ceil()),
            F::Round => Value::Number(round(number(0)?)),
            F::StartsWith | F::Contains | F::Boolean | F::Not | F::True | F::False | F::Lang => {
                Value::Boolean(self.call_boolean(function, arguments, context)?)
            }
            _ => Value::Text(self.call_text(function, arguments, context)?.into_owned()),
        })
    }

    /// A call whose result is wanted as a boolean.
    pub(super) fn call_boolean(
        &self,
        function: Function,
        arguments: &[Expr],
        context: Context,
    ) -> Result<bool> {
        let pair = || -> Result<_> {
            Ok((self.text(&arguments[0], context)?, self.text(&arguments[1], context)?))
        };
        Ok(match function {
            Function::True => true,
            Function::False => false,
            Function::Not => !self.boolean(&arguments[0], context)?,
            Function::Boolean => self.boolean(&arguments[0], context)?,
            Function::Contains => {
                let (text, part) = pair()?;
                memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
            }
            Function::StartsWith => {
                let (text, part) = pair()?;
                text.starts_with(part.as_ref())
            }
            Function::Lang => self.lang(&self.text(&arguments[0], context)?, context.item)?,
            Function::NormalizeSpace => {
                self.subject(arguments, context)?.contains(|c| !is_space(c))
            }
            _ => truth(&self.call(function, arguments, context)?),
        })
    }

    /// A call whose result is wanted as a string.
    pub(super) fn call_text<'s>(
        &'s self,
        function: Function,
        arguments: &'s [Expr],
        context: Context,
    ) -> Result<Cow<'s, str>> {
        use Function as F;
        let text = |place: usize| self.text(&arguments[place], context);
        Ok(match function {
            F::String => self.subject(arguments, context)?,
            F::LocalName | F::NamespaceUri | F::Name => match self.named(arguments, context)? {
                Some(item) => self.name_of(item, function),
                None => Cow::Borrowed(""),
            },
            F::Concat => {
                let mut all = String::new();
                for argument in arguments {
                    let part = self.text(argument, context)?;
                    self.made_text(part.len())?;
                    all.push_str(&part);
                    self.spend(all.len() / 64)?;
                }
                Cow::Owned(all)
            }
            F::SubstringBefore => {
                let (text, mark) = (text(0)?, text(1)?);
                let cut = text.find(mark.as_ref());
                cut.map_or(Cow::Borrowed(""), |cut| slice(text, 0, cut))
            }
            F::SubstringAfter => {
                let (text, mark) = (text(0)?, text(1)?);
                let cut = text.find(mark.as_ref()).map(|cut| cut + mark.len());
                cut.map_or(Cow::Borrowed(""), |cut| {
                    let end = text.len();
                    slice(text, cut, end)
                })
            }
            F::Substring => {
                let from = round(self.number(&arguments[1], context)?);
                let to = match arguments.get(2) {
                    Some(length) => from + round(self.number(length, context)?),
                    None => f64::INFINITY,
                };
                substring(text(0)?, from, to)
            }
            F::NormalizeSpace => normalized(self.subject(arguments, context)?),
            F::Translate => {
                let subject = text(0)?;
                self.made_text(subject.len())?;
                Cow::Owned(translate(&subject, &text(1)?, &text(2)?))
            }
            _ => Cow::Owned(self.text_of(&self.call(function, arguments, context)?).into_owned()),
        })
    }

    /// The string that a function without argument takes from the context node.
    fn subject<'s>(&'s self, arguments: &'s [Expr], context: Context) -> Result<Cow<'s, str>> {
        match arguments.first() {
            Some(argument) => self.text(argument, context),
            None => Ok(self.string_value(context.item)),
        }
    }

    fn named(&self, arguments: &[Expr], context: Context) -> Result<Option<Item>> {
        match arguments.first() {
            Some(argument) => Ok(self.nodes(argument, context)?.first().copied()),
            None => Ok(Some(context.item)),
        }
    }

    /// `name()`, `local-name()`, `namespace-uri()` of a node (§5: its expanded name).
    fn name_of(&self, item: Item, function: Function) -> Cow<'_, str> {
        let tree = self.tree;
        let i = item.index();
        let id = match item.part() {
            Part::Namespace(_) if function == Function::NamespaceUri => return Cow::Borrowed(""),
            Part::Namespace(k) => {
                return Cow::Borrowed(self.namespaces(i).get(k).map_or("", |it| it.0))
            }
            Part::Attribute(k) => tree.attr_name(tree.attributes(i).start + k),
            Part::Node if matches!(tree.kind(i), Kind::Element | Kind::Instruction) => tree.name(i),
            Part::Node => return Cow::Borrowed(""),
        };
        let names = tree.names();
        match function {
            Function::NamespaceUri => Cow::Borrowed(names.namespace(id)),
            Function::Name if !names.prefix(id).is_empty() => Cow::Owned(names.qualified(id)),
            _ => Cow::Borrowed(names.local(id)),
        }
    }

    /// `id()` (§4.1): of each word of the string, or of the string-values of all nodes.
    fn id(&self, argument: &Expr, context: Context) -> Result<Vec<Item>> {
        let value = self.value(argument, context)?;
        let mut found = Vec::new();
        let mut look = |text: &str| {
            found.extend(
                text.split(is_space).filter_map(|id| self.element_by_id(id)).map(Item::node),
            )
        };
        match &value {
            Value::Nodes(nodes) => {
                self.spend(nodes.len())?;
                nodes.iter().for_each(|&item| look(&self.string_value(item)));
            }
            other => look(&self.text_of(other)),
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// `lang()` (§4.3): by the nearest `xml:lang`, in HTML trees also `lang`.
    fn lang(&self, wanted: &str, item: Item) -> Result<bool> {
        let tree = self.tree;
        for i in std::iter::once(item.index())
            .chain(tree.ancestors(item.index()))
            .filter(|&i| tree.is_element(i))
        {
            self.spend(1)?;
            let is_language = |&a: &usize| {
                let namespace = tree.names().namespace(tree.attr_name(a));
                tree.attr_local(a) == "lang"
                    && (namespace == XML || (self.is_html && namespace.is_empty()))
            };
            if let Some(a) = tree.attributes(i).find(is_language) {
                let given = tree.attr_value(a).as_bytes();
                let is_start = given.len() >= wanted.len()
                    && given[..wanted.len()].eq_ignore_ascii_case(wanted.as_bytes());
                return Ok(is_start && matches!(given.get(wanted.len()), None | Some(b'-')));
            }
        }
        Ok(false)
    }
}

fn slice(text: Cow<'_, str>, from: usize, to: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
        Cow::Owned(text) => Cow::Owned(text[from..to].to_string()),
    }
}

/// The characters at positions p with `from ≤ p < to`, counted from 1.
fn substring(text: Cow<'_, str>, from: f64, to: f64) -> Cow<'_, str> {
    let is_in = |position: usize| position as f64 >= from && (position as f64) < to;
    let mut inside = text
        .char_indices()
        .enumerate()
        .filter(|(k, _)| is_in(k + 1))
        .map(|(_, (at, c))| (at, at + c.len_utf8()));
    let Some((start, first_end)) = inside.next() else { return Cow::Borrowed("") };
    let end = inside.last().map_or(first_end, |it| it.1);
    slice(text, start, end)
}

fn normalized(text: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let is_white = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
    let is_normal = !bytes.first().is_some_and(is_white)
        && !bytes.last().is_some_and(is_white)
        && !bytes.windows(2).any(|pair| is_white(&pair[0]) && is_white(&pair[1]))
        && !bytes.iter().any(|b| matches!(b, b'\t' | b'\n' | b'\r'));
    if is_normal {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let mut table: std::collections::HashMap<char, Option<char>> = std::collections::HashMap::new();
    let mut targets = to.chars();
    for c in from.chars() {
        let target = targets.next();
        table.entry(c).or_insert(target);
    }
    text.chars().filter_map(|c| table.get(&c).copied().unwrap_or(Some(c))).collect()
}
