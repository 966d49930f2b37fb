//! Names of elements and attributes: `prefix:local` where the root declares the prefix, else
//! `{namespace}local` with the prefix beside it.

use super::{Bindings, Writer};
use crate::model::{AttributeName, Operation};
use treelace_tree::tree::{XML, XMLNS};
use treelace_tree::write::chars;

/// Adds the prefixes of the names in `operation`, where nothing else has them.
pub(super) fn hoist<'t>(hoisted: &mut Bindings<'t>, operation: &'t Operation) {
    let names = match operation {
        Operation::Rename { old, new, .. } => vec![old, new],
        Operation::Attribute { name, .. } => vec![name],
        _ => return,
    };
    for name in names {
        let is_bindable = chars::is_ncname(&name.prefix)
            && !matches!(name.prefix.as_str(), "xml" | "xmlns")
            && !matches!(name.namespace.as_str(), "" | XML | XMLNS)
            && chars::is_clean(&name.namespace);
        if is_bindable {
            hoisted.entry(&name.prefix).or_insert(&name.namespace);
        }
    }
}

impl Writer<'_> {
    /// Writes names into attributes: the key of each, and that of its prefix where it is written in
    /// full. Whether this, or what follows under the same flag, is escaped.
    pub(super) fn names(
        &mut self,
        names: &[(&str, &str, &AttributeName)],
        is_element: bool,
        is_escaped: bool,
    ) -> bool {
        let short = names.iter().map(|it| self.short_name(it.2, is_element));
        let short: Vec<Option<String>> = short.collect();
        let is_escaped = is_escaped
            || names.iter().zip(&short).any(|(it, short)| short.is_none() && is_odd(it.2));
        self.flag(is_escaped);
        for (&(key, prefix_key, name), short) in names.iter().zip(short) {
            if let Some(short) = short {
                self.attribute(key, &short);
                continue;
            }
            self.attribute(key, &self.full_name(name, is_escaped));
            if !name.prefix.is_empty() {
                self.attribute(prefix_key, &part(&name.prefix, is_escaped));
            }
        }
        is_escaped
    }

    /// `prefix:local` or `local`, where a reader finds the namespace.
    pub(super) fn short_name(&self, name: &AttributeName, is_element: bool) -> Option<String> {
        let (prefix, namespace, local) = (&*name.prefix, &*name.namespace, &*name.local);
        let is_plain = !self.is_long
            && !local.is_empty()
            && !local.contains([':', '\\', '\t', '\n', '\r'])
            && !local.starts_with('{')
            && chars::is_clean(local);
        let declared = |prefix: &str| self.hoisted.get(prefix).copied().unwrap_or_default();
        let is_known = match prefix {
            "" if is_element => namespace == declared(""),
            "" if local == "xmlns" => namespace == XMLNS,
            "" => namespace.is_empty(),
            "xmlns" => !is_element && namespace == XMLNS,
            "xml" => namespace == XML,
            prefix => !namespace.is_empty() && namespace == declared(prefix),
        };
        let separator = if prefix.is_empty() { "" } else { ":" };
        (is_plain && is_known).then(|| format!("{prefix}{separator}{local}"))
    }

    /// `{uri}local`; in the first form `local` alone where there is no namespace and no brace in
    /// front.
    fn full_name(&self, name: &AttributeName, is_escaped: bool) -> String {
        let local = part(&name.local, is_escaped);
        if self.is_long && name.namespace.is_empty() && !name.local.starts_with('{') {
            return local;
        }
        format!("{{{}}}{local}", part(&name.namespace, is_escaped).replace('}', "\\7D;"))
    }
}

fn part(text: &str, is_escaped: bool) -> String {
    if is_escaped {
        escaped(text)
    } else {
        text.to_string()
    }
}

/// Every character that XML has not, and the backslash, as `\HEX;`.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c == '\\' || !chars::is_char(c) {
            out.push_str(&format!("\\{:X};", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a name has to be escaped where it is written in full.
fn is_odd(name: &AttributeName) -> bool {
    name.namespace.contains('}')
        || [&name.namespace, &name.prefix, &name.local]
            .into_iter()
            .any(|part| !chars::is_clean(part))
}
