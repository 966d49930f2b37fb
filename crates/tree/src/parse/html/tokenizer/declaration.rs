//! What begins with `<!` or `<?`, but for doctypes: comments and CDATA sections.

use html5ever::tendril::StrTendril;
use memchr::{memchr, memmem};

use super::{Consumer, Content, Tokenizer};

impl Tokenizer<'_> {
    /// 13.2.5.42: what follows `<!`.
    pub(super) fn declaration(&mut self, out: &mut impl Consumer) {
        let open = self.at;
        let rest = &self.bytes[open + 2..];
        if rest.starts_with(b"--") {
            self.comment(open, out);
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            self.doctype(open, out);
        } else if rest.starts_with(b"[CDATA[") && out.is_in_foreign_content() {
            self.at = open + 9;
            self.content = Content::Cdata;
        } else {
            let code = if rest.starts_with(b"[CDATA[") {
                "cdata-in-html-content"
            } else {
                "incorrectly-opened-comment"
            };
            out.problem(code, open);
            self.bogus_comment(open, open + 2, out);
        }
    }

    /// 13.2.5.41: a comment up to the next `>`.
    pub(super) fn bogus_comment(&mut self, open: usize, start: usize, out: &mut impl Consumer) {
        let end =
            memchr(b'>', &self.bytes[start..]).map_or(self.bytes.len(), |found| start + found);
        let text = self.slice_without_null(start, end, out);
        out.comment(text, open);
        self.at = (end + 1).min(self.bytes.len());
    }

    /// 13.2.5.43 to 13.2.5.52: `<!--` to `-->` or what stands in for it.
    fn comment(&mut self, open: usize, out: &mut impl Consumer) {
        let start = open + 4;
        let rest = &self.bytes[start..];
        if let Some(end) = [&b">"[..], b"->"].into_iter().find(|end| rest.starts_with(end)) {
            out.problem("abrupt-closing-of-empty-comment", start);
            out.comment(StrTendril::new(), open);
            self.at = start + end.len();
            return;
        }
        let close = close_of(rest);
        let (length, end) = match close {
            Some((length, mark)) => (length, length + mark.len()),
            // the dashes of an end that does not come are no part of it
            None => {
                let dashes = [&b"--!"[..], b"--", b"-"].into_iter().find(|end| rest.ends_with(end));
                (rest.len() - dashes.map_or(0, <[u8]>::len), rest.len())
            }
        };
        self.nested_comments(start, (length + 2).min(end), out);
        let text = self.slice_without_null(start, start + length, out);
        match close {
            None => out.problem("eof-in-comment", self.bytes.len()),
            Some((_, b"--!>")) => out.problem("incorrectly-closed-comment", start + length),
            Some(_) => {}
        }
        out.comment(text, open);
        self.at = start + end;
    }

    /// 13.2.5.49: a `<!--` inside a comment is a problem unless the comment ends with it.
    fn nested_comments(&mut self, start: usize, length: usize, out: &mut impl Consumer) {
        let bytes = self.bytes;
        for found in memmem::find_iter(&bytes[start..start + length], b"<!--") {
            if self.byte(start + found + 4).is_some_and(|next| next != b'>') {
                out.problem("nested-comment", start + found);
            }
        }
    }

    /// 13.2.5.69: characters up to `]]>`.
    pub(super) fn cdata(&mut self, out: &mut impl Consumer) {
        let start = self.at;
        let close = memmem::find(&self.bytes[start..], b"]]>").map(|found| start + found);
        let end = close.unwrap_or(self.bytes.len());
        let mut from = start;
        while from < end {
            let null = memchr(0, &self.bytes[from..end]).map_or(end, |found| from + found);
            if null > from {
                out.text(self.slice(from, null), from);
            }
            if null < end {
                out.null(null);
            }
            from = null + 1;
        }
        self.at = end;
        if close.is_some() {
            self.at = end + 3;
            self.content = Content::Data;
        }
    }
}

/// Where the text of a comment ends, and with what.
fn close_of(rest: &[u8]) -> Option<(usize, &'static [u8])> {
    let dashes = memmem::Finder::new(b"--");
    let mut from = 0;
    loop {
        let found = from + dashes.find(&rest[from..])?;
        // of a row of dashes the last two count
        let after = found + rest[found..].iter().take_while(|&&b| b == b'-').count();
        for mark in [&b"-->"[..], b"--!>"] {
            if rest[after - 2..].starts_with(mark) {
                return Some((after - 2, mark));
            }
        }
        from = after;
    }
}
