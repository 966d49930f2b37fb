//! A tree from rows: how other libraries' trees come in.

use super::{flags, Builder, Format, Kind, Meta, Tree};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::names::HTML;

/// A name in its three parts: prefix, namespace, local.
pub type NameParts = (String, String, String);

/// Beside the kinds: a text that is a reference to an entity whose replacement is not known.
pub const REFERENCE: u8 = 6;

/// One node, as a foreign tree hands it over in document order.
#[derive(Debug, Clone, Default)]
pub struct NodeRow {
    /// Number of the kind; [`REFERENCE`] for a text that refers to an entity.
    pub kind: u8,
    /// Level; children of the document have 1.
    pub depth: u32,
    /// The node's name.
    pub name: NameParts,
    /// The node's own text.
    pub text: String,
    /// Names and values.
    pub attributes: Vec<(NameParts, String)>,
    /// Source line, or 0.
    pub line: u32,
}

/// Builds a tree from rows in document order. A level may be at most one deeper than the row
/// before. In HTML the contents of `template` are marked.
pub fn from_rows(
    rows: impl IntoIterator<Item = NodeRow>,
    meta: Meta,
    limits: Limits,
) -> Result<Tree> {
    let is_html = meta.format == Format::Html;
    let mut template: Option<u32> = None; // level of the outermost one that is open
    let mut builder = Builder::new(meta, limits);
    for (number, row) in rows.into_iter().enumerate() {
        let wrong = |what: &str| Error::Usage(format!("row {number}: {what}"));
        let (number_of_kind, reference) = if row.kind == REFERENCE {
            (Kind::Text as u8, flags::REFERENCE)
        } else {
            (row.kind, 0)
        };
        let kind = Kind::from_u8(number_of_kind)
            .filter(|&k| k != Kind::Document)
            .ok_or_else(|| wrong("no such kind"))?;
        if row.depth == 0 || row.depth as usize > builder.open_depth() {
            return Err(wrong("level skips its parent"));
        }
        while builder.open_depth() > row.depth as usize {
            builder.close();
        }
        template = template.filter(|&level| row.depth > level);
        let mark = if template.is_some() { flags::IN_TEMPLATE } else { 0 };
        let name = builder.intern(&row.name.0, &row.name.1, &row.name.2);
        if kind == Kind::Element {
            builder.open(name, row.line, mark)?;
            if is_html && template.is_none() && row.name.1 == HTML && row.name.2 == "template" {
                template = Some(row.depth);
            }
        } else {
            builder.leaf(kind, name, &row.text, row.line, mark | reference)?;
        }
        for ((prefix, namespace, local), value) in &row.attributes {
            let name = builder.intern(prefix, namespace, local);
            builder.attribute(name, value, 0)?;
        }
    }
    Ok(builder.finish())
}
