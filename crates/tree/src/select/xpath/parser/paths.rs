//! Location paths (XPath 1.0 §2): steps, axes, node tests and predicates.

use super::super::lexer::Token;
use super::super::plan::{
    Axis, Comparison, Expr, Function, NameTest, Path, Predicate, Start, Step, Test, Type,
};
use super::{Facts, Known, Parser};
use crate::error::Result;
use crate::tree::XML;

/// Steps that are searched one inside the other; longer paths go set by set.
const SEARCHED_STEPS: usize = 16;

impl Parser<'_> {
    /// `PathExpr` (§3.3).
    pub(super) fn path(&mut self) -> Result<Known> {
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

    pub(super) fn starts_step(&self) -> bool {
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
    pub(super) fn predicate(&mut self) -> Result<Predicate> {
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
