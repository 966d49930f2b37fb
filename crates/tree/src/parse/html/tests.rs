//! Laws of the whole parser, on random soup.

use proptest::prelude::*;

use super::{newlines, parse, parse_bytes, Options};
use crate::equality::equal;
use crate::limits::Limits;
use crate::watch::Unwatched;
use crate::write::html::{expressible, write};

/// Pieces that meet in ways no page has.
fn soup() -> impl Strategy<Value = String> {
    let names = [
        "a",
        "b",
        "p",
        "div",
        "table",
        "tr",
        "td",
        "select",
        "option",
        "template",
        "svg",
        "math",
        "mi",
        "foreignObject",
        "form",
        "title",
        "script",
        "li",
        "frameset",
        "body",
        "html",
    ];
    let name = prop::sample::select(names.to_vec());
    let piece = prop_oneof![
        4 => name.clone().prop_map(|name| format!("<{name}>")),
        3 => name.prop_map(|name| format!("</{name}>")),
        2 => prop::sample::select(vec![
            " ", "x", "\n", "\r\n", "\0", "&amp;", "&#x0;", "&am", "<", "<!--", "-->", "<![CDATA[",
            "]]>", "<!doctype html>", "<p a=\"", "'", "\u{FEFF}", "ä",
        ]).prop_map(str::to_string),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn soup_gives_a_whole_tree(
        text in soup(),
        context in prop::option::of(prop::sample::select(vec![
            "body", "tr", "select", "svg path", "math mi", "template", "script",
        ])),
    ) {
        let options = Options { context: context.map(str::to_string), ..Options::default() };
        let tree = parse(&text, &options, Limits::default(), &Unwatched).unwrap();
        prop_assert_eq!(tree.validate(), Ok(()));
        if context.is_none() && expressible::obstacle(&tree).is_none() {
            let written = write(&tree, 0, &Unwatched).unwrap();
            let again = parse(&written, &options, Limits::default(), &Unwatched).unwrap();
            prop_assert!(equal(&tree, &again), "{}", written);
        }
    }

    #[test]
    fn bytes_give_a_whole_tree(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let options = Options::default();
        let tree = parse_bytes(&bytes, None, &options, Limits::default(), &Unwatched).unwrap();
        prop_assert_eq!(tree.validate(), Ok(()));
    }
}

#[test]
fn every_newline_is_one() {
    assert_eq!(newlines("a\r\nb\rc\n\r\r\nd\r"), "a\nb\nc\n\n\nd\n");
}
