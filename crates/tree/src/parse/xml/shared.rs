//! What every stage of reading a document works with: the tree in the making, the names, the
//! limits.

use super::cursor::{Cursor, Step};
use super::dtd::Budget;
use super::qnames::QNames;
use crate::limits::Limits;
use crate::tree::{Builder, Kind, Problem, Span, NO_NAME};
use crate::watch::Watch;

/// How many problems are kept; all are counted.
const PROBLEMS: usize = 1000;
/// Steps between two looks at the watch.
const TICKS: u32 = 1 << 12;

/// The state of one parse. While reading, the `line` column and the lines of problems hold bytes of
/// the document.
pub struct Shared<'w> {
    pub builder: Builder,
    pub names: QNames,
    pub budget: Budget,
    pub limits: Limits,
    /// Whether names are resolved to namespaces.
    pub namespaces: bool,
    pub watch: &'w dyn Watch,
    pub ticks: u32,
}

impl Shared<'_> {
    /// One step; now and then the watch is asked.
    #[inline]
    pub fn tick(&mut self) -> Step<()> {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(TICKS) {
            self.watch.check()?;
        }
        Ok(())
    }

    /// Notes something that is not lost but not read either. `at` is a byte of the document.
    #[cold]
    pub fn problem(&mut self, at: usize, message: String) {
        let meta = self.builder.meta_mut();
        meta.problem_count += 1;
        if meta.problems.len() < PROBLEMS {
            meta.problems.push(Problem { line: at as u32, message });
        }
    }

    /// A comment whose `<!--` has been read. `place` is `None` in the document itself, else a byte
    /// of it.
    pub fn comment(&mut self, cursor: &mut Cursor<'_>, place: Option<usize>) -> Step<()> {
        let opened = cursor.pos - 4;
        let (start, end) = cursor.comment()?;
        self.leaf(Kind::Comment, NO_NAME, cursor, (opened, start, end), place)
    }

    /// A processing instruction whose `<?` has been read.
    pub fn instruction(&mut self, cursor: &mut Cursor<'_>, place: Option<usize>) -> Step<()> {
        let opened = cursor.pos - 2;
        let (target, start, end) = cursor.instruction(self.namespaces)?;
        let name = self.builder.intern("", "", target);
        self.builder.names().check_size()?;
        self.leaf(Kind::Instruction, name, cursor, (opened, start, end), place)
    }

    fn leaf(
        &mut self,
        kind: Kind,
        name: u32,
        cursor: &Cursor<'_>,
        (opened, start, end): (usize, usize, usize),
        place: Option<usize>,
    ) -> Step<()> {
        self.tick()?;
        match place {
            None => self.builder.leaf_at(
                kind,
                name,
                Span { start: start as u32, len: (end - start) as u32 },
                opened as u32,
                0,
            )?,
            Some(place) => {
                self.builder.leaf(kind, name, &cursor.text[start..end], place as u32, 0)?
            }
        };
        Ok(())
    }
}
