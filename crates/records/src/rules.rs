//! What the caller knows of HTML: roles of tags, words of classes, signs of money, and bounds.

use treelace_tree::error::{Error, Result};
use treelace_tree::hash::Map;

/// Bits for what a tag is; [`Rules::roles`] gives them by name.
pub mod roles {
    /// No one sees what is inside.
    pub const UNSEEN: u32 = 1;
    /// Dresses text; passed over where it holds blocks (links are not).
    pub const FORMATTING: u32 = 1 << 1;
    /// Stands in a line of text.
    pub const INLINE: u32 = 1 << 2;
    /// Formatting that shapes and paths leave out.
    pub const DRESS: u32 = 1 << 3;
    /// A link.
    pub const LINK: u32 = 1 << 4;
    /// An image.
    pub const IMAGE: u32 = 1 << 5;
    /// A heading, or what is used as one.
    pub const HEADING: u32 = 1 << 6;
    /// Something to press or to fill in.
    pub const CONTROL: u32 = 1 << 7;
    /// Navigation by its tag.
    pub const FRAME: u32 = 1 << 8;
    /// A row of a table.
    pub const ROW: u32 = 1 << 9;
    /// A cell of a table.
    pub const CELL: u32 = 1 << 10;
    /// A member of a list.
    pub const MEMBER: u32 = 1 << 11;
    /// A line break.
    pub const BREAK: u32 = 1 << 12;
    /// A rule across the page.
    pub const RULE: u32 = 1 << 13;
    /// Holds a piece of data even where it holds one word.
    pub const STANDING: u32 = 1 << 14;
    /// A cell that names a column or row.
    pub const HEADER_CELL: u32 = 1 << 15;
    /// Holds the rows that name columns.
    pub const HEADER_GROUP: u32 = 1 << 16;
}

/// A word to look for in classes and ids, in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its letters.
    pub letters: String,
    /// Whether no letter or digit may follow.
    pub ends: bool,
}

/// Words, by their first byte.
#[derive(Debug, Clone)]
pub struct Words {
    by_first: Vec<Vec<Word>>,
}

impl Words {
    /// The words of a list; an empty one would be found everywhere and is wrong use.
    pub fn new(words: Vec<Word>) -> Result<Words> {
        let mut by_first = vec![Vec::new(); 256];
        for word in words {
            let first = *word
                .letters
                .as_bytes()
                .first()
                .ok_or_else(|| Error::Usage("a word to look for is empty".into()))?;
            by_first[first as usize].push(word);
        }
        Ok(Words { by_first })
    }

    /// Whether one of the words stands anywhere in `text`, capital ASCII letters taken as small
    /// ones.
    pub fn any_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        (0..bytes.len()).any(|at| {
            self.by_first[bytes[at].to_ascii_lowercase() as usize].iter().any(|word| {
                let end = at + word.letters.len();
                end <= bytes.len()
                    && bytes[at..end].eq_ignore_ascii_case(word.letters.as_bytes())
                    && !(word.ends && bytes.get(end).is_some_and(|&byte| is_word(byte)))
            })
        })
    }
}

/// Everything the search for records asks its caller.
#[derive(Debug, Clone)]
pub struct Rules {
    /// Bits of [`roles`] by tag, names as in `{namespace}local`, HTML without its namespace.
    pub roles: Map<String, u32>,
    /// Words of classes, ids and roles that speak of navigation.
    pub frame_words: Words,
    /// Words that speak of lists.
    pub list_words: Words,
    /// Signs of currencies.
    pub signs: Vec<char>,
    /// Codes of currencies, which follow the digits.
    pub codes: Vec<String>,
    /// Nodes of a subtree that its shape looks at.
    pub most_nodes: usize,
    /// Similarities at which the children of a parent are clustered.
    pub thresholds: Vec<f64>,
    /// Above so many children, a parent's clusters are by tag and class only.
    pub most_children: usize,
    /// Records of a candidate that are looked at one by one.
    pub most_records: usize,
    /// Shapes that may lead a cluster.
    pub most_leaders: usize,
    /// Kinds of children of one parent that are tried as heads of groups.
    pub most_heads: usize,
    /// Shapes that each record is compared with.
    pub most_common: usize,
    /// Share of the middle closeness below which a record is odd.
    pub odd: f64,
    /// What an element hands down of how much it speaks of navigation or lists.
    pub fading: f64,
}

/// White space as Python's `str.split` sees it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// A digit, in any script; fractions and Roman numerals are none.
pub(crate) fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
        || !c.is_ascii()
            && c.is_numeric()
            && !matches!(c, '\u{bc}'..='\u{be}' | '\u{2150}'..='\u{218b}')
}

impl Rules {
    /// Whether a text names a price: a sign of money before or after a digit, or a code after one.
    pub(crate) fn names_price(&self, text: &str) -> bool {
        if !text.bytes().any(|byte| byte.is_ascii_digit() || byte >= 0x80) {
            return false;
        }
        let is_sign = |c: char| self.signs.contains(&c);
        text.char_indices().filter(|&(_, c)| is_digit(c)).any(|(at, c)| {
            let before = text[..at].trim_end_matches(is_space);
            let after = text[at + c.len_utf8()..].trim_start_matches(is_space);
            before.ends_with(is_sign)
                || after.starts_with(is_sign)
                || self.codes.iter().any(|code| after.starts_with(code.as_str()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_end_where_they_must() {
        let word = |letters: &str, ends| Word { letters: letters.into(), ends };
        let words = Words::new(vec![word("nav", false), word("tab", true)]).unwrap();
        assert!(words.any_in("topNavigation") && words.any_in("x tab") && words.any_in("tab-1"));
        assert!(!words.any_in("table") && !words.any_in("") && !words.any_in("tab_x"));
        assert!(Words::new(vec![word("", false)]).is_err());
    }
}
