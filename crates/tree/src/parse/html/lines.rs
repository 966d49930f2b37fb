//! From places in the text to lines, in one pass when all is read: counting while reading would
//! look at every newline anew for each of the small pieces between tags.

use memchr::memchr_iter;

/// Replaces places (bytes from the start) by lines (from 1). Places must not go down; one that does
/// gets the line of the one before.
pub(super) fn resolve<'p>(text: &str, places: impl Iterator<Item = &'p mut u32>) {
    let mut newlines = memchr_iter(b'\n', text.as_bytes());
    let mut next = newlines.next();
    let mut line = 1;
    for place in places {
        while next.is_some_and(|newline| newline < *place as usize) {
            line += 1;
            next = newlines.next();
        }
        *place = line;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_newline_belongs_to_the_line_it_ends() {
        let mut places = [0, 1, 2, 2, 4, 6];
        super::resolve("a\nb\n\nc", places.iter_mut());
        assert_eq!(places, [1, 1, 2, 2, 3, 4]);
    }
}
