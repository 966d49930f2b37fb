//! How one text became another: in full, or as edits inside it.

use super::model::{Edit, TextChange};

/// Edits nearer to each other than this many characters are one edit.
const JOIN: usize = 20;

/// Texts with more words than this are compared only by what they share at both ends.
const MOST_WORDS: usize = 4000;

/// The shorter way to say how `old` became `new`; texts of fewer than `inner_from` bytes are always
/// given in full.
pub fn change(old: &str, new: &str, inner_from: usize) -> TextChange {
    let whole = || TextChange::Whole { old: old.to_string(), new: new.to_string() };
    if old.len().max(new.len()) < inner_from {
        return whole();
    }
    let edits = edits(old, new);
    // the bytes each way takes in the XML form, which is the largest: tags, ` at="123"`, pieces
    let tags = |text: &str| if text.is_empty() { 0 } else { text.len() + 15 };
    let cost: usize = edits.iter().map(|edit| 9 + tags(&edit.old) + tags(&edit.new)).sum();
    if cost < old.len() + new.len() + 30 {
        TextChange::Edits(edits)
    } else {
        whole()
    }
}

/// The new text, from the old one and the change; `None` if the old text is not the one the change
/// was made for.
pub fn apply(change: &TextChange, text: &str) -> Option<String> {
    match change {
        TextChange::Whole { old, new } => (old == text).then(|| new.clone()),
        TextChange::Edits(edits) => {
            let mut out = String::with_capacity(text.len());
            let mut rest = text;
            let mut at = 0u64;
            for edit in edits {
                let skip = edit.at.checked_sub(at)?;
                let cut = byte_of(rest, skip)?;
                out.push_str(&rest[..cut]);
                rest = rest[cut..].strip_prefix(edit.old.as_str())?;
                out.push_str(&edit.new);
                at = edit.at + edit.old.chars().count() as u64;
            }
            out.push_str(rest);
            Some(out)
        }
    }
}

/// The change that leads back.
pub fn invert(change: &TextChange) -> TextChange {
    match change {
        TextChange::Whole { old, new } => TextChange::Whole { old: new.clone(), new: old.clone() },
        TextChange::Edits(edits) => {
            let mut shift = 0i128;
            let turn = |edit: &Edit| {
                let at = (i128::from(edit.at) + shift).max(0) as u64;
                shift += edit.new.chars().count() as i128 - edit.old.chars().count() as i128;
                Edit { at, old: edit.new.clone(), new: edit.old.clone() }
            };
            TextChange::Edits(edits.iter().map(turn).collect())
        }
    }
}

fn byte_of(text: &str, characters: u64) -> Option<usize> {
    if characters == 0 {
        return Some(0);
    }
    let mut indices = text.char_indices();
    // nth(k) is the character after k others; one past the last is the end
    indices.nth(usize::try_from(characters).ok()? - 1).map(|(at, c)| at + c.len_utf8())
}

/// Edits that turn `old` into `new`: words compared by a longest common subsequence, near ones
/// joined, trimmed by character.
fn edits(old: &str, new: &str) -> Vec<Edit> {
    let prefix = common_prefix(old, new);
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = common_suffix(old_rest, new_rest);
    let (old_middle, new_middle) =
        (&old_rest[..old_rest.len() - suffix], &new_rest[..new_rest.len() - suffix]);
    let (old_words, new_words) = (words(old_middle), words(new_middle));
    let gaps = if old_words.len().max(new_words.len()) > MOST_WORDS {
        vec![(0..old_words.len(), 0..new_words.len())]
    } else {
        crate::text_edit::lcs_gaps(&old_words, &new_words)
    };
    let byte = |words: &[&str], whole: &str, number: usize| {
        words
            .get(number)
            .map_or(whole.len(), |word| word.as_ptr() as usize - whole.as_ptr() as usize)
    };
    // pieces of the middle, as byte spans of both texts
    let mut pieces: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (a, b) in gaps {
        let piece = (
            byte(&old_words, old_middle, a.start),
            byte(&old_words, old_middle, a.end),
            byte(&new_words, new_middle, b.start),
            byte(&new_words, new_middle, b.end),
        );
        match pieces.last_mut() {
            Some(last) if piece.0 - last.1 < JOIN => (last.1, last.3) = (piece.1, piece.3),
            _ => pieces.push(piece),
        }
    }
    let mut edits = Vec::with_capacity(pieces.len());
    let mut counted = (0, old[..prefix].chars().count() as u64);
    for (mut a, mut b, mut c, mut d) in pieces {
        let shared = common_prefix(&old_middle[a..b], &new_middle[c..d]);
        (a, c) = (a + shared, c + shared);
        let shared = common_suffix(&old_middle[a..b], &new_middle[c..d]);
        (b, d) = (b - shared, d - shared);
        counted = (a, counted.1 + old_middle[counted.0..a].chars().count() as u64);
        if a == b && c == d {
            continue;
        }
        edits.push(Edit {
            at: counted.1,
            old: old_middle[a..b].to_string(),
            new: new_middle[c..d].to_string(),
        });
    }
    edits
}

pub(super) fn common_prefix(left: &str, right: &str) -> usize {
    let mut shared = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    while !left.is_char_boundary(shared) || !right.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

pub(super) fn common_suffix(left: &str, right: &str) -> usize {
    let mut shared =
        left.bytes().rev().zip(right.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !left.is_char_boundary(left.len() - shared)
        || !right.is_char_boundary(right.len() - shared)
    {
        shared -= 1;
    }
    shared
}

/// Words and what stands between them, as slices that cover the text.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last: Option<bool> = None;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric();
        if last.is_some_and(|before| before != is_word || !is_word) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(is_word);
    }
    if start < text.len() {
        pieces.push(&text[start..]);
    }
    pieces
}

/// The gaps between the words of a longest common subsequence, as ranges of both sides; Myers'
/// greedy algorithm, bounded.
pub(crate) fn lcs_gaps(
    old: &[&str],
    new: &[&str],
) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let (n, m) = (old.len() as isize, new.len() as isize);
    let most = (n + m).min(600);
    let offset = most + 1;
    let mut furthest = vec![0isize; (2 * most + 3) as usize];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    let mut reached = None;
    'search: for d in 0..=most {
        trace.push(furthest.clone());
        let mut k = -d;
        while k <= d {
            let down = k == -d
                || (k != d
                    && furthest[(offset + k - 1) as usize] < furthest[(offset + k + 1) as usize]);
            let mut x = if down {
                furthest[(offset + k + 1) as usize]
            } else {
                furthest[(offset + k - 1) as usize] + 1
            };
            let mut y = x - k;
            while x < n && y < m && old[x as usize] == new[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[(offset + k) as usize] = x;
            if x >= n && y >= m {
                reached = Some(d);
                break 'search;
            }
            k += 2;
        }
    }
    let Some(steps) = reached else { return vec![(0..old.len(), 0..new.len())] };
    // walk back, noting single steps; then join steps that touch
    let (mut x, mut y) = (n, m);
    let mut changed: Vec<(isize, isize, isize, isize)> = Vec::new();
    for d in (1..=steps).rev() {
        let furthest = &trace[d as usize];
        let k = x - y;
        let down = k == -d
            || (k != d
                && furthest[(offset + k - 1) as usize] < furthest[(offset + k + 1) as usize]);
        let before_k = if down { k + 1 } else { k - 1 };
        let before_x = furthest[(offset + before_k) as usize];
        let before_y = before_x - before_k;
        changed.push(if down {
            (before_x, before_x, before_y, before_y + 1)
        } else {
            (before_x, before_x + 1, before_y, before_y)
        });
        (x, y) = (before_x, before_y);
    }
    changed.reverse();
    let mut gaps: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> = Vec::new();
    for (a, b, c, d) in changed {
        match gaps.last_mut() {
            Some((left, right)) if left.end == a as usize && right.end == c as usize => {
                (left.end, right.end) = (b as usize, d as usize)
            }
            _ => gaps.push((a as usize..b as usize, c as usize..d as usize)),
        }
    }
    gaps
}
