//! Answers against examples, and against Servo's matcher.

use proptest::prelude::*;

use super::{servo, Css};
use crate::error::Error;
use crate::limits::Limits;
use crate::parse::html;
use crate::tree::{Builder, Format, Meta, Tree};
use crate::watch::Unwatched;

fn page(text: &str) -> Tree {
    html::parse(text, &html::Options::default(), Limits::default(), &Unwatched).unwrap()
}

fn ids(tree: &Tree, selector: &str) -> String {
    let found = Css::compile(selector, &Default::default())
        .unwrap()
        .select(tree, 0, usize::MAX, &Unwatched)
        .unwrap();
    assert_eq!(found, servo::select(selector, tree, 0), "{selector}");
    found.iter().filter_map(|&i| tree.attribute(i as usize, "id")).collect()
}

#[test]
fn combinators() {
    let tree = page("<div id=a><p id=b>x<p id=c class='k m'>y<span id=d></span></div><p id=e>");
    for (selector, expected) in [
        ("p", "bce"),
        ("div p", "bc"),
        ("body > p", "e"),
        ("p + p", "c"),
        ("div ~ p", "e"),
        ("p ~ p", "c"),
        (".k.m > span", "d"),
        ("p:has(span)", "c"),
        ("p:has(+ p)", "b"),
        ("div:has(> p > span)", "a"),
        ("p:not(:has(*))", "be"),
        ("p:not(div *)", "e"),
        (":is(div > p, span)", "bcd"),
        ("p:nth-child(2)", "ce"),
        ("p:nth-last-child(1)", "ce"),
        ("p:nth-child(1 of .k)", "c"),
        ("*:nth-last-of-type(2)", "b"),
        ("p:only-of-type", "e"),
        ("span:empty", "d"),
        ("[id=d], [id=A i], #e", "ade"),
        ("P", "bce"),
        ("body :first-child", "abd"),
    ] {
        assert_eq!(ids(&tree, selector), expected, "{selector}");
    }
}

#[test]
fn templates_are_not_seen_from_outside() {
    let tree = page("<template id=t><p id=a></template><p id=b>");
    assert_eq!(ids(&tree, "p"), "b");
    assert_eq!(ids(&tree, "template:empty"), "t");
    assert_eq!(ids(&tree, ":has(#a)"), "");
    let inside = (1..tree.len()).find(|&i| tree.attribute(i, "id") == Some("t")).unwrap() + 1;
    assert!(Css::compile("p", &Default::default())
        .unwrap()
        .matches(&tree, inside, &Unwatched)
        .unwrap());
}

#[test]
fn what_markup_says_of_states() {
    let tree = page(
        "<!DOCTYPE html><html lang=de-CH><body><a id=a href=x></a><a id=b></a><form>\
         <fieldset id=c disabled><legend><input id=d></legend><input id=e required></fieldset>\
         <input id=f type=checkbox checked>\
         <select><option id=g selected><option id=h></select></form>\
         <p id=i lang=en>x</p><p id=j dir=rtl><b id=k></b></p><x-y id=l></x-y>",
    );
    for (selector, expected) in [
        (":link", "a"),
        (":any-link", "a"),
        (":disabled", "ce"),
        ("input:enabled", "df"),
        (":checked", "fg"),
        (":required", "e"),
        ("input:optional", "df"),
        ("p:lang(en), form:lang('*-CH')", "i"),
        ("p:lang(de)", "j"),
        (":dir(rtl)", "jk"),
        ("body :not(:defined)", "l"),
        (":hover", ""),
    ] {
        assert_eq!(ids(&tree, selector), expected, "{selector}");
    }
}

#[test]
fn quirks_mode_ignores_the_case_of_classes_and_ids() {
    assert_eq!(ids(&page("<p id=A class=X>"), ".x, #a"), "A");
    assert_eq!(ids(&page("<!DOCTYPE html><p id=A class=X>"), ".x, #a"), "");
}

#[test]
fn a_scope_is_context_and_border() {
    let tree = page("<ul id=u><li id=a><b id=b></b></li><li id=c><b id=d></b></li></ul>");
    let second = (1..tree.len()).find(|&i| tree.attribute(i, "id") == Some("c")).unwrap();
    for selector in [
        "li b",
        ":scope > b",
        "ul > li + li > b",
        "ul > li:nth-child(2) > b",
        "ul:has(#b) b",
        ":not(li:first-child b)",
    ] {
        let found = Css::compile(selector, &Default::default())
            .unwrap()
            .select(&tree, second, usize::MAX, &Unwatched)
            .unwrap();
        assert_eq!(found, servo::select(selector, &tree, second), "{selector}");
        assert_eq!(found.len(), 1, "{selector}");
        assert!(
            Css::compile(selector, &Default::default())
                .unwrap()
                .matches(&tree, found[0] as usize, &Unwatched)
                .unwrap()
                || selector.contains("scope")
        );
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let deep = ":not(".repeat(200) + "a" + &")".repeat(200);
    let wide = "a ".repeat(65);
    let long = "a,".repeat(40_000) + "a";
    for (selector, words) in [
        ("p:hoover", "unknown pseudo-class :hoover"),
        ("p:is(a, :nope)", "unknown pseudo-class :nope"),
        ("p::before", "::before"),
        ("p >", "nothing follows"),
        ("", "empty"),
        ("svg|a", "prefix"),
        ("a:has(b:has(c))", ":has"),
        ("a[b", ""),
        (&deep, "100 levels"),
        (&wide, "65 compounds"),
        (&long, "80001 bytes"),
        ("p:host(a)", "no meaning"),
        ("a[=x]", "name of an attribute"),
    ] {
        match Css::compile(selector, &Default::default()) {
            Err(Error::Usage(message)) => assert!(message.contains(words), "{message}"),
            Ok(_) => assert_eq!(selector, "a[b", "CSS closes what is open at the end"),
            Err(other) => panic!("{selector}: {other}"),
        }
    }
}

#[test]
fn a_deep_chain_and_a_wide_star_are_linear() {
    let deep = {
        let mut builder = Builder::new(Meta::new(Format::Xml), Limits::default());
        let name = builder.intern("", "", "a");
        for _ in 0..200_000 {
            builder.open(name, 0, 0).unwrap();
        }
        builder.finish()
    };
    let wide = {
        let mut builder = Builder::new(Meta::new(Format::Xml), Limits::default());
        let (root, names) = (builder.intern("", "", "r"), ["a", "b", "c"].map(|it| it.to_string()));
        let names = names.map(|it| builder.intern("", "", &it));
        builder.open(root, 0, 0).unwrap();
        for i in 0..200_000 {
            builder.open(names[i % 3], 0, 0).unwrap();
            builder.close();
        }
        builder.finish()
    };
    for selector in [
        "x a",
        "a a a a",
        "x > a a",
        "a:has(a)",
        "a:has(x)",
        "a:not(x a)",
        "x ~ a",
        "a ~ b",
        "a + b ~ c",
        ":nth-child(2n+1)",
        ":nth-last-child(3n)",
        "a:nth-of-type(5n)",
        ":nth-last-child(2 of a)",
        "a:has(~ x)",
        "r > :has(+ b)",
        ":first-child",
        ":only-child",
    ] {
        let css = Css::compile(selector, &Default::default()).unwrap();
        let start = std::time::Instant::now();
        css.select(&deep, 0, usize::MAX, &Unwatched).unwrap();
        css.select(&wide, 0, usize::MAX, &Unwatched).unwrap();
        assert!(start.elapsed().as_secs() < 5, "{selector}");
    }
}

/// Small trees over few names, so that selectors find something.
fn trees() -> impl Strategy<Value = Tree> {
    let node = (0u8..4, 0u8..5, prop::option::of("[xyz]( [xyz])?"), prop::option::of("[uv]"));
    prop::collection::vec(node, 1..24).prop_map(|nodes| {
        let mut meta = Meta::new(Format::Xml);
        meta.is_fragment = nodes.len() % 2 == 0;
        let mut builder = Builder::new(meta, Limits::default());
        let names =
            ["a", "b", "c", "d"].map(|it| it.to_string()).map(|it| builder.intern("", "", &it));
        let (class, id) = (builder.intern("", "", "class"), builder.intern("", "", "id"));
        let root = builder.intern("", "", "r");
        builder.open(root, 0, 0).unwrap();
        for (name, closes, classes, ident) in nodes {
            for _ in 0..closes.saturating_sub(1) {
                if builder.open_depth() > 2 {
                    builder.close();
                }
            }
            builder.open(names[name as usize], 0, 0).unwrap();
            if let Some(value) = classes {
                builder.attribute(class, &value, 0).unwrap();
            }
            if let Some(value) = ident {
                builder.attribute(id, &value, 0).unwrap();
            }
        }
        builder.finish()
    })
}

fn compounds() -> BoxedStrategy<String> {
    let head = prop_oneof![Just("*".to_string()), "[abcd]"];
    let tail = prop_oneof![
        4 => Just(String::new()),
        2 => r"\.[xyz]",
        1 => "#[uv]",
        1 => r"\[class\^=[xyz]\]",
        1 => Just(":empty".to_string()),
        1 => Just(":scope".to_string()),
        1 => Just(":root".to_string()),
        1 => Just(":only-child".to_string()),
        1 => Just(":first-of-type".to_string()),
        1 => r":nth-(last-)?(child|of-type)\((odd|2n|-n\+2|3n\+1|2)\)",
    ];
    (head, tail).prop_map(|(head, tail)| head + &tail).boxed()
}

fn selectors() -> BoxedStrategy<String> {
    let plain = chain(compounds(), 4);
    let nested = (
        compounds(),
        prop::sample::select(vec![":is", ":not", ":has", ":where"]),
        prop::sample::select(vec!["", "> ", "+ ", "~ "]),
        plain.clone(),
        plain,
    )
        .prop_map(|(head, function, lead, inner, other)| {
            let lead = if function == ":has" { lead } else { "" };
            format!("{head}{function}({lead}{inner}, {other})")
        });
    let counted = (compounds(), r"(last-)?child\((odd|2|-n\+2) of ", chain(compounds(), 3))
        .prop_map(|(head, nth, of)| format!("{head}:nth-{nth}{of})"));
    let part = prop_oneof![3 => compounds(), 2 => nested, 1 => counted].boxed();
    prop::collection::vec(chain(part, 3), 1..3).prop_map(|list| list.join(", ")).boxed()
}

fn chain(part: BoxedStrategy<String>, most: usize) -> BoxedStrategy<String> {
    let link = prop::sample::select(vec![" ", " > ", " + ", " ~ "]);
    (part.clone(), prop::collection::vec((link, part), 0..most))
        .prop_map(|(first, rest)| {
            rest.into_iter().fold(first, |all, (link, next)| all + link + &next)
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8 * ProptestConfig::default().cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn we_answer_as_servo_does(
        tree in trees(),
        selector in selectors(),
        at in 0usize..24,
        limit in 1usize..4,
    ) {
        let css = Css::compile(&selector, &Default::default()).unwrap();
        let found = css.select(&tree, 0, usize::MAX, &Unwatched).unwrap();
        prop_assert_eq!(&found, &servo::select(&selector, &tree, 0), "{}", selector);
        let first = css.select(&tree, 0, limit, &Unwatched).unwrap();
        prop_assert_eq!(&found[..found.len().min(limit)], first);
        let scope = at % tree.len();
        let below = css.select(&tree, scope, usize::MAX, &Unwatched).unwrap();
        let theirs = servo::select(&selector, &tree, scope);
        prop_assert_eq!(below, theirs, "{} from {}", selector, scope);
        if scope > 0 && !selector.contains(":scope") {
            let is_match = css.matches(&tree, scope, &Unwatched).unwrap();
            let is_found = found.contains(&(scope as u32));
            prop_assert_eq!(is_match, is_found, "{} of {}", selector, scope);
        }
    }
}
