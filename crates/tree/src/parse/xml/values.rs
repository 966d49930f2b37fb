//! References, and attribute values with theirs put in (XML 1.0 §3.3.3, §4.4).

use super::chars;
use super::cursor::{character, fail, Step};
use super::dtd::{Budget, Definition, Dtd, EntityId};

/// What a reference stands for.
#[derive(Debug, PartialEq)]
pub enum Reference {
    /// A character, by number or as one of the five that need no declaration.
    Character(char),
    /// An entity whose replacement text is known.
    Internal(EntityId),
    /// An entity that lies outside and is not read.
    External,
    /// An entity nobody declared where we read; its declaration may stand where we do not.
    Unknown,
}

/// The reference whose `&` stands at `at`, and the place after its `;`.
pub fn reference(text: &str, at: usize, dtd: &Dtd) -> Step<(Reference, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(at + 1) == Some(&b'#') {
        let (c, end) = character(text, at + 2)?;
        return Ok((Reference::Character(c), end));
    }
    let name_end = chars::name_end(text, at + 1);
    if name_end == at + 1 || bytes.get(name_end) != Some(&b';') {
        return fail(at, "'&' must be written '&amp;', or begin a reference that ends in ';'");
    }
    let name = &text[at + 1..name_end];
    let end = name_end + 1;
    if let Some(c) = predefined(name) {
        return Ok((Reference::Character(c), end));
    }
    if dtd.namespaces && name.contains(':') {
        return fail(at, "the name of an entity may not have a colon");
    }
    let Some(id) = dtd.general.find(name) else {
        if dtd.is_complete() {
            return fail(at, format!("entity '{name}' is not declared"));
        }
        return Ok((Reference::Unknown, end));
    };
    let entity = dtd.general.get(id);
    if entity.is_nested && dtd.standalone == Some(true) {
        return fail(
            at,
            format!(
                "entity '{name}' is declared in a parameter entity, but the \
         document says standalone=\"yes\""
            ),
        );
    }
    match entity.definition {
        Definition::Internal(_) => Ok((Reference::Internal(id), end)),
        Definition::External => Ok((Reference::External, end)),
        Definition::Unparsed => {
            fail(at, format!("entity '{name}' is not XML and cannot be referred to here"))
        }
    }
}

/// The entities that need no declaration (§4.6).
pub fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "apos" => '\'',
        "quot" => '"',
        _ => return None,
    })
}

/// Which entities are being replaced right now: one that meets itself would never end.
#[derive(Debug, Default)]
pub struct Active(Vec<bool>);

impl Active {
    /// Begins to replace an entity; `false` if that had begun already.
    pub fn enter(&mut self, id: EntityId) -> bool {
        let at = id as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, false);
        }
        !std::mem::replace(&mut self.0[at], true)
    }

    pub fn leave(&mut self, id: EntityId) {
        self.0[id as usize] = false;
    }
}

/// Puts an attribute value into `out`: references replaced, white space made blanks. Names of
/// entities that could not be replaced are put into `kept`; their references stay as they are
/// written. Bytes of errors are bytes of `raw`.
pub fn normalise(
    raw: &str,
    dtd: &Dtd,
    active: &mut Active,
    budget: &mut Budget,
    out: &mut String,
    kept: &mut Vec<String>,
) -> Step<()> {
    struct Frame<'a> {
        text: &'a str,
        pos: usize,
        entity: EntityId,
    }
    let mut outer: Vec<Frame<'_>> = Vec::new();
    let mut text = raw;
    let mut pos = 0;
    // byte of `raw` where the reference stands that we are inside of
    let mut place = None;
    loop {
        let bytes = text.as_bytes();
        let stop = chars::plain_end(bytes, pos);
        out.push_str(&text[pos..stop]);
        pos = stop + 1;
        match bytes.get(stop) {
            None => match outer.pop() {
                None => return Ok(()),
                Some(frame) => {
                    active.leave(frame.entity);
                    (text, pos) = (frame.text, frame.pos);
                    if outer.is_empty() {
                        place = None;
                    }
                }
            },
            Some(b'<') => {
                return fail(
                    place.unwrap_or(stop),
                    "'<' in an attribute value must be written '&lt;'",
                )
            }
            Some(b'&') => {
                let at = place.unwrap_or(stop);
                let (found, end) =
                    reference(text, stop, dtd).map_err(|stop| stop.moved_to(place))?;
                pos = end;
                let name = || &text[stop + 1..end - 1];
                match found {
                    Reference::Character(c) => out.push(c),
                    Reference::External => {
                        return fail(
                            at,
                            format!(
                                "entity '{}' lies outside and cannot stand in an attribute value",
                                name()
                            ),
                        )
                    }
                    Reference::Unknown => {
                        kept.push(name().to_string());
                        out.push_str(&text[stop..end]);
                    }
                    Reference::Internal(entity) => {
                        let Definition::Internal(replacement) = &dtd.general.get(entity).definition
                        else {
                            continue;
                        };
                        if !active.enter(entity) {
                            return fail(at, format!("entity '{}' contains itself", name()));
                        }
                        budget.reference(replacement)?;
                        place = Some(at);
                        outer.push(Frame { text, pos, entity });
                        (text, pos) = (replacement, 0);
                    }
                }
            }
            Some(_) => out.push(' '),
        }
    }
}

/// Squeezes white space as for a list of tokens; `false` if there was nothing to do.
pub fn squeeze(value: &str, out: &mut String) -> bool {
    if !(value.starts_with(' ') || value.ends_with(' ') || value.contains("  ")) {
        return false;
    }
    out.clear();
    for token in value.split(' ').filter(|token| !token.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(token);
    }
    true
}
