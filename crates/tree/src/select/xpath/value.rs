//! What an XPath expression gives: a node-set, a string, a number or a boolean (XPath 1.0 §1).

/// A node in the sense of XPath: a node of the tree, or an attribute or namespace of an element.
///
/// One number in document order (§5): the node, then its namespaces, then its attributes, then its
/// children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item(u64);

/// What an [`Item`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The node itself.
    Node,
    /// The namespace in scope with this number, from 0 (see `Run::namespaces`).
    Namespace(usize),
    /// The attribute with this number on its element, from 0.
    Attribute(usize),
}

const ATTRIBUTE: u64 = 1 << 31;

impl Item {
    /// A node of the tree.
    pub fn node(i: usize) -> Item {
        Item((i as u64) << 32)
    }

    /// Attribute number `k` of element `i`.
    pub fn attribute(i: usize, k: usize) -> Item {
        Item((i as u64) << 32 | ATTRIBUTE | k as u64)
    }

    /// Namespace number `k` in scope on element `i`.
    pub fn namespace(i: usize, k: usize) -> Item {
        Item((i as u64) << 32 | (k as u64 + 1))
    }

    /// The node, or the element that an attribute or namespace belongs to.
    pub fn index(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// What it is.
    pub fn part(self) -> Part {
        match self.0 & 0xFFFF_FFFF {
            0 => Part::Node,
            low if low & ATTRIBUTE != 0 => Part::Attribute((low ^ ATTRIBUTE) as usize),
            low => Part::Namespace(low as usize - 1),
        }
    }

    /// Whether it is a node of the tree.
    pub fn is_node(self) -> bool {
        self.0 & 0xFFFF_FFFF == 0
    }
}

/// The result of an expression. Node-sets are in document order, without repetition.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A node-set.
    Nodes(Vec<Item>),
    /// A string.
    Text(String),
    /// A number.
    Number(f64),
    /// A boolean.
    Boolean(bool),
}

/// `number()` of a string (§4.4): an optional minus, digits and at most one point, space around;
/// else NaN.
pub(super) fn to_number(text: &str) -> f64 {
    let body = text.trim_matches([' ', '\t', '\n', '\r']);
    let digits = body.strip_prefix('-').unwrap_or(body);
    let is_number = digits.bytes().any(|b| b.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits.bytes().filter(|&b| b == b'.').count() <= 1;
    if is_number {
        body.parse().unwrap_or(f64::NAN)
    } else {
        f64::NAN
    }
}

/// `string()` of a number (§4.2): no exponent, as many digits as tell it from every other number,
/// no sign on zero.
pub(super) fn from_number(number: f64) -> String {
    if number.is_nan() {
        "NaN".into()
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity".into()
        } else {
            "-Infinity".into()
        }
    } else if number == 0.0 {
        "0".into()
    } else {
        number.to_string()
    }
}

/// `round()` (§4.4): to the nearest whole number, halves up; zero keeps the sign.
pub(super) fn round(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 { floor + 1.0 } else { floor };
    if rounded == 0.0 {
        0f64.copysign(number)
    } else {
        rounded
    }
}

/// Whether a character is white space for XPath.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
