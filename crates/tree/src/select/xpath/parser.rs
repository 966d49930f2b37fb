//! Tokens to a plan (XPath 1.0 §2, §3).
//!
//! Recursion follows the brackets of the expression, which are bounded; chains of operators and
//! steps are loops. While an expression is read, three facts about it are kept ([`Facts`]): its
//! type, whether it is the same in every context, and whether it asks for the position. They decide
//! what a predicate may do: a constant is computed once, and only a predicate that asks for
//! positions needs to see the nodes of each context one by one.

mod paths;

use std::collections::BTreeMap;

use super::super::{MAX_LENGTH, MAX_NESTING};
use super::lexer::{tokens, wrong, Placed, Token};
use super::plan::{Arithmetic, Comparison, Expr, Function, NameTest, Plan, Type};
use crate::error::{Error, Result};

/// Reads an expression. `namespaces` maps prefixes to namespaces; `xml` is always there.
pub(super) fn parse(text: &str, namespaces: &BTreeMap<String, String>) -> Result<Plan> {
    if text.len() > MAX_LENGTH {
        return Err(Error::Usage(format!(
            "XPath expression of {} bytes; the longest that is read has {MAX_LENGTH}",
            text.len()
        )));
    }
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
        namespaces,
        names: Vec::new(),
        variables: Vec::new(),
        constants: 0,
    };
    let (expr, _) = parser.expr()?;
    parser.expect_end()?;
    Ok(Plan { expr, names: parser.names, variables: parser.variables, constants: parser.constants })
}

/// What is known of an expression without a tree.
#[derive(Clone, Copy)]
struct Facts {
    gives: Type,
    /// The same in every context of one evaluation.
    is_constant: bool,
    /// Calls `position()` or `last()` of its own context.
    is_positional: bool,
}

type Known = (Expr, Facts);

/// The first operand, then operators with theirs.
type Chain = (Expr, Vec<(&'static str, Expr)>, Facts);

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Placed>,
    at: usize,
    depth: usize,
    namespaces: &'a BTreeMap<String, String>,
    names: Vec<NameTest>,
    variables: Vec<String>,
    constants: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if token != Token::End {
            self.at += 1;
        }
        token
    }

    fn takes(&mut self, token: &Token) -> bool {
        let is_there = self.peek() == token;
        if is_there {
            self.at += 1;
        }
        is_there
    }

    fn takes_operator(&mut self, among: &[&'static str]) -> Option<&'static str> {
        match self.peek() {
            Token::Operator(operator) if among.contains(operator) => {
                let found = *operator;
                self.at += 1;
                Some(found)
            }
            _ => None,
        }
    }

    fn wrong(&self, what: &str) -> Error {
        wrong(self.text, self.tokens[self.at].1, what)
    }

    fn expected(&self, what: &str) -> Error {
        let found = match self.peek() {
            Token::End => "the end".to_string(),
            Token::Mark(it) | Token::Operator(it) => format!("{it:?}"),
            Token::Star => "\"*\"".into(),
            Token::Name(None, local) => format!("{local:?}"),
            Token::Name(Some(prefix), local) => format!("\"{prefix}:{local}\""),
            Token::Variable(name) => format!("\"${name}\""),
            Token::Literal(_) => "a string".into(),
            Token::Number(_) => "a number".into(),
        };
        self.wrong(&format!("expected {what}, found {found}"))
    }

    fn expect(&mut self, mark: &'static str) -> Result<()> {
        if self.takes(&Token::Mark(mark)) {
            Ok(())
        } else {
            Err(self.expected(&format!("{mark:?}")))
        }
    }

    fn expect_end(&self) -> Result<()> {
        if *self.peek() == Token::End {
            Ok(())
        } else {
            Err(self.expected("an operator or the end"))
        }
    }

    /// `Expr`, one level of brackets deeper.
    fn expr(&mut self) -> Result<Known> {
        if self.depth >= MAX_NESTING {
            return Err(self.wrong(&format!("more than {MAX_NESTING} levels of brackets")));
        }
        self.depth += 1;
        let known = self.connective("or", |parser| parser.connective("and", Self::equality));
        self.depth -= 1;
        known
    }

    fn connective(
        &mut self,
        word: &'static str,
        part: impl Fn(&mut Self) -> Result<Known>,
    ) -> Result<Known> {
        let first = part(self)?;
        if *self.peek() != Token::Operator(word) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.takes(&Token::Operator(word)) {
            parts.push(part(self)?);
        }
        let (parts, facts) = self.join(parts, Type::Boolean);
        Ok((if word == "or" { Expr::Or(parts) } else { Expr::And(parts) }, facts))
    }

    fn equality(&mut self) -> Result<Known> {
        self.comparisons(&["=", "!="], |parser| {
            parser.comparisons(&["<=", "<", ">=", ">"], Self::sum)
        })
    }

    fn comparisons(
        &mut self,
        operators: &[&'static str],
        part: impl Fn(&mut Self) -> Result<Known>,
    ) -> Result<Known> {
        let (first, rest, facts) = self.chain(operators, Type::Boolean, part)?;
        let comparison = |word| match word {
            "=" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            _ => Comparison::GreaterOrEqual,
        };
        if rest.is_empty() {
            return Ok((first, facts));
        }
        Ok((
            Expr::Compare(
                Box::new(first),
                rest.into_iter().map(|(word, expr)| (comparison(word), expr)).collect(),
            ),
            facts,
        ))
    }

    fn sum(&mut self) -> Result<Known> {
        self.calculations(&["+", "-"], |parser| {
            parser.calculations(&["*", "div", "mod"], Self::unary)
        })
    }

    fn calculations(
        &mut self,
        operators: &[&'static str],
        part: impl Fn(&mut Self) -> Result<Known>,
    ) -> Result<Known> {
        let (first, rest, facts) = self.chain(operators, Type::Number, part)?;
        let arithmetic = |word| match word {
            "+" => Arithmetic::Plus,
            "-" => Arithmetic::Minus,
            "*" => Arithmetic::Times,
            "div" => Arithmetic::Div,
            _ => Arithmetic::Mod,
        };
        if rest.is_empty() {
            return Ok((first, facts));
        }
        Ok((
            Expr::Calculate(
                Box::new(first),
                rest.into_iter().map(|(word, expr)| (arithmetic(word), expr)).collect(),
            ),
            facts,
        ))
    }

    /// `a op b op c …` with operators of one rank.
    fn chain(
        &mut self,
        operators: &[&'static str],
        gives: Type,
        part: impl Fn(&mut Self) -> Result<Known>,
    ) -> Result<Chain> {
        let first = part(self)?;
        let (mut words, mut parts) = (Vec::new(), Vec::new());
        while let Some(word) = self.takes_operator(operators) {
            words.push(word);
            parts.push(part(self)?);
        }
        if words.is_empty() {
            return Ok((first.0, Vec::new(), first.1));
        }
        parts.insert(0, first);
        let (parts, facts) = self.join(parts, gives);
        let mut parts = parts.into_iter();
        let first = parts.next().expect("it was put there");
        Ok((first, words.into_iter().zip(parts).collect(), facts))
    }

    /// Operands of one operator: where not all are constant, those that are become constants of
    /// their own.
    fn join(&mut self, parts: Vec<Known>, gives: Type) -> (Vec<Expr>, Facts) {
        let mut facts = Facts { gives, is_constant: true, is_positional: false };
        for (_, more) in &parts {
            facts.is_constant &= more.is_constant;
            facts.is_positional |= more.is_positional;
        }
        let parts = parts.into_iter();
        let exprs = if facts.is_constant {
            parts.map(|it| it.0).collect()
        } else {
            parts.map(|(expr, facts)| self.hoist(expr, facts)).collect()
        };
        (exprs, facts)
    }

    fn unary(&mut self) -> Result<Known> {
        let mut signs = 0;
        while self.takes_operator(&["-"]).is_some() {
            signs += 1;
        }
        let (expr, facts) = self.union()?;
        if signs == 0 {
            return Ok((expr, facts));
        }
        // an even number of signs still makes a number of it
        let once = Expr::Negate(Box::new(expr));
        let expr = if signs % 2 == 1 { once } else { Expr::Negate(Box::new(once)) };
        Ok((expr, Facts { gives: Type::Number, ..facts }))
    }

    fn union(&mut self) -> Result<Known> {
        let first_at = self.at;
        let first = self.path()?;
        if *self.peek() != Token::Operator("|") {
            return Ok(first);
        }
        self.must_be_nodes(first.1, first_at, "a union")?;
        let mut parts = vec![first];
        while self.takes(&Token::Operator("|")) {
            let at = self.at;
            let part = self.path()?;
            self.must_be_nodes(part.1, at, "a union")?;
            parts.push(part);
        }
        let (parts, facts) = self.join(parts, Type::Nodes);
        Ok((Expr::Union(parts), facts))
    }

    fn must_be_nodes(&self, facts: Facts, at: usize, whom: &str) -> Result<()> {
        if matches!(facts.gives, Type::Nodes | Type::Open) {
            return Ok(());
        }
        Err(wrong(self.text, self.tokens[at].1, &format!("{whom} wants a node-set")))
    }

    /// Marks the parts of a predicate that are the same in every context and worth keeping.
    fn hoist(&mut self, expr: Expr, facts: Facts) -> Expr {
        let is_cheap = matches!(
            expr,
            Expr::Literal(_) | Expr::Number(_) | Expr::Variable(_) | Expr::Constant(..)
        );
        if facts.is_constant && !is_cheap {
            self.constants += 1;
            return Expr::Constant(self.constants - 1, Box::new(expr));
        }
        expr
    }

    /// `PrimaryExpr` (§3.1).
    fn primary(&mut self) -> Result<Known> {
        let fixed = |gives| Facts { gives, is_constant: true, is_positional: false };
        match self.peek().clone() {
            Token::Mark("(") => {
                self.at += 1;
                let known = self.expr()?;
                self.expect(")")?;
                Ok(known)
            }
            Token::Literal(text) => {
                self.at += 1;
                Ok((Expr::Literal(text), fixed(Type::Text)))
            }
            Token::Number(number) => {
                self.at += 1;
                Ok((Expr::Number(number), fixed(Type::Number)))
            }
            Token::Variable(name) => {
                self.at += 1;
                let place = self.variables.iter().position(|it| *it == name).unwrap_or_else(|| {
                    self.variables.push(name);
                    self.variables.len() - 1
                });
                Ok((Expr::Variable(place), fixed(Type::Open)))
            }
            Token::Name(None, name) if self.tokens[self.at + 1].0 == Token::Mark("(") => {
                self.call(&name)
            }
            Token::Name(Some(prefix), name) if self.tokens[self.at + 1].0 == Token::Mark("(") => {
                Err(self.wrong(&format!(
                    "there is no function {prefix}:{name}(): XPath 1.0 has 27, without a prefix"
                )))
            }
            _ => Err(self.expected("an expression")),
        }
    }

    fn call(&mut self, name: &str) -> Result<Known> {
        let start = self.at;
        let signature = Function::named(name)
            .ok_or_else(|| self.wrong(&format!("there is no function {name}()")))?;
        self.at += 2;
        let mut arguments: Vec<Known> = Vec::new();
        if !self.takes(&Token::Mark(")")) {
            loop {
                let at = self.at;
                let known = self.expr()?;
                if arguments.is_empty() && signature.wants_nodes {
                    self.must_be_nodes(known.1, at, &format!("{name}()"))?;
                }
                arguments.push(known);
                if !self.takes(&Token::Mark(",")) {
                    break;
                }
            }
            self.expect(")")?;
        }
        let count = arguments.len();
        if count < signature.least || count > signature.most {
            let wanted = match (signature.least, signature.most) {
                (least, usize::MAX) => format!("{least} or more"),
                (least, most) if least == most => format!("{least}"),
                (least, most) => format!("{least} or {most}"),
            };
            return Err(wrong(
                self.text,
                self.tokens[start].1,
                &format!("{name}() takes {wanted} arguments, not {count}"),
            ));
        }
        let (arguments, mut facts) = self.join(arguments, signature.gives);
        facts.is_positional |= matches!(signature.function, Function::Position | Function::Last);
        facts.is_constant &=
            count > 0 || matches!(signature.function, Function::True | Function::False);
        facts.is_constant &= signature.function != Function::Lang;
        Ok((Expr::Call(signature.function, arguments), facts))
    }
}
