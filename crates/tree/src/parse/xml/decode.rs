//! From bytes to text: which encoding (XML 1.0 §4.3.3 and appendix F, RFC 7303), exact decoding,
//! line ends made `\n` (§2.11).
//!
//! A byte order mark decides; then what the transport said; then the pattern of the first bytes;
//! then the XML declaration; else it is UTF-8. Bytes that the encoding does not know are an error
//! with a place, never a replacement character.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding, UTF_16BE, UTF_16LE, UTF_8};

use super::{chars, place};
use crate::error::{Error, Result};

/// A document as text.
pub struct Source {
    /// Decoded, without a byte order mark, line ends normalised.
    pub text: String,
    /// Name of the encoding; empty for text that came as text.
    pub encoding: String,
    /// What was overruled.
    pub problems: Vec<String>,
    /// Place in `text` of the first character that XML has not.
    pub forbidden: Option<usize>,
}

impl Source {
    fn new(text: Cow<'_, str>, encoding: String, problems: Vec<String>) -> Self {
        match chars::survey(&text) {
            (None, false) => {
                Source { text: text.into_owned(), encoding, problems, forbidden: None }
            }
            _ => {
                let text = with_line_ends(&text);
                let (forbidden, _) = chars::survey(&text);
                Source { text, encoding, problems, forbidden }
            }
        }
    }
}

/// How to decode. What encoding_rs calls windows-1252, -1254 and -874 it also uses for ISO 8859-1,
/// -9 and -11, as browsers do; XML means the standards themselves, in which the bytes 80 to 9F are
/// control characters.
#[derive(Clone, Copy, PartialEq)]
enum Charset {
    Ascii,
    Latin1,
    /// Bytes 80 to 9F stand for themselves, the rest is as in this encoding.
    Iso(&'static Encoding, &'static str),
    Other(&'static Encoding),
}

impl Charset {
    fn named(label: &str) -> Option<Charset> {
        let lower = label.trim().to_ascii_lowercase();
        Some(match lower.as_str() {
            "us-ascii" | "ascii" | "ansi_x3.4-1968" | "iso646-us" => Charset::Ascii,
            "iso-8859-1" | "iso8859-1" | "iso88591" | "iso_8859-1" | "iso_8859-1:1987"
            | "iso-ir-100" | "latin1" | "l1" | "csisolatin1" | "cp819" | "ibm819" => {
                Charset::Latin1
            }
            "iso-8859-9" | "iso8859-9" | "iso88599" | "iso_8859-9" | "iso_8859-9:1989"
            | "iso-ir-148" | "latin5" | "l5" | "csisolatin5" => {
                Charset::Iso(encoding_rs::WINDOWS_1254, "ISO-8859-9")
            }
            "iso-8859-11" | "iso8859-11" | "iso885911" | "tis-620" => {
                Charset::Iso(encoding_rs::WINDOWS_874, "ISO-8859-11")
            }
            "iso-10646-ucs-2" | "ucs-2" => Charset::Other(UTF_16BE),
            "utf-16be" => Charset::Other(UTF_16BE),
            _ => Charset::Other(Encoding::for_label_no_replacement(lower.as_bytes())?),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Charset::Ascii => "US-ASCII",
            Charset::Latin1 => "ISO-8859-1",
            Charset::Iso(_, name) => name,
            Charset::Other(encoding) => encoding.name(),
        }
    }

    fn is_utf16(self) -> bool {
        self == Charset::Other(UTF_16LE) || self == Charset::Other(UTF_16BE)
    }
}

/// Text that came as text.
pub fn from_str(text: &str) -> Source {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    Source::new(Cow::Borrowed(text), String::new(), Vec::new())
}

/// Decodes a document. `transport` is the charset that came with the bytes, if any.
pub fn from_bytes(bytes: &[u8], transport: Option<&str>) -> Result<Source> {
    let mut problems = Vec::new();
    let (charset, body) = detect(bytes, transport, &mut problems)?;
    let text = decode(charset, body)?;
    if let Some(declared) = declared_encoding(text.as_bytes()) {
        check_declaration(declared, charset, transport, &mut problems)?;
    }
    Ok(Source::new(text, charset.name().to_string(), problems))
}

fn detect<'a>(
    bytes: &'a [u8],
    transport: Option<&str>,
    problems: &mut Vec<String>,
) -> Result<(Charset, &'a [u8])> {
    let refuse = |name: &str| {
        Err(Error::parse(format!("the document is in {name}, which is not supported"), 1, 1))
    };
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Ok((Charset::Other(UTF_8), rest)),
        [0xFF, 0xFE, 0, 0, ..]
        | [0, 0, 0xFE, 0xFF, ..]
        | [b'<', 0, 0, 0, ..]
        | [0, 0, 0, b'<', ..] => return refuse("UTF-32"),
        [0xFF, 0xFE, rest @ ..] => return Ok((Charset::Other(UTF_16LE), rest)),
        [0xFE, 0xFF, rest @ ..] => return Ok((Charset::Other(UTF_16BE), rest)),
        _ => {}
    }
    let by_pattern = match bytes {
        [b'<', 0, ..] => Some(Charset::Other(UTF_16LE)),
        [0, b'<', ..] => Some(Charset::Other(UTF_16BE)),
        _ => None,
    };
    if let Some(label) = transport {
        match Charset::named(label) {
            // without a mark, "UTF-16" alone does not say which byte comes first
            Some(charset) if charset.is_utf16() => {
                return Ok((by_pattern.unwrap_or(charset), bytes))
            }
            Some(charset) => return Ok((charset, bytes)),
            None => problems.push(format!("the transport names an unknown encoding, {label:?}")),
        }
    }
    if let Some(charset) = by_pattern {
        return Ok((charset, bytes));
    }
    if bytes.starts_with(b"\x4C\x6F\xA7\x94") {
        return refuse("EBCDIC");
    }
    match declared_encoding(bytes) {
        None => Ok((Charset::Other(UTF_8), bytes)),
        Some(label) => match Charset::named(label) {
            Some(charset) if charset.is_utf16() => Err(Error::parse(
                format!("the declaration says {label}, but the bytes are not UTF-16"),
                1,
                1,
            )),
            Some(charset) => Ok((charset, bytes)),
            None => Err(Error::parse(format!("unknown encoding {label:?}"), 1, 1)),
        },
    }
}

/// The label in an XML declaration at the start of bytes that agree with ASCII there. The grammar
/// is checked later.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(1024)];
    let rest = head.strip_prefix(b"<?xml")?;
    let rest = &rest[..memchr::memmem::find(rest, b"?>")?];
    let rest = rest[memchr::memmem::find(rest, b"encoding")?..]
        .strip_prefix(b"encoding")?
        .trim_ascii_start();
    let rest = rest.strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, rest) = rest.split_first()?;
    let label = &rest[..memchr::memchr(quote, rest)?];
    std::str::from_utf8(label).ok()
}

/// A declaration that does not agree with how the bytes were read: an error by §4.3.3, unless the
/// transport had a say.
fn check_declaration(
    label: &str,
    charset: Charset,
    transport: Option<&str>,
    problems: &mut Vec<String>,
) -> Result<()> {
    let agrees = match Charset::named(label) {
        None => false,
        Some(declared) => declared == charset || (declared.is_utf16() && charset.is_utf16()),
    };
    if agrees {
        return Ok(());
    }
    let message =
        format!("the declaration says {label}, but the document is in {}", charset.name());
    if transport.is_none() {
        return Err(Error::parse(format!("{message}; name the encoding to have it read"), 1, 1));
    }
    problems.push(message);
    Ok(())
}

fn decode(charset: Charset, bytes: &[u8]) -> Result<Cow<'_, str>> {
    match charset {
        Charset::Other(encoding) if encoding == UTF_8 => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => Err(undecodable(
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
                bytes[error.valid_up_to()],
                "UTF-8",
            )),
        },
        Charset::Ascii => match bytes.iter().position(|b| !b.is_ascii()) {
            None => Ok(Cow::Borrowed(std::str::from_utf8(bytes).unwrap_or(""))),
            Some(at) => Err(undecodable(
                std::str::from_utf8(&bytes[..at]).unwrap_or(""),
                bytes[at],
                "US-ASCII",
            )),
        },
        Charset::Latin1 => Ok(encoding_rs::mem::decode_latin1(bytes)),
        Charset::Iso(encoding, name) => {
            let upper: Vec<Option<char>> = (0xA0..=0xFF)
                .map(|byte| {
                    encoding
                        .decode_without_bom_handling_and_without_replacement(&[byte])?
                        .chars()
                        .next()
                })
                .collect();
            let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
            for &byte in bytes {
                match if byte < 0xA0 { Some(byte as char) } else { upper[byte as usize - 0xA0] } {
                    Some(c) => text.push(c),
                    None => return Err(undecodable(&text, byte, name)),
                }
            }
            Ok(Cow::Owned(text))
        }
        Charset::Other(encoding) => {
            let mut decoder = encoding.new_decoder_without_bom_handling();
            let room = decoder
                .max_utf8_buffer_length_without_replacement(bytes.len())
                .unwrap_or(bytes.len());
            let mut text = String::with_capacity(room);
            let (result, read) =
                decoder.decode_to_string_without_replacement(bytes, &mut text, true);
            match result {
                DecoderResult::InputEmpty => {
                    text.shrink_to_fit();
                    Ok(Cow::Owned(text))
                }
                DecoderResult::Malformed(length, after) => {
                    let at = read.saturating_sub(length as usize + after as usize);
                    Err(undecodable(&text, bytes.get(at).copied().unwrap_or(0), encoding.name()))
                }
                DecoderResult::OutputFull => Err(Error::limit("bytes", u64::from(u32::MAX))),
            }
        }
    }
}

/// The error for a byte that cannot be decoded after `before`.
fn undecodable(before: &str, byte: u8, encoding: &str) -> Error {
    let (line, column) = place::of(&with_line_ends(before), usize::MAX);
    Error::parse(format!("the byte 0x{byte:02X} here is not {encoding}"), line, column)
}

/// `\r\n` and a lone `\r` become `\n`.
fn with_line_ends(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], transport: Option<&str>) -> String {
        from_bytes(bytes, transport)
            .map(|source| source.text)
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn latin_1_is_not_windows_1252() {
        assert_eq!(
            text(b"<?xml version='1.0' encoding='ISO-8859-1'?>\x85\xE9", None)
                .chars()
                .rev()
                .take(2)
                .collect::<String>(),
            "\u{E9}\u{85}"
        );
        assert_eq!(text(b"\x85\xFD", Some("iso-8859-9")), "\u{85}ı");
        assert_eq!(text(b"\x85\xFD", Some("windows-1254")), "…ı");
    }

    #[test]
    fn utf_16_with_and_without_a_mark() {
        let little: Vec<u8> =
            "\u{FEFF}<a>é</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "<a>é</a>".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(text(&little, None), "<a>é</a>");
        assert_eq!(text(&big, None), "<a>é</a>");
        assert_eq!(
            text(&little[..little.len() - 1], None),
            "the byte 0x3E here is not UTF-16LE (line 1, column 8)"
        );
    }

    #[test]
    fn undecodable_bytes_have_a_place() {
        assert_eq!(
            text(b"<a>\r\n\r\xC3\xA9\xFF", None),
            "the byte 0xFF here is not UTF-8 (line 3, column 2)"
        );
        assert_eq!(
            text(b"<a>\xE9", Some("us-ascii")),
            "the byte 0xE9 here is not US-ASCII (line 1, column 4)"
        );
        assert_eq!(
            text(b"<\0\0\0a", None),
            "the document is in UTF-32, which is not supported (line 1, column 1)"
        );
    }
}
