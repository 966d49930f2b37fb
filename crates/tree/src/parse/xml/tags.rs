//! Start tags and end tags (XML 1.0 productions 40 to 44): attributes, their types and defaults,
//! and namespaces.

use super::chars;
use super::content::{Content, Open};
use super::cursor::{fail, Cursor, Step};
use super::dtd::Type;
use super::namespaces::UNBOUND;
use super::qnames::{Of, PrefixId, QId, Role, NO_PREFIX, XMLNS_PREFIX, XML_PREFIX};
use super::values;
use crate::error::Error;
use crate::tree::{attr_flags, NamespaceId, Span, NO_NAMESPACE, XML, XMLNS};

/// An attribute of the start tag that is being read.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    name: QId,
    namespace: NamespaceId,
    value: Span,
    /// Where its name stands in the text that is being read.
    at: u32,
    flags: u8,
}

/// Up to this many attributes, comparing each with each is the fastest way to find two of the same
/// name.
const FEW: usize = 8;

impl Content<'_, '_, '_> {
    /// A start tag or empty-element tag whose `<` stands at `opened`.
    #[inline]
    pub fn start_tag(&mut self, opened: usize) -> Step<()> {
        self.shared.tick()?;
        let text = self.cursor.text;
        let bytes = text.as_bytes();
        let start = opened + 1;
        let end = chars::name_end(text, start);
        if end == start {
            return fail(
                opened,
                format!(
                    "'<' must be written '&lt;', or begin a tag: {} found",
                    Cursor::new(text, start).found()
                ),
            );
        }
        let element = self.shared.names.id(text, start, end);
        let mark = self.namespaces.mark();
        self.attributes.clear();
        let mut pos = end;
        let is_empty = loop {
            match bytes.get(pos) {
                Some(b'>') => {
                    pos += 1;
                    break false;
                }
                Some(b'/') if bytes.get(pos + 1) == Some(&b'>') => {
                    pos += 2;
                    break true;
                }
                Some(&b) if chars::is_space(b) => {
                    pos = chars::skip_space(bytes, pos);
                    if !matches!(bytes.get(pos), Some(b'>' | b'/') | None) {
                        pos = self.attribute(element, pos)?;
                    }
                }
                None => {
                    return fail(opened, format!("the tag <{}> is never closed", &text[start..end]))
                }
                _ => {
                    return fail(
                        pos,
                        format!(
                            "white space, '>' or '/>' expected, {} found",
                            Cursor::new(text, pos).found()
                        ),
                    )
                }
            }
        };
        self.cursor.pos = pos;
        if !self.attributes.is_empty() || self.dtd.has_list(element) {
            self.complete(element, opened)?;
        }
        let prefix = self.shared.names.get(element).prefix;
        if prefix == XMLNS_PREFIX {
            return fail(start, "an element may not have the prefix 'xmlns'");
        }
        let namespace = self.namespace(element, prefix, start)?;
        let name =
            self.shared.names.resolve(element, namespace, Of::Element, &mut self.shared.builder)?;
        let place = self.place(opened);
        self.shared.builder.open(name, place as u32, 0)?;
        for i in 0..self.attributes.len() {
            let attribute = self.attributes[i];
            let name = self.shared.names.resolve(
                attribute.name,
                attribute.namespace,
                Of::Attribute,
                &mut self.shared.builder,
            )?;
            self.shared.builder.attribute_at(name, attribute.value, attribute.flags)?;
        }
        if is_empty {
            self.shared.builder.close();
            self.namespaces.reset(mark);
        } else {
            self.open.push(Open { start: start as u32, end: end as u32, mark });
        }
        Ok(())
    }

    /// An end tag whose `<` stands at `opened`.
    #[inline]
    pub fn end_tag(&mut self, opened: usize) -> Step<()> {
        let text = self.cursor.text;
        let bytes = text.as_bytes();
        if self.open.len() <= self.open_outside() {
            return fail(opened, "an end tag without a start tag");
        }
        let open = self.open[self.open.len() - 1];
        let name = &bytes[open.start as usize..open.end as usize];
        let after = opened + 2 + name.len();
        let is_same = bytes[opened + 2..].starts_with(name);
        let pos = if is_same { chars::skip_space(bytes, after) } else { after };
        if !is_same || bytes.get(pos) != Some(&b'>') {
            return self.wrong_end(opened, open);
        }
        self.cursor.pos = pos + 1;
        self.open.pop();
        self.namespaces.reset(open.mark);
        self.shared.builder.close();
        Ok(())
    }

    #[cold]
    fn wrong_end(&self, opened: usize, open: Open) -> Step<()> {
        let text = self.cursor.text;
        let expected = &text[open.start as usize..open.end as usize];
        let end = chars::name_end(text, opened + 2);
        if end == opened + 2 {
            return fail(
                end,
                format!("</{expected}> expected, {} found", Cursor::new(text, end).found()),
            );
        }
        let found = &text[opened + 2..end];
        if found == expected {
            return fail(
                end,
                format!(
                    "'>' expected after '</{found}', {} found",
                    Cursor::new(text, chars::skip_space(text.as_bytes(), end)).found()
                ),
            );
        }
        fail(opened, format!("</{found}> does not close <{expected}>"))
    }

    /// One attribute, its name at `at`; the place after its value.
    #[inline]
    fn attribute(&mut self, element: QId, at: usize) -> Step<usize> {
        let text = self.cursor.text;
        let bytes = text.as_bytes();
        let name_end = chars::name_end(text, at);
        if name_end == at {
            return fail(
                at,
                format!(
                    "an attribute, '>' or '/>' expected, {} found",
                    Cursor::new(text, at).found()
                ),
            );
        }
        let name = self.shared.names.id(text, at, name_end);
        let mut pos = name_end;
        if bytes.get(pos) != Some(&b'=') {
            pos = chars::skip_space(bytes, pos);
            if bytes.get(pos) != Some(&b'=') {
                return fail(
                    pos,
                    format!("'=' and a value expected after '{}'", &text[at..name_end]),
                );
            }
        }
        pos += 1;
        if !matches!(bytes.get(pos), Some(b'"' | b'\'')) {
            pos = chars::skip_space(bytes, pos);
        }
        let quote = match bytes.get(pos) {
            Some(&quote @ (b'"' | b'\'')) => quote,
            _ => {
                return fail(
                    pos,
                    format!("a value in quotes expected, {} found", Cursor::new(text, pos).found()),
                )
            }
        };
        let start = pos + 1;
        let stop = chars::value_end(bytes, start, quote);
        let (mut value, end) = match bytes.get(stop) {
            Some(&b) if b == quote => (self.value_as_written(start, stop)?, stop),
            Some(b'<') => return fail(
                stop,
                "'<' in an attribute value must be written '&lt;'; is the quote before it closed?",
            ),
            _ => match memchr::memchr(quote, &bytes[stop..]) {
                Some(n) => (self.value_with_references(start, stop + n)?, stop + n),
                None => return fail(pos, "the quote of this value is never closed"),
            },
        };
        let is_xml_id = self.shared.names.get(name).role == Role::XmlId;
        let mut flags = 0;
        if is_xml_id || self.dtd.has_list(element) {
            let kind = if is_xml_id { Type::Id } else { self.dtd.attribute_type(element, name) };
            value = self.value_of_type(value, kind)?;
            flags = if kind == Type::Id { attr_flags::ID } else { 0 };
            if is_xml_id && !chars::is_plain_name(self.text_of(value)) {
                let place = self.place(at);
                self.shared.problem(
                    place,
                    format!("the xml:id {:?} is not a name", short(self.text_of(value))),
                );
            }
        }
        let limit = self.shared.limits.attributes;
        if self.attributes.len() as u64 >= limit {
            return Err(Error::limit("attributes", limit).into());
        }
        self.attributes.push(Attribute {
            name,
            namespace: NO_NAMESPACE,
            value,
            at: at as u32,
            flags,
        });
        Ok(end + 1)
    }

    #[inline]
    fn value_as_written(&mut self, start: usize, end: usize) -> Step<Span> {
        if self.is_in_document() {
            return Ok(Span { start: start as u32, len: (end - start) as u32 });
        }
        Ok(self.shared.builder.store(&self.cursor.text[start..end])?)
    }

    fn value_with_references(&mut self, start: usize, end: usize) -> Step<Span> {
        self.shared.tick()?;
        let mut kept = Vec::new();
        self.scratch.clear();
        let raw = &self.cursor.text[start..end];
        values::normalise(
            raw,
            self.dtd,
            &mut self.active,
            &mut self.shared.budget,
            &mut self.scratch,
            &mut kept,
        )
        .map_err(|stop| stop.shifted(start))?;
        for name in kept {
            let place = self.place(start);
            self.shared.problem(
                place,
                format!(
                    "entity '{name}' is not declared here; its \
             reference is kept in the attribute value"
                ),
            );
        }
        Ok(self.shared.builder.store(&self.scratch)?)
    }

    /// The value as its type wants it.
    fn value_of_type(&mut self, value: Span, kind: Type) -> Step<Span> {
        if kind == Type::Text {
            return Ok(value);
        }
        let mut squeezed = std::mem::take(&mut self.scratch);
        let result = match values::squeeze(self.text_of(value), &mut squeezed) {
            true => self.shared.builder.store(&squeezed),
            false => Ok(value),
        };
        self.scratch = squeezed;
        Ok(result?)
    }

    fn text_of(&self, span: Span) -> &str {
        let start = span.start as usize;
        if start < self.document.len() {
            return &self.document[start..start + span.len as usize];
        }
        self.shared.builder.stored(span)
    }

    /// Defaults, namespace declarations, namespaces of attribute names; two of the same name are
    /// found.
    fn complete(&mut self, element: QId, opened: usize) -> Step<()> {
        if self.dtd.has_list(element) {
            self.add_defaults(element, opened)?;
        }
        for i in 0..self.attributes.len() {
            let name = self.shared.names.get(self.attributes[i].name);
            match name.role {
                Role::DefaultNamespace => self.declare(NO_PREFIX, i)?,
                Role::Namespace => self.declare(name.declares, i)?,
                _ => {}
            }
        }
        for i in 0..self.attributes.len() {
            let Attribute { name, at, .. } = self.attributes[i];
            let row = self.shared.names.get(name);
            self.attributes[i].namespace = match row.role {
                Role::DefaultNamespace => self.namespaces.xmlns,
                _ if row.prefix == NO_PREFIX && row.role != Role::Broken => NO_NAMESPACE,
                _ => self.namespace(name, row.prefix, at as usize)?,
            };
        }
        self.check_unique()
    }

    fn add_defaults(&mut self, element: QId, opened: usize) -> Step<()> {
        let dtd = self.dtd;
        let defaults = dtd.defaults(element);
        if defaults.is_empty() {
            return Ok(());
        }
        self.elements += 1;
        self.seen.resize(self.shared.names.len(), 0);
        for attribute in &self.attributes {
            self.seen[attribute.name as usize] = self.elements;
        }
        for default in defaults {
            if self.seen[default.name as usize] == self.elements {
                continue;
            }
            self.shared.budget.default_value(default.chars)?;
            let is_id =
                default.kind == Type::Id || self.shared.names.get(default.name).role == Role::XmlId;
            let flags = attr_flags::DEFAULTED | if is_id { attr_flags::ID } else { 0 };
            self.attributes.push(Attribute {
                name: default.name,
                namespace: NO_NAMESPACE,
                value: default.value,
                at: opened as u32,
                flags,
            });
        }
        Ok(())
    }

    /// The namespace declaration in attribute `i` (Namespaces in XML §3).
    fn declare(&mut self, prefix: PrefixId, i: usize) -> Step<()> {
        let Attribute { value, at, .. } = self.attributes[i];
        let at = at as usize;
        let uri = self.text_of(value);
        let (is_xml, is_xmlns) = (uri == XML, uri == XMLNS);
        if prefix == XMLNS_PREFIX {
            return fail(at, "the prefix 'xmlns' may not be declared");
        }
        if is_xml != (prefix == XML_PREFIX) {
            return fail(at, format!("the prefix 'xml' and the namespace {XML} belong together"));
        }
        if is_xmlns {
            return fail(at, format!("the namespace {XMLNS} may not be declared"));
        }
        if uri.is_empty() && prefix != NO_PREFIX {
            return fail(at, "a prefix may not stand for the empty namespace");
        }
        let mut copy = std::mem::take(&mut self.scratch);
        copy.clear();
        copy.push_str(self.text_of(value));
        let namespace = self.shared.builder.intern_namespace(&copy);
        self.scratch = copy;
        self.shared.builder.names().check_size()?;
        self.namespaces.bind(prefix, namespace);
        Ok(())
    }

    /// What the prefix of a name stands for here.
    #[inline]
    fn namespace(&self, name: QId, prefix: PrefixId, at: usize) -> Step<NamespaceId> {
        let namespace = self.namespaces.of(prefix);
        let row = self.shared.names.get(name);
        if namespace == UNBOUND || row.role == Role::Broken {
            return self.no_namespace(name, at);
        }
        Ok(namespace)
    }

    #[cold]
    fn no_namespace(&self, name: QId, at: usize) -> Step<NamespaceId> {
        let names = &self.shared.names;
        if names.get(name).role == Role::Broken {
            return fail(
                at,
                format!(
                    "'{}' is not a name with a prefix: a colon in the wrong place",
                    short(names.text(name))
                ),
            );
        }
        fail(at, format!("the prefix '{}' is not declared", short(names.prefix_text(name))))
    }

    fn check_unique(&mut self) -> Step<()> {
        let names = &self.shared.names;
        let key = |attribute: &Attribute| {
            u64::from(attribute.namespace) << 32 | u64::from(names.get(attribute.name).local)
        };
        let attributes = &self.attributes;
        let is_unique = if attributes.len() <= FEW {
            (1..attributes.len())
                .all(|i| (0..i).all(|j| key(&attributes[i]) != key(&attributes[j])))
        } else {
            self.keys.clear();
            self.keys.extend(attributes.iter().map(key));
            self.keys.sort_unstable();
            self.keys.windows(2).all(|pair| pair[0] != pair[1])
        };
        if is_unique {
            return Ok(());
        }
        let mut seen = std::collections::HashSet::new();
        let second = attributes.iter().find(|attribute| !seen.insert(key(attribute)));
        match second {
            Some(attribute) => fail(
                attribute.at as usize,
                format!("a second attribute '{}'", short(names.text(attribute.name))),
            ),
            None => Ok(()),
        }
    }
}

/// The beginning of something that may be very long, for a message.
fn short(text: &str) -> &str {
    text.char_indices().nth(60).map_or(text, |(at, _)| &text[..at])
}
