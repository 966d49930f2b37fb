//! Characters of XML 1.0 (5th edition): which it has, which a name may have, which must be escaped.

/// Production \[2\], `Char`.
pub fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}'
        | '\u{10000}'..='\u{10FFFF}')
}

/// Production \[4\], `NameStartChar`, without the colon.
fn is_name_start(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}')
}

/// Production \[4a\], `NameChar`, without the colon.
fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
        | '\u{203F}'..='\u{2040}')
}

/// A name without a colon (`NCName` of Namespaces in XML).
pub fn is_ncname(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(is_name_start) && chars.all(is_name_char)
}

/// Production \[5\], `Name`: colons wherever.
pub(super) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let colon_or = |is: fn(char) -> bool| move |c: char| c == ':' || is(c);
    chars.next().is_some_and(colon_or(is_name_start)) && chars.all(colon_or(is_name_char))
}

/// `local` or `prefix:local`.
pub(super) fn is_qname(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, local)) => is_ncname(prefix) && is_ncname(local),
        None => is_ncname(name),
    }
}

/// Production \[13\], `PubidChar`, for a whole literal.
pub(super) fn is_public_id(text: &str) -> bool {
    text.bytes().all(|b| {
        matches!(b, b' ' | b'\r' | b'\n' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9')
            || b"-'()+,./:=?;!*#@$_%".contains(&b)
    })
}

/// A name that XML has, by the rule of the HTML standard: `U` and six digits for each character it
/// has not.
pub(super) fn coerce_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 6);
    for c in name.chars() {
        let fits = if out.is_empty() { is_name_start(c) } else { is_name_char(c) };
        if fits {
            out.push(c);
        } else {
            out.push_str(&format!("U{:06X}", c as u32));
        }
    }
    if out.is_empty() {
        out.push('_');
    }
    out
}

/// Whether every character of `text` is one of XML's.
pub fn is_clean(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.iter().fold(false, |bad, &b| bad | (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r'))) {
        return false;
    }
    // U+FFFE and U+FFFF are EF BF BE and EF BF BF
    !memchr::memchr_iter(0xEF, bytes).any(|at| bytes[at + 1] == 0xBF && bytes[at + 2] >= 0xBE)
}

/// `text` with every character that XML has not replaced.
pub(super) fn coerce_text(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c == '\u{C}' {
                ' '
            } else if is_char(c) {
                c
            } else {
                '\u{FFFD}'
            }
        })
        .collect()
}

/// Appends `text` as character data: `& < >` and the carriage return are escaped, which is what
/// Canonical XML does.
pub(super) fn escape_text(out: &mut String, text: &str) {
    escape(out, text, &TEXT);
}

/// Appends `text` as an attribute value for double quotes, as Canonical XML does.
pub fn escape_attribute(out: &mut String, text: &str) {
    escape(out, text, &ATTRIBUTE);
}

/// Appends `text` with carriage returns as references: all that Canonical XML escapes in comments
/// and instructions.
pub(super) fn escape_return(out: &mut String, text: &str) {
    escape(out, text, &RETURN);
}

/// For each byte 0, or the number of its [`REFERENCES`] entry.
type Escapes = [u8; 256];

const REFERENCES: [&str; 8] = ["", "&amp;", "&lt;", "&gt;", "&quot;", "&#x9;", "&#xA;", "&#xD;"];

const fn escapes(pairs: &[(u8, u8)]) -> Escapes {
    let mut table = [0; 256];
    let mut k = 0;
    while k < pairs.len() {
        table[pairs[k].0 as usize] = pairs[k].1;
        k += 1;
    }
    table
}

const TEXT: Escapes = escapes(&[(b'&', 1), (b'<', 2), (b'>', 3), (b'\r', 7)]);
const ATTRIBUTE: Escapes =
    escapes(&[(b'&', 1), (b'<', 2), (b'"', 4), (b'\t', 5), (b'\n', 6), (b'\r', 7)]);
const RETURN: Escapes = escapes(&[(b'\r', 7)]);

fn escape(out: &mut String, text: &str, table: &Escapes) {
    let mut done = 0;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        let entry = table[byte as usize];
        if entry != 0 {
            out.push_str(&text[done..at]);
            out.push_str(REFERENCES[entry as usize]);
            done = at + 1;
        }
    }
    out.push_str(&text[done..]);
}
