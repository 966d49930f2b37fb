//! From a byte of the text to a line and a column. Nothing counts lines while reading: rows keep
//! bytes, and one pass at the end turns them into lines.

/// Line and column, both from 1, the column in characters, of byte `at` (cut to the end of the
/// text).
pub fn of(text: &str, at: usize) -> (u32, u32) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count() + 1;
    let column = before[line_start..].chars().count() + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

/// Turns bytes that never decrease into lines.
pub struct Lines<'a> {
    breaks: memchr::Memchr<'a>,
    /// The first line break that has not been passed.
    next: usize,
    line: u32,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut breaks = memchr::memchr_iter(b'\n', text.as_bytes());
        let next = breaks.next().unwrap_or(usize::MAX);
        Lines { breaks, next, line: 1 }
    }

    /// The line of byte `at`, which must not be smaller than the one asked for before.
    #[inline]
    pub fn of(&mut self, at: usize) -> u32 {
        while self.next < at {
            self.line += 1;
            self.next = self.breaks.next().unwrap_or(usize::MAX);
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        assert_eq!(of("", 0), (1, 1));
        assert_eq!(of("é<", 2), (1, 2));
        assert_eq!(of("a\nbc", 3), (2, 2));
        assert_eq!(of("a\nbc", usize::MAX), (2, 3));
    }

    #[test]
    fn lines_in_one_pass_agree() {
        let text = "a\n\nb\nc";
        let mut lines = Lines::new(text);
        for at in 0..=text.len() {
            assert_eq!(lines.of(at), of(text, at).0);
        }
    }
}
