//! Examples of the Recommendation, and what bad input gets. Agreement with another implementation
//! is tested from Python.

use super::{Answer, Found, XPath};
use crate::error::Error;
use crate::limits::Limits;
use crate::parse::html;
use crate::tree::Tree;
use crate::watch::{Deadline, Unwatched};

fn page(text: &str) -> Tree {
    html::parse(text, &html::Options::default(), Limits::default(), &Unwatched).unwrap()
}

fn ask(tree: &Tree, expression: &str) -> String {
    match XPath::compile(expression, &Default::default())
        .unwrap()
        .evaluate(tree, 0, &[], &Unwatched)
        .unwrap()
    {
        Answer::Nodes(nodes) => nodes
            .iter()
            .map(|it| match it {
                Found::Node(i) => tree.attribute(*i, "id").unwrap_or(tree.text(*i)).to_string(),
                Found::Attribute { element, number } => {
                    tree.attr_value(tree.attributes(*element).start + number).to_string()
                }
                Found::Namespace { prefix, .. } => prefix.clone(),
            })
            .collect::<Vec<_>>()
            .join(" "),
        Answer::Text(text) => text,
        Answer::Number(number) => super::value::from_number(number),
        Answer::Boolean(boolean) => boolean.to_string(),
    }
}

const LIST: &str = "<!doctype html><ul id=u><li id=a class='x y'>1<li id=b>2<b id=i>two</b><li \
 id=c>3</ul><p id=p lang=en-GB>end";

#[test]
fn paths() {
    let tree = page(LIST);
    for (expression, expected) in [
        ("//li", "a b c"),
        ("//LI", "a b c"),
        ("//li[2]", "b"),
        ("//li[last()]", "c"),
        ("//li[position() > 1]", "b c"),
        ("//li[position() mod 2 = 1]", "a c"),
        ("(//*)[last()]", "p"),
        ("//b/ancestor::*[1]", "b"),
        ("//b/ancestor::*[last()]/@id", ""),
        ("//li[@id='c']/preceding-sibling::li[1]", "b"),
        ("//li[@id='c']/preceding-sibling::li", "a b"),
        ("//li/following-sibling::li[1]", "b c"),
        ("//b/following::*", "c p"),
        ("//p/preceding::*[1]", "c"),
        ("//b/..", "b"),
        ("//li/@id", "a b c"),
        ("//li[b]", "b"),
        ("//li[not(b)]", "a c"),
        ("//li[contains(@class, 'y')]/text()", "1"),
        ("//ul//text()", "1 2 two 3"),
        ("//li[. = '3'] | //b", "i c"),
        ("id('c a')", "a c"),
        ("//p[lang('en')]", "p"),
        ("//ul/child::node()[self::li][2]/descendant-or-self::*", "b i"),
        ("count(//li)", "3"),
        ("sum(//li[not(b)])", "4"),
        ("1 div sum(//nothing)", "Infinity"),
        ("string(//li[2])", "2two"),
        ("//*[@class]/attribute::class", "x y"),
        ("//li[3]/namespace::*", "xml"),
        ("name(//@class/..)", "li"),
        ("//li[count(preceding-sibling::li) = 1]", "b"),
        ("//li[preceding-sibling::li[b]]", "c"),
        ("/descendant::li[2]", "b"),
        ("//ul/li[b][1]", "b"),
        ("//ul/li[1][b]", ""),
        ("//@id[. = 'c']/following::*", "p"),
    ] {
        assert_eq!(ask(&tree, expression), expected, "{expression}");
    }
}

#[test]
fn values() {
    let tree = page(LIST);
    for (expression, expected) in [
        ("1 + 2 * 3", "7"),
        ("7 mod -3", "1"),
        ("-7 mod 3", "-1"),
        ("5 div 0", "Infinity"),
        ("-5 div 0", "-Infinity"),
        ("0 div 0", "NaN"),
        ("--5", "5"),
        ("1 div round(-0.2)", "-Infinity"),
        ("string(-0)", "0"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("100000000000000000000", "100000000000000000000"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-2"),
        ("floor(-1.5)", "-2"),
        ("ceiling(1.2)", "2"),
        ("substring('12345', 1.5, 2.6)", "234"),
        ("substring('12345', 0, 3)", "12"),
        ("substring('12345', 0 div 0, 3)", ""),
        ("substring('12345', 1, 0 div 0)", ""),
        ("substring('12345', -42, 1 div 0)", "12345"),
        ("substring('12345', -1 div 0, 1 div 0)", ""),
        ("substring('12345', 2)", "2345"),
        ("substring('äöü', 2, 1)", "ö"),
        ("translate('bar', 'abc', 'AB')", "BAr"),
        ("translate('--aaa--', 'abc-', 'ABC')", "AAA"),
        ("normalize-space('  a  b ')", "a b"),
        ("substring-before('1999/04/01', '/')", "1999"),
        ("substring-after('1999/04/01', '19')", "99/04/01"),
        ("string-length('äöü')", "3"),
        ("concat('a', 1, true())", "a1true"),
        ("starts-with('abc', 'ab')", "true"),
        ("number('12x')", "NaN"),
        ("number(' -1.50 ')", "-1.5"),
        ("number('1e3')", "NaN"),
        ("number('+1')", "NaN"),
        ("boolean('false')", "true"),
        ("boolean(0 div 0)", "false"),
        ("'1' = 1", "true"),
        ("1 < 2 < 3", "true"),
        ("3 > 2 > 1", "false"),
        ("//li = 3", "true"),
        ("//li != 3", "true"),
        ("//li[1] != //li[1]", "false"),
        ("//li < //li", "true"),
        ("//nothing = //nothing", "false"),
        ("//nothing = false()", "true"),
        ("not(//nothing)", "true"),
        ("true() and 0", "false"),
        ("2 = 2.0 or 1 div 0", "true"),
        ("last() = position()", "true"),
    ] {
        assert_eq!(ask(&tree, expression), expected, "{expression}");
    }
}

#[test]
fn templates_and_doctypes_are_not_seen() {
    let tree = page("<!doctype html><template><b id=x>t</b></template><b id=y>");
    assert_eq!(ask(&tree, "//b"), "y");
    assert_eq!(ask(&tree, "string(/)"), "");
    assert_eq!(ask(&tree, "count(/node())"), "1");
}

#[test]
fn what_cannot_be_read_is_named() {
    let deep = "(".repeat(100_000) + "1" + &")".repeat(100_000);
    let bracketed = "a[".repeat(200) + "1" + &"]".repeat(200);
    let long = "a/".repeat(40_000) + "a";
    for (expression, words) in [
        ("", "expected an expression, found the end at character 1"),
        ("//", "expected a step, found the end at character 3"),
        ("//li[", "expected an expression"),
        ("//li]", "expected an operator or the end"),
        ("a b", "expected an operator, found \"b\" at character 3"),
        ("nope()", "no function nope()"),
        ("count(1)", "count() wants a node-set at character 7"),
        ("count()", "count() takes 1 arguments, not 0"),
        ("x:a", "prefix \"x\" is not in namespaces"),
        ("sideways::a", "name of an axis"),
        ("'abc", "not closed"),
        ("1 | 2", "a union wants a node-set"),
        ("'a'/b", "wants a node-set"),
        ("re:test('a')", "no function re:test()"),
        (&deep, "bytes"),
        (&bracketed, "100 levels"),
        (&long, "bytes"),
        ("$", "name after $"),
        ("a ! b", "character 3"),
    ] {
        match XPath::compile(expression, &Default::default()) {
            Err(Error::Usage(message)) => assert!(message.contains(words), "{message}"),
            other => panic!("{expression}: {other:?}"),
        }
    }
    let unset = XPath::compile("$x + 1", &Default::default()).unwrap().evaluate(
        &page(""),
        0,
        &[],
        &Unwatched,
    );
    assert!(matches!(unset, Err(Error::Usage(message)) if message.contains("$x")));
}

#[test]
fn a_deadline_is_kept() {
    let tree = page(&"<div>x".repeat(3000));
    let slow =
        XPath::compile("//*[count(.//*[count(.//*) > 1]) > 1]", &Default::default()).unwrap();
    let start = std::time::Instant::now();
    assert!(matches!(
        slow.evaluate(&tree, 0, &[], &Deadline::after(0.3)),
        Err(Error::Limit { limit: "seconds", .. })
    ));
    assert!(start.elapsed().as_secs_f64() < 3.0);
}

#[test]
fn texts_and_unions_are_bounded() {
    let tree = page(&format!("<p>{}", "x".repeat(1 << 20)));
    let mut text = "string(/)".to_string();
    for _ in 0..10 {
        text = format!("concat({text}, {text})");
    }
    let much = XPath::compile(&format!("string-length({text})"), &Default::default()).unwrap();
    assert!(matches!(
        much.evaluate(&tree, 0, &[], &Deadline::after(60.0)),
        Err(Error::Limit { limit: "memory", .. })
    ));
    let many = page(&"<i>x</i>".repeat(50_000));
    let union = "count(".to_string() + &vec!["//i"; 40].join("|") + ")";
    assert_eq!(ask(&many, &union), "50000");
}

#[test]
fn nesting_and_long_chains_need_no_deep_stack() {
    let tree = page(LIST);
    let depth = super::super::MAX_NESTING - 1;
    assert_eq!(ask(&tree, &("(".repeat(depth) + "1" + &")".repeat(depth))), "1");
    assert_eq!(ask(&tree, &("//li[".repeat(depth) + "1" + &"]".repeat(depth))), "a b c");
    assert_eq!(ask(&tree, &("1".to_string() + &" + 1".repeat(10_000))), "10001");
    assert_eq!(ask(&tree, &("//li".to_string() + &"[1]".repeat(10_000))), "a");
    assert_eq!(ask(&tree, &("//li".to_string() + &"/..".repeat(10_000))), "");
    assert_eq!(ask(&tree, &("-".repeat(20_001) + "1")), "-1");
    assert_eq!(ask(&tree, &("//li".to_string() + &"|//li".repeat(5_000))), "a b c");
    assert_eq!(ask(&tree, &("//li".to_string() + &" = //li".repeat(5_000))), "true");
}
