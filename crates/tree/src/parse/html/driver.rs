//! Between tokenizer and tree construction: hands tokens on, keeps limits, and keeps very deep
//! documents flat.
//!
//! html5ever's rules search the stack of open elements for almost every tag, so a document of a
//! million nested elements would take a million squared steps. Where the tree has reached
//! [`Limits::HTML_DEPTH`] levels, what comes inside is therefore not given to html5ever at all: it
//! becomes leaves of the element at that level (`Flat`), which is where [`super::flatten`] would
//! put it anyway.

use std::collections::HashMap;

use encoding_rs::Encoding;
use html5ever::interface::{NodeOrText, Tracer, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{create_element, TreeBuilder};
use html5ever::{local_name, ns, Attribute, LocalName, Namespace, QualName};

use super::atoms::BuildAtomHasher;
use super::problems::TagName;
use super::sink::{Node, Sink};
use super::tokenizer::{Consumer, Content};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::parse::encoding;
use crate::watch::Watch;

/// Tokens between two looks at the watch.
const STEPS: u32 = 1024;

/// Feeds tokens to html5ever.
pub(super) struct Driver<'n, 'w> {
    pub builder: TreeBuilder<Node<'n>, Sink<'n>>,
    /// The encoding of the text, as long as the document may still declare another.
    pub tentative: Option<&'static Encoding>,
    /// That other encoding.
    pub redeclared: Option<&'static Encoding>,
    /// Whether this is a fragment inside a `select`: the standard ignores an `input` there,
    /// html5ever does not.
    pub is_in_select: bool,
    flat: Option<Flat<'n>>,
    watch: &'w dyn Watch,
    steps: u32,
}

/// What is open below the deepest level, without being on html5ever's stack.
struct Flat<'n> {
    /// The element at the deepest level, whose leaves everything becomes.
    parent: Node<'n>,
    /// How many nodes html5ever holds: fewer, and it has closed something.
    held: usize,
    open: Vec<LocalName>,
    /// How often each name is open.
    count: HashMap<LocalName, u32, BuildAtomHasher>,
}

impl<'n, 'w> Driver<'n, 'w> {
    /// A driver of `builder`.
    pub fn new(builder: TreeBuilder<Node<'n>, Sink<'n>>, watch: &'w dyn Watch) -> Self {
        Driver {
            builder,
            tentative: None,
            redeclared: None,
            is_in_select: false,
            flat: None,
            watch,
            steps: 0,
        }
    }

    /// A `meta` has named an encoding: the first that exists counts.
    fn declared(&mut self, label: &str) {
        if let (Some(tentative), Some(declared)) =
            (self.tentative, encoding::declared(label.as_bytes()))
        {
            self.tentative = None;
            self.redeclared = (declared != tentative).then_some(declared);
        }
    }

    fn send(&mut self, token: Token, at: usize) -> Content {
        match self.builder.process_token(token, place(at)) {
            TokenSinkResult::Continue | TokenSinkResult::Script(_) => Content::Data,
            TokenSinkResult::EncodingIndicator(label) => {
                self.declared(&label);
                Content::Data
            }
            TokenSinkResult::Plaintext => Content::Plaintext,
            TokenSinkResult::RawData(RawKind::Rcdata) => Content::Rcdata,
            TokenSinkResult::RawData(RawKind::Rawtext) => Content::Rawtext,
            TokenSinkResult::RawData(RawKind::ScriptData | RawKind::ScriptDataEscaped(_)) => {
                Content::Script
            }
        }
    }

    /// Becomes flat if the element just opened is as deep as a tree may be.
    fn look_at_depth(&mut self, is_self_closing: bool) {
        let arena = self.builder.sink.arena.borrow();
        let newest = arena.rows[arena.newest as usize];
        if newest.depth < Limits::HTML_DEPTH {
            return;
        }
        let names = &arena.names;
        let name = QualName::new(
            None,
            Namespace::from(names.namespace(newest.name)),
            LocalName::from(names.local(newest.name)),
        );
        if is_leaf(&name.ns, &name.local, is_self_closing) {
            return;
        }
        let row = arena.newest;
        drop(arena);
        let (_, name) = self.builder.sink.arena.borrow_mut().intern(name);
        self.flat = Some(Flat {
            parent: Node { row, name },
            held: self.held(),
            open: Vec::new(),
            count: HashMap::default(),
        });
    }

    /// How many nodes html5ever holds, on its stack and elsewhere.
    fn held(&self) -> usize {
        struct Count<'n>(std::cell::Cell<usize>, std::marker::PhantomData<&'n ()>);
        impl<'n> Tracer for Count<'n> {
            type Handle = Node<'n>;

            fn trace_handle(&self, _: &Node<'n>) {
                self.0.set(self.0.get() + 1);
            }
        }
        let count = Count(std::cell::Cell::new(0), std::marker::PhantomData);
        self.builder.trace_handles(&count);
        count.0.get()
    }

    /// A tag where everything is flat; gives it back if html5ever must see it.
    fn flat_tag(&mut self, tag: Tag) -> std::result::Result<Content, Tag> {
        let Some(flat) = &mut self.flat else { return Err(tag) };
        if tag.kind == TagKind::EndTag {
            if flat.count.get(&tag.name).is_none_or(|&open| open == 0) {
                return Err(tag);
            }
            while let Some(name) = flat.open.pop() {
                flat.count.entry(name.clone()).and_modify(|open| *open -= 1);
                if name == tag.name {
                    break;
                }
            }
            return Ok(Content::Data);
        }
        let ns = match tag.name {
            local_name!("svg") => ns!(svg),
            local_name!("math") => ns!(mathml),
            _ => flat.parent.name.ns.clone(),
        };
        let content = if ns == ns!(html) { content_of(&tag.name) } else { Content::Data };
        if !is_leaf(&ns, &tag.name, tag.self_closing) {
            flat.open.push(tag.name.clone());
            *flat.count.entry(tag.name.clone()).or_default() += 1;
        }
        let sink = &self.builder.sink;
        let element = create_element(sink, QualName::new(None, ns, tag.name), tag.attrs);
        sink.append(&flat.parent, NodeOrText::AppendNode(element));
        Ok(content)
    }
}

impl Consumer for Driver<'_, '_> {
    fn tag(&mut self, tag: Tag, at: usize) -> Content {
        let tag = if self.flat.is_some() {
            self.builder.sink.set_current_line(place(at));
            match self.flat_tag(tag) {
                Ok(content) => return content,
                Err(tag) => tag,
            }
        } else {
            tag
        };
        let (kind, is_self_closing) = (tag.kind, tag.self_closing);
        if self.is_in_select && kind == TagKind::StartTag && tag.name == local_name!("input") {
            self.problem("input-in-select", at);
            return Content::Data;
        }
        let name = TagName::from(&tag);
        let count = self.builder.sink.problems.borrow().count;
        let content = self.send(Token::TagToken(tag), at);
        let mut problems = self.builder.sink.problems.borrow_mut();
        if problems.count > count {
            problems.came_with(&name, count);
        }
        drop(problems);
        if kind == TagKind::StartTag && content == Content::Data {
            self.look_at_depth(is_self_closing);
        } else if self.flat.as_ref().is_some_and(|flat| self.held() != flat.held) {
            self.flat = None;
        }
        content
    }

    fn text(&mut self, text: StrTendril, at: usize) {
        if let Some(flat) = &self.flat {
            self.builder.sink.append(&flat.parent, NodeOrText::AppendText(text));
            return;
        }
        self.send(Token::CharacterTokens(text), at);
    }

    fn null(&mut self, at: usize) {
        if self.flat.is_none() {
            self.send(Token::NullCharacterToken, at);
        }
    }

    fn comment(&mut self, text: StrTendril, at: usize) {
        if let Some(flat) = &self.flat {
            let sink = &self.builder.sink;
            sink.set_current_line(place(at));
            let comment = sink.create_comment(text);
            sink.append(&flat.parent, NodeOrText::AppendNode(comment));
            return;
        }
        self.send(Token::CommentToken(text), at);
    }

    fn doctype(&mut self, doctype: Doctype, at: usize) {
        self.send(Token::DoctypeToken(doctype), at);
    }

    fn end(&mut self, at: usize) {
        self.send(Token::EOFToken, at);
        self.builder.end();
    }

    fn problem(&mut self, code: &'static str, at: usize) {
        self.builder.sink.problems.borrow_mut().add(code, at as u32);
    }

    fn is_in_foreign_content(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }

    fn spare(&mut self) -> Vec<Attribute> {
        self.builder.sink.spare.take()
    }

    fn check(&mut self) -> Result<()> {
        if let Some(failure) = &self.builder.sink.arena.borrow().failure {
            return Err(failure.clone());
        }
        if self.redeclared.is_some() {
            return Err(Error::Interrupted);
        }
        self.steps += 1;
        if self.steps.is_multiple_of(STEPS) {
            self.watch.check()?;
        }
        Ok(())
    }
}

/// A place in the text as html5ever hands it on to the sink.
fn place(at: usize) -> u64 {
    at as u64 + 2
}

/// How the contents of an HTML element are read.
pub(super) fn content_of(name: &LocalName) -> Content {
    match *name {
        local_name!("title") | local_name!("textarea") => Content::Rcdata,
        local_name!("style")
        | local_name!("xmp")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes") => Content::Rawtext,
        local_name!("script") => Content::Script,
        local_name!("plaintext") => Content::Plaintext,
        _ => Content::Data,
    }
}

/// Whether nothing can come inside an element.
fn is_leaf(ns: &Namespace, name: &LocalName, is_self_closing: bool) -> bool {
    if *ns != ns!(html) {
        return is_self_closing;
    }
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("basefont")
            | local_name!("bgsound")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("frame")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("keygen")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
    )
}
