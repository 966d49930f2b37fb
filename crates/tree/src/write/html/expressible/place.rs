//! What can stand in an element, as the parser's insertion modes have it.

use super::{names, sets};
use crate::tree::{Kind, Tree, HTML, MATHML};

/// The rules for the children of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Document,
    Root,
    Head,
    /// `noscript` in a head.
    HeadNoscript,
    /// What is in a body: nearly everything.
    Flow,
    Frameset,
    Table,
    Section,
    Row,
    ColumnGroup,
    Template,
    /// Elements whose contents are one text.
    TextOnly,
    /// Elements without contents.
    Void,
    /// SVG and MathML.
    Foreign,
    /// MathML elements in which HTML stands (`mi` and its sisters).
    MathText,
    /// MathML's `annotation-xml`, in which SVG may begin.
    Annotation,
}

impl Place {
    /// The place that `parent` is; the document, or the body around a fragment, where there is
    /// none.
    pub fn of(tree: &Tree, parent: Option<usize>) -> Place {
        let Some(parent) = parent else {
            return if tree.meta().is_fragment { Place::Flow } else { Place::Document };
        };
        match sets::name(tree, parent) {
            (HTML, local) => match local {
                "html" => Place::Root,
                "head" => Place::Head,
                "noscript" if is_in_head(tree, parent) => Place::HeadNoscript,
                "frameset" => Place::Frameset,
                "table" => Place::Table,
                "tbody" | "thead" | "tfoot" => Place::Section,
                "tr" => Place::Row,
                "colgroup" => Place::ColumnGroup,
                "template" => Place::Template,
                "title" | "textarea" => Place::TextOnly,
                _ if names::is_raw(tree, parent) => Place::TextOnly,
                _ if names::is_void(tree, parent) => Place::Void,
                _ => Place::Flow,
            },
            (MATHML, "mi" | "mo" | "mn" | "ms" | "mtext") => Place::MathText,
            (MATHML, "annotation-xml") if !is_html_annotation(tree, parent) => Place::Annotation,
            (MATHML, "annotation-xml") => Place::Flow,
            (_, local)
                if sets::ends_scope(tree, parent) && sets::is_svg_integration_point(local) =>
            {
                Place::Flow
            }
            _ => Place::Foreign,
        }
    }

    /// Whether only text can stand here, or nothing.
    pub fn is_text_only(self) -> bool {
        matches!(self, Place::TextOnly | Place::Void)
    }

    /// Whether foreign elements are the rule here.
    pub fn is_foreign(self) -> bool {
        matches!(self, Place::Foreign | Place::MathText | Place::Annotation)
    }

    /// Whether any text stays here, not only white space.
    pub fn takes_any_text(self) -> bool {
        self.takes_flow() || self.is_foreign()
    }

    /// Whether what stands in a body can stand here.
    pub fn takes_flow(self) -> bool {
        matches!(self, Place::Flow | Place::Template)
    }

    /// Whether this HTML element has a place of its own here, in a head, a table or a frameset.
    pub fn holds(self, local: &str) -> bool {
        let in_tables = matches!(local, "style" | "script" | "template" | "input" | "form");
        match self {
            Place::Head => is_metadata(local) || local == "noscript",
            Place::HeadNoscript => {
                matches!(local, "basefont" | "bgsound" | "link" | "meta" | "noframes" | "style")
            }
            Place::Frameset => matches!(local, "frameset" | "frame" | "noframes"),
            Place::Table => {
                in_tables || matches!(local, "caption" | "colgroup" | "tbody" | "thead" | "tfoot")
            }
            Place::Section => in_tables || local == "tr",
            Place::Row => in_tables || matches!(local, "td" | "th"),
            Place::ColumnGroup => matches!(local, "col" | "template"),
            _ => false,
        }
    }
}

/// Elements of a head that may stand anywhere in a body.
pub(super) fn is_metadata(local: &str) -> bool {
    matches!(
        local,
        "base"
            | "basefont"
            | "bgsound"
            | "link"
            | "meta"
            | "noframes"
            | "script"
            | "style"
            | "template"
            | "title"
    )
}

/// Parts of a table.
pub(super) fn is_structure(local: &str) -> bool {
    matches!(
        local,
        "caption" | "col" | "colgroup" | "tbody" | "td" | "tfoot" | "th" | "thead" | "tr"
    )
}

/// The contents of a template: parts of a table of one level, or what a body has, not both.
pub(super) fn template(tree: &Tree, i: usize) -> Option<&'static str> {
    let mut level = None;
    for child in tree.children(i) {
        if tree.kind(child) == Kind::Element
            && sets::name(tree, child).0 == HTML
            && is_structure(tree.local(child))
        {
            let own = match tree.local(child) {
                "td" | "th" => 1,
                "tr" => 2,
                "col" => 3,
                _ => 4,
            };
            if level.replace(own).is_some_and(|other| other != own) {
                return Some("parts of a table of several levels in one template");
            }
        }
    }
    let level = level?;
    let fits = |child: usize| match tree.kind(child) {
        Kind::Element => {
            sets::name(tree, child).0 == HTML
                && (is_structure(tree.local(child))
                    || level != 3 && matches!(tree.local(child), "script" | "style" | "template"))
        }
        Kind::Text => super::is_space(tree.text(child)),
        _ => true,
    };
    (!tree.children(i).all(fits)).then_some("parts of a table and other things in one template")
}

fn is_in_head(tree: &Tree, i: usize) -> bool {
    sets::name(tree, tree.parent(i) as usize) == (HTML, "head")
}

/// Whether an `annotation-xml` holds HTML.
fn is_html_annotation(tree: &Tree, i: usize) -> bool {
    tree.attribute(i, "encoding").is_some_and(|encoding| {
        encoding.eq_ignore_ascii_case("text/html")
            || encoding.eq_ignore_ascii_case("application/xhtml+xml")
    })
}
