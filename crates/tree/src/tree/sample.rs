//! Random trees for property tests: small alphabets, so that equal things meet.

use proptest::prelude::*;

use super::{attr_flags, flags, Builder, Format, Kind, Meta, Problem, Quirks, Tree, XML, XMLNS};
use crate::Limits;

/// One step of a [`Builder`].
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Open(usize, Vec<(usize, String, u8)>, u32),
    Close,
    Leaf(Kind, usize, String),
}

/// (prefix, namespace, local), some the same but for one part.
const NAMES: [(&str, &str, &str); 10] = [
    ("", "", "a"),
    ("", "", "b"),
    ("", "urn:x", "a"),
    ("x", "urn:x", "a"),
    ("y", "urn:x", "a"),
    ("x", "urn:x", "ü.-1"),
    ("xml", XML, "id"),
    ("xmlns", XMLNS, "x"),
    ("", XMLNS, "xmlns"),
    ("", "", "odd name<&>"),
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab<>&\"' \n\t]{0,6}",
        1 => Just("ab".to_string()),
        1 => Just("&ab;".to_string()),
        1 => prop::collection::vec(prop::sample::select(vec![
            "é", "\u{1F600}", "]]>", "--", "?>", "\r", "\0", "\u{FFFE}", "x", "-", "\\", "\u{2028}",
        ]), 0..5)
            .prop_map(|parts| parts.concat()),
    ]
}

/// Steps that make some tree.
pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let attributes = prop::collection::vec((0..NAMES.len(), text(), 0u8..4), 0..4);
    let step = prop_oneof![
        3 => (0..NAMES.len(), attributes, 0u32..100)
            .prop_map(|(name, attributes, line)| Step::Open(name, attributes, line)),
        3 => Just(Step::Close),
        3 => (
            prop::sample::select(vec![
                Kind::Text, Kind::Text, Kind::Comment, Kind::Instruction, Kind::Doctype,
            ]),
            0..NAMES.len(),
            text(),
        )
            .prop_map(|(kind, name, text)| Step::Leaf(kind, name, text)),
    ];
    prop::collection::vec(step, 0..40)
}

/// The tree of these steps; with `turned`, attributes are added in the other order.
pub(crate) fn build(steps: &[Step], turned: bool) -> Tree {
    let mut meta = Meta::new(if turned { Format::Html } else { Format::Xml });
    meta.is_fragment = true;
    if turned {
        meta.quirks = Quirks::Full;
        meta.encoding = "utf-8".into();
        meta.standalone = Some(true);
        meta.problems = vec![Problem { line: 3, message: "odd".into() }];
        meta.problem_count = 7;
    }
    let mut builder = Builder::new(meta, Limits::default());
    if turned {
        // other numbers for the same names
        for &(prefix, namespace, local) in NAMES.iter().rev() {
            builder.intern(prefix, namespace, local);
        }
    }
    let mark = if turned { flags::IN_TEMPLATE } else { 0 };
    for step in steps {
        match step {
            Step::Open(name, attributes, line) => {
                let (prefix, namespace, local) = NAMES[*name];
                let id = builder.intern(prefix, namespace, local);
                builder.open(id, if turned { line + 1 } else { *line }, mark).unwrap();
                let mut attributes = attributes.clone();
                attributes.sort_by_key(|it| it.0);
                attributes.dedup_by_key(|it| it.0);
                if turned {
                    attributes.reverse();
                }
                for (name, value, bits) in &attributes {
                    let (prefix, namespace, local) = NAMES[*name];
                    let id = builder.intern(prefix, namespace, local);
                    builder
                        .attribute(
                            id,
                            value,
                            if turned {
                                bits ^ (attr_flags::ID | attr_flags::DEFAULTED)
                            } else {
                                *bits
                            },
                        )
                        .unwrap();
                }
            }
            Step::Close if builder.open_depth() > 1 => builder.close(),
            Step::Close => {}
            Step::Leaf(kind, name, text) => {
                let (prefix, namespace, local) = if matches!(kind, Kind::Text | Kind::Comment) {
                    ("", "", "")
                } else {
                    NAMES[*name]
                };
                let id = builder.intern(prefix, namespace, local);
                // no text a writer would make: only the flag tells
                let reference =
                    if *kind == Kind::Text && text == "ab" { flags::REFERENCE } else { 0 };
                builder
                    .leaf(
                        *kind,
                        id,
                        if reference != 0 { "&ab;" } else { text },
                        1,
                        mark | reference,
                    )
                    .unwrap();
                if *kind == Kind::Doctype {
                    let id = builder.intern("", "", "public");
                    builder.attribute(id, text, 0).unwrap();
                }
            }
        }
    }
    builder.finish()
}
