//! Two changes of one text as one.

use super::model::{Edit, TextChange};
use super::text_edit::{apply, invert};

/// `first` and then `second`; `None` if they do not fit.
pub fn compose(first: &TextChange, second: &TextChange) -> Option<TextChange> {
    match (first, second) {
        (TextChange::Whole { old, new }, change) => {
            Some(TextChange::Whole { old: old.clone(), new: apply(change, new)? })
        }
        (change, TextChange::Whole { old, new }) => {
            Some(TextChange::Whole { old: apply(&invert(change), old)?, new: new.clone() })
        }
        (TextChange::Edits(first), TextChange::Edits(second)) => {
            edits(first, second).map(TextChange::Edits)
        }
    }
}

/// Whether nothing changes.
pub fn is_nothing(change: &TextChange) -> bool {
    match change {
        TextChange::Whole { old, new } => old == new,
        TextChange::Edits(edits) => edits.iter().all(|edit| edit.old == edit.new),
    }
}

/// A part of the middle text: kept characters (none: all the rest), or a piece with what it was and
/// what it becomes.
enum Part<'e> {
    Keep(Option<u64>),
    Piece(&'e str, &'e str),
}

/// Edits as parts that cover the whole text; `at` counts in the text they apply to.
fn parts(edits: &[Edit]) -> Option<Vec<Part<'_>>> {
    let mut parts = Vec::with_capacity(edits.len() * 2 + 1);
    let mut at = 0u64;
    for edit in edits {
        parts.push(Part::Keep(Some(edit.at.checked_sub(at)?)));
        parts.push(Part::Piece(&edit.old, &edit.new));
        at = edit.at.checked_add(edit.old.chars().count() as u64)?;
    }
    parts.push(Part::Keep(None));
    Some(parts)
}

/// Walks over the middle text with both lists at once.
fn edits(first: &[Edit], second: &[Edit]) -> Option<Vec<Edit>> {
    let (first, second) = (parts(first)?, parts(second)?);
    let (mut out, mut old, mut new) = (Vec::new(), String::new(), String::new());
    // the old text up to here, and where the open edit began
    let (mut at, mut start) = (0u64, 0u64);
    let mut left = Walk::new(&first);
    let mut right = Walk::new(&second);
    loop {
        if let Some((was, _)) = left.begin() {
            old.push_str(was);
            at += was.chars().count() as u64;
        }
        if let Some((_, becomes)) = right.begin() {
            new.push_str(becomes);
        }
        // characters of the middle text that both see in one way
        let (a, b) = (left.remaining(false), right.remaining(true));
        if a == Some(0) || b == Some(0) {
            if a == Some(0) {
                left.next();
            }
            if b == Some(0) {
                right.next();
            }
            continue;
        }
        let step = match (a, b) {
            (Some(a), Some(b)) => a.min(b),
            (Some(n), None) | (None, Some(n)) => n,
            (None, None) => break,
        };
        match (left.take(step, false), right.take(step, true)) {
            (None, None) => {
                flush(&mut out, start, &mut old, &mut new);
                at += step;
                start = at;
            }
            (None, Some(piece)) => {
                old.push_str(piece);
                at += step;
            }
            (Some(piece), None) => new.push_str(piece),
            (Some(made), Some(taken)) if made == taken => {}
            _ => return None,
        }
    }
    flush(&mut out, start, &mut old, &mut new);
    Some(out)
}

fn flush(out: &mut Vec<Edit>, at: u64, old: &mut String, new: &mut String) {
    let (old, new) = (std::mem::take(old), std::mem::take(new));
    if old != new {
        out.push(Edit { at, old, new });
    }
}

/// A place in a list of parts.
struct Walk<'p, 'e> {
    parts: &'p [Part<'e>],
    number: usize,
    /// Characters of the middle text that are done of this part, and their bytes.
    done: u64,
    bytes: usize,
    has_begun: bool,
}

impl<'p, 'e> Walk<'p, 'e> {
    fn new(parts: &'p [Part<'e>]) -> Self {
        Walk { parts, number: 0, done: 0, bytes: 0, has_begun: false }
    }

    /// Old and new of a piece, once, when it is reached.
    fn begin(&mut self) -> Option<(&'e str, &'e str)> {
        match self.parts.get(self.number) {
            Some(&Part::Piece(old, new)) if !std::mem::replace(&mut self.has_begun, true) => {
                Some((old, new))
            }
            _ => None,
        }
    }

    /// What is left of this part in the middle text, which is the old side of the second list and
    /// the new side of the first.
    fn remaining(&self, is_second: bool) -> Option<u64> {
        match self.parts.get(self.number) {
            Some(Part::Keep(length)) => length.map(|length| length - self.done),
            Some(Part::Piece(old, new)) => {
                Some((if is_second { old } else { new }).chars().count() as u64 - self.done)
            }
            None => None,
        }
    }

    /// Goes on by so many characters; the text, where it is known.
    fn take(&mut self, step: u64, is_second: bool) -> Option<&'e str> {
        self.done += step;
        match self.parts.get(self.number) {
            Some(&Part::Piece(old, new)) => {
                let rest = &(if is_second { old } else { new })[self.bytes..];
                let length = rest.chars().take(step as usize).map(char::len_utf8).sum::<usize>();
                self.bytes += length;
                Some(&rest[..length])
            }
            _ => None,
        }
    }

    fn next(&mut self) {
        *self = Walk {
            parts: self.parts,
            number: self.number + 1,
            done: 0,
            bytes: 0,
            has_begun: false,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::text_edit::change;
    use super::*;

    proptest! {
        #[test]
        fn two_changes_are_one(a in "[ab é]{0,40}", b in "[ab é]{0,40}", c in "[ab é]{0,40}") {
            let (first, second) = (change(&a, &b, 0), change(&b, &c, 0));
            let both = compose(&first, &second).unwrap();
            prop_assert_eq!(apply(&both, &a).unwrap(), c.clone());
            prop_assert_eq!(apply(&invert(&both), &c).unwrap(), a);
        }
    }
}
