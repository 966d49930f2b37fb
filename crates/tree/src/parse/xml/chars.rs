//! Which characters may stand where (XML 1.0, 5th edition, productions 2 to 4 and 13), and how far
//! a run of them goes.

const NAME_START: u8 = 1;
const NAME: u8 = 2;
const SPACE: u8 = 4;
const TEXT_STOP: u8 = 8;
const DOUBLE_STOP: u8 = 16;
const SINGLE_STOP: u8 = 32;
const VALUE_STOP: u8 = 64;

/// What each byte can be. Bytes from 0x80 on are parts of characters and have no class.
static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 128 {
        let byte = b as u8;
        if byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' {
            table[b] |= NAME_START | NAME;
        }
        if byte.is_ascii_digit() || byte == b'-' || byte == b'.' {
            table[b] |= NAME;
        }
        if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
            table[b] |= SPACE;
        }
        if matches!(byte, b'<' | b'&' | b']') {
            table[b] |= TEXT_STOP;
        }
        // white space other than the blank stops a value too: it becomes a blank
        if matches!(byte, b'<' | b'&' | b'\t' | b'\n' | b'\r') {
            table[b] |= DOUBLE_STOP | SINGLE_STOP | VALUE_STOP;
        }
        b += 1;
    }
    table[b'"' as usize] |= DOUBLE_STOP;
    table[b'\'' as usize] |= SINGLE_STOP;
    table
}

/// White space, production 3. (A carriage return can only come from a character reference: line
/// ends are normalised before.)
#[inline]
pub fn is_space(byte: u8) -> bool {
    CLASS[byte as usize] & SPACE != 0
}

/// Char, production 2.
pub fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// NameStartChar, production 4.
pub fn is_name_start(c: char) -> bool {
    matches!(c,
        ':' | 'A'..='Z' | '_' | 'a'..='z' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}'
            | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

/// NameChar, production 4a.
pub fn is_name_char(c: char) -> bool {
    is_name_start(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{B7}' | '\u{300}'..='\u{36F}'
        | '\u{203F}'..='\u{2040}')
}

/// PubidChar, production 13.
pub fn is_public_id(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r')
        || byte.is_ascii_alphanumeric()
        || b"-'()+,./:=?;!*#@$_%".contains(&byte)
}

/// Whether the whole text is a Name (production 5) without a colon.
pub fn is_plain_name(text: &str) -> bool {
    !text.contains(':') && !text.is_empty() && name_end(text, 0) == text.len()
}

/// Whether a Name is a QName (Namespaces in XML, production 7): at most one colon, with a name on
/// either side.
pub fn is_qname(name: &str) -> bool {
    match name.split_once(':') {
        None => true,
        Some((prefix, local)) => !prefix.is_empty() && is_plain_name(local),
    }
}

/// End of the Name that starts at `at`; `at` itself if none does.
#[inline]
pub fn name_end(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(&b) if CLASS[b as usize] & NAME_START != 0 => token_end(text, at + 1),
        Some(&b) if b >= 0x80 => match char_at(text, at) {
            Some(c) if is_name_start(c) => token_end(text, at + c.len_utf8()),
            _ => at,
        },
        _ => at,
    }
}

/// End of the run of name characters that starts at `at` (Nmtoken, production 7).
#[inline]
pub fn token_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut i = at;
    while let Some(&b) = bytes.get(i) {
        if CLASS[b as usize] & NAME != 0 {
            i += 1;
        } else if b < 0x80 {
            break;
        } else {
            match char_at(text, i) {
                Some(c) if is_name_char(c) => i += c.len_utf8(),
                _ => break,
            }
        }
    }
    i
}

#[cold]
fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// First byte from `at` on that is no white space.
#[inline]
pub fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && is_space(bytes[at]) {
        at += 1;
    }
    at
}

/// First `<`, `&` or `]` from `at` on, or the end.
#[inline]
pub fn text_end(bytes: &[u8], at: usize) -> usize {
    // most texts are short, and for them a loop is faster than setting up a vector search
    let near = bytes.len().min(at + 48);
    let mut i = at;
    while i < near {
        if CLASS[bytes[i] as usize] & TEXT_STOP != 0 {
            return i;
        }
        i += 1;
    }
    memchr::memchr3(b'<', b'&', b']', &bytes[i..]).map_or(bytes.len(), |n| i + n)
}

/// First byte from `at` on that an attribute value in these quotes cannot take over as it is, or
/// the end.
#[inline]
pub fn value_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let stop = if quote == b'"' { DOUBLE_STOP } else { SINGLE_STOP };
    let mut i = at;
    while i < bytes.len() && CLASS[bytes[i] as usize] & stop == 0 {
        i += 1;
    }
    i
}

/// First byte from `at` on that an attribute value cannot take over as it is, quotes apart, or the
/// end.
#[inline]
pub fn plain_end(bytes: &[u8], at: usize) -> usize {
    let mut i = at;
    while i < bytes.len() && CLASS[bytes[i] as usize] & VALUE_STOP == 0 {
        i += 1;
    }
    i
}

/// Place of the first character that no XML document may hold, and whether there is a carriage
/// return before it.
pub fn survey(text: &str) -> (Option<usize>, bool) {
    let bytes = text.as_bytes();
    let mut has_return = false;
    let mut start = 0;
    for block in bytes.chunks(256) {
        // no early exit inside a block: the compiler makes vector code of it
        let is_rare = |b: u8| ((b < 0x20) & (b != b'\t') & (b != b'\n')) | (b == 0xEF);
        if block.iter().fold(false, |any, &b| any | is_rare(b)) {
            has_return |= memchr::memchr(b'\r', block).is_some();
            if let Some(i) = (start..start + block.len()).find(|&i| is_forbidden(bytes, i)) {
                return (Some(i), has_return);
            }
        }
        start += block.len();
    }
    (None, has_return)
}

/// Whether the character whose first byte stands here is none of XML's. U+FFFE and U+FFFF are the
/// bytes EF BF BE and EF BF BF.
fn is_forbidden(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\t' | b'\n' | b'\r' => false,
        0xEF => bytes.get(at + 1) == Some(&0xBF) && bytes.get(at + 2).is_some_and(|&b| b >= 0xBE),
        b => b < 0x20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_the_standard_says() {
        assert_eq!(name_end("a:b-1.2 c", 0), 7);
        assert_eq!(name_end("-a", 0), 0);
        assert_eq!(name_end("Ωmega>", 0), "Ωmega".len());
        assert_eq!(name_end("a\u{300}b=", 0), 4);
        assert_eq!(name_end("\u{300}b", 0), 0);
        assert_eq!(name_end("a×b", 0), 1);
        assert_eq!(token_end("-a ", 0), 2);
    }

    #[test]
    fn colons_of_qnames() {
        assert!(["a", "a:b", "π:x-1"].into_iter().all(is_qname));
        assert!(![":", "a:", ":b", "a:b:c", "a:1"].into_iter().any(is_qname));
    }

    #[test]
    fn forbidden_characters_are_found() {
        assert_eq!(survey("a\tb\r\n\u{85}\u{FFFD}"), (None, true));
        assert_eq!(survey("ab\u{0}\r"), (Some(2), true));
        assert_eq!(survey("ab\u{FFFF}\u{1}"), (Some(2), false));
        let long = "x".repeat(1000) + "\u{B}";
        assert_eq!(survey(&long), (Some(1000), false));
    }
}
