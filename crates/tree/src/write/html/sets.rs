//! Sets of elements that HTML's rules speak of.

use crate::tree::{Tree, HTML, MATHML, SVG};

/// Namespace and local name of node `i`.
pub(super) fn name(tree: &Tree, i: usize) -> (&str, &str) {
    (tree.names().namespace(tree.name(i)), tree.local(i))
}

/// "Scope" ends at these.
pub(super) fn ends_scope(tree: &Tree, i: usize) -> bool {
    match name(tree, i) {
        (HTML, local) => matches!(
            local,
            "applet"
                | "caption"
                | "html"
                | "table"
                | "td"
                | "th"
                | "marquee"
                | "object"
                | "select"
                | "template"
        ),
        (MATHML, local) => matches!(local, "mi" | "mo" | "mn" | "ms" | "mtext"),
        (SVG, local) => is_svg_integration_point(local),
        _ => false,
    }
}

/// SVG elements in which HTML stands.
pub(super) fn is_svg_integration_point(local: &str) -> bool {
    matches!(local, "foreignObject" | "desc" | "title")
}

/// Elements that other end tags close on their way.
pub(super) fn has_implied_end(tree: &Tree, i: usize) -> bool {
    matches!(
        name(tree, i),
        (HTML, "dd" | "dt" | "li" | "option" | "optgroup" | "p" | "rb" | "rp" | "rt" | "rtc")
    )
}

/// Elements whose end tag closes whatever is still open in them.
pub(super) fn closes_what_is_open(tree: &Tree, i: usize) -> bool {
    let (namespace, local) = name(tree, i);
    namespace == HTML
        && (is_block(local)
            || matches!(
                local,
                "body"
                    | "button"
                    | "li"
                    | "dd"
                    | "dt"
                    | "td"
                    | "th"
                    | "caption"
                    | "applet"
                    | "marquee"
                    | "object"
            ))
        && local != "form"
}

/// Elements that end a paragraph by beginning.
pub(super) fn is_block(local: &str) -> bool {
    matches!(
        local,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "listing"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "ul"
    )
}

/// Elements that the standard calls special: what is open below one is out of reach for many end
/// tags.
pub(super) fn is_special(local: &str) -> bool {
    const SPECIAL: [&str; 79] = [
        "address",
        "applet",
        "area",
        "article",
        "aside",
        "base",
        "basefont",
        "bgsound",
        "blockquote",
        "body",
        "br",
        "button",
        "caption",
        "center",
        "col",
        "colgroup",
        "dd",
        "details",
        "dir",
        "div",
        "dl",
        "dt",
        "embed",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frame",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "iframe",
        "img",
        "input",
        "li",
        "link",
        "listing",
        "main",
        "marquee",
        "menu",
        "meta",
        "nav",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "ol",
        "p",
        "param",
        "plaintext",
        "pre",
        "script",
        "section",
        "select",
        "source",
        "style",
        "summary",
        "table",
        "tbody",
        "td",
        "template",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "track",
        "ul",
    ];
    SPECIAL.contains(&local)
}
