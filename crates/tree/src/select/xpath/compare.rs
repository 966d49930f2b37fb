//! Comparisons (XPath 1.0 §3.4): a node-set compares as "there is a node for which".

use std::borrow::Cow;
use std::collections::HashSet;

use super::plan::{Comparison, Expr};
use super::run::{truth, Context, Run};
use super::value::{to_number, Item, Value};
use crate::error::Result;

/// The side of a comparison that is no node-set.
enum Plain<'a> {
    Text(Cow<'a, str>),
    Number(f64),
}

impl Run<'_> {
    /// `first op second op …`, from left to right.
    pub(super) fn comparisons(
        &self,
        first: &Expr,
        rest: &[(Comparison, Expr)],
        context: Context,
    ) -> Result<bool> {
        let (comparison, second) = &rest[0];
        let mut so_far = match self.quick(*comparison, first, second, context)? {
            Some(answer) => answer,
            None => {
                let (left, right) = (self.side(first, context)?, self.side(second, context)?);
                self.compare(*comparison, &left, &right)?
            }
        };
        for (comparison, operand) in &rest[1..] {
            let right = self.side(operand, context)?;
            so_far = self.compare(*comparison, &Value::Boolean(so_far), &right)?;
        }
        Ok(so_far)
    }

    fn side(&self, expr: &Expr, context: Context) -> Result<Cow<'_, Value>> {
        Ok(match expr {
            Expr::Constant(place, inner) => Cow::Borrowed(self.constant(*place, inner)?),
            Expr::Variable(place) => Cow::Borrowed(self.variable(*place)),
            other => Cow::Owned(self.value(other, context)?),
        })
    }

    /// `path op value` without a node-set: the search ends at the first node that answers.
    fn quick(
        &self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
        context: Context,
    ) -> Result<Option<bool>> {
        let (path, other, comparison) = match (left, right) {
            (Expr::Path(path), other) if path.is_searchable => (path, other, comparison),
            (other, Expr::Path(path)) if path.is_searchable => (path, other, turned(comparison)),
            _ => return Ok(None),
        };
        let plain = match other {
            Expr::Literal(text) => Plain::Text(Cow::Borrowed(text)),
            Expr::Number(_) | Expr::Calculate(..) | Expr::Negate(_) => {
                Plain::Number(self.number(other, context)?)
            }
            Expr::Constant(..) | Expr::Variable(_) => match self.side(other, context)? {
                Cow::Borrowed(Value::Text(text)) => Plain::Text(Cow::Borrowed(text)),
                Cow::Borrowed(Value::Number(number)) => Plain::Number(*number),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        self.search(&path.steps, context.item, &mut |item| Ok(self.meets(comparison, item, &plain)))
            .map(Some)
    }

    /// Whether the string-value of a node compares so with a string or number.
    fn meets(&self, comparison: Comparison, item: Item, other: &Plain<'_>) -> bool {
        let text = self.string_value(item);
        match (comparison, other) {
            (Comparison::Equal, Plain::Text(wanted)) => text == *wanted,
            (Comparison::Unequal, Plain::Text(wanted)) => text != *wanted,
            (_, Plain::Text(wanted)) => numbers(comparison, to_number(&text), to_number(wanted)),
            (_, Plain::Number(wanted)) => numbers(comparison, to_number(&text), *wanted),
        }
    }

    /// Two values.
    fn compare(&self, comparison: Comparison, left: &Value, right: &Value) -> Result<bool> {
        let is_equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        Ok(match (left, right) {
            (Value::Nodes(left), Value::Nodes(right)) => {
                self.compare_sets(comparison, left, right)?
            }
            (Value::Nodes(_), Value::Boolean(_)) | (Value::Boolean(_), Value::Nodes(_)) => {
                self.plainly(comparison, truth(left), truth(right))
            }
            (Value::Nodes(nodes), other) => self.compare_set(comparison, nodes, other)?,
            (other, Value::Nodes(nodes)) => self.compare_set(turned(comparison), nodes, other)?,
            (Value::Boolean(_), _) | (_, Value::Boolean(_)) if is_equality => {
                self.plainly(comparison, truth(left), truth(right))
            }
            (Value::Text(left), Value::Text(right)) if is_equality => {
                (left == right) == (comparison == Comparison::Equal)
            }
            _ => numbers(comparison, self.number_of(left), self.number_of(right)),
        })
    }

    fn plainly(&self, comparison: Comparison, left: bool, right: bool) -> bool {
        numbers(comparison, f64::from(u8::from(left)), f64::from(u8::from(right)))
    }

    fn compare_set(&self, comparison: Comparison, nodes: &[Item], other: &Value) -> Result<bool> {
        let plain = match other {
            Value::Number(number) => Plain::Number(*number),
            other => Plain::Text(self.text_of(other)),
        };
        for &item in nodes {
            self.spend(1)?;
            if self.meets(comparison, item, &plain) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Two node-sets, without looking at every pair.
    fn compare_sets(&self, comparison: Comparison, left: &[Item], right: &[Item]) -> Result<bool> {
        self.spend(left.len() + right.len())?;
        match comparison {
            Comparison::Equal => {
                let (few, many) =
                    if left.len() < right.len() { (left, right) } else { (right, left) };
                let known: HashSet<Cow<'_, str>> =
                    few.iter().map(|&item| self.string_value(item)).collect();
                Ok(!known.is_empty()
                    && many.iter().any(|&item| known.contains(&self.string_value(item))))
            }
            Comparison::Unequal => {
                // some pair differs unless all strings on both sides are one and the same
                if left.is_empty() || right.is_empty() {
                    return Ok(false);
                }
                let first = self.string_value(left[0]);
                Ok(left[1..].iter().chain(right).any(|&item| self.string_value(item) != first))
            }
            _ => {
                // the least against the greatest decides
                let extreme = |nodes: &[Item], wants_least: bool| {
                    let pick = if wants_least { f64::min } else { f64::max };
                    nodes
                        .iter()
                        .map(|&item| to_number(&self.string_value(item)))
                        .filter(|it| !it.is_nan())
                        .reduce(pick)
                };
                let wants_least = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
                Ok(match (extreme(left, wants_least), extreme(right, !wants_least)) {
                    (Some(left), Some(right)) => numbers(comparison, left, right),
                    _ => false,
                })
            }
        }
    }
}

fn numbers(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
    }
}

/// The comparison with its sides exchanged.
fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        other => other,
    }
}
