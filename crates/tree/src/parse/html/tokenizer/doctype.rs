//! Doctypes (13.2.5.53 to 13.2.5.68).

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Doctype;
use memchr::memchr;

use super::{is_space, Consumer, Tokenizer};

/// The doctype is over.
struct Over {
    forces_quirks: bool,
    /// A problem still to be told.
    code: Option<&'static str>,
}

impl Over {
    fn well() -> Over {
        Over { forces_quirks: false, code: None }
    }

    fn with(code: &'static str) -> Over {
        Over { forces_quirks: true, code: Some(code) }
    }
}

/// The words for what can be wrong with one of the two identifiers.
struct Codes {
    no_space: &'static str,
    missing: &'static str,
    no_quote: &'static str,
    cut_off: &'static str,
}

const PUBLIC: Codes = Codes {
    no_space: "missing-whitespace-after-doctype-public-keyword",
    missing: "missing-doctype-public-identifier",
    no_quote: "missing-quote-before-doctype-public-identifier",
    cut_off: "abrupt-doctype-public-identifier",
};

const SYSTEM: Codes = Codes {
    no_space: "missing-whitespace-after-doctype-system-keyword",
    missing: "missing-doctype-system-identifier",
    no_quote: "missing-quote-before-doctype-system-identifier",
    cut_off: "abrupt-doctype-system-identifier",
};

impl Tokenizer<'_> {
    /// A doctype whose `<` is at `open`.
    pub(super) fn doctype(&mut self, open: usize, out: &mut impl Consumer) {
        self.at = open + b"<!doctype".len();
        let mut doctype = Doctype::default();
        let over = self.doctype_parts(&mut doctype, out);
        if let Some(code) = over.code {
            out.problem(code, self.at);
        }
        doctype.force_quirks = over.forces_quirks;
        out.doctype(doctype, open);
    }

    /// Everything up to and with the `>`.
    fn doctype_parts(&mut self, doctype: &mut Doctype, out: &mut impl Consumer) -> Over {
        match self.try_doctype_parts(doctype, out) {
            Err(over) => over,
            Ok(()) => {
                // alone among the problems of a doctype this one does not force quirks mode
                out.problem("unexpected-character-after-doctype-system-identifier", self.at);
                self.skip_bogus(out);
                Over::well()
            }
        }
    }

    fn try_doctype_parts(
        &mut self,
        doctype: &mut Doctype,
        out: &mut impl Consumer,
    ) -> Result<(), Over> {
        // doctype, before doctype name
        if self.byte(self.at).is_some_and(|byte| !is_space(byte) && byte != b'>') {
            out.problem("missing-whitespace-before-doctype-name", self.at);
        }
        self.skip_space();
        if self.end_or_eof().map_err(|_| Over::with("eof-in-doctype"))? {
            return Err(Over::with("missing-doctype-name"));
        }
        // doctype name
        let start = self.at;
        self.at += self.bytes[start..].iter().take_while(|&&b| !is_space(b) && b != b'>').count();
        let name = self.slice_without_null(start, self.at, out).to_ascii_lowercase();
        doctype.name = Some(StrTendril::from(name));
        // after doctype name
        self.more()?;
        let word = self.bytes.get(self.at..self.at + 6).unwrap_or_default();
        if word.eq_ignore_ascii_case(b"public") {
            self.at += 6;
            self.identifier(&PUBLIC, &mut doctype.public_id, out)?;
            // after doctype public identifier, between doctype public and system identifiers
            let had_space = self.byte(self.at).is_some_and(is_space);
            self.more()?;
            if !matches!(self.bytes[self.at], b'"' | b'\'') {
                return Err(self.bogus(SYSTEM.no_quote, out));
            }
            if !had_space {
                out.problem(
                    "missing-whitespace-between-doctype-public-and-system-identifiers",
                    self.at,
                );
            }
            self.quoted_identifier(SYSTEM.cut_off, &mut doctype.system_id, out)?;
        } else if word.eq_ignore_ascii_case(b"system") {
            self.at += 6;
            self.identifier(&SYSTEM, &mut doctype.system_id, out)?;
        } else {
            return Err(self.bogus("invalid-character-sequence-after-doctype-name", out));
        }
        // after doctype system identifier
        self.more()
    }

    /// Past white space to what else there is before the `>`.
    fn more(&mut self) -> Result<(), Over> {
        self.skip_space();
        match self.end_or_eof() {
            Err(()) => Err(Over::with("eof-in-doctype")),
            Ok(true) => Err(Over::well()),
            Ok(false) => Ok(()),
        }
    }

    /// Takes a `>` and says whether there was one; an error is the end of the document.
    fn end_or_eof(&mut self) -> Result<bool, ()> {
        let is_end = self.byte(self.at).ok_or(())? == b'>';
        self.at += usize::from(is_end);
        Ok(is_end)
    }

    /// After a keyword: an identifier in quotes.
    fn identifier(
        &mut self,
        codes: &Codes,
        id: &mut Option<StrTendril>,
        out: &mut impl Consumer,
    ) -> Result<(), Over> {
        let had_space = self.byte(self.at).is_some_and(is_space);
        self.skip_space();
        if self.end_or_eof().map_err(|()| Over::with("eof-in-doctype"))? {
            return Err(Over::with(codes.missing));
        }
        if !matches!(self.bytes[self.at], b'"' | b'\'') {
            return Err(self.bogus(codes.no_quote, out));
        }
        if !had_space {
            out.problem(codes.no_space, self.at);
        }
        self.quoted_identifier(codes.cut_off, id, out)
    }

    fn quoted_identifier(
        &mut self,
        cut_off: &'static str,
        id: &mut Option<StrTendril>,
        out: &mut impl Consumer,
    ) -> Result<(), Over> {
        let quote = self.bytes[self.at];
        let start = self.at + 1;
        let end =
            start + self.bytes[start..].iter().take_while(|&&b| b != quote && b != b'>').count();
        *id = Some(self.slice_without_null(start, end, out));
        self.at = (end + 1).min(self.bytes.len());
        match self.byte(end) {
            None => Err(Over::with("eof-in-doctype")),
            Some(b'>') => Err(Over::with(cut_off)),
            Some(_) => Ok(()),
        }
    }

    fn bogus(&mut self, code: &'static str, out: &mut impl Consumer) -> Over {
        out.problem(code, self.at);
        self.skip_bogus(out);
        Over { forces_quirks: true, code: None }
    }

    /// 13.2.5.68: anything up to `>`.
    fn skip_bogus(&mut self, out: &mut impl Consumer) {
        let start = self.at;
        let end =
            memchr(b'>', &self.bytes[start..]).map_or(self.bytes.len(), |found| start + found);
        if let Some(null) = memchr(0, &self.bytes[start..end]) {
            out.problem("unexpected-null-character", start + null);
        }
        self.at = (end + 1).min(self.bytes.len());
    }

    fn skip_space(&mut self) {
        while self.byte(self.at).is_some_and(is_space) {
            self.at += 1;
        }
    }
}
