//! The expression that means exactly one node.
//!
//! XPath: `/html/body/ul[2]/li`, a step a level, with a number where siblings would answer too.
//! Where a name needs a namespace (or is no XML name, as HTML allows) the step is
//! `*[local-name()='…']`, so that a path needs no table of prefixes. CSS: `:root > body >
//! ul:nth-child(3) > li`, for elements only.

use std::fmt::Write;

use super::xpath::lexer::{is_name_rest, is_name_start};
use crate::tree::{Format, Kind, Tree};

/// The absolute XPath of node `i`. `None` for what XPath does not see: the doctype, and texts
/// without a character. Adjacent texts are one text for XPath and have one path.
pub fn xpath_of(tree: &Tree, i: usize) -> Option<String> {
    if i == 0 {
        return Some("/".into());
    }
    let mut out = String::new();
    for node in from_root(tree, i) {
        let parent = tree.parent(node) as usize;
        let node = if tree.kind(node) == Kind::Text { first_text(tree, node) } else { node };
        out.push('/');
        let is_same: Box<dyn Fn(usize) -> bool> = match tree.kind(node) {
            Kind::Document | Kind::Doctype => return None,
            Kind::Text => {
                out.push_str("text()");
                Box::new(|it| {
                    tree.kind(it) == Kind::Text && first_text(tree, it) == it && has_text(tree, it)
                })
            }
            Kind::Comment => {
                out.push_str("comment()");
                Box::new(|it| tree.kind(it) == Kind::Comment)
            }
            Kind::Instruction => {
                out.push_str("processing-instruction()");
                Box::new(|it| tree.kind(it) == Kind::Instruction)
            }
            Kind::Element => element_step(tree, node, &mut out),
        };
        if !is_same(node) {
            return None;
        }
        let (before, count) = place(tree.children(parent).filter(|&it| is_same(it)), node);
        if count > 1 {
            write!(out, "[{}]", before + 1).expect("a string takes everything");
        }
    }
    Some(out)
}

/// A selector that matches element `i` and nothing else in its tree; `None` for other nodes.
pub fn css_of(tree: &Tree, i: usize) -> Option<String> {
    if !tree.is_element(i) {
        return None;
    }
    let mut out = String::new();
    for node in from_root(tree, i) {
        let parent = tree.parent(node) as usize;
        let elements = || tree.children(parent).filter(|&it| tree.is_element(it));
        if parent == 0 && !tree.meta().is_fragment && elements().nth(1).is_none() {
            out.push_str(":root");
            continue;
        }
        if parent != 0 {
            out.push_str(" > ");
        }
        match tree.local(node) {
            "" => out.push('*'),
            local => {
                cssparser::serialize_identifier(local, &mut out).expect("a string takes everything")
            }
        }
        if elements()
            .filter(|&it| tree.local(it).eq_ignore_ascii_case(tree.local(node)))
            .nth(1)
            .is_some()
            || tree.local(node).is_empty()
        {
            write!(out, ":nth-child({})", place(elements(), node).0 + 1)
                .expect("a string takes everything");
        }
        if parent == 0 {
            out.push_str(":not(* > *)");
        }
    }
    Some(out)
}

/// The node and its ancestors, from the top, the document left out.
fn from_root(tree: &Tree, i: usize) -> Vec<usize> {
    let mut path: Vec<usize> =
        std::iter::once(i).chain(tree.ancestors(i)).filter(|&it| it != 0).collect();
    path.reverse();
    path
}

/// Writes the name test of an element; gives what it matches among siblings.
fn element_step<'t>(
    tree: &'t Tree,
    node: usize,
    out: &mut String,
) -> Box<dyn Fn(usize) -> bool + 't> {
    let local = tree.local(node);
    let is_html = tree.meta().format == Format::Html;
    let is_name = local.starts_with(is_name_start)
        && local.chars().all(|c| is_name_start(c) || is_name_rest(c));
    let has_namespace = !tree.names().namespace(tree.name(node)).is_empty();
    if is_name && (is_html || !has_namespace) {
        out.push_str(local);
        return Box::new(move |it| {
            let is_name_same = || {
                if is_html {
                    tree.local(it).eq_ignore_ascii_case(local)
                } else {
                    tree.local(it) == local
                }
            };
            tree.is_element(it)
                && is_name_same()
                && (is_html || tree.names().namespace(tree.name(it)).is_empty())
        });
    }
    out.push_str("*[local-name()=");
    quote(local, out);
    out.push(']');
    Box::new(move |it| tree.is_element(it) && tree.local(it) == local)
}

/// A string of XPath 1.0, which has no escapes.
fn quote(text: &str, out: &mut String) {
    if !text.contains('\'') {
        write!(out, "'{text}'").expect("a string takes everything");
    } else if !text.contains('"') {
        write!(out, "\"{text}\"").expect("a string takes everything");
    } else {
        write!(out, "concat('{}')", text.replace('\'', "', \"'\", '"))
            .expect("a string takes everything");
    }
}

/// How many stand before `node`, and how many there are.
fn place(siblings: impl Iterator<Item = usize>, node: usize) -> (usize, usize) {
    siblings.fold((0, 0), |(before, count), it| (before + usize::from(it < node), count + 1))
}

fn first_text(tree: &Tree, i: usize) -> usize {
    let mut first = i;
    while tree.kind(first - 1) == Kind::Text && tree.parent(first - 1) == tree.parent(first) {
        first -= 1;
    }
    first
}

fn has_text(tree: &Tree, first: usize) -> bool {
    (first..tree.len())
        .take_while(|&it| tree.kind(it) == Kind::Text && tree.parent(it) == tree.parent(first))
        .any(|it| !tree.text(it).is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::select::css::Css;
    use crate::select::xpath::{Answer, Found, XPath};
    use crate::tree::sample;
    use crate::watch::Unwatched;

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_path_means_its_node(steps in sample::steps(), is_html in any::<bool>()) {
            let tree = sample::build(&steps, is_html);
            let start = if is_html { tree.len() - 1 } else { 0 };
            for i in 0..tree.len() {
                if let Some(path) = xpath_of(&tree, i) {
                    let compiled = XPath::compile(&path, &Default::default()).unwrap();
                    let found = compiled.evaluate(&tree, start, &[], &Unwatched).unwrap();
                    let meant = if tree.kind(i) == Kind::Text { first_text(&tree, i) } else { i };
                    prop_assert_eq!(found, Answer::Nodes(vec![Found::Node(meant)]), "{}", path);
                }
                if let (Some(path), false) = (css_of(&tree, i), is_html) {
                    let compiled = Css::compile(&path, &Default::default()).unwrap();
                    let found = compiled.select(&tree, 0, 9, &Unwatched).unwrap();
                    prop_assert_eq!(found, vec![i as u32], "{}", path);
                }
            }
        }
    }
}
