//! Character references: `&amp;`, `&#38;`, `&#x26;`.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

use super::{Consumer, Tokenizer};

/// One or two characters.
type Chars = [Option<char>; 2];

/// References that are not worth a look into the table.
const COMMON: [(&[u8], char); 5] =
    [(b"amp;", '&'), (b"nbsp;", '\u{A0}'), (b"quot;", '"'), (b"lt;", '<'), (b"gt;", '>')];

impl Tokenizer<'_> {
    /// 13.2.5.72: the characters of the reference whose `&` is at `at`, and where it ends; `None`
    /// where `&` is only itself.
    pub(super) fn reference(
        &mut self,
        at: usize,
        in_attribute: bool,
        out: &mut impl Consumer,
    ) -> Option<(Chars, usize)> {
        match self.byte(at + 1)? {
            b'#' => self.numeric(at, out),
            first if first.is_ascii_alphanumeric() => self.named(at, in_attribute, out),
            _ => None,
        }
    }

    /// 13.2.5.73: the longest name that is known.
    fn named(
        &mut self,
        at: usize,
        in_attribute: bool,
        out: &mut impl Consumer,
    ) -> Option<(Chars, usize)> {
        let start = at + 1;
        // nearly all references of real pages are one of these
        for (name, char) in COMMON {
            if self.bytes[start..].starts_with(name) {
                return Some(([Some(char), None], start + name.len()));
            }
        }
        let mut found = None;
        let mut end = start;
        // the table has all prefixes of names too, without characters
        while let Some(byte) = self.byte(end).filter(|b| b.is_ascii_alphanumeric() || *b == b';') {
            end += 1;
            match NAMED_ENTITIES.get(&self.text[start..end]) {
                None => break,
                Some((0, _)) => {}
                Some(&chars) => found = Some((chars, end)),
            }
            if byte == b';' {
                break;
            }
        }
        let Some(((first, second), end)) = found else {
            self.unknown(start, out);
            return None;
        };
        if self.bytes[end - 1] != b';' {
            // for history's sake `?a=b&copy=1` in an attribute has no copyright sign
            if in_attribute
                && self.byte(end).is_some_and(|next| next == b'=' || next.is_ascii_alphanumeric())
            {
                return None;
            }
            out.problem("missing-semicolon-after-character-reference", end);
        }
        let second = if second == 0 { None } else { char::from_u32(second) };
        Some(([char::from_u32(first), second], end))
    }

    /// 13.2.5.74: an ampersand that is only one.
    fn unknown(&mut self, start: usize, out: &mut impl Consumer) {
        let name = self.bytes[start..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        if self.byte(start + name) == Some(b';') {
            out.problem("unknown-named-character-reference", start + name);
        }
    }

    /// 13.2.5.75 to 13.2.5.80: a number.
    fn numeric(&mut self, at: usize, out: &mut impl Consumer) -> Option<(Chars, usize)> {
        let is_hex = matches!(self.byte(at + 2), Some(b'x' | b'X'));
        let start = at + if is_hex { 3 } else { 2 };
        let radix = if is_hex { 16 } else { 10 };
        let mut code: u32 = 0;
        let mut end = start;
        while let Some(digit) = self.byte(end).and_then(|b| (b as char).to_digit(radix)) {
            // past the last character it only matters that it is
            code = code.saturating_mul(radix).saturating_add(digit).min(0x11_0000);
            end += 1;
        }
        if end == start {
            out.problem("absence-of-digits-in-numeric-character-reference", end);
            return None;
        }
        if self.byte(end) == Some(b';') {
            end += 1;
        } else {
            out.problem("missing-semicolon-after-character-reference", end);
        }
        let char = match code {
            0 => {
                out.problem("null-character-reference", end);
                '\u{FFFD}'
            }
            0x11_0000.. => {
                out.problem("character-reference-outside-unicode-range", end);
                '\u{FFFD}'
            }
            0xD800..=0xDFFF => {
                out.problem("surrogate-character-reference", end);
                '\u{FFFD}'
            }
            _ => {
                if (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE {
                    out.problem("noncharacter-character-reference", end);
                } else if code == 0x0D || matches!(code, 1..=8 | 0x0B | 0x0E..=0x1F | 0x7F..=0x9F) {
                    out.problem("control-character-reference", end);
                }
                let replaced = code
                    .checked_sub(0x80)
                    .and_then(|i| C1_REPLACEMENTS.get(i as usize).copied().flatten());
                replaced.or(char::from_u32(code)).unwrap_or('\u{FFFD}')
            }
        };
        Some(([Some(char), None], end))
    }
}
