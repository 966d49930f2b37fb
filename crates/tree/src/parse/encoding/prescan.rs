//! The standard's "prescan a byte stream to determine its encoding" (HTML 13.2.3.2), step by step.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, UTF_8};
use memchr::memmem;

use super::declared;

/// Bytes that are looked at.
pub(super) const WINDOW: usize = 1024;

/// The encoding that the start of a document declares.
pub(super) fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    // 3. an XML declaration in UTF-16
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    // where the bytes run out, the XML declaration has the last word
    Scan { bytes, at: 0 }.run().or_else(|| xml_declaration(bytes))
}

struct Scan<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// One attribute: name in lower case, value in lower case.
type Attribute = (Vec<u8>, Vec<u8>);

impl Scan<'_> {
    /// 4. Loop. `None`: the bytes have run out.
    fn run(&mut self) -> Option<&'static Encoding> {
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(b"<!--") {
                // the dashes may be those of `<!--`
                self.at += 2 + memmem::find(&rest[2..], b"-->")? + 2;
            } else if rest.len() > 5
                && rest[..5].eq_ignore_ascii_case(b"<meta")
                && (is_space(rest[5]) || rest[5] == b'/')
            {
                self.at += 5;
                if let Some(encoding) = self.meta()? {
                    return Some(encoding);
                }
            } else if is_tag(rest) {
                self.at += rest.iter().position(|&b| is_space(b) || b == b'>')?;
                while self.attribute()?.is_some() {}
            } else if [&b"<!"[..], b"</", b"<?"].iter().any(|start| rest.starts_with(start)) {
                self.at += memchr::memchr(b'>', rest)?;
            }
            // next byte
            self.at += 1;
        }
        None
    }

    /// The attributes of a `meta`; the encoding they give, if they do.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut got_pragma, mut need_pragma, mut charset) = (false, None, None);
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match &name[..] {
                b"http-equiv" => got_pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(encoding) = from_content(&value) {
                        charset = Some(Some(encoding));
                        need_pragma = Some(true);
                    }
                }
                b"charset" => {
                    charset = Some(declared(&value));
                    need_pragma = Some(false);
                }
                _ => {}
            }
            seen.push(name);
        }
        let is_good = need_pragma.is_some_and(|needed| !needed || got_pragma);
        Some(charset.flatten().filter(|_| is_good))
    }

    /// "Get an attribute". The outer `None`: the bytes have run out; the inner: there is no
    /// attribute.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        // 1. to 3.
        while is_space(self.byte()?) || self.byte()? == b'/' {
            self.at += 1;
        }
        if self.byte()? == b'>' {
            return Some(None);
        }
        // 4. 5. the name
        let mut name = Vec::new();
        loop {
            match self.byte()? {
                b'=' if !name.is_empty() => break,
                byte if is_space(byte) => {
                    // 6. to 8.
                    while is_space(self.byte()?) {
                        self.at += 1;
                    }
                    if self.byte()? != b'=' {
                        return Some(Some((name, Vec::new())));
                    }
                    break;
                }
                b'/' | b'>' => return Some(Some((name, Vec::new()))),
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        // 9. 10. past the equals sign and white space
        self.at += 1;
        while is_space(self.byte()?) {
            self.at += 1;
        }
        // 11. the value
        let mut value = Vec::new();
        match self.byte()? {
            quote @ (b'"' | b'\'') => loop {
                self.at += 1;
                let byte = self.byte()?;
                if byte == quote {
                    self.at += 1;
                    return Some(Some((name, value)));
                }
                value.push(byte.to_ascii_lowercase());
            },
            b'>' => return Some(Some((name, value))),
            byte => value.push(byte.to_ascii_lowercase()),
        }
        // 12.
        loop {
            self.at += 1;
            match self.byte()? {
                byte if is_space(byte) || byte == b'>' => return Some(Some((name, value))),
                byte => value.push(byte.to_ascii_lowercase()),
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
}

/// "Extracting a character encoding from a `meta` element" (2.5.3), of a value in lower case.
pub(super) fn from_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    // 2. to 5.
    loop {
        let at = memmem::find(rest, b"charset")?;
        rest = skip_space(&rest[at + b"charset".len()..]);
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = skip_space(after);
            break;
        }
    }
    // 6.
    match *rest.first()? {
        quote @ (b'"' | b'\'') => {
            let end = memchr::memchr(quote, &rest[1..])?;
            declared(&rest[1..1 + end])
        }
        _ => {
            let end = rest.iter().position(|&b| is_space(b) || b == b';').unwrap_or(rest.len());
            declared(&rest[..end])
        }
    }
}

/// "Get an XML encoding".
fn xml_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    let rest = &rest[..memchr::memchr(b'>', rest)?];
    let rest = &rest[memmem::find(rest, b"encoding")? + b"encoding".len()..];
    let rest = skip_control(skip_control(rest).strip_prefix(b"=")?);
    let quote = *rest.first().filter(|b| matches!(b, b'"' | b'\''))?;
    let label = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    if label.iter().any(|&b| b <= b' ') {
        return None;
    }
    let encoding = Encoding::for_label(label)?;
    Some(if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding })
}

fn is_tag(rest: &[u8]) -> bool {
    rest[0] == b'<'
        && (rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

fn skip_space(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&b| is_space(b)).count()..]
}

fn skip_control(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&b| b <= b' ').count()..]
}
