//! Pseudo-classes beyond the structure of the tree, as far as markup alone decides them.
//!
//! A document on disk has no pointer, no focus and no history: `:hover` and its like are known and
//! match nothing. Form controls are judged by their attributes, as a page stands when it has just
//! been loaded with scripts off.

use super::Matcher;
use crate::tree::{Format, HTML, SVG, XLINK, XML};

/// A pseudo-class of HTML, or of language and direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pseudo {
    /// `:link`, `:any-link`.
    Link,
    Checked,
    Disabled,
    Enabled,
    Required,
    Optional,
    ReadOnly,
    ReadWrite,
    PlaceholderShown,
    Open,
    /// Not an unknown custom element.
    Defined,
    Lang(Vec<String>),
    Dir {
        rtl: bool,
    },
    /// A state that no document on disk is in.
    Never,
}

impl Pseudo {
    /// The pseudo-class of this name (without arguments), if there is one.
    pub(super) fn named(name: &str) -> Option<Pseudo> {
        Some(match name.to_ascii_lowercase().as_str() {
            "link" | "any-link" => Pseudo::Link,
            "checked" => Pseudo::Checked,
            "disabled" => Pseudo::Disabled,
            "enabled" => Pseudo::Enabled,
            "required" => Pseudo::Required,
            "optional" => Pseudo::Optional,
            "read-only" => Pseudo::ReadOnly,
            "read-write" => Pseudo::ReadWrite,
            "placeholder-shown" => Pseudo::PlaceholderShown,
            "open" => Pseudo::Open,
            "defined" => Pseudo::Defined,
            "visited" | "hover" | "active" | "focus" | "focus-visible" | "focus-within"
            | "target" => Pseudo::Never,
            _ => return None,
        })
    }
}

/// Names with a hyphen that are no custom elements (HTML §4.13.3).
const RESERVED: [&str; 8] = [
    "annotation-xml",
    "color-profile",
    "font-face",
    "font-face-src",
    "font-face-uri",
    "font-face-format",
    "font-face-name",
    "missing-glyph",
];

/// Types of `input` that take no text.
const NOT_TYPED: [&str; 10] =
    ["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"];

impl Matcher<'_> {
    pub(super) fn pseudo(&self, pseudo: &Pseudo, i: usize) -> bool {
        match pseudo {
            Pseudo::Never => false,
            Pseudo::Lang(ranges) => self
                .language(i)
                .is_some_and(|language| ranges.iter().any(|range| covers(range, language))),
            Pseudo::Link => self.is_link(i),
            Pseudo::Defined => {
                !(self.is_html(i) && (is_custom(self.tree.local(i)) || self.has_attribute(i, "is")))
            }
            _ if !self.is_html(i) => match pseudo {
                Pseudo::Dir { rtl } => self.is_rtl(i) == *rtl,
                Pseudo::ReadOnly => true,
                _ => false,
            },
            Pseudo::Checked => match self.tree.local(i) {
                "input" => {
                    self.has_attribute(i, "checked")
                        && matches!(self.input_type(i).as_str(), "checkbox" | "radio")
                }
                "option" => self.has_attribute(i, "selected"),
                _ => false,
            },
            Pseudo::Disabled => self.can_be_disabled(i) && self.is_disabled(i),
            Pseudo::Enabled => self.can_be_disabled(i) && !self.is_disabled(i),
            Pseudo::Required => self.can_be_required(i) && self.has_attribute(i, "required"),
            Pseudo::Optional => self.can_be_required(i) && !self.has_attribute(i, "required"),
            Pseudo::ReadWrite => self.is_writable(i),
            Pseudo::ReadOnly => !self.is_writable(i),
            Pseudo::PlaceholderShown => self.shows_placeholder(i),
            Pseudo::Open => {
                matches!(self.tree.local(i), "details" | "dialog") && self.has_attribute(i, "open")
            }
            Pseudo::Dir { rtl } => self.is_rtl(i) == *rtl,
        }
    }

    pub(super) fn is_html(&self, i: usize) -> bool {
        self.tree.names().namespace(self.tree.name(i)) == HTML
    }

    fn has_attribute(&self, i: usize, local: &str) -> bool {
        self.tree.attribute(i, local).is_some()
    }

    fn input_type(&self, i: usize) -> String {
        self.tree.attribute(i, "type").unwrap_or("text").to_ascii_lowercase()
    }

    pub(super) fn is_link(&self, i: usize) -> bool {
        let tree = self.tree;
        match (tree.names().namespace(tree.name(i)), tree.local(i)) {
            (HTML, "a" | "area") => self.has_attribute(i, "href"),
            (SVG, "a") => tree.attributes(i).any(|a| {
                tree.attr_local(a) == "href"
                    && matches!(tree.names().namespace(tree.attr_name(a)), "" | XLINK)
            }),
            _ => false,
        }
    }

    fn can_be_disabled(&self, i: usize) -> bool {
        matches!(
            self.tree.local(i),
            "button" | "input" | "select" | "textarea" | "optgroup" | "option" | "fieldset"
        )
    }

    /// HTML §4.10.19.5: by its own attribute, by a disabled `optgroup`, or by a disabled `fieldset`
    /// outside of its first `legend`.
    fn is_disabled(&self, i: usize) -> bool {
        if self.has_attribute(i, "disabled") {
            return true;
        }
        let local = self.tree.local(i);
        let mut child = i;
        for ancestor in self.tree.ancestors(i) {
            if !self.tick() || !self.tree.is_element(ancestor) {
                return false;
            }
            match self.tree.local(ancestor) {
                "optgroup" if local == "option" && self.is_html(ancestor) && child == i => {
                    return self.has_attribute(ancestor, "disabled")
                }
                "fieldset"
                    if !matches!(local, "option" | "optgroup")
                        && self.is_html(ancestor)
                        && self.has_attribute(ancestor, "disabled") =>
                {
                    let first_legend = self.tree.children(ancestor).find(|&c| {
                        self.tree.is_element(c) && self.tree.local(c) == "legend" && self.is_html(c)
                    });
                    if first_legend != Some(child) {
                        return true;
                    }
                }
                _ => {}
            }
            child = ancestor;
        }
        false
    }

    fn can_be_required(&self, i: usize) -> bool {
        match self.tree.local(i) {
            "select" | "textarea" => true,
            "input" => !matches!(
                self.input_type(i).as_str(),
                "hidden" | "range" | "color" | "submit" | "image" | "reset" | "button"
            ),
            _ => false,
        }
    }

    fn is_writable(&self, i: usize) -> bool {
        let is_free = || !self.has_attribute(i, "readonly") && !self.is_disabled(i);
        match self.tree.local(i) {
            "textarea" => is_free(),
            "input" if !NOT_TYPED.contains(&self.input_type(i).as_str()) => is_free(),
            _ => {
                for node in std::iter::once(i).chain(self.tree.ancestors(i)) {
                    if !self.tick() {
                        return false;
                    }
                    match self
                        .tree
                        .attribute(node, "contenteditable")
                        .map(str::to_ascii_lowercase)
                        .as_deref()
                    {
                        Some("" | "true" | "plaintext-only") => return true,
                        Some("false") => return false,
                        _ => {}
                    }
                }
                false
            }
        }
    }

    fn shows_placeholder(&self, i: usize) -> bool {
        let is_empty = match self.tree.local(i) {
            "input" => {
                matches!(
                    self.input_type(i).as_str(),
                    "text" | "search" | "url" | "tel" | "email" | "password" | "number"
                ) && self.tree.attribute(i, "value").unwrap_or("").is_empty()
            }
            "textarea" => self.tree.children(i).all(|c| self.tree.text(c).is_empty()),
            _ => false,
        };
        is_empty && self.has_attribute(i, "placeholder")
    }

    /// The language of an element: `xml:lang` or `lang` of the nearest ancestor that has one; for
    /// HTML, else the page's `content-language`.
    fn language(&self, i: usize) -> Option<&str> {
        let tree = self.tree;
        let is_html_tree = tree.meta().format == Format::Html;
        for node in
            std::iter::once(i).chain(tree.ancestors(i)).filter(|&node| tree.is_element(node))
        {
            if !self.tick() {
                return None;
            }
            let xml_lang = tree.attributes(node).find(|&a| {
                tree.attr_local(a) == "lang" && tree.names().namespace(tree.attr_name(a)) == XML
            });
            if let Some(a) = xml_lang {
                return Some(tree.attr_value(a));
            }
            if is_html_tree || self.is_html(node) {
                if let Some(language) = tree.attribute(node, "lang") {
                    return Some(language);
                }
            }
        }
        is_html_tree.then(|| *self.page_language.get_or_init(|| page_language(tree)))?
    }

    /// HTML §3.2.6.4: `dir` of the nearest ancestor that has one; `auto` (and `bdi`) by the first
    /// letter with a direction.
    fn is_rtl(&self, i: usize) -> bool {
        for node in std::iter::once(i)
            .chain(self.tree.ancestors(i))
            .filter(|&node| self.tree.is_element(node))
        {
            if !self.tick() {
                return false;
            }
            if !self.is_html(node) {
                continue;
            }
            let dir = self.tree.attribute(node, "dir").map(str::to_ascii_lowercase);
            match dir.as_deref() {
                Some("ltr") => return false,
                Some("rtl") => return true,
                Some("auto") => return self.reads_rtl(node),
                _ if self.tree.local(node) == "bdi" => return self.reads_rtl(node),
                _ if self.tree.local(node) == "input" && self.input_type(node) == "tel" => {
                    return false
                }
                _ => {}
            }
        }
        false
    }

    fn reads_rtl(&self, i: usize) -> bool {
        if matches!(self.tree.local(i), "input") {
            return first_direction(self.tree.attribute(i, "value").unwrap_or("")).unwrap_or(false);
        }
        let mut node = i + 1;
        while node < self.tree.end(i) && self.tick() {
            let is_skipped = self.tree.is_element(node)
                && (matches!(self.tree.local(node), "bdi" | "script" | "style" | "textarea")
                    || self.has_attribute(node, "dir"));
            if is_skipped {
                node = self.tree.end(node);
                continue;
            }
            if self.tree.kind(node) == crate::tree::Kind::Text {
                if let Some(rtl) = first_direction(self.tree.text(node)) {
                    return rtl;
                }
            }
            node += 1;
        }
        false
    }
}

/// `content` of the first `meta http-equiv=content-language`, if it names one language.
fn page_language(tree: &crate::tree::Tree) -> Option<&str> {
    let meta = (1..tree.len()).find(|&i| {
        tree.is_element(i)
            && tree.local(i) == "meta"
            && tree
                .attribute(i, "http-equiv")
                .is_some_and(|it| it.eq_ignore_ascii_case("content-language"))
    })?;
    let content = tree.attribute(meta, "content")?.trim_matches([' ', '\t', '\n', '\r', '\x0C']);
    (!content.is_empty() && !content.contains([',', ' '])).then_some(content)
}

/// RFC 4647 §3.3.2, extended filtering: `*-CH` covers `de-CH`, `de` covers `de-Latn-CH`. The empty
/// range covers only no language.
fn covers(range: &str, language: &str) -> bool {
    if range.is_empty() || language.is_empty() {
        return range.is_empty() && language.is_empty();
    }
    let mut wanted = range.split('-').peekable();
    let mut given = language.split('-').peekable();
    let (Some(first), Some(head)) = (wanted.next(), given.next()) else { return false };
    if first != "*" && !first.eq_ignore_ascii_case(head) {
        return false;
    }
    while let Some(&part) = wanted.peek() {
        match given.peek() {
            _ if part == "*" => {
                wanted.next();
            }
            None => return false,
            Some(it) if it.eq_ignore_ascii_case(part) => {
                wanted.next();
                given.next();
            }
            Some(it) if it.len() == 1 => return false,
            Some(_) => {
                given.next();
            }
        }
    }
    true
}

/// Whether this is the name of a custom element, which scripts would have to define.
fn is_custom(local: &str) -> bool {
    local.contains('-')
        && local.starts_with(|c: char| c.is_ascii_lowercase())
        && !RESERVED.contains(&local)
}

/// Direction of the first strong character: `true` for right-to-left; `None` where there is none.
/// By blocks of scripts, not by character.
fn first_direction(text: &str) -> Option<bool> {
    text.chars().find_map(|c| match c as u32 {
        0x0590..=0x08FF
        | 0x200F
        | 0xFB1D..=0xFDFF
        | 0xFE70..=0xFEFF
        | 0x10800..=0x10FFF
        | 0x1E800..=0x1EFFF => Some(true),
        _ if c.is_alphabetic() => Some(false),
        _ => None,
    })
}
