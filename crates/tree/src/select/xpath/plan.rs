//! A compiled expression: steps over the columns of a tree, with everything decided that no tree
//! can change.

/// The 13 axes (§2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

impl Axis {
    pub(super) fn named(name: &str) -> Option<Axis> {
        Some(match name {
            "ancestor" => Axis::Ancestor,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            "attribute" => Axis::Attribute,
            "child" => Axis::Child,
            "descendant" => Axis::Descendant,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "following" => Axis::Following,
            "following-sibling" => Axis::FollowingSibling,
            "namespace" => Axis::Namespace,
            "parent" => Axis::Parent,
            "preceding" => Axis::Preceding,
            "preceding-sibling" => Axis::PrecedingSibling,
            "self" => Axis::Itself,
            _ => return None,
        })
    }

    /// Whether one step from one node can meet a large part of the tree.
    pub(super) fn is_wide(self) -> bool {
        !matches!(
            self,
            Axis::Child | Axis::Attribute | Axis::Itself | Axis::Parent | Axis::Namespace
        )
    }
}

/// A node test (§2.3).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// `node()`
    Node,
    /// `*`: any node of the principal kind of the axis.
    Star,
    /// A name: place in [`Plan::names`].
    Name(usize),
    /// `text()`
    Text,
    /// `comment()`
    Comment,
    /// `processing-instruction()`, `processing-instruction('target')`
    Instruction(Option<String>),
}

/// A name test with its prefix looked up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NameTest {
    /// `None` where no prefix was written.
    pub(super) namespace: Option<String>,
    /// `None` for `prefix:*`.
    pub(super) local: Option<String>,
    /// The same in lower case.
    pub(super) lower: Option<String>,
    /// Whether it stands on the attribute axis.
    pub(super) is_attribute: bool,
}

/// A predicate, sorted by what it needs to know.
#[derive(Debug, Clone)]
pub(super) enum Predicate {
    /// Positions from … to …: `[3]`, `[position() < 3]`.
    Range(usize, usize),
    /// `[last()]`
    Last,
    /// The same whatever the position.
    Boolean(Expr),
    /// Anything else.
    General(Expr),
}

/// One step of a path.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: Test,
    pub(super) predicates: Vec<Predicate>,
    /// `//x[1]`: the axis is descendant, but positions count among the children of one parent.
    pub(super) by_parent: bool,
}

/// Where a path begins.
#[derive(Debug, Clone)]
pub(super) enum Start {
    Context,
    Root,
    /// A filter expression with its predicates (§3.3).
    Filter(Box<Expr>, Vec<Predicate>),
}

/// A location path, or a filter expression followed by one.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
    /// May be searched from one context node, step by step, and left at the first find.
    pub(super) is_searchable: bool,
    /// A search meets the nodes in document order.
    pub(super) is_ordered: bool,
}

/// `=` and its sisters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// `+` and its sisters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Plus,
    Minus,
    Times,
    Div,
    Mod,
}

/// An expression. Chains of one operator are flat, so that evaluation recurses only where brackets
/// do.
#[derive(Debug, Clone)]
pub(super) enum Expr {
    Or(Vec<Expr>),
    And(Vec<Expr>),
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    Calculate(Box<Expr>, Vec<(Arithmetic, Expr)>),
    Negate(Box<Expr>),
    Union(Vec<Expr>),
    Path(Path),
    Literal(String),
    Number(f64),
    /// Place in [`Plan::variables`].
    Variable(usize),
    Call(Function, Vec<Expr>),
    /// The same for every context: computed once, kept at this place.
    Constant(usize, Box<Expr>),
}

/// The core function library (§4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

/// Type of an expression, as far as it is known without a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Nodes,
    Text,
    Number,
    Boolean,
    /// A variable: known when it gets its value.
    Open,
}

/// What a function takes and gives.
pub(super) struct Signature {
    pub(super) function: Function,
    pub(super) least: usize,
    pub(super) most: usize,
    /// Whether the first argument must be a node-set.
    pub(super) wants_nodes: bool,
    pub(super) gives: Type,
}

impl Function {
    pub(super) fn named(name: &str) -> Option<Signature> {
        use Function as F;
        let (function, least, most, wants_nodes, gives) = match name {
            "last" => (F::Last, 0, 0, false, Type::Number),
            "position" => (F::Position, 0, 0, false, Type::Number),
            "count" => (F::Count, 1, 1, true, Type::Number),
            "id" => (F::Id, 1, 1, false, Type::Nodes),
            "local-name" => (F::LocalName, 0, 1, true, Type::Text),
            "namespace-uri" => (F::NamespaceUri, 0, 1, true, Type::Text),
            "name" => (F::Name, 0, 1, true, Type::Text),
            "string" => (F::String, 0, 1, false, Type::Text),
            "concat" => (F::Concat, 2, usize::MAX, false, Type::Text),
            "starts-with" => (F::StartsWith, 2, 2, false, Type::Boolean),
            "contains" => (F::Contains, 2, 2, false, Type::Boolean),
            "substring-before" => (F::SubstringBefore, 2, 2, false, Type::Text),
            "substring-after" => (F::SubstringAfter, 2, 2, false, Type::Text),
            "substring" => (F::Substring, 2, 3, false, Type::Text),
            "string-length" => (F::StringLength, 0, 1, false, Type::Number),
            "normalize-space" => (F::NormalizeSpace, 0, 1, false, Type::Text),
            "translate" => (F::Translate, 3, 3, false, Type::Text),
            "boolean" => (F::Boolean, 1, 1, false, Type::Boolean),
            "not" => (F::Not, 1, 1, false, Type::Boolean),
            "true" => (F::True, 0, 0, false, Type::Boolean),
            "false" => (F::False, 0, 0, false, Type::Boolean),
            "lang" => (F::Lang, 1, 1, false, Type::Boolean),
            "number" => (F::Number, 0, 1, false, Type::Number),
            "sum" => (F::Sum, 1, 1, true, Type::Number),
            "floor" => (F::Floor, 1, 1, false, Type::Number),
            "ceiling" => (F::Ceiling, 1, 1, false, Type::Number),
            "round" => (F::Round, 1, 1, false, Type::Number),
            _ => return None,
        };
        Some(Signature { function, least, most, wants_nodes, gives })
    }
}

/// A compiled expression and its tables.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) expr: Expr,
    pub(super) names: Vec<NameTest>,
    pub(super) variables: Vec<String>,
    /// How many [`Expr::Constant`] there are.
    pub(super) constants: usize,
}
