//! From bytes to text: which encoding an HTML document is in.
//!
//! The order is that of the HTML standard (13.2.3.2), with UTF-8 before a guess: byte-order mark,
//! transport, `meta` in the first 1024 bytes, then UTF-8 if the bytes are UTF-8, then what
//! chardetng takes them for. The last two can still be overruled by a `meta` further down
//! ([`super::html::parse_bytes`]).

mod prescan;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, UTF_8, WINDOWS_1252, X_USER_DEFINED};
use memchr::memchr_iter;

use crate::tree::Problem;

/// Bytes that are looked at to guess an encoding.
const GUESSED_FROM: usize = 1 << 20;

/// What told the encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A byte-order mark.
    Mark,
    /// Whoever brought the bytes.
    Transport,
    /// The document itself, in its first 1024 bytes.
    Declared,
    /// Nobody, but the bytes are UTF-8.
    Valid,
    /// Nobody: the likeliest.
    Guessed,
}

impl Source {
    /// Whether a `meta` met later has a say.
    pub fn is_tentative(self) -> bool {
        matches!(self, Source::Valid | Source::Guessed)
    }
}

/// A document as text.
#[derive(Debug)]
pub struct Decoded<'b> {
    /// The text, without a byte-order mark.
    pub text: Cow<'b, str>,
    /// The encoding, by its name in the Encoding standard.
    pub encoding: &'static Encoding,
    /// What told it.
    pub source: Source,
    /// A transport's encoding that does not exist, bytes that are not of the encoding.
    pub problems: Vec<Problem>,
}

/// Decodes an HTML document. `transport` is a label (`utf-8`) or a whole `Content-Type`.
pub fn decode_html<'b>(bytes: &'b [u8], transport: Option<&str>) -> Decoded<'b> {
    let mut problems = Vec::new();
    let (encoding, source) = detect(bytes, transport, &mut problems);
    let (text, problem) = decode(bytes, encoding);
    problems.extend(problem);
    Decoded { text, encoding, source, problems }
}

/// Decodes bytes in a given encoding, without their byte-order mark; malformed sequences become
/// U+FFFD, which is a problem.
pub fn decode<'b>(bytes: &'b [u8], encoding: &'static Encoding) -> (Cow<'b, str>, Option<Problem>) {
    let (text, has_errors) = encoding.decode_with_bom_removal(bytes);
    let problem = has_errors.then(|| {
        let before = text.find('\u{FFFD}').map_or("", |at| &text[..at]);
        let line = memchr_iter(b'\n', before.as_bytes()).count() as u32 + 1;
        Problem { line, message: format!("bytes that are not {} became U+FFFD", encoding.name()) }
    });
    (text, problem)
}

/// UTF-8 in which surrogates may stand alone, as some languages' strings have them; U+FFFD takes
/// their place, which is a problem.
pub fn without_surrogates(bytes: &[u8]) -> (String, Problem) {
    let mut bytes = bytes.to_vec();
    let mut first = None;
    for at in 0..bytes.len().saturating_sub(2) {
        if bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            first.get_or_insert(at);
            bytes[at..at + 3].copy_from_slice("\u{FFFD}".as_bytes());
        }
    }
    let line = memchr_iter(b'\n', &bytes[..first.unwrap_or(0)]).count() as u32 + 1;
    let problem =
        Problem { line, message: "surrogates that stood alone became U+FFFD".to_string() };
    (String::from_utf8_lossy(&bytes).into_owned(), problem)
}

/// The encoding that the first 1024 bytes of an HTML document declare.
pub fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    prescan::prescan(&bytes[..bytes.len().min(prescan::WINDOW)])
}

/// The encoding in the `content` of a `meta`.
pub fn from_content(content: &str) -> Option<&'static Encoding> {
    prescan::from_content(&content.to_ascii_lowercase().into_bytes())
}

/// The encoding that a label in a document stands for: a document that can be read byte by byte is
/// not in UTF-16.
pub fn declared(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label)?;
    Some(match encoding {
        found if found == UTF_16BE || found == UTF_16LE => UTF_8,
        found if found == X_USER_DEFINED => WINDOWS_1252,
        found => found,
    })
}

fn detect(
    bytes: &[u8],
    transport: Option<&str>,
    problems: &mut Vec<Problem>,
) -> (&'static Encoding, Source) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return (encoding, Source::Mark);
    }
    if let Some(label) = transport.and_then(label_of) {
        if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
            return (encoding, Source::Transport);
        }
        problems.push(Problem {
            line: 0,
            message: format!("there is no encoding '{label}', which the transport named"),
        });
    }
    if let Some(encoding) = prescan(bytes) {
        return (encoding, Source::Declared);
    }
    // a character that the end of the document cuts in two does not count against UTF-8
    if std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true) {
        return (UTF_8, Source::Valid);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESSED_FROM)], bytes.len() <= GUESSED_FROM);
    (detector.guess(None, Utf8Detection::Deny), Source::Guessed)
}

/// The label in a transport's hint.
fn label_of(transport: &str) -> Option<&str> {
    let label = match transport.to_ascii_lowercase().find("charset=") {
        Some(at) => transport[at + "charset=".len()..].split(';').next().unwrap_or_default(),
        // a media type without a charset says nothing
        None if transport.contains(['/', ';']) => return None,
        None => transport,
    };
    let label = label.trim().trim_matches(['"', '\'']).trim();
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8], transport: Option<&str>) -> (&'static str, Source) {
        let decoded = decode_html(bytes, transport);
        (decoded.encoding.name(), decoded.source)
    }

    #[test]
    fn the_stronger_word_wins() {
        let page = b"\xEF\xBB\xBF<meta charset=koi8-r>\xC3\xA4";
        assert_eq!(name(page, Some("windows-1252")), ("UTF-8", Source::Mark));
        assert_eq!(name(&page[3..], Some("windows-1252")), ("windows-1252", Source::Transport));
        assert_eq!(
            name(&page[3..], Some("text/html; charset=\"Shift_JIS\"; x=y")),
            ("Shift_JIS", Source::Transport)
        );
        assert_eq!(name(&page[3..], Some("text/html")), ("KOI8-R", Source::Declared));
        assert_eq!(name(&page[3..], None), ("KOI8-R", Source::Declared));
        assert_eq!(name(b"<p>\xC3\xA4", None), ("UTF-8", Source::Valid));
        assert_eq!(name(b"<p>\xC3", None), ("UTF-8", Source::Valid));
        assert_eq!(name(b"", None), ("UTF-8", Source::Valid));
        assert_eq!(
            name(b"<p>L'\xE9t\xE9 \xE0 la for\xEAt, o\xF9 le ma\xEEtre \xE9tait all\xE9", None),
            ("windows-1252", Source::Guessed)
        );
        assert_eq!(name(b"\xFF\xFEa\0", None), ("UTF-16LE", Source::Mark));
    }

    #[test]
    fn what_is_malformed_is_said() {
        let decoded = decode_html(b"<meta charset=utf-8>\n\nx\xFFy", None);
        assert_eq!(decoded.text, "<meta charset=utf-8>\n\nx\u{FFFD}y");
        assert_eq!(
            decoded.problems,
            [Problem { line: 3, message: "bytes that are not UTF-8 became U+FFFD".into() }]
        );
        let decoded = decode_html(b"a", Some("klingon"));
        assert_eq!(
            decoded.problems[0].message,
            "there is no encoding 'klingon', which the transport named"
        );
    }

    #[test]
    fn surrogates_alone_are_replaced() {
        let (text, problem) = without_surrogates(b"a\nb\xED\xA0\x80\xED\x9F\xBFc\xED\xBF\xBF");
        assert_eq!(text, "a\nb\u{FFFD}\u{D7FF}c\u{FFFD}");
        assert_eq!(problem.line, 2);
    }

    #[test]
    fn a_mark_is_not_text() {
        assert_eq!(decode_html(b"\xEF\xBB\xBFa", None).text, "a");
        assert_eq!(decode_html(b"\xFE\xFF\0a", None).text, "a");
    }
}
