//! The content of elements (XML 1.0 production 43), from one `<` or `&` to the next, with entities
//! put in on the way.
//!
//! A text that stands in the document as it is becomes a span of the document. One that had to be
//! put together (a reference, a CDATA section between texts) is built aside and stored. Elements
//! and entities nest on explicit stacks.

use super::chars;
use super::cursor::{fail, find_section_end, Cursor, Step, Stop};
use super::dtd::{Definition, Dtd, EntityId};
use super::namespaces::Namespaces;
use super::shared::Shared;
use super::tags::Attribute;
use super::values::{self, Active, Reference};
use crate::tree::{flags, Kind, Span, NO_NAME};

/// An open element: where its name stands in the text being read, and the namespaces before it.
#[derive(Clone, Copy)]
pub struct Open {
    pub start: u32,
    pub end: u32,
    pub mark: u32,
}

/// An entity that is being read, and where to go on after it.
struct Frame<'a> {
    outer: Cursor<'a>,
    /// Where its reference stands in the outer text.
    reference: usize,
    entity: EntityId,
    /// How many elements were open: its own must be closed at its end.
    open: usize,
}

/// Text that may still go on.
#[derive(Default)]
struct Pending {
    /// A piece of the document, where that is all there is.
    span: Option<Span>,
    /// What was put together, where it is not.
    built: String,
    /// Byte of the document where it started.
    at: usize,
}

impl Pending {
    #[inline]
    fn is_empty(&self) -> bool {
        self.span.is_none() && self.built.is_empty()
    }
}

/// Reads content.
pub struct Content<'a, 's, 'w> {
    pub cursor: Cursor<'a>,
    pub document: &'a str,
    pub dtd: &'a Dtd,
    pub shared: &'s mut Shared<'w>,
    pub namespaces: Namespaces,
    pub open: Vec<Open>,
    pub active: Active,
    pub attributes: Vec<Attribute>,
    pub keys: Vec<u64>,
    pub scratch: String,
    /// For each written name the last element that had such an attribute, counted by `elements`.
    pub seen: Vec<u32>,
    pub elements: u32,
    frames: Vec<Frame<'a>>,
    pending: Pending,
    is_fragment: bool,
}

impl<'a, 's, 'w> Content<'a, 's, 'w> {
    pub fn new(
        cursor: Cursor<'a>,
        dtd: &'a Dtd,
        shared: &'s mut Shared<'w>,
        is_fragment: bool,
    ) -> Self {
        Content {
            cursor,
            document: cursor.text,
            dtd,
            namespaces: Namespaces::new(&mut shared.builder),
            shared,
            open: Vec::new(),
            active: Active::default(),
            attributes: Vec::new(),
            keys: Vec::new(),
            scratch: String::new(),
            seen: Vec::new(),
            elements: 0,
            frames: Vec::new(),
            pending: Pending::default(),
            is_fragment,
        }
    }

    /// Reads the root element, or all of a fragment; the cursor ends up behind it.
    pub fn read(mut self) -> Step<Cursor<'a>> {
        match self.run() {
            Ok(()) => Ok(self.cursor),
            Err(stop) => Err(self.locate(stop)),
        }
    }

    fn run(&mut self) -> Step<()> {
        loop {
            let text = self.cursor.text;
            let bytes = text.as_bytes();
            let start = self.cursor.pos;
            let mut stop = chars::text_end(bytes, start);
            while bytes.get(stop) == Some(&b']') {
                if bytes[stop..].starts_with(b"]]>") {
                    return fail(stop, "']]>' in text must be written ']]&gt;'");
                }
                stop = chars::text_end(bytes, stop + 1);
            }
            if stop > start {
                if self.is_simple(bytes, stop) {
                    let span = Span { start: start as u32, len: (stop - start) as u32 };
                    self.shared.builder.leaf_at(Kind::Text, NO_NAME, span, start as u32, 0)?;
                } else {
                    self.add(start, stop);
                }
            }
            match bytes.get(stop) {
                None => {
                    if !self.leave()? {
                        return self.flush();
                    }
                }
                Some(b'&') => self.reference(stop)?,
                Some(_) => {
                    if self.markup(stop)? && self.open.is_empty() && !self.is_fragment {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Whether the text that ends at `stop` stands in the document, alone, between two tags: the
    /// usual case.
    #[inline]
    fn is_simple(&self, bytes: &[u8], stop: usize) -> bool {
        self.frames.is_empty()
            && self.pending.is_empty()
            && bytes.get(stop) == Some(&b'<')
            && bytes.get(stop + 1) != Some(&b'!')
    }

    /// What begins with the `<` at `at`. Whether it was a tag.
    #[inline]
    fn markup(&mut self, at: usize) -> Step<bool> {
        match self.cursor.bytes().get(at + 1) {
            Some(b'/') => {
                self.flush()?;
                self.end_tag(at)?;
            }
            Some(b'!') => {
                self.cursor.pos = at;
                if self.cursor.eat("<!--") {
                    self.flush()?;
                    self.shared.comment(
                        &mut self.cursor,
                        self.frames.first().map(|frame| frame.reference),
                    )?;
                } else if self.cursor.eat("<![CDATA[") {
                    self.section(at)?;
                } else {
                    return fail(at, "a comment or CDATA section expected after '<!'");
                }
                return Ok(false);
            }
            Some(b'?') => {
                self.flush()?;
                self.cursor.pos = at + 2;
                self.shared.instruction(
                    &mut self.cursor,
                    self.frames.first().map(|frame| frame.reference),
                )?;
                return Ok(false);
            }
            _ => {
                self.flush()?;
                self.start_tag(at)?;
            }
        }
        Ok(true)
    }

    /// A CDATA section (production 18) whose `<![CDATA[` has been read. It is text like any other.
    fn section(&mut self, opened: usize) -> Step<()> {
        let start = self.cursor.pos;
        let Some(end) = find_section_end(self.cursor.bytes(), start) else {
            return fail(opened, "this CDATA section is never closed");
        };
        if end > start {
            self.add(start, end);
        }
        self.cursor.pos = end + 3;
        Ok(())
    }

    /// The reference at `at`.
    fn reference(&mut self, at: usize) -> Step<()> {
        let text = self.cursor.text;
        let (found, end) = values::reference(text, at, self.dtd)?;
        self.cursor.pos = end;
        match found {
            Reference::Character(c) => self.build(at).push(c),
            Reference::Internal(entity) => self.enter(entity, at)?,
            Reference::External | Reference::Unknown => {
                let why = if found == Reference::External {
                    "lies outside and is not read"
                } else {
                    "is not declared here"
                };
                self.flush()?;
                let place = self.place(at);
                self.shared.problem(
                    place,
                    format!("entity '{}' {why}; its reference is kept", &text[at + 1..end - 1]),
                );
                if self.frames.is_empty() {
                    let span = Span { start: at as u32, len: (end - at) as u32 };
                    self.shared.builder.leaf_at(
                        Kind::Text,
                        NO_NAME,
                        span,
                        place as u32,
                        flags::REFERENCE,
                    )?;
                } else {
                    self.shared.builder.leaf(
                        Kind::Text,
                        NO_NAME,
                        &text[at..end],
                        place as u32,
                        flags::REFERENCE,
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Goes on in the replacement text of an entity.
    fn enter(&mut self, entity: EntityId, reference: usize) -> Step<()> {
        self.shared.tick()?;
        let dtd = self.dtd;
        let found = dtd.general.get(entity);
        let Definition::Internal(replacement) = &found.definition else { return Ok(()) };
        if !self.active.enter(entity) {
            return fail(reference, format!("entity '{}' contains itself", found.name));
        }
        self.shared.budget.reference(replacement)?;
        self.frames.push(Frame { outer: self.cursor, reference, entity, open: self.open.len() });
        self.cursor = Cursor::new(replacement, 0);
        Ok(())
    }

    /// Goes on after the entity whose end was reached; `false` at the end of the document.
    fn leave(&mut self) -> Step<bool> {
        let here = self.cursor.text.len();
        let within = self.frames.last().map_or(0, |frame| frame.open);
        if self.open.len() > within {
            let open = self.open[self.open.len() - 1];
            return fail(
                here,
                format!(
                    "<{}> is never closed",
                    &self.cursor.text[open.start as usize..open.end as usize]
                ),
            );
        }
        let Some(frame) = self.frames.pop() else {
            self.cursor.pos = here;
            return Ok(false);
        };
        self.active.leave(frame.entity);
        self.cursor = frame.outer;
        Ok(true)
    }

    /// How many elements were open when the text that is being read began.
    pub fn open_outside(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.open)
    }

    /// Whether the text that is being read is the document itself.
    #[inline]
    pub fn is_in_document(&self) -> bool {
        self.frames.is_empty()
    }

    /// The byte of the document that stands for byte `at` of the text that is being read.
    #[inline]
    pub fn place(&self, at: usize) -> usize {
        self.frames.first().map_or(at, |frame| frame.reference)
    }

    /// Adds a piece of the text that is being read.
    #[inline]
    fn add(&mut self, start: usize, end: usize) {
        if self.frames.is_empty() && self.pending.is_empty() {
            self.pending.span = Some(Span { start: start as u32, len: (end - start) as u32 });
            self.pending.at = start;
        } else {
            let piece = &self.cursor.text[start..end];
            self.build(start).push_str(piece);
        }
    }

    /// The text so far, as one that is put together; `at` is where the next piece stands.
    fn build(&mut self, at: usize) -> &mut String {
        if let Some(span) = self.pending.span.take() {
            let start = span.start as usize;
            self.pending.built.push_str(&self.document[start..start + span.len as usize]);
        } else if self.pending.built.is_empty() {
            self.pending.at = self.place(at);
        }
        &mut self.pending.built
    }

    /// Makes a node of the text so far.
    #[inline]
    fn flush(&mut self) -> Step<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if let Some(span) = self.pending.span.take() {
            self.shared.builder.leaf_at(Kind::Text, NO_NAME, span, self.pending.at as u32, 0)?;
        } else {
            self.shared.builder.leaf(
                Kind::Text,
                NO_NAME,
                &self.pending.built,
                self.pending.at as u32,
                0,
            )?;
            self.pending.built.clear();
        }
        Ok(())
    }

    /// Puts an error inside an entity where the document refers to it.
    fn locate(&self, stop: Stop) -> Stop {
        match (stop, self.frames.first(), self.frames.last()) {
            (Stop::Syntax { message, .. }, Some(outermost), Some(innermost)) => {
                let name = &self.dtd.general.get(innermost.entity).name;
                Stop::Syntax {
                    at: outermost.reference,
                    message: format!("{message}, in entity '{name}'"),
                }
            }
            (stop, ..) => stop,
        }
    }
}
