//! What attributes and texts of a delta say: numbers, names, digests.

use super::{Form, Reader};
use crate::model::{cut, AttributeName, Digest};
use crate::xml_write::BASE64;
use treelace_tree::error::Result;
use treelace_tree::tree::{flags, Kind, XML, XMLNS};

impl Reader<'_> {
    pub(super) fn value(&self, i: usize, name: &str) -> Option<&str> {
        self.tree.attribute(i, name)
    }

    pub(super) fn required(&self, i: usize, name: &str) -> Result<&str> {
        self.value(i, name).ok_or_else(|| self.wrong(i, format!("'{name}' is missing")))
    }

    /// Fails where there is an attribute without a namespace that is not one of these.
    pub(super) fn only(&self, i: usize, known: &[&str]) -> Result<()> {
        let names = self.tree.names();
        let is_odd = |&a: &usize| {
            names.namespace(self.tree.attr_name(a)).is_empty()
                && !known.contains(&self.tree.attr_local(a))
        };
        match self.tree.attributes(i).find(is_odd) {
            Some(a) => {
                Err(self.wrong(i, format!("nobody knows '{}' here", self.tree.attr_local(a))))
            }
            None => Ok(()),
        }
    }

    pub(super) fn number(&self, i: usize, name: &str) -> Result<u64> {
        plain_number(self.required(i, name)?)
            .ok_or_else(|| self.wrong(i, format!("'{name}' is no number")))
    }

    pub(super) fn position(&self, i: usize, name: &str) -> Result<u32> {
        u32::try_from(self.number(i, name)?)
            .ok()
            .filter(|&at| at > 0)
            .ok_or_else(|| self.wrong(i, format!("'{name}' is no position")))
    }

    pub(super) fn places(&self, i: usize, name: &str) -> Result<Vec<u32>> {
        let words = self.value(i, name).unwrap_or("").split(' ').filter(|word| !word.is_empty());
        words
            .map(|word| {
                word.parse().map_err(|_| self.wrong(i, format!("'{name}' is no list of places")))
            })
            .collect()
    }

    /// The digest of the old document; before it the number of its nodes, where the map of the new
    /// one follows.
    pub(super) fn from(&self, root: usize) -> Result<(Digest, Option<u64>)> {
        let text = self.required(root, "from")?;
        if self.form == Form::Second && self.value(root, "nodes").is_some() {
            return Ok((self.digest(root, text)?, Some(self.number(root, "nodes")?)));
        }
        match text.split_once('.').filter(|_| self.form == Form::Third) {
            Some((nodes, digest)) => {
                let nodes =
                    plain_number(nodes).ok_or_else(|| self.wrong(root, "'from' is wrong"))?;
                Ok((self.digest(root, digest)?, Some(nodes)))
            }
            None => Ok((self.digest(root, text)?, None)),
        }
    }

    pub(super) fn digest(&self, i: usize, text: &str) -> Result<Digest> {
        match self.form {
            Form::First => digest(text),
            Form::Second => long_base64(text),
            Form::Third => base64(text),
        }
        .ok_or_else(|| self.wrong(i, format!("'{text}' is no digest")))
    }

    pub(super) fn is_escaped(&self, i: usize) -> Result<bool> {
        match self.value(i, "escaped") {
            None => Ok(false),
            Some("yes") => Ok(true),
            Some(_) => Err(self.wrong(i, "'escaped' can only be 'yes'")),
        }
    }

    /// The element and the attribute of an operation: `x="XID@NAME"`, or each by itself.
    pub(super) fn attribute_of(&self, i: usize, x: &str) -> Result<(u64, AttributeName)> {
        if let Some((xid, name)) = self.required(i, x)?.split_once('@') {
            let is_fine = self.form == Form::Third && self.value(i, "name").is_none();
            let xid = plain_number(xid).filter(|_| is_fine);
            let xid = xid.ok_or_else(|| self.wrong(i, format!("'{x}' is no attribute")))?;
            return Ok((xid, self.declared_name(i, name, false)?));
        }
        Ok((self.number(i, x)?, self.name(i, "name", "prefix", false)?))
    }

    pub(super) fn name(
        &self,
        i: usize,
        name: &str,
        prefix: &str,
        is_element: bool,
    ) -> Result<AttributeName> {
        let is_escaped = self.is_escaped(i)?;
        let (text, prefix) = (self.required(i, name)?, self.value(i, prefix).unwrap_or(""));
        if self.form == Form::Third && !text.starts_with('{') {
            return self.declared_name(i, text, is_element);
        }
        let (namespace, local) = match text.strip_prefix('{') {
            Some(rest) => rest
                .split_once('}')
                .ok_or_else(|| self.wrong(i, "a name without an end of its namespace"))?,
            None => ("", text),
        };
        let part = |text: &str| {
            if is_escaped {
                unescaped(text).ok_or_else(|| self.wrong(i, "an escape without a character"))
            } else {
                Ok(text.to_string())
            }
        };
        Ok(AttributeName {
            namespace: part(namespace)?,
            prefix: part(prefix)?,
            local: part(local)?,
        })
    }

    /// `prefix:local` or `local`, by what the root declares.
    fn declared_name(&self, i: usize, text: &str, is_element: bool) -> Result<AttributeName> {
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let namespace = match prefix {
            "" if is_element => self.declared("").unwrap_or(""),
            "" if text == "xmlns" => XMLNS,
            "" => "",
            "xmlns" => XMLNS,
            "xml" => XML,
            prefix => {
                let declared = self.declared(prefix).filter(|it| !it.is_empty());
                declared.ok_or_else(|| self.wrong(i, format!("nobody declares '{prefix}'")))?
            }
        };
        if local.is_empty() {
            return Err(self.wrong(i, "a name without letters"));
        }
        let (namespace, prefix) = (namespace.to_string(), prefix.to_string());
        Ok(AttributeName { namespace, prefix, local: local.to_string() })
    }

    fn declared(&self, prefix: &str) -> Option<&str> {
        let names = self.tree.names();
        let declares = |&a: &usize| {
            let id = self.tree.attr_name(a);
            let bound = if names.prefix(id).is_empty() { "" } else { names.local(id) };
            names.namespace(id) == XMLNS && bound == prefix
        };
        self.tree.attributes(self.root).find(declares).map(|a| self.tree.attr_value(a))
    }

    /// The text of one of our elements, which holds nothing else.
    pub(super) fn text(&self, i: usize) -> Result<String> {
        self.text_of(i, self.is_escaped(i)?)
    }

    pub(super) fn text_of(&self, i: usize, is_escaped: bool) -> Result<String> {
        let mut inside = self.tree.children(i);
        let text = match (inside.next(), inside.next()) {
            (None, _) => "",
            (Some(only), None)
                if self.tree.kind(only) == Kind::Text
                    && self.tree.flags(only) & flags::REFERENCE == 0 =>
            {
                self.tree.text(only)
            }
            _ => return Err(self.wrong(i, "a text with something else in it")),
        };
        if is_escaped {
            return unescaped(text).ok_or_else(|| self.wrong(i, "an escape without a character"));
        }
        Ok(text.to_string())
    }

    pub(super) fn empty(&self, i: usize) -> Result<()> {
        if self.tree.end(i) > i + 1 {
            return Err(self.wrong(i, "something is inside that should be empty"));
        }
        Ok(())
    }

    pub(super) fn is_blank(&self, i: usize) -> bool {
        match self.tree.kind(i) {
            Kind::Comment => true,
            Kind::Text => self.tree.text(i).trim_ascii().is_empty(),
            _ => false,
        }
    }
}

/// Digits and nothing else.
pub(super) fn plain_number(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

/// The number that digits of base64 write, and what is left of the last one's bits.
fn base64_number(text: &str, digits: usize, spare: u32) -> Option<u128> {
    let digit = |c: u8| BASE64.iter().position(|&it| it == c).map(|place| place as u128);
    let read: Vec<u128> = text.bytes().map(digit).collect::<Option<_>>()?;
    let (&last, others) = read.split_last().filter(|_| read.len() == digits)?;
    let number = others.iter().fold(0, |number, digit| number << 6 | digit);
    (last & ((1 << spare) - 1) == 0).then(|| number << (6 - spare) | last >> spare)
}

/// 11 digits of base64 as a digest.
fn base64(text: &str) -> Option<Digest> {
    base64_number(text, 11, 2).map(|number| (number as u64).to_be_bytes())
}

/// 22 digits of base64, which the second form has.
fn long_base64(text: &str) -> Option<Digest> {
    base64_number(text, 22, 4).map(|number| cut(number.to_be_bytes()))
}

/// A digest in hexadecimal: 16 digits, or 32 in deltas from before.
pub(in super::super) fn digest(text: &str) -> Option<Digest> {
    let digits: Vec<u8> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let mut digest = Digest::default();
    if !matches!(digits.len(), 16 | 32) {
        return None;
    }
    digest.iter_mut().zip(digits.chunks(2)).for_each(|(byte, pair)| *byte = pair[0] << 4 | pair[1]);
    Some(digest)
}

/// Undoes `\HEX;`.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        let (digits, behind) = after.split_once(';')?;
        if digits.is_empty() || digits.len() > 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        out.push_str(before);
        out.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
        rest = behind;
    }
    out.push_str(rest);
    Some(out)
}
