//! Reads a tree from its JSON form, which [`crate::write::json`] states. Keys may come in any
//! order.

use crate::error::Result;
use crate::json::{self, Json};
use crate::limits::Limits;
use crate::tree::{attr_flags, flags, Builder, Format, Kind, Meta, NameId, Tree, HTML, XML};
use crate::watch::Watch;
use crate::write::json::VERSION;

/// A tree that equals the one which was written. A part of a tree (anything but a document) becomes
/// a fragment.
pub fn parse(text: &str, limits: Limits, watch: &dyn Watch) -> Result<Tree> {
    let json = json::read(text, &limits, watch)?;
    let top = Fields::of(&json, 0)?;
    let mut meta = Meta::new(if top.word(&json, top.format, &["html", "xml"])? == Some("html") {
        Format::Html
    } else {
        Format::Xml
    });
    if top.version.is_some_and(|i| json.text(i) != VERSION.to_string()) {
        return Err(json.wrong(0, format!("this is not version {VERSION} of the form")));
    }
    meta.is_fragment = top.kind != Kind::Document
        || top.word(&json, top.fragment, &["true", "false"])? == Some("true");
    let mut reader = Reader { json: &json, builder: Builder::new(meta, limits), is_html: false };
    reader.is_html = reader.builder.meta_mut().format == Format::Html;
    // a list of nodes to come, and whether it belongs to an element that must be closed behind it
    let mut open: Vec<(usize, usize, u8)> = Vec::new();
    if top.kind == Kind::Document {
        open.push(reader.list(top.children, 0)?);
    } else {
        open.extend(reader.node(0, 0)?);
    }
    let mut steps = 0u32;
    while let Some((next, end, mark)) = open.last_mut() {
        steps += 1;
        if steps.is_multiple_of(8192) {
            watch.check()?;
        }
        if *next >= *end {
            open.pop();
            if reader.builder.open_depth() > 1 {
                reader.builder.close();
            }
            continue;
        }
        let (here, mark) = (*next, *mark);
        *next = json.end(here);
        open.extend(reader.node(here, mark)?);
    }
    Ok(reader.builder.finish())
}

struct Reader<'j, 's> {
    json: &'j Json<'s>,
    builder: Builder,
    is_html: bool,
}

impl Reader<'_, '_> {
    /// Adds the node that value `i` describes; the list of its children, if it is an element.
    fn node(&mut self, i: usize, mark: u8) -> Result<Option<(usize, usize, u8)>> {
        let json = self.json;
        if json.kind(i) == json::Kind::String {
            self.builder.leaf(Kind::Text, 0, json.text(i), 0, mark)?;
            return Ok(None);
        }
        let fields = Fields::of(json, i)?;
        match fields.kind {
            Kind::Element => {
                let implied = if self.is_html { HTML } else { "" };
                let name = self.name(&fields, i, implied)?;
                self.builder.open(name, 0, mark)?;
                self.attributes(&fields)?;
                let is_template = self.is_html
                    && self.builder.names().local(name) == "template"
                    && self.builder.names().namespace(name) == HTML;
                let inside = if is_template { flags::IN_TEMPLATE } else { mark };
                self.list(fields.children, inside).map(Some)
            }
            Kind::Doctype => {
                let name = self.name(&fields, i, "")?;
                self.builder.leaf(
                    Kind::Doctype,
                    name,
                    fields.string(json, fields.subset)?.unwrap_or(""),
                    0,
                    mark,
                )?;
                for (key, value) in [("public", fields.public), ("system", fields.system)] {
                    if let Some(value) = fields.string(json, value)? {
                        let id = self.builder.intern("", "", key);
                        self.builder.attribute(id, value, 0)?;
                    }
                }
                Ok(None)
            }
            Kind::Comment | Kind::Instruction => {
                let name =
                    if fields.kind == Kind::Instruction { self.name(&fields, i, "")? } else { 0 };
                let text = fields
                    .string(json, fields.text)?
                    .ok_or_else(|| json.wrong(i, "the key \"text\" is missing"))?;
                self.builder.leaf(fields.kind, name, text, 0, mark)?;
                Ok(None)
            }
            Kind::Text => {
                let text = fields
                    .string(json, fields.text)?
                    .ok_or_else(|| json.wrong(i, "the key \"text\" is missing"))?;
                self.builder.leaf(Kind::Text, 0, text, 0, mark | flags::REFERENCE)?;
                Ok(None)
            }
            Kind::Document => Err(json.wrong(i, "a document is the whole, never a part")),
        }
    }

    fn name(&mut self, fields: &Fields, i: usize, implied: &str) -> Result<NameId> {
        let json = self.json;
        let local = fields
            .string(json, fields.name)?
            .ok_or_else(|| json.wrong(i, "the key \"name\" is missing"))?;
        let prefix = fields.string(json, fields.prefix)?.unwrap_or("");
        let namespace = fields.string(json, fields.namespace)?.unwrap_or(implied);
        Ok(self.builder.intern(prefix, namespace, local))
    }

    fn attributes(&mut self, fields: &Fields) -> Result<()> {
        let json = self.json;
        if let Some(at) = fields.attributes {
            expect(json, at, json::Kind::Object)?;
            for (key, value) in json.members(at) {
                let id = self.builder.intern("", "", json.text(key));
                self.builder.attribute(id, fields.string(json, Some(value))?.unwrap_or(""), 0)?;
            }
        }
        if let Some(at) = fields.qualified {
            expect(json, at, json::Kind::Array)?;
            for entry in json.inside(at) {
                let attribute = Fields::of_attribute(json, entry)?;
                let id = self.name(&attribute, entry, "")?;
                let value = attribute
                    .string(json, attribute.value)?
                    .ok_or_else(|| json.wrong(entry, "the key \"value\" is missing"))?;
                let is_id = self.builder.names().local(id) == "id"
                    && self.builder.names().namespace(id) == XML;
                self.builder.attribute(id, value, if is_id { attr_flags::ID } else { 0 })?;
            }
        }
        Ok(())
    }

    /// Where the children stand: first, end, mark.
    fn list(&self, children: Option<usize>, mark: u8) -> Result<(usize, usize, u8)> {
        let Some(at) = children else { return Ok((0, 0, mark)) };
        expect(self.json, at, json::Kind::Array)?;
        Ok((at + 1, self.json.end(at), mark))
    }
}

fn expect(json: &Json<'_>, i: usize, kind: json::Kind) -> Result<()> {
    if json.kind(i) != kind {
        return Err(
            json.wrong(i, format!("{kind:?} was expected, not {:?}", json.kind(i)).to_lowercase())
        );
    }
    Ok(())
}

/// Keys of an entry of `qualified`.
const ATTRIBUTE: &[&str] = &["name", "prefix", "namespace", "value"];

/// The members of one object, by name: where their values stand.
struct Fields {
    kind: Kind,
    version: Option<usize>,
    format: Option<usize>,
    fragment: Option<usize>,
    name: Option<usize>,
    prefix: Option<usize>,
    namespace: Option<usize>,
    attributes: Option<usize>,
    qualified: Option<usize>,
    children: Option<usize>,
    text: Option<usize>,
    public: Option<usize>,
    system: Option<usize>,
    subset: Option<usize>,
    value: Option<usize>,
}

impl Fields {
    /// Of a node; fails where its kind has no such key.
    fn of(json: &Json<'_>, i: usize) -> Result<Fields> {
        if i == 0 && json.kind(0) == json::Kind::String {
            return Ok(Fields::empty(Kind::Text));
        }
        expect(json, i, json::Kind::Object)?;
        let kind = json
            .members(i)
            .find(|&(key, _)| json.text(key) == "kind")
            .map(|(_, value)| json.text(value));
        let (kind, allowed): (Kind, &[&str]) = match kind {
            Some("document") => (Kind::Document, &["children", "fragment"]),
            Some("element") => (
                Kind::Element,
                &["name", "prefix", "namespace", "attributes", "qualified", "children"],
            ),
            Some("reference") => (Kind::Text, &["text"]),
            Some("comment") => (Kind::Comment, &["text"]),
            Some("instruction") => (Kind::Instruction, &["name", "prefix", "namespace", "text"]),
            Some("doctype") => {
                (Kind::Doctype, &["name", "prefix", "namespace", "public", "system", "subset"])
            }
            Some(other) => return Err(json.wrong(i, format!("there is no kind {other:?}"))),
            None => return Err(json.wrong(i, "the key \"kind\" is missing")),
        };
        Fields::collect(json, i, kind, allowed)
    }

    /// Of an entry of `qualified`.
    fn of_attribute(json: &Json<'_>, i: usize) -> Result<Fields> {
        expect(json, i, json::Kind::Object)?;
        Fields::collect(json, i, Kind::Element, ATTRIBUTE)
    }

    fn empty(kind: Kind) -> Fields {
        let none = None;
        Fields {
            kind,
            version: none,
            format: none,
            fragment: none,
            name: none,
            prefix: none,
            namespace: none,
            attributes: none,
            qualified: none,
            children: none,
            text: none,
            public: none,
            system: none,
            subset: none,
            value: none,
        }
    }

    fn collect(json: &Json<'_>, i: usize, kind: Kind, allowed: &[&str]) -> Result<Fields> {
        let mut fields = Fields::empty(kind);
        for (key, value) in json.members(i) {
            let name = json.text(key);
            let is_of_the_whole = i == 0 && matches!(name, "version" | "format");
            let field = match name {
                "kind" if allowed != ATTRIBUTE => continue,
                _ if !allowed.contains(&name) && !is_of_the_whole => {
                    return Err(json.wrong(key, format!("there is no key {name:?} here")))
                }
                "version" => &mut fields.version,
                "format" => &mut fields.format,
                "fragment" => &mut fields.fragment,
                "name" => &mut fields.name,
                "prefix" => &mut fields.prefix,
                "namespace" => &mut fields.namespace,
                "attributes" => &mut fields.attributes,
                "qualified" => &mut fields.qualified,
                "children" => &mut fields.children,
                "text" => &mut fields.text,
                "public" => &mut fields.public,
                "system" => &mut fields.system,
                "subset" => &mut fields.subset,
                _ => &mut fields.value,
            };
            *field = Some(value);
        }
        Ok(fields)
    }

    /// The string at a place; fails where something else stands there.
    fn string<'j>(&self, json: &'j Json<'_>, at: Option<usize>) -> Result<Option<&'j str>> {
        let Some(at) = at else { return Ok(None) };
        expect(json, at, json::Kind::String)?;
        Ok(Some(json.text(at)))
    }

    /// One of a few words.
    fn word<'j>(
        &self,
        json: &'j Json<'_>,
        at: Option<usize>,
        words: &[&str],
    ) -> Result<Option<&'j str>> {
        let Some(at) = at else { return Ok(None) };
        let word = json.text(at);
        if !words.contains(&word) {
            return Err(json.wrong(at, format!("{} was expected", words.join(" or "))));
        }
        Ok(Some(word))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::Error;
    use crate::tree::sample::{build, steps};
    use crate::watch::Unwatched;
    use crate::write::json::write;

    fn read(text: &str) -> Result<Tree> {
        parse(text, Limits::default(), &Unwatched)
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_equal(
            steps in steps(),
            turned: bool,
            indent in prop::option::of(0u32..3),
        ) {
            let tree = build(&steps, turned);
            let text = write(&tree, 0, indent, &Limits::default(), &Unwatched).unwrap();
            let back = read(&text).unwrap();
            back.validate().unwrap();
            prop_assert_eq!(&back, &tree);
            for i in 0..tree.len() {
                let written = write(&tree, i, indent, &Limits::default(), &Unwatched).unwrap();
                let part = read(&written).unwrap();
                let top = usize::from(i > 0);
                prop_assert!(crate::equality::equal_subtree(&part, top, &tree, i));
            }
        }
    }

    #[test]
    fn what_is_not_the_form_is_refused() {
        for text in [
            "[]",
            "1",
            "{}",
            r#"{"kind":"elephant"}"#,
            r#"{"kind":"element"}"#,
            r#"{"kind":"element","name":1}"#,
            r#"{"kind":"element","name":"a","children":{}}"#,
            r#"{"kind":"element","name":"a","children":[1]}"#,
            r#"{"kind":"element","name":"a","attributes":[]}"#,
            r#"{"kind":"element","name":"a","attributes":{"b":1}}"#,
            r#"{"kind":"element","name":"a","qualified":[{"name":"b"}]}"#,
            r#"{"kind":"element","name":"a","text":"b"}"#,
            r#"{"kind":"document","children":[{"kind":"document","children":[]}]}"#,
            r#"{"kind":"document","version":2,"children":[]}"#,
            r#"{"kind":"document","format":"pdf","children":[]}"#,
            r#"{"kind":"comment"}"#,
            concat!(
                r#"{"kind":"element","name":"a","children":"#,
                r#"[{"kind":"comment","text":"b","format":"xml"}]}"#
            ),
        ] {
            assert!(matches!(read(text), Err(Error::Parse { .. })), "{text}");
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_no_trouble() {
        let n = 100_000;
        let text = r#"{"kind":"element","name":"a","children":["#.repeat(n) + &"]}".repeat(n);
        let tree = read(&text).unwrap();
        assert_eq!(tree.len(), n + 1);
        let written = write(&tree, 1, None, &Limits::default(), &Unwatched).unwrap();
        assert_eq!(read(&written).unwrap(), tree);
    }
}
