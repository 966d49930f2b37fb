//! SVG and MathML (13.2.6.5).

use super::place::Place;
use super::sets;
use crate::tree::{Tree, HTML, MATHML, SVG};

/// A foreign element among HTML: only `svg` and `math` begin.
pub(super) fn root(tree: &Tree, i: usize) -> Option<&'static str> {
    match sets::name(tree, i) {
        (SVG, "svg") | (MATHML, "math") => None,
        (SVG | MATHML, _) => Some("a foreign element outside svg or math"),
        _ => Some("an element of a namespace that HTML has not"),
    }
}

/// An element inside a foreign one.
pub(super) fn child(tree: &Tree, parent: usize, i: usize, place: Place) -> Option<&'static str> {
    let (namespace, local) = sets::name(tree, i);
    let inherited = sets::name(tree, parent).0;
    match place {
        Place::MathText => match (namespace, local) {
            (MATHML, "mglyph" | "malignmark") => None,
            (HTML, "mglyph" | "malignmark") => {
                Some("HTML in mathematics that is read as mathematics")
            }
            (HTML, _) => None,
            _ => root(tree, i),
        },
        // svg begins anew here
        Place::Annotation if local == "svg" => (namespace != SVG).then_some("svg that is not SVG"),
        _ if namespace != inherited => {
            Some("an element of another namespace than the foreign one around it")
        }
        _ if breaks_out(tree, i, local) => Some("a foreign element with a name of HTML"),
        _ => None,
    }
}

/// Start tags that end foreign content.
fn breaks_out(tree: &Tree, i: usize, local: &str) -> bool {
    match local.to_ascii_lowercase().as_str() {
        "font" => ["color", "face", "size"].iter().any(|name| tree.attribute(i, name).is_some()),
        name => matches!(
            name,
            "b" | "big"
                | "blockquote"
                | "body"
                | "br"
                | "center"
                | "code"
                | "dd"
                | "div"
                | "dl"
                | "dt"
                | "em"
                | "embed"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "head"
                | "hr"
                | "i"
                | "img"
                | "li"
                | "listing"
                | "menu"
                | "meta"
                | "nobr"
                | "ol"
                | "p"
                | "pre"
                | "ruby"
                | "s"
                | "small"
                | "span"
                | "strong"
                | "strike"
                | "sub"
                | "sup"
                | "table"
                | "tt"
                | "u"
                | "ul"
                | "var"
        ),
    }
}
