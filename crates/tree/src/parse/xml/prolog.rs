//! What stands before the root element: XML declaration, document type, comments and instructions
//! (XML 1.0 §2.8).

use super::cursor::{fail, Cursor, Step};
use super::dtd::Dtd;
use super::shared::Shared;
use super::subset::{external_id, Subset};
use crate::tree::{Kind, Span};

/// Reads up to the `<` of the root element; of a fragment, only the declaration.
pub fn read(cursor: &mut Cursor<'_>, shared: &mut Shared<'_>, is_fragment: bool) -> Step<Dtd> {
    let mut dtd = Dtd::default();
    dtd.namespaces = shared.namespaces;
    declaration(cursor, shared, is_fragment, &mut dtd)?;
    if is_fragment {
        return Ok(dtd);
    }
    let mut has_doctype = false;
    loop {
        cursor.space();
        let at = cursor.pos;
        if cursor.eat("<!--") {
            shared.comment(cursor, None)?;
        } else if cursor.eat("<?") {
            shared.instruction(cursor, None)?;
        } else if cursor.eat("<!DOCTYPE") {
            if has_doctype {
                return fail(at, "a second document type");
            }
            has_doctype = true;
            doctype(cursor, shared, &mut dtd)?;
        } else {
            match cursor.peek() {
                Some(b'<') if !cursor.is_at("<!") => return Ok(dtd),
                None => return fail(at, "a root element expected, the end found"),
                Some(_) => {
                    return fail(at, format!("a root element expected, {} found", cursor.found()))
                }
            }
        }
    }
}

/// Reads what stands after the root element.
pub fn read_rest(cursor: &mut Cursor<'_>, shared: &mut Shared<'_>) -> Step<()> {
    loop {
        cursor.space();
        if cursor.eat("<!--") {
            shared.comment(cursor, None)?;
        } else if cursor.eat("<?") {
            shared.instruction(cursor, None)?;
        } else if cursor.peek().is_none() {
            return Ok(());
        } else {
            return fail(
                cursor.pos,
                format!(
                    "only comments and instructions may follow the root element, {} found",
                    cursor.found()
                ),
            );
        }
    }
}

/// XMLDecl (production 23). A fragment may have a TextDecl (77): the version may be left out.
fn declaration(
    cursor: &mut Cursor<'_>,
    shared: &mut Shared<'_>,
    is_fragment: bool,
    dtd: &mut Dtd,
) -> Step<()> {
    let is_there =
        cursor.is_at("<?xml") && cursor.bytes().get(5).is_some_and(|&b| super::chars::is_space(b));
    if !is_there {
        return Ok(());
    }
    cursor.pos += 5;
    let mut has_space = cursor.space();
    if cursor.eat("version") {
        let (version, at) = pseudo_attribute(cursor)?;
        let minor = version.strip_prefix("1.").unwrap_or("");
        if minor.is_empty() || !minor.bytes().all(|b| b.is_ascii_digit()) {
            return fail(at, format!("unknown XML version {version:?}"));
        }
        if minor != "0" {
            shared.problem(at, format!("an XML {version} document, read as XML 1.0"));
        }
        has_space = cursor.space();
    } else if !is_fragment {
        return fail(cursor.pos, "the XML declaration must begin with the version");
    }
    if has_space && cursor.eat("encoding") {
        let (label, at) = pseudo_attribute(cursor)?;
        let is_name = label.bytes().enumerate().all(|(i, b)| {
            b.is_ascii_alphabetic() || (i > 0 && (b.is_ascii_digit() || b"._-".contains(&b)))
        });
        if label.is_empty() || !is_name {
            return fail(at, format!("{label:?} is not the name of an encoding"));
        }
        has_space = cursor.space();
    }
    if has_space && cursor.eat("standalone") {
        let (answer, at) = pseudo_attribute(cursor)?;
        dtd.standalone = match answer {
            "yes" => Some(true),
            "no" => Some(false),
            _ => return fail(at, "standalone is 'yes' or 'no'"),
        };
        shared.builder.meta_mut().standalone = dtd.standalone;
        cursor.space();
    }
    cursor.expect("?>")
}

fn pseudo_attribute<'a>(cursor: &mut Cursor<'a>) -> Step<(&'a str, usize)> {
    cursor.space();
    cursor.expect("=")?;
    cursor.space();
    cursor.quoted("a value")
}

/// A document type (production 28) whose `<!DOCTYPE` has been read: a node with the internal subset
/// as its text.
fn doctype(cursor: &mut Cursor<'_>, shared: &mut Shared<'_>, dtd: &mut Dtd) -> Step<()> {
    let opened = cursor.pos - "<!DOCTYPE".len();
    cursor.expect_space()?;
    let name = cursor.qname("the name of the root element", shared.namespaces)?;
    let has_space = cursor.space();
    let (mut public, mut system) = (None, None);
    if has_space && matches!(cursor.peek(), Some(b'S' | b'P')) {
        (public, system) = external_id(cursor, true)?;
        dtd.is_partly_elsewhere = true;
        cursor.space();
    }
    let mut text = Span::default();
    if cursor.eat("[") {
        let start = cursor.pos;
        Subset::read(cursor, shared, dtd)?;
        text = Span { start: start as u32, len: (cursor.pos - 1 - start) as u32 };
        cursor.space();
    }
    cursor.expect(">")?;
    let name = shared.builder.intern("", "", name);
    shared.builder.leaf_at(Kind::Doctype, name, text, opened as u32, 0)?;
    for (key, value) in [("public", public), ("system", system)] {
        if let Some(value) = value {
            let key = shared.builder.intern("", "", key);
            shared.builder.attribute(key, value, 0)?;
        }
    }
    Ok(())
}
