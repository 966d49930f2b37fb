//! Tokens to a plan (XPath 1.0 §2, §3).
//!
//! Recursion follows the brackets of the expression, which are bounded; chains of operators and
//! steps are loops. While an expression is read, three facts about it are kept ([`Facts`]): its
//! type, whether it is the same in every context, and whether it asks for the position. They decide
//! what a predicate may do: a constant is computed once, and only a predicate that asks for
//! positions needs to see the nodes of each context one by one.

use std::collections::BTreeMap;

use super::super::{MAX_LENGTH, MAX_NESTING};
use super::lexer::{tokens, wrong, Placed, Token};
use super::plan::{
    Arithmetic, Axis, Comparison, Expr, Function, NameTest, Path, Plan, Predicate, Start, Step,
    Test, Type,
};
use crate::error::{Error, Result};
use crate::tree::XML;

/// Steps that are searched one inside the other; longer paths go set by set.
const SEARCHED_STEPS: usize = 16;

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

    /// `PathExpr` (§3.3).
    fn path(&mut self) -> Result<Known> {
        let start = match self.peek() {
            Token::Operator("/" | "//") => {
                let is_deep = self.next() == Token::Operator("//");
                let mut steps = Vec::new();
                if is_deep || self.starts_step() {
                    self.relative(&mut steps, is_deep)?;
                }
                return Ok(path(Start::Root, steps, true, false));
            }
            _ if self.starts_step() => {
                let mut steps = Vec::new();
                self.relative(&mut steps, false)?;
                return Ok(path(Start::Context, steps, false, false));
            }
            _ => self.at,
        };
        let (primary, facts) = self.primary()?;
        let is_followed = matches!(self.peek(), Token::Mark("[") | Token::Operator("/" | "//"));
        if !is_followed {
            return Ok((primary, facts));
        }
        self.must_be_nodes(facts, start, "a predicate or a path")?;
        let mut predicates = Vec::new();
        while *self.peek() == Token::Mark("[") {
            predicates.push(self.predicate()?);
        }
        let mut steps = Vec::new();
        if let Some(slash) = self.takes_operator(&["/", "//"]) {
            self.relative(&mut steps, slash == "//")?;
        }
        Ok(path(
            Start::Filter(Box::new(primary), predicates),
            steps,
            facts.is_constant,
            facts.is_positional,
        ))
    }

    fn starts_step(&self) -> bool {
        match self.peek() {
            Token::Star | Token::Mark("." | ".." | "@") => true,
            Token::Name(prefix, local) => {
                let is_call = self.tokens[self.at + 1].0 == Token::Mark("(");
                let is_node_type = prefix.is_none()
                    && matches!(
                        local.as_str(),
                        "node" | "text" | "comment" | "processing-instruction"
                    );
                !is_call || is_node_type
            }
            _ => false,
        }
    }

    /// `RelativeLocationPath` (§2.5); with `is_deep` as if after `//`.
    fn relative(&mut self, steps: &mut Vec<Step>, is_deep: bool) -> Result<()> {
        let mut is_deep = is_deep;
        loop {
            if !self.starts_step() {
                return Err(self.expected("a step"));
            }
            let step = self.step()?;
            add(steps, step, is_deep);
            match self.takes_operator(&["/", "//"]) {
                Some(slash) => is_deep = slash == "//",
                None => return Ok(()),
            }
        }
    }

    fn step(&mut self) -> Result<Step> {
        let plain =
            |axis| Step { axis, test: Test::Node, predicates: Vec::new(), by_parent: false };
        if self.takes(&Token::Mark(".")) {
            return Ok(plain(Axis::Itself));
        }
        if self.takes(&Token::Mark("..")) {
            return Ok(plain(Axis::Parent));
        }
        let axis = self.axis()?;
        let test = self.test(axis)?;
        let mut predicates = Vec::new();
        while *self.peek() == Token::Mark("[") {
            predicates.push(self.predicate()?);
        }
        Ok(Step { axis, test, predicates, by_parent: false })
    }

    fn axis(&mut self) -> Result<Axis> {
        if self.takes(&Token::Mark("@")) {
            return Ok(Axis::Attribute);
        }
        let Token::Name(prefix, name) = self.peek() else { return Ok(Axis::Child) };
        if self.tokens[self.at + 1].0 != Token::Mark("::") {
            return Ok(Axis::Child);
        }
        let axis = if prefix.is_none() { Axis::named(name) } else { None };
        let axis = axis.ok_or_else(|| self.expected("the name of an axis"))?;
        self.at += 2;
        Ok(axis)
    }

    fn test(&mut self, axis: Axis) -> Result<Test> {
        if self.takes(&Token::Star) {
            return Ok(Test::Star);
        }
        let Token::Name(prefix, local) = self.peek().clone() else {
            return Err(self.expected("a node test"));
        };
        if self.tokens[self.at + 1].0 == Token::Mark("(") {
            return self.node_type(&local);
        }
        let namespace = match prefix {
            None => None,
            Some(prefix) => Some(self.namespace(&prefix)?),
        };
        self.at += 1;
        let local = (local != "*").then_some(local);
        let lower = local.as_ref().map(|it| it.to_ascii_lowercase());
        let name = NameTest { namespace, local, lower, is_attribute: axis == Axis::Attribute };
        let place = self.names.iter().position(|it| *it == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        Ok(Test::Name(place))
    }

    fn node_type(&mut self, name: &str) -> Result<Test> {
        let mut test = match name {
            "node" => Test::Node,
            "text" => Test::Text,
            "comment" => Test::Comment,
            "processing-instruction" => Test::Instruction(None),
            _ => return Err(self.expected("a node test")),
        };
        self.at += 2;
        if let (Test::Instruction(target), Token::Literal(wanted)) =
            (&mut test, self.peek().clone())
        {
            *target = Some(wanted);
            self.at += 1;
        }
        self.expect(")")?;
        Ok(test)
    }

    fn namespace(&self, prefix: &str) -> Result<String> {
        match self.namespaces.get(prefix) {
            Some(uri) => Ok(uri.clone()),
            None if prefix == "xml" => Ok(XML.to_string()),
            None => Err(self.wrong(&format!("prefix {prefix:?} is not in namespaces"))),
        }
    }

    /// `Predicate` (§2.4), sorted by what it needs to know.
    fn predicate(&mut self) -> Result<Predicate> {
        self.expect("[")?;
        let (expr, facts) = self.expr()?;
        self.expect("]")?;
        if let Some(predicate) = position_test(&expr) {
            return Ok(predicate);
        }
        let is_open = matches!(facts.gives, Type::Number | Type::Open);
        let expr = self.hoist(expr, facts);
        Ok(if is_open || facts.is_positional {
            Predicate::General(expr)
        } else {
            Predicate::Boolean(expr)
        })
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

fn path(start: Start, steps: Vec<Step>, is_constant: bool, is_positional: bool) -> Known {
    let are_boolean = steps
        .iter()
        .all(|step| step.predicates.iter().all(|it| matches!(it, Predicate::Boolean(_))));
    let inner = steps.len().saturating_sub(1);
    let is_searchable = matches!(start, Start::Context)
        && (1..=SEARCHED_STEPS).contains(&steps.len())
        && are_boolean
        && steps[..inner].iter().all(|step| !step.axis.is_wide());
    let is_forward = |step: &Step| {
        matches!(
            step.axis,
            Axis::Child
                | Axis::Attribute
                | Axis::Itself
                | Axis::Descendant
                | Axis::DescendantOrSelf
        )
    };
    let is_ordered = is_searchable && steps.iter().all(is_forward);
    (
        Expr::Path(Path { start, steps, is_searchable, is_ordered }),
        Facts { gives: Type::Nodes, is_constant, is_positional },
    )
}

/// Adds a step, joined with what stands before it where that means the same.
fn add(steps: &mut Vec<Step>, mut step: Step, is_deep: bool) {
    // ./x is x
    if steps.last().is_some_and(|last| {
        last.axis == Axis::Itself && last.test == Test::Node && last.predicates.is_empty()
    }) {
        steps.pop();
    }
    if is_deep {
        // descendant-or-self::node()/child::x is descendant::x, but that positions count among
        // siblings
        match step.axis {
            Axis::Child => {
                step.axis = Axis::Descendant;
                step.by_parent = true;
            }
            Axis::Descendant
                if step.predicates.iter().all(|it| matches!(it, Predicate::Boolean(_))) => {}
            Axis::Itself if step.predicates.is_empty() => step.axis = Axis::DescendantOrSelf,
            _ => steps.push(Step {
                axis: Axis::DescendantOrSelf,
                test: Test::Node,
                predicates: Vec::new(),
                by_parent: false,
            }),
        }
    }
    steps.push(step);
}

/// `[3]`, `[last()]`, `[position() < 3]`, `[position() = last()]`: positions that are known without
/// looking at a node.
fn position_test(expr: &Expr) -> Option<Predicate> {
    let is_call = |expr: &Expr, function| matches!(expr, Expr::Call(it, _) if *it == function);
    match expr {
        Expr::Number(number) => Some(exactly(*number)),
        Expr::Call(Function::Last, _) => Some(Predicate::Last),
        Expr::Compare(left, rest) => {
            let [(comparison, right)] = rest.as_slice() else { return None };
            if !is_call(left, Function::Position) {
                return None;
            }
            if is_call(right, Function::Last) && *comparison == Comparison::Equal {
                return Some(Predicate::Last);
            }
            let Expr::Number(number) = right else { return None };
            let whole = number.clamp(0.0, 1e9);
            Some(match comparison {
                Comparison::Equal => exactly(*number),
                Comparison::Unequal => return None,
                Comparison::Less => Predicate::Range(1, (whole.ceil() as usize).saturating_sub(1)),
                Comparison::LessOrEqual => Predicate::Range(1, whole.floor() as usize),
                Comparison::Greater => Predicate::Range(whole.floor() as usize + 1, usize::MAX),
                Comparison::GreaterOrEqual => {
                    Predicate::Range((whole.ceil() as usize).max(1), usize::MAX)
                }
            })
        }
        _ => None,
    }
}

fn exactly(number: f64) -> Predicate {
    if number.fract() == 0.0 && (1.0..1e9).contains(&number) {
        return Predicate::Range(number as usize, number as usize);
    }
    Predicate::Range(1, 0)
}
