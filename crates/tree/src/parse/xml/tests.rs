//! The parser as a whole, seen from inside the kernel: bits of the columns, and that nothing random
//! makes it fall over. What documents become, their errors and the W3C suite are tested from
//! Python.

use proptest::prelude::*;

use super::{parse, parse_str, Options};
use crate::tree::{attr_flags, flags, Kind};
use crate::watch::Unwatched;
use crate::{Error, Limits, Result, Tree};

fn read(text: &str) -> Result<Tree> {
    let tree = parse_str(text, &Options::default(), Limits::default(), &Unwatched)?;
    tree.validate()?;
    Ok(tree)
}

#[test]
fn bits_of_attributes() {
    let tree = read(
        "<!DOCTYPE a [<!ATTLIST a i ID #IMPLIED d CDATA 'x' j NMTOKEN 'y'>]><a i='1' \
     xml:id='2' e='3'/>",
    )
    .unwrap();
    let found: Vec<(&str, u8)> =
        tree.attributes(2).map(|a| (tree.attr_local(a), tree.attr_flags(a))).collect();
    let (id, default) = (attr_flags::ID, attr_flags::DEFAULTED);
    assert_eq!(found, [("i", id), ("id", id), ("e", 0), ("d", default), ("j", default)]);
}

#[test]
fn references_that_are_kept_are_marked() {
    let tree = read("<!DOCTYPE a SYSTEM 's' [<!ENTITY e 'x&f;'>]><a>1&e;2&amp;f;</a>").unwrap();
    let texts: Vec<(&str, u8)> = (0..tree.len())
        .filter(|&i| tree.kind(i) == Kind::Text)
        .map(|i| (tree.text(i), tree.flags(i)))
        .collect();
    assert_eq!(texts, [("1x", 0), ("&f;", flags::REFERENCE), ("2&f;", 0)]);
}

#[test]
fn a_long_value_stands_once_however_many_elements_have_it() {
    let text = format!(
        "<!DOCTYPE a [<!ATTLIST b c CDATA '{}'>]><a>{}</a>",
        "x".repeat(1000),
        "<b>some text of its own, long enough</b>".repeat(1000)
    );
    let tree = read(&text).unwrap();
    assert!(tree.memory() < 250_000);
}

/// Pieces that make the grammar's corners meet more often than random bytes would.
const PIECES: &[&str] = &[
    "<a>",
    "</a>",
    "<a ",
    "/>",
    ">",
    "<",
    "&",
    "&amp;",
    "&#65;",
    "&#0;",
    "&e;",
    "&f;",
    "%p;",
    "<!--",
    "-->",
    "--",
    "<![CDATA[",
    "]]>",
    "]",
    "<?",
    "?>",
    "<?pi d?>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE a [",
    "<!DOCTYPE a SYSTEM 's'>",
    "]><a>",
    "<!ENTITY e '<b>&f;</b>'>",
    "<!ENTITY f 'x&#60;'>",
    "<!ENTITY e \"&e;\">",
    "<!ENTITY % p '<!ENTITY f \"y\">'>",
    "<!ENTITY % p SYSTEM 'x'>",
    "<!ATTLIST a b ID #IMPLIED c CDATA ' d '>",
    "<!ELEMENT a (b|(c,d)*)>",
    "<![INCLUDE[",
    "<![IGNORE[",
    "b='1'",
    " b=\"&e;\"",
    " xmlns:p='u'",
    " xmlns='v'",
    " xml:id=' 7 '",
    "p:",
    ":",
    "é",
    "\u{FFFF}",
    "\u{1}",
    "\t",
    "\n",
    "\r\n",
    " ",
    "'",
    "\"",
    "=",
    "x",
    "1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn pieces_give_a_tree_or_an_error(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
        fragment: bool,
        namespaces: bool,
    ) {
        let text: String = pieces.concat();
        let options = Options { transport: None, namespaces, fragment };
        let limits = Limits { nodes: 100, depth: 10, entity_expansion: 1000, ..Limits::default() };
        for source in [text.clone(), format!("<a>{text}</a>")] {
            match parse_str(&source, &options, limits, &Unwatched) {
                Ok(tree) => prop_assert_eq!(tree.validate(), Ok(())),
                Err(Error::Parse { line, column, .. }) => prop_assert!(line > 0 && column > 0),
                Err(Error::Limit { .. }) => {}
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
    }

    #[test]
    fn bytes_give_a_tree_or_an_error(
        bytes: Vec<u8>,
        transport in prop::option::of(prop::sample::select(vec![
            "utf-8", "utf-16", "latin1", "iso-8859-9", "shift_jis", "x",
        ])),
    ) {
        let options = Options { transport: transport.map(String::from), ..Options::default() };
        let mut wrapped = b"<a>".to_vec();
        wrapped.extend(&bytes);
        wrapped.extend(b"</a>");
        for source in [bytes, wrapped] {
            match parse(&source, &options, Limits::default(), &Unwatched) {
                Ok(tree) => prop_assert_eq!(tree.validate(), Ok(())),
                Err(Error::Parse { line, column, .. }) => prop_assert!(line > 0 && column > 0),
                Err(other) => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
