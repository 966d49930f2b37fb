//! How elements and attributes are called in HTML, and what is special about some of them.

use crate::tree::{Tree, HTML, MATHML, SVG, XLINK, XML, XMLNS};

/// Whether node `i` is an HTML element.
pub(super) fn is_html(tree: &Tree, i: usize) -> bool {
    tree.is_element(i) && tree.names().namespace(tree.name(i)) == HTML
}

/// Whether nothing can stand in the element, which then has no end tag.
pub(super) fn is_void(tree: &Tree, i: usize) -> bool {
    let void = [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
        "keygen", "link", "meta", "param", "source", "track", "wbr",
    ];
    void.contains(&tree.local(i)) && is_html(tree, i)
}

/// Whether text in the element is written as it is. (`noscript` is not among these: scripting is
/// off.)
pub(super) fn is_raw(tree: &Tree, i: usize) -> bool {
    matches!(
        tree.local(i),
        "style" | "script" | "xmp" | "iframe" | "noembed" | "noframes" | "plaintext"
    ) && is_html(tree, i)
}

/// Whether the element is `plaintext`.
pub(super) fn is_plaintext(tree: &Tree, i: usize) -> bool {
    tree.local(i) == "plaintext" && is_html(tree, i)
}

/// Whether a newline right after the start tag is dropped.
pub(super) fn swallows_newline(tree: &Tree, i: usize) -> bool {
    matches!(tree.local(i), "pre" | "textarea" | "listing") && is_html(tree, i)
}

/// The name of an element in a tag.
pub(super) fn push_element(tree: &Tree, i: usize, out: &mut String) {
    let name = tree.name(i);
    let names = tree.names();
    if !matches!(names.namespace(name), HTML | SVG | MATHML) {
        push_prefix(names.prefix(name), out);
    }
    out.push_str(names.local(name));
}

/// The name of an attribute.
pub(super) fn push_attribute(tree: &Tree, a: usize, out: &mut String) {
    let name = tree.attr_name(a);
    let names = tree.names();
    match names.namespace(name) {
        "" => {}
        XML => out.push_str("xml:"),
        XMLNS if names.local(name) == "xmlns" => {}
        XMLNS => out.push_str("xmlns:"),
        XLINK => out.push_str("xlink:"),
        _ => push_prefix(names.prefix(name), out),
    }
    out.push_str(names.local(name));
}

fn push_prefix(prefix: &str, out: &mut String) {
    if !prefix.is_empty() {
        out.extend([prefix, ":"]);
    }
}
