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
    /// The main part of a page.
    pub const MAIN: u32 = 1 << 17;
    /// An article.
    pub const ARTICLE: u32 = 1 << 18;
    /// Stands beside the main part.
    pub const ASIDE: u32 = 1 << 19;
    /// The head of a page or part.
    pub const HEADER: u32 = 1 << 20;
    /// Links to other pages.
    pub const NAVIGATION: u32 = 1 << 21;
    /// The foot of a page or part.
    pub const FOOTER: u32 = 1 << 22;
    /// A heading by its tag alone.
    pub const TITLE: u32 = 1 << 23;
    /// The highest of them.
    pub const FIRST_TITLE: u32 = 1 << 24;
    /// An item of a list.
    pub const ITEM: u32 = 1 << 25;
    /// A table.
    pub const TABLE: u32 = 1 << 26;
    /// A list whose items have numbers.
    pub const NUMBERED: u32 = 1 << 27;
    /// Holds the whole page, so that its classes say nothing of a part.
    pub const ROOT: u32 = 1 << 28;
}

/// A word to look for in classes and ids, in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its letters.
    pub letters: String,
    /// Whether no letter or digit may follow.
    pub ends: bool,
}

impl Word {
    /// Whether it stands in `bytes` at this place, capital ASCII letters taken as small ones.
    fn stands_at(&self, bytes: &[u8], at: usize) -> bool {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let end = at + self.letters.len();
        end <= bytes.len()
            && bytes[at..end].eq_ignore_ascii_case(self.letters.as_bytes())
            && !(self.ends && bytes.get(end).is_some_and(|&byte| is_word(byte)))
    }
}

/// Words, by their first byte.
#[derive(Debug, Clone)]
pub struct Words {
    by_first: Vec<Vec<Word>>,
    /// For each first byte a bit for each byte that may follow it.
    seconds: Vec<[u64; 4]>,
}

impl Words {
    /// The words of a list; an empty one would be found everywhere and is wrong use.
    pub fn new(words: Vec<Word>) -> Result<Words> {
        let mut by_first = vec![Vec::new(); 256];
        let mut seconds = vec![[0; 4]; 256];
        for word in words {
            let bytes = word.letters.as_bytes();
            let &first =
                bytes.first().ok_or_else(|| Error::Usage("a word to look for is empty".into()))?;
            match bytes.get(1).map(u8::to_ascii_lowercase) {
                Some(second) => seconds[first as usize][second as usize / 64] |= 1 << (second % 64),
                None => seconds[first as usize] = [u64::MAX; 4],
            }
            by_first[first as usize].push(word);
        }
        Ok(Words { by_first, seconds })
    }

    /// The number of the first byte at a place where a word may stand, by its first two bytes.
    fn may_stand_at(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let first = bytes[at].to_ascii_lowercase() as usize;
        let second = bytes.get(at + 1).copied().unwrap_or(0).to_ascii_lowercase();
        (self.seconds[first][second as usize / 64] >> (second % 64) & 1 == 1).then_some(first)
    }

    /// Whether one of the words stands anywhere in `text`, capital ASCII letters taken as small
    /// ones.
    pub fn any_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        (0..bytes.len())
            .filter_map(|at| Some((at, self.may_stand_at(bytes, at)?)))
            .any(|(at, first)| self.by_first[first].iter().any(|word| word.stands_at(bytes, at)))
    }
}

/// How many topics words can speak of.
pub const TOPICS: usize = 6;

/// Words of several topics, by their first byte.
#[derive(Debug, Clone)]
pub struct Topics {
    words: Words,
    /// The topic of each word, in the order of `words`.
    topic: Vec<Vec<u8>>,
}

impl Topics {
    /// The words of each topic.
    pub fn new(topics: Vec<Vec<Word>>) -> Result<Topics> {
        if topics.len() != TOPICS {
            return Err(Error::Usage(format!("words of {TOPICS} topics are needed")));
        }
        let mut topic = vec![Vec::new(); 256];
        for (number, word) in topics
            .iter()
            .enumerate()
            .flat_map(|(number, words)| words.iter().map(move |word| (number, word)))
        {
            if let Some(&first) = word.letters.as_bytes().first() {
                topic[first as usize].push(number as u8);
            }
        }
        Ok(Topics { words: Words::new(topics.into_iter().flatten().collect())?, topic })
    }

    /// A bit for each topic that has a word anywhere in `text`.
    pub fn bits_in(&self, text: &str) -> u8 {
        let bytes = text.as_bytes();
        let mut found = 0;
        for at in 0..bytes.len() {
            let Some(first) = self.words.may_stand_at(bytes, at) else { continue };
            for (word, &topic) in self.words.by_first[first].iter().zip(&self.topic[first]) {
                found |= u8::from(word.stands_at(bytes, at)) << topic;
            }
        }
        found
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
    /// Words of classes, ids, roles and properties by what they speak of.
    pub topics: Topics,
    /// Bits of [`roles`] by what an element says its role is.
    pub landmarks: Map<String, u32>,
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

/// The months as English writes them; three letters or more of one are enough.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Letters of a text that are looked at for a day: one that comes later is part of a story.
const MOST_LETTERS_TO_DAY: usize = 160;

/// What a word of a text may be in a day.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Year,
    /// A number of one or two figures.
    Number,
    Month,
    Other,
}

/// Whether a text names a day: a month beside a number (`Jan. 16`, `March 2018`), three numbers
/// with a year at one end (`16.1.2018`), or a year after a number and one to three words (`27 de
/// enero de 2026`).
fn names_day(text: &str) -> bool {
    let start = text.char_indices().nth(MOST_LETTERS_TO_DAY).map_or(text, |(end, _)| &text[..end]);
    if !start.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let mut last = [Part::Other; 4];
    for word in words_in(start) {
        let part = part_of(word);
        let [older, old, before, just] = last;
        let is_number = |part: Part| matches!(part, Part::Number | Part::Year);
        if (part == Part::Month && is_number(just))
            || (just == Part::Month && is_number(part))
            || (part == Part::Year && just == Part::Number && before == Part::Number)
            || (before == Part::Year && just == Part::Number && part == Part::Number)
            || (part == Part::Year
                && just == Part::Other
                && [before, old, older].contains(&Part::Number))
        {
            return true;
        }
        last = [old, before, just, part];
    }
    false
}

/// Which texts of a page name a day: by themselves, or a month alone beside a number of its own
/// (`Apr`, `22`), where the first of the two does.
pub(crate) fn text_days(texts: &[&str]) -> Vec<bool> {
    let mut days = vec![false; texts.len()];
    for (at, text) in texts.iter().enumerate() {
        days[at] = names_day(text)
            || texts.get(at + 1).is_some_and(|next| {
                let is_taken = at > 0 && days[at - 1] && !names_day(texts[at - 1]);
                let (part, following) = (lone_part(text), first_part(next));
                !is_taken
                    && (part == Part::Month && following == Part::Number
                        || part == Part::Number && lone_part(next) == Part::Month)
            });
    }
    days
}

/// What a text of one short word is.
fn lone_part(text: &str) -> Part {
    let is_short = text.len() <= 12;
    let mut words = words_in(if is_short { text } else { "" });
    match (words.next(), words.next()) {
        (Some(word), None) => part_of(word),
        _ => Part::Other,
    }
}

fn first_part(text: &str) -> Part {
    let is_short = text.len() <= 24;
    words_in(if is_short { text } else { "" }).next().map_or(Part::Other, part_of)
}

fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a text says a time of day: `9:30`, `7 p.m.`, at its start.
pub(crate) fn names_clock(text: &str) -> bool {
    let bytes = &text.as_bytes()[..text.len().min(MOST_LETTERS_TO_DAY)];
    let at = |place: usize| bytes.get(place).copied().unwrap_or(b' ').to_ascii_lowercase();
    (0..bytes.len()).filter(|&digit| bytes[digit].is_ascii_digit()).any(|digit| {
        if at(digit + 1) == b':' {
            return at(digit + 2).is_ascii_digit() && at(digit + 3).is_ascii_digit();
        }
        let half = digit + 1 + usize::from(at(digit + 1) == b' ');
        let m = half + 1 + usize::from(at(half + 1) == b'.');
        matches!(at(half), b'a' | b'p') && at(m) == b'm' && !at(m + 1).is_ascii_alphanumeric()
    })
}

fn part_of(word: &str) -> Part {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return match word.len() {
            1 | 2 => Part::Number,
            4 if word.starts_with("19") || word.starts_with("20") => Part::Year,
            _ => Part::Other,
        };
    }
    let ordinal = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = ordinal.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && matches!(ordinal.len(), 1 | 2) && word.len() == ordinal.len() + 2 {
        return Part::Number; // 16th
    }
    let lower = word.to_ascii_lowercase();
    let is_month = lower.len() > 2 && MONTHS.iter().any(|month| month.starts_with(&lower));
    if is_month || lower == "sept" {
        Part::Month
    } else {
        Part::Other
    }
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
    fn days_are_named_in_many_ways() {
        for text in [
            "Jan. 16",
            "16 January",
            "March 2018",
            "Tuesday, May 8th, 2019 at 6",
            "2018-01-16",
            "16.1.2018",
            "1/16/2018",
            "27 de enero de 2026",
            "27. januar 2026",
        ] {
            assert!(names_day(text), "{text}");
        }
        for text in ["may be 3 of them", "in 2018", "3 cups of milk", "call 555 0199", "", "§ 12 a"]
        {
            assert!(!names_day(text), "{text}");
        }
    }

    #[test]
    fn days_may_stand_in_two_texts_and_times_are_seen() {
        assert_eq!(text_days(&["Apr", "22", "Apr", "23"]), [true, false, true, false]);
        assert_eq!(
            text_days(&["2018", "09", "Jan", "Nov", "19, 2020"]),
            [false, true, false, true, false]
        );
        for text in ["at 9:30", "7 p.m.", "6pm-8pm", "09:00AM"] {
            assert!(names_clock(text), "{text}");
        }
        for text in ["9 apples", "ratio 3:1", "", "5 amber"] {
            assert!(!names_clock(text), "{text}");
        }
    }

    #[test]
    fn words_are_found_in_any_case_and_end_where_they_must() {
        let word = |letters: &str, ends| Word { letters: letters.into(), ends };
        let words = Words::new(vec![word("nav", false), word("tab", true)]).unwrap();
        assert!(words.any_in("topNavigation") && words.any_in("x tab") && words.any_in("tab-1"));
        assert!(!words.any_in("table") && !words.any_in("") && !words.any_in("tab_x"));
        assert!(Words::new(vec![word("", false)]).is_err());
    }
}
