//! The internal subset of a document type (XML 1.0 §2.8, §3.2 to §4.7): its whole grammar is
//! checked, entities and attribute lists are kept.
//!
//! Internal parameter entities are put in between declarations, on an explicit stack. One that is
//! external, or not declared, is not read; from there on declarations are checked but not used, as
//! §5.1 demands.

use std::rc::Rc;

use super::cursor::{character, fail, Cursor, Step, Stop};
use super::dtd::{Default, Definition, Dtd, Entity, EntityId, Type};
use super::shared::Shared;
use super::values::{self, Active};
use super::{chars, model};

/// A parameter entity that is being read.
struct Frame {
    text: Rc<str>,
    pos: usize,
    entity: EntityId,
    /// Open `<![INCLUDE[` sections.
    sections: u32,
}

enum Event {
    Read,
    End,
    Parameter(EntityId),
}

/// Reads an internal subset.
pub struct Subset<'s, 'w> {
    shared: &'s mut Shared<'w>,
    dtd: &'s mut Dtd,
    frames: Vec<Frame>,
    /// Byte of the document where the outermost parameter entity reference stands.
    place: usize,
}

impl<'s, 'w> Subset<'s, 'w> {
    /// Reads from after `[` to after `]`.
    pub fn read(cursor: &mut Cursor<'_>, shared: &'s mut Shared<'w>, dtd: &'s mut Dtd) -> Step<()> {
        let mut subset = Subset { shared, dtd, frames: Vec::new(), place: 0 };
        subset.run(cursor).map_err(|stop| subset.locate(stop))
    }

    fn run(&mut self, document: &mut Cursor<'_>) -> Step<()> {
        let mut active = Active::default();
        loop {
            self.shared.tick()?;
            let event = match self.frames.last() {
                None => {
                    self.place = document.pos;
                    self.declaration(document, None)?
                }
                Some(frame) => {
                    let text = Rc::clone(&frame.text);
                    let mut cursor = Cursor::new(&text, frame.pos);
                    let mut sections = frame.sections;
                    let event = self.declaration(&mut cursor, Some(&mut sections))?;
                    if let Some(frame) = self.frames.last_mut() {
                        (frame.pos, frame.sections) = (cursor.pos, sections);
                    }
                    event
                }
            };
            match event {
                Event::Read => {}
                Event::End => match self.frames.pop() {
                    None => return Ok(()),
                    Some(frame) => active.leave(frame.entity),
                },
                Event::Parameter(entity) => {
                    let found = self.dtd.parameter.get(entity);
                    let Definition::Internal(text) = &found.definition else { continue };
                    if !active.enter(entity) {
                        return fail(
                            document.pos,
                            format!("parameter entity '{}' contains itself", found.name),
                        );
                    }
                    self.shared.budget.reference(text)?;
                    self.frames.push(Frame { text: Rc::clone(text), pos: 0, entity, sections: 0 });
                }
            }
        }
    }

    /// Puts an error inside a parameter entity where the document refers to it.
    fn locate(&self, stop: Stop) -> Stop {
        match (stop, self.frames.last()) {
            (Stop::Syntax { message, .. }, Some(frame)) => {
                let name = &self.dtd.parameter.get(frame.entity).name;
                Stop::Syntax {
                    at: self.place,
                    message: format!("{message}, in parameter entity '{name}'"),
                }
            }
            (stop, _) => stop,
        }
    }

    /// One declaration, or what may stand between two. `sections` is given inside a parameter
    /// entity.
    fn declaration(&mut self, cursor: &mut Cursor<'_>, sections: Option<&mut u32>) -> Step<Event> {
        cursor.space();
        let opened = cursor.pos;
        let is_nested = sections.is_some();
        match cursor.peek() {
            None => match sections {
                None => return fail(opened, "the internal subset is never closed"),
                Some(0) => return Ok(Event::End),
                Some(_) => return fail(opened, "a conditional section is never closed"),
            },
            Some(b']') => match sections {
                None => {
                    cursor.pos += 1;
                    return Ok(Event::End);
                }
                Some(open) if *open > 0 && cursor.eat("]]>") => *open -= 1,
                Some(_) => return fail(opened, "a declaration expected, ']' found"),
            },
            Some(b'%') => {
                if !is_nested {
                    self.place = opened;
                }
                return self.parameter_reference(cursor);
            }
            _ if cursor.eat("<!--") => {
                cursor.comment()?;
            }
            _ if cursor.eat("<?") => {
                cursor.instruction(self.shared.namespaces)?;
            }
            _ if cursor.eat("<!ELEMENT") => self.element(cursor)?,
            _ if cursor.eat("<!ATTLIST") => self.attribute_list(cursor)?,
            _ if cursor.eat("<!ENTITY") => self.entity(cursor, is_nested)?,
            _ if cursor.eat("<!NOTATION") => self.notation(cursor)?,
            _ => match sections {
                Some(open) if cursor.eat("<![") => conditional_section(cursor, open)?,
                _ => {
                    return fail(
                        opened,
                        format!("a declaration expected, {} found", cursor.found()),
                    )
                }
            },
        }
        Ok(Event::Read)
    }

    fn parameter_reference(&mut self, cursor: &mut Cursor<'_>) -> Step<Event> {
        let at = cursor.pos;
        cursor.pos += 1;
        let name = cursor.plain_name("the name of a parameter entity", self.shared.namespaces)?;
        cursor.expect(";")?;
        self.dtd.is_partly_elsewhere = true;
        let found = self.dtd.parameter.find(name);
        if let Some(id) = found {
            if let Definition::Internal(_) = self.dtd.parameter.get(id).definition {
                return Ok(Event::Parameter(id));
            }
        } else if self.dtd.standalone == Some(true) {
            return fail(at, format!("parameter entity '{name}' is not declared"));
        }
        self.dtd.is_cut = true;
        let why = if found.is_some() { "lies outside and is not read" } else { "is not declared" };
        self.shared.problem(self.place, format!("parameter entity '{name}' {why}"));
        Ok(Event::Read)
    }

    /// Production 45.
    fn element(&mut self, cursor: &mut Cursor<'_>) -> Step<()> {
        cursor.expect_space()?;
        cursor.qname("an element name", self.shared.namespaces)?;
        cursor.expect_space()?;
        model::content_spec(cursor, self.shared.namespaces)?;
        cursor.space();
        cursor.expect(">")
    }

    /// Production 52.
    fn attribute_list(&mut self, cursor: &mut Cursor<'_>) -> Step<()> {
        cursor.expect_space()?;
        let element = cursor.qname("an element name", self.shared.namespaces)?;
        let element = self.shared.names.find_or_add(element);
        loop {
            let has_space = cursor.space();
            if cursor.eat(">") {
                return Ok(());
            }
            if !has_space {
                cursor.expect_space()?;
            }
            self.shared.tick()?;
            let attribute = cursor.qname("an attribute name", self.shared.namespaces)?;
            let attribute = self.shared.names.find_or_add(attribute);
            cursor.expect_space()?;
            let kind = attribute_type(cursor)?;
            cursor.expect_space()?;
            let is_new =
                self.dtd.is_processing() && self.dtd.declare_attribute(element, attribute, kind);
            if cursor.eat("#REQUIRED") || cursor.eat("#IMPLIED") {
                continue;
            }
            if cursor.eat("#FIXED") {
                cursor.expect_space()?;
            }
            let (raw, start) = cursor.quoted("a default value")?;
            let mut value = String::new();
            let mut kept = Vec::new();
            // entities in a default must be declared before it, so nothing is being replaced here
            values::normalise(
                raw,
                self.dtd,
                &mut Active::default(),
                &mut self.shared.budget,
                &mut value,
                &mut kept,
            )
            .map_err(|stop| stop.shifted(start))?;
            for name in kept {
                self.shared.problem(
                    self.place,
                    format!("entity '{name}' is not declared here and is kept as it is written"),
                );
            }
            if is_new {
                let mut squeezed = String::new();
                if kind != Type::Text && values::squeeze(&value, &mut squeezed) {
                    value = squeezed;
                }
                let span = self.shared.builder.store(&value)?;
                self.dtd.declare_default(
                    element,
                    Default {
                        name: attribute,
                        value: span,
                        chars: value.chars().count() as u64,
                        kind,
                    },
                );
            }
        }
    }

    /// Productions 70 to 76.
    fn entity(&mut self, cursor: &mut Cursor<'_>, is_nested: bool) -> Step<()> {
        cursor.expect_space()?;
        let is_parameter = cursor.eat("%");
        if is_parameter {
            cursor.expect_space()?;
        }
        let name = cursor.plain_name("the name of an entity", self.shared.namespaces)?;
        cursor.expect_space()?;
        let value_at = cursor.pos;
        let definition = if matches!(cursor.peek(), Some(b'"' | b'\'')) {
            let (raw, start) = cursor.quoted("an entity value")?;
            Definition::Internal(replacement_text(raw).map_err(|stop| stop.shifted(start))?.into())
        } else {
            external_id(cursor, true)?;
            let has_space = cursor.space();
            if !is_parameter && has_space && cursor.eat("NDATA") {
                cursor.expect_space()?;
                cursor.plain_name("the name of a notation", self.shared.namespaces)?;
                Definition::Unparsed
            } else {
                Definition::External
            }
        };
        cursor.space();
        cursor.expect(">")?;
        if !is_parameter {
            check_predefined(name, &definition, value_at)?;
        }
        if self.dtd.is_processing() {
            let entities =
                if is_parameter { &mut self.dtd.parameter } else { &mut self.dtd.general };
            entities.declare(Entity { name: name.into(), definition, is_nested });
        }
        Ok(())
    }

    /// Production 82.
    fn notation(&mut self, cursor: &mut Cursor<'_>) -> Step<()> {
        cursor.expect_space()?;
        cursor.plain_name("the name of a notation", self.shared.namespaces)?;
        cursor.expect_space()?;
        external_id(cursor, false)?;
        cursor.space();
        cursor.expect(">")
    }
}

/// ExternalID (production 75): public and system identifier. Without `needs_system`, PublicID (83)
/// will do.
pub fn external_id<'a>(
    cursor: &mut Cursor<'a>,
    needs_system: bool,
) -> Step<(Option<&'a str>, Option<&'a str>)> {
    if cursor.eat("SYSTEM") {
        cursor.expect_space()?;
        return Ok((None, Some(cursor.quoted("a system identifier")?.0)));
    }
    if !cursor.eat("PUBLIC") {
        return fail(
            cursor.pos,
            format!("'SYSTEM' or 'PUBLIC' expected, {} found", cursor.found()),
        );
    }
    cursor.expect_space()?;
    let (public, start) = cursor.quoted("a public identifier")?;
    if let Some(bad) = public.bytes().position(|b| !chars::is_public_id(b)) {
        return fail(start + bad, "a character that may not stand in a public identifier");
    }
    let before = cursor.pos;
    let has_space = cursor.space();
    if !needs_system && !matches!(cursor.peek(), Some(b'"' | b'\'')) {
        return Ok((Some(public), None));
    }
    if !has_space {
        return fail(before, "white space and a system identifier expected");
    }
    Ok((Some(public), Some(cursor.quoted("a system identifier")?.0)))
}

/// AttType, productions 54 to 59.
fn attribute_type(cursor: &mut Cursor<'_>) -> Step<Type> {
    if cursor.eat("(") {
        return enumeration(cursor, false);
    }
    let at = cursor.pos;
    match cursor.name("an attribute type")? {
        "CDATA" => Ok(Type::Text),
        "ID" => Ok(Type::Id),
        "IDREF" | "IDREFS" | "ENTITY" | "ENTITIES" | "NMTOKEN" | "NMTOKENS" => Ok(Type::Tokens),
        "NOTATION" => {
            cursor.expect_space()?;
            cursor.expect("(")?;
            enumeration(cursor, true)
        }
        other => fail(at, format!("unknown attribute type '{other}'")),
    }
}

fn enumeration(cursor: &mut Cursor<'_>, of_names: bool) -> Step<Type> {
    loop {
        cursor.space();
        if of_names {
            cursor.name("the name of a notation")?;
        } else {
            cursor.token("a value")?;
        }
        cursor.space();
        if cursor.eat(")") {
            return Ok(Type::Tokens);
        }
        cursor.expect("|")?;
    }
}

/// Replacement text of an EntityValue (§4.5): character references are put in, references to
/// general entities stay.
fn replacement_text(raw: &str) -> Step<String> {
    let mut out = String::with_capacity(raw.len());
    let mut pos = 0;
    while let Some(n) = memchr::memchr2(b'&', b'%', &raw.as_bytes()[pos..]) {
        let at = pos + n;
        out.push_str(&raw[pos..at]);
        if raw.as_bytes()[at] == b'%' {
            return fail(
                at,
                "a parameter entity reference may not stand inside a declaration of \
             the internal subset; '%' is written '&#37;'",
            );
        }
        if raw.as_bytes().get(at + 1) == Some(&b'#') {
            let (c, end) = character(raw, at + 2)?;
            out.push(c);
            pos = end;
        } else {
            let end = chars::name_end(raw, at + 1);
            if end == at + 1 || raw.as_bytes().get(end) != Some(&b';') {
                return fail(at, "'&' must begin a reference that ends in ';'");
            }
            out.push_str(&raw[at..=end]);
            pos = end + 1;
        }
    }
    out.push_str(&raw[pos..]);
    Ok(out)
}

/// Who declares `lt` and the like must declare them as what they are (§4.6).
fn check_predefined(name: &str, definition: &Definition, at: usize) -> Step<()> {
    let Some(c) = values::predefined(name) else { return Ok(()) };
    let is_reference = |text: &str| {
        text.strip_prefix("&#").and_then(|_| character(text, 2).ok()) == Some((c, text.len()))
    };
    let is_right = match definition {
        Definition::Internal(text) => {
            is_reference(text) || (!matches!(c, '<' | '&') && text.chars().eq([c]))
        }
        _ => false,
    };
    if is_right {
        return Ok(());
    }
    fail(at, format!("entity '{name}' can only be declared as the character it stands for"))
}

/// A conditional section whose `<![` has been read; they can only come up inside a parameter entity
/// (production 61).
fn conditional_section(cursor: &mut Cursor<'_>, open: &mut u32) -> Step<()> {
    let opened = cursor.pos - 3;
    cursor.space();
    let is_included = cursor.eat("INCLUDE");
    if !is_included && !cursor.eat("IGNORE") {
        return fail(
            cursor.pos,
            format!("'INCLUDE' or 'IGNORE' expected, {} found", cursor.found()),
        );
    }
    cursor.space();
    cursor.expect("[")?;
    if is_included {
        *open += 1;
        return Ok(());
    }
    let mut depth = 1u32;
    while depth > 0 {
        let Some(n) = memchr::memchr2(b'<', b']', &cursor.bytes()[cursor.pos..]) else {
            return fail(opened, "a conditional section is never closed");
        };
        cursor.pos += n;
        if cursor.eat("<![") {
            depth += 1;
        } else if cursor.eat("]]>") {
            depth -= 1;
        } else {
            cursor.pos += 1;
        }
    }
    Ok(())
}
