//! The pieces of XML syntax that XML and Canonical XML share: names, values, texts, comments,
//! instructions, each either well-formed, or refused by name, or replaced by the rules of
//! [`OnInvalid::Replace`].

use std::collections::{HashMap, HashSet};

use super::chars;
use super::scope::{Prefixes, Scope, Slot, Uri, NO_URI};
use super::OnInvalid;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::tree::{flags, Kind, NameId, Names, NamespaceId, Tree, XML, XMLNS};

/// An output in the making.
pub(super) struct Markup<'t> {
    pub(super) tree: &'t Tree,
    pub(super) out: String,
    pub(super) on_invalid: OnInvalid,
    names: Spelling,
    /// For each name the first name with the same namespace and local name, and the first that is
    /// written the same.
    same: Vec<(NameId, NameId)>,
    memory: u64,
}

impl<'t> Markup<'t> {
    pub(super) fn new(tree: &'t Tree, on_invalid: OnInvalid, limits: &Limits) -> Self {
        let names = Spelling::new(tree.names(), on_invalid);
        let same = names.same(tree.names());
        Markup { tree, out: String::new(), on_invalid, names, same, memory: limits.memory }
    }

    /// Fails where the output is larger than working memory may be: long names can make it much
    /// larger than the tree.
    pub(super) fn check_size(&self) -> Result<()> {
        Limits::check("memory", self.memory, self.out.len() as u64)
    }

    /// Appends the name of an element or attribute of node `i`.
    pub(super) fn name(&mut self, i: usize, name: NameId) -> Result<()> {
        let Some(spelled) = self.names.get(name) else {
            return Err(refused(
                self.tree,
                i,
                &format!(
                    "has the name {:?}, which XML cannot write",
                    self.tree.names().qualified(name)
                ),
            ));
        };
        self.out.push_str(spelled);
        Ok(())
    }

    /// Appends ` name="value"`.
    pub(super) fn attribute(&mut self, i: usize, a: usize) -> Result<()> {
        self.out.push(' ');
        self.name(i, self.tree.attr_name(a))?;
        self.value(i, self.tree.attr_value(a))
    }

    /// Appends a namespace declaration.
    pub(super) fn declaration(&mut self, i: usize, prefix: &str, namespace: &str) -> Result<()> {
        self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.out.push_str(prefix);
        self.value(i, namespace)
    }

    /// Appends `="value"`.
    pub(super) fn value(&mut self, i: usize, value: &str) -> Result<()> {
        self.out.push_str("=\"");
        self.clean(i, value, chars::escape_attribute)?;
        self.out.push('"');
        Ok(())
    }

    /// Appends the text of text node `i`.
    pub(super) fn text(&mut self, i: usize) -> Result<()> {
        if self.tree.flags(i) & flags::REFERENCE != 0 {
            return self.reference(i);
        }
        self.clean(i, self.tree.text(i), chars::escape_text)
    }

    /// Appends the reference `i` to an entity that could not be read.
    fn reference(&mut self, i: usize) -> Result<()> {
        let text = self.tree.text(i);
        if !text
            .strip_prefix('&')
            .and_then(|rest| rest.strip_suffix(';'))
            .is_some_and(chars::is_name)
        {
            return Err(refused(self.tree, i, "is a reference to an entity without a name"));
        }
        self.out.push_str(text);
        Ok(())
    }

    /// Appends comment `i`.
    pub(super) fn comment(&mut self, i: usize) -> Result<()> {
        let text = self.tree.text(i);
        self.out.push_str("<!--");
        if text.contains("--") || text.ends_with('-') {
            if self.on_invalid == OnInvalid::Error {
                return Err(refused(
                    self.tree,
                    i,
                    "has '--' in it or '-' at its end, which XML cannot write",
                ));
            }
            let mut spread = text.replace("--", "- -").replace("--", "- -");
            if spread.ends_with('-') {
                spread.push(' ');
            }
            self.clean(i, &spread, chars::escape_return)?;
        } else {
            self.clean(i, text, chars::escape_return)?;
        }
        self.out.push_str("-->");
        Ok(())
    }

    /// Appends instruction `i`.
    pub(super) fn instruction(&mut self, i: usize) -> Result<()> {
        let (target, data) = (self.tree.names().qualified(self.tree.name(i)), self.tree.text(i));
        let is_good = chars::is_ncname(&target) && !target.eq_ignore_ascii_case("xml");
        if !is_good && self.on_invalid == OnInvalid::Error {
            return Err(refused(
                self.tree,
                i,
                &format!("has the target {target:?}, which XML cannot write or keeps for itself"),
            ));
        }
        self.out.push_str("<?");
        self.out.push_str(&if is_good { target } else { chars::coerce_name(&target) + "_" });
        if !data.is_empty() {
            self.out.push(' ');
            if !data.contains("?>") {
                self.clean(i, data, chars::escape_return)?;
            } else if self.on_invalid == OnInvalid::Replace {
                self.clean(i, &data.replace("?>", "? >"), chars::escape_return)?;
            } else {
                return Err(refused(self.tree, i, "has '?>' in it, which XML cannot write"));
            }
        }
        self.out.push_str("?>");
        Ok(())
    }

    fn clean(&mut self, i: usize, text: &str, escape: fn(&mut String, &str)) -> Result<()> {
        if chars::is_clean(text) {
            escape(&mut self.out, text);
            return Ok(());
        }
        if self.on_invalid == OnInvalid::Replace {
            escape(&mut self.out, &chars::coerce_text(text));
            return Ok(());
        }
        let bad = text.chars().find(|&c| !chars::is_char(c)).unwrap_or_default();
        Err(refused(
            self.tree,
            i,
            &format!("holds the character U+{:04X}, which XML has not", bad as u32),
        ))
    }
}

/// The error of a node that cannot be written.
pub(super) fn refused(tree: &Tree, i: usize, why: &str) -> Error {
    let what = match tree.kind(i) {
        Kind::Element => format!("<{}>", tree.names().qualified(tree.name(i))),
        Kind::Document => "document".into(),
        Kind::Text => "text".into(),
        Kind::Comment => "comment".into(),
        Kind::Instruction => "processing instruction".into(),
        Kind::Doctype => "doctype".into(),
    };
    let line = if tree.line(i) > 0 { format!(", line {}", tree.line(i)) } else { String::new() };
    Error::Usage(format!(
        "node {i} ({what}{line}) {why}; on_invalid=\"replace\" writes it by the \
     rules of the HTML standard"
    ))
}

/// Every name as it is written.
struct Spelling {
    text: String,
    /// Start and end; an empty span is a name that cannot be written.
    spans: Vec<(u32, u32)>,
}

impl Spelling {
    fn new(names: &Names, on_invalid: OnInvalid) -> Self {
        let mut spelling = Spelling { text: String::new(), spans: Vec::with_capacity(names.len()) };
        for id in 0..names.len() as NameId {
            let (prefix, local) = (names.prefix(id), names.local(id));
            let start = spelling.text.len();
            let replace = on_invalid == OnInvalid::Replace;
            if !prefix.is_empty() && (replace || chars::is_ncname(prefix)) {
                spelling.push(prefix);
                spelling.text.push(':');
            }
            // what HTML calls xml:lang is what XML calls so
            let is_xml_attribute = names.namespace(id).is_empty()
                && matches!(local, "xml:lang" | "xml:space" | "xml:base");
            if chars::is_ncname(local) || (replace && is_xml_attribute) {
                spelling.text.push_str(local);
            } else if replace && id != 0 {
                spelling.push(local);
            } else {
                spelling.text.truncate(start);
            }
            if !prefix.is_empty() && !replace && !chars::is_ncname(prefix) {
                spelling.text.truncate(start);
            }
            spelling.spans.push((start as u32, spelling.text.len() as u32));
        }
        spelling
    }

    fn push(&mut self, part: &str) {
        if chars::is_ncname(part) {
            self.text.push_str(part);
        } else {
            self.text.push_str(&chars::coerce_name(part));
        }
    }

    /// For each name the first with the same expanded name, and the first with the same spelling.
    fn same(&self, names: &Names) -> Vec<(NameId, NameId)> {
        let mut expanded: HashMap<(NamespaceId, &str), NameId> =
            HashMap::with_capacity(names.len());
        let mut spelled: HashMap<&str, NameId> = HashMap::with_capacity(names.len());
        let first = |id: NameId| {
            let first = *expanded.entry((names.namespace_id(id), names.local(id))).or_insert(id);
            (first, self.get(id).map_or(id, |text| *spelled.entry(text).or_insert(id)))
        };
        (0..names.len() as NameId).map(first).collect()
    }

    fn get(&self, id: NameId) -> Option<&str> {
        let (start, end) = self.spans[id as usize];
        (end > start).then(|| &self.text[start as usize..end as usize])
    }
}

/// What one start tag must hold. The vectors are used again for each element.
#[derive(Default)]
pub(super) struct StartTag {
    /// Declarations of the element itself that are kept: prefix, namespace, row of the attribute.
    pub(super) own: Vec<(Slot, Uri, usize)>,
    /// Declarations that the names need and the tree has not.
    pub(super) added: Vec<(Slot, Uri)>,
    /// The other attributes, in document order.
    pub(super) attributes: Vec<usize>,
    has_entered: bool,
}

impl StartTag {
    /// Sorts out the attributes of element `i`, brings `scope` up to it, and checks its names
    /// against that.
    ///
    /// With `declare`, a name whose namespace is not in scope gets a declaration; without, it is
    /// refused.
    pub(super) fn of<'t>(
        &mut self,
        markup: &Markup<'t>,
        i: usize,
        prefixes: &mut Prefixes<'t>,
        scope: &mut Scope,
        declare: bool,
    ) -> Result<()> {
        let tree = markup.tree;
        self.own.clear();
        self.added.clear();
        self.attributes.clear();
        scope.leave_before(i);
        let element = (prefixes.of(tree.name(i)), tree.names().namespace_id(tree.name(i)));
        for a in tree.attributes(i) {
            match declared(tree, a, prefixes, element, declare) {
                Ok(Some(slot)) => self.own.push((slot, prefixes.uri(tree.attr_value(a)), a)),
                Ok(None) => self.attributes.push(a),
                Err(_) if markup.on_invalid == OnInvalid::Replace => {}
                Err(why) => return Err(refused(tree, i, why)),
            }
        }
        drop_repeated(markup, i, &mut self.own, |it| tree.attr_name(it.2))?;
        drop_repeated(markup, i, &mut self.attributes, |&a| tree.attr_name(a))?;
        self.has_entered = !self.own.is_empty();
        if self.has_entered {
            scope.enter(tree.end(i));
            self.own.iter().for_each(|&(slot, uri, _)| scope.bind(slot, uri));
        }
        self.need(markup, i, element, prefixes, scope, declare)?;
        let name_of = |a: usize| {
            (prefixes.of(tree.attr_name(a)), tree.names().namespace_id(tree.attr_name(a)))
        };
        let before = self.attributes.len();
        self.attributes.retain(|&a| (name_of(a).0 == 0) == (name_of(a).1 == NO_URI));
        if self.attributes.len() < before && markup.on_invalid == OnInvalid::Error {
            return Err(refused(
                tree,
                i,
                "has an attribute with a namespace and no prefix, or a prefix and no namespace",
            ));
        }
        for k in 0..self.attributes.len() {
            let name = name_of(self.attributes[k]);
            if name.0 != 0 {
                self.need(markup, i, name, prefixes, scope, declare)?;
            }
        }
        Ok(())
    }

    /// Makes sure that a prefix stands for a namespace here.
    fn need(
        &mut self,
        markup: &Markup<'_>,
        i: usize,
        (slot, uri): (Slot, Uri),
        prefixes: &Prefixes<'_>,
        scope: &mut Scope,
        declare: bool,
    ) -> Result<()> {
        let prefix = prefixes.spelled(slot);
        if scope.get(slot) == uri && prefix != "xmlns" {
            return Ok(());
        }
        let namespace = prefixes.uri_text(uri);
        let may_bind = declare
            && !matches!(prefix, "xml" | "xmlns")
            && !matches!(namespace, XML | XMLNS)
            && (slot == 0 || uri != NO_URI);
        let at_odds = self.added.iter().any(|it| it.0 == slot);
        let declared = self.own.iter().position(|it| it.0 == slot);
        if !may_bind || at_odds || (declared.is_some() && markup.on_invalid == OnInvalid::Error) {
            let namespace: String = namespace.chars().take(80).collect();
            return Err(refused(
                markup.tree,
                i,
                &format!(
                    "uses the prefix {prefix:?} for \
             {namespace:?}, which is not what is declared there"
                ),
            ));
        }
        if let Some(at) = declared {
            self.own.remove(at);
        }
        if !self.has_entered {
            self.has_entered = true;
            scope.enter(markup.tree.end(i));
        }
        scope.bind(slot, uri);
        self.added.push((slot, uri));
        Ok(())
    }
}

/// The prefix that attribute `a` declares, if any; the words of the rule of Namespaces in XML it
/// breaks.
fn declared(
    tree: &Tree,
    a: usize,
    prefixes: &Prefixes<'_>,
    element: (Slot, Uri),
    declare: bool,
) -> std::result::Result<Option<Slot>, &'static str> {
    let (name, value) = (tree.attr_name(a), tree.attr_value(a));
    let Some(slot) = prefixes.declared_by(name) else {
        let (namespace, local) = (tree.names().namespace(name), tree.names().local(name));
        if namespace == XMLNS {
            return Err("has an odd namespace declaration");
        }
        // HTML has `xmlns` as an attribute like any other: good where it says what would be
        // declared here anyway
        if namespace.is_empty() && (local == "xmlns" || local.starts_with("xmlns:")) {
            let agrees = declare
                && local == "xmlns"
                && element.0 == 0
                && prefixes.uri_text(element.1) == value;
            return if agrees {
                Ok(Some(0))
            } else {
                Err("has an attribute that XML would take for a namespace declaration")
            };
        }
        return Ok(None);
    };
    match (prefixes.spelled(slot), value) {
        ("xml", XML) => Ok(Some(slot)),
        ("xml", _) | (_, XML) => Err("binds the prefix 'xml', or its namespace, to something else"),
        ("xmlns", _) | (_, XMLNS) => Err("declares the prefix 'xmlns', or its namespace"),
        ("", _) => Ok(Some(slot)),
        (_, "") => Err("declares a prefix for no namespace, which XML 1.0 has not"),
        _ => Ok(Some(slot)),
    }
}

/// Refuses, or leaves out, attributes whose name was there before.
fn drop_repeated<T>(
    markup: &Markup<'_>,
    i: usize,
    items: &mut Vec<T>,
    name: impl Fn(&T) -> NameId,
) -> Result<()> {
    let class = |it: &T| markup.same[name(it) as usize];
    let before = items.len();
    if before <= 16 {
        let mut k = 1;
        while k < items.len() {
            let (expanded, spelled) = class(&items[k]);
            if items[..k].iter().map(class).any(|it| it.0 == expanded || it.1 == spelled) {
                items.remove(k);
            } else {
                k += 1;
            }
        }
    } else {
        let mut seen: (HashSet<NameId>, HashSet<NameId>) = Default::default();
        items.retain(|it| seen.0.insert(class(it).0) & seen.1.insert(class(it).1));
    }
    if items.len() < before && markup.on_invalid == OnInvalid::Error {
        return Err(refused(markup.tree, i, "has two attributes of one name"));
    }
    Ok(())
}
