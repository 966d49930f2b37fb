//! The grammar of selectors: Servo's parser, told which pseudo-classes there are.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use cssparser::{
    match_ignore_ascii_case, serialize_identifier, serialize_string, ParseError, ToCss,
};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{ParseRelative, SelectorList, SelectorParseErrorKind};

use super::super::{MAX_LENGTH, MAX_NESTING};
use super::pseudo::Pseudo;
use crate::error::{Error, Result};

/// Reads a selector list. `namespaces` maps prefixes to namespaces; the empty prefix is the default
/// namespace.
pub(super) fn parse(
    text: &str,
    namespaces: &BTreeMap<String, String>,
) -> Result<SelectorList<Grammar>> {
    if text.len() > MAX_LENGTH {
        return Err(Error::Usage(format!(
            "CSS selector of {} bytes; the longest that is read has {MAX_LENGTH}",
            text.len()
        )));
    }
    let mut parser = cssparser::Parser::new(text);
    parser.set_nested_block_limit(MAX_NESTING as u8);
    let list = parser.parse_entirely(|input| {
        SelectorList::parse(&Dialect { namespaces }, input, ParseRelative::No)
    });
    list.map_err(|error| {
        let place = parser.current_source_location();
        Error::Usage(format!(
            "CSS selector {}: {} at line {}, column {}",
            shown(text),
            words(error),
            place.line + 1,
            place.column
        ))
    })
}

/// The selector as a message shows it.
fn shown(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

/// Servo's parser over our strings.
#[derive(Debug, Clone)]
pub(super) struct Grammar;

impl selectors::SelectorImpl for Grammar {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Text;
    type Identifier = Text;
    type LocalName = Text;
    type NamespaceUrl = Text;
    type NamespacePrefix = Text;
    type BorrowedNamespaceUrl = Text;
    type BorrowedLocalName = Text;
    type NonTSPseudoClass = Pseudo;
    type PseudoElement = NoPseudoElement;
}

/// A string of a selector.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text(pub(super) String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.to_string())
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Text {
    fn to_css<W: Write>(&self, out: &mut W) -> fmt::Result {
        serialize_string(&self.0, out)
    }
}

impl PrecomputedHash for Text {
    fn precomputed_hash(&self) -> u32 {
        let hash = rapidhash::v3::rapidhash_v3(self.0.as_bytes());
        (hash ^ hash >> 32) as u32
    }
}

/// There is no pseudo-element in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoPseudoElement {}

impl ToCss for NoPseudoElement {
    fn to_css<W: Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl selectors::parser::PseudoElement for NoPseudoElement {}

impl ToCss for Pseudo {
    fn to_css<W: Write>(&self, out: &mut W) -> fmt::Result {
        out.write_char(':')?;
        serialize_identifier(&format!("{self:?}"), out)
    }
}

impl selectors::parser::NonTSPseudoClass for Pseudo {
    fn is_active_or_hover(&self) -> bool {
        false
    }

    fn is_user_action_state(&self) -> bool {
        false
    }
}

/// What a selector may say beyond the structure of a tree.
struct Dialect<'a> {
    namespaces: &'a BTreeMap<String, String>,
}

/// Why a selector is refused.
#[derive(Debug, Clone, PartialEq)]
enum Refusal {
    Grammar(SelectorParseErrorKind),
    PseudoClass(String),
    PseudoElement(String),
    Argument(&'static str),
}

impl From<SelectorParseErrorKind> for Refusal {
    fn from(kind: SelectorParseErrorKind) -> Self {
        Refusal::Grammar(kind)
    }
}

type Outcome<T> = std::result::Result<T, ParseError<Refusal>>;

impl<'i> selectors::parser::Parser<'i> for Dialect<'_> {
    type Impl = Grammar;
    type Error = Refusal;

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    /// Browsers drop what they cannot read inside `:is()` without a word. We say it: a typing error
    /// must not select nothing.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }

    fn parse_non_ts_pseudo_class(&self, name: &str) -> Outcome<Pseudo> {
        Pseudo::named(name)
            .ok_or_else(|| ParseError::custom(Refusal::PseudoClass(format!(":{name}"))))
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        input: &mut cssparser::Parser<'i>,
        _after_part: bool,
    ) -> Outcome<Pseudo> {
        match_ignore_ascii_case! { name,
            "lang" => {
                let ranges = input.parse_comma_separated(|input| {
                    Ok(input.expect_ident_or_string()?.as_ref().to_string())
                })?;
                Ok(Pseudo::Lang(ranges))
            },
            "dir" => {
                let direction = input.expect_ident()?.clone();
                match_ignore_ascii_case! { &direction,
                    "ltr" => Ok(Pseudo::Dir { rtl: false }),
                    "rtl" => Ok(Pseudo::Dir { rtl: true }),
                    _ => Err(ParseError::custom(Refusal::Argument(":dir() takes ltr or rtl"))),
                }
            },
            _ => Err(ParseError::custom(Refusal::PseudoClass(format!(":{name}()")))),
        }
    }

    fn parse_pseudo_element(&self, name: &str) -> Outcome<NoPseudoElement> {
        Err(ParseError::custom(Refusal::PseudoElement(format!("::{name}"))))
    }

    fn parse_functional_pseudo_element(
        &self,
        name: &str,
        _: &mut cssparser::Parser<'i>,
    ) -> Outcome<NoPseudoElement> {
        Err(ParseError::custom(Refusal::PseudoElement(format!("::{name}()"))))
    }

    fn default_namespace(&self) -> Option<Text> {
        self.namespaces.get("").map(|uri| Text(uri.clone()))
    }

    fn namespace_for_prefix(&self, prefix: &Text) -> Option<Text> {
        self.namespaces.get(&prefix.0).map(|uri| Text(uri.clone()))
    }
}

fn words(error: ParseError<Refusal>) -> String {
    use cssparser::{BasicParseErrorKind as Basic, ParseErrorKind};
    use SelectorParseErrorKind as Kind;
    let kind = match error.kind {
        ParseErrorKind::Basic(Basic::EndOfInput) => return "it ends too early".into(),
        ParseErrorKind::Basic(Basic::TooManyNestedBlocks) => {
            return format!("more than {MAX_NESTING} levels of brackets")
        }
        ParseErrorKind::Basic(_) => return "something unexpected".into(),
        ParseErrorKind::Custom(Refusal::PseudoClass(name)) => {
            return format!("unknown pseudo-class {name}")
        }
        ParseErrorKind::Custom(Refusal::PseudoElement(name)) => {
            return format!("pseudo-element {name}: a tree has none")
        }
        ParseErrorKind::Custom(Refusal::Argument(what)) => return what.into(),
        ParseErrorKind::Custom(Refusal::Grammar(kind)) => kind,
    };
    let said = match kind {
        Kind::EmptySelector => "a selector is empty",
        Kind::DanglingCombinator => "nothing follows a combinator",
        Kind::ExpectedNamespace => "a namespace prefix that is not in namespaces",
        Kind::NoQualifiedNameInAttributeSelector | Kind::InvalidQualNameInAttr => {
            "expected the name of an attribute"
        }
        Kind::UnexpectedTokenInAttributeSelector => "expected =, ~=, |=, ^=, $=, *= or ]",
        Kind::BadValueInAttr => "expected a name or a string as value of an attribute",
        Kind::ExpectedBarInAttr => "expected | after *",
        Kind::ClassNeedsIdent => "expected the name of a class",
        Kind::NoIdentForPseudo
        | Kind::PseudoElementExpectedIdent
        | Kind::PseudoElementExpectedColon => "expected the name of a pseudo-class",
        Kind::ExplicitNamespaceUnexpectedToken => "expected a name or * after |",
        Kind::InvalidState => "this cannot stand here (:has() inside :has()?)",
        Kind::UnsupportedPseudoClassOrElement => "an unknown pseudo-class or pseudo-element",
        _ => "something unexpected",
    };
    said.into()
}
