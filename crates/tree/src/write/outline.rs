//! An outline for people: one line an element, `div#main.content`, with its text cut and in quotes.
//!
//! ```text
//! ul#menu
//!   li.item ×24
//!     a "Home"
//! ```
//!
//! Blank texts are left out; an element that holds nothing but one text has it in its own line.
//! Characters that would disturb a terminal (controls, direction marks) are escaped, so that a page
//! cannot write on the screen what it likes.

use std::hash::Hasher;

use rapidhash::fast::RapidHasher;

use crate::error::Result;
use crate::limits::Limits;
use crate::tree::{Format, Kind, Tree};
use crate::watch::Watch;

/// How an outline is written.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Levels below the first line that are shown; the rest is counted.
    pub depth: Option<u32>,
    /// Whether a run of siblings of one structure is shown once, with its number.
    pub fold: bool,
    /// Whether attributes other than `id` and `class` are shown.
    pub attributes: bool,
    /// Columns of a line beyond its indentation.
    pub width: usize,
}

impl Options {
    /// All levels, nothing folded; attributes where the tree is XML, which has no classes to go by.
    pub fn for_tree(tree: &Tree) -> Self {
        Options {
            depth: None,
            fold: false,
            attributes: tree.meta().format == Format::Xml,
            width: 100,
        }
    }
}

/// Deeper lines are not indented further, but begin with their level.
const DEEPEST_INDENT: u32 = 40;

/// Columns that a value may take.
const VALUE_WIDTH: usize = 40;

/// A run of at least so many siblings is folded.
const SHORTEST_RUN: usize = 3;

/// Writes the outline of the subtree of node `index`; the last line has no end.
pub fn write(
    tree: &Tree,
    index: usize,
    options: &Options,
    limits: &Limits,
    watch: &dyn Watch,
) -> Result<String> {
    let shapes = if options.fold { shapes(tree, index, options, watch)? } else { Vec::new() };
    let mut out = String::new();
    // the document itself has no line: its children stand at the margin
    let is_document = tree.kind(index) == Kind::Document;
    let margin = tree.depth(index) + u32::from(is_document);
    let mut i = index + usize::from(is_document);
    // behind the first of a folded run comes what stands behind the run
    let mut jumps: Vec<(usize, usize)> = Vec::new();
    let mut steps = 0u32;
    while i < tree.end(index) {
        steps += 1;
        if steps.is_multiple_of(8192) {
            watch.check()?;
            Limits::check("memory", limits.memory, out.len() as u64)?;
        }
        if let Some((_, behind)) = jumps.pop_if(|&mut (at, _)| at <= i) {
            i = behind;
            continue;
        }
        if is_blank(tree, i) {
            i += 1;
            continue;
        }
        let level = tree.depth(i) - margin;
        let mut line = Line::new(&mut out, level, options.width);
        line.label(tree, i, options.attributes);
        let run = if options.fold && i > index {
            Run::at(tree, i, &shapes[i - index..])
        } else {
            Run { length: 1, end: tree.end(i) }
        };
        if run.length >= SHORTEST_RUN {
            line.push(&format!(" ×{}", run.length));
            jumps.push((tree.end(i), run.end));
        }
        let inside = tree.end(i) - i - 1;
        if let Some(text) = only_text(tree, i) {
            line.quoted(tree.text(text));
            i = tree.end(i);
        } else if inside > 0 && options.depth.is_some_and(|depth| level >= depth) {
            line.push(&format!(" … {inside} nodes"));
            i = tree.end(i);
        } else {
            i += 1;
        }
    }
    Ok(out)
}

/// Siblings of one structure, blank texts between them left aside.
struct Run {
    length: usize,
    end: usize,
}

impl Run {
    /// The run that begins at node `i`, whose shape is the first of `shapes`.
    fn at(tree: &Tree, i: usize, shapes: &[u64]) -> Run {
        let mut run = Run { length: 1, end: tree.end(i) };
        let mut next = tree.next_sibling(i);
        while let Some(sibling) = next.filter(|_| tree.kind(i) == Kind::Element) {
            if !is_blank(tree, sibling) {
                if shapes[sibling - i] != shapes[0] {
                    break;
                }
                run = Run { length: run.length + 1, end: tree.end(sibling) };
            }
            next = tree.next_sibling(sibling);
        }
        run
    }
}

/// For each node of the subtree a number for its structure: labels without texts, blank texts left
/// out.
fn shapes(tree: &Tree, index: usize, options: &Options, watch: &dyn Watch) -> Result<Vec<u64>> {
    let mut shapes = vec![0; tree.end(index) - index];
    let mut label = String::new();
    for i in (index..tree.end(index)).rev() {
        if i % 8192 == 0 {
            watch.check()?;
        }
        let mut hasher = RapidHasher::default();
        hasher.write_u8(tree.kind(i) as u8);
        if tree.kind(i) == Kind::Element {
            label.clear();
            Line { out: &mut label, left: usize::MAX }.label(tree, i, options.attributes);
            hasher.write(label.as_bytes());
            for child in tree.children(i).filter(|&child| !is_blank(tree, child)) {
                hasher.write_u64(shapes[child - index]);
            }
        }
        shapes[i - index] = hasher.finish();
    }
    Ok(shapes)
}

fn is_blank(tree: &Tree, i: usize) -> bool {
    tree.kind(i) == Kind::Text && tree.text(i).bytes().all(|b| b.is_ascii_whitespace())
}

/// The one text of an element that holds nothing else but blanks.
fn only_text(tree: &Tree, i: usize) -> Option<usize> {
    let mut inside = tree.children(i).filter(|&child| !is_blank(tree, child));
    let first = inside.next().filter(|&child| tree.kind(child) == Kind::Text)?;
    inside.next().is_none().then_some(first)
}

/// A line in the making, and the columns it has left.
struct Line<'o> {
    out: &'o mut String,
    left: usize,
}

impl<'o> Line<'o> {
    fn new(out: &'o mut String, level: u32, width: usize) -> Self {
        if !out.is_empty() {
            out.push('\n');
        }
        out.extend(std::iter::repeat_n("  ", level.min(DEEPEST_INDENT) as usize));
        if level > DEEPEST_INDENT {
            out.push_str(&format!("[{level}] "));
        }
        Line { out, left: width }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.left = self.left.saturating_sub(text.chars().map(width).sum());
    }

    /// What a node is, without what it holds.
    fn label(&mut self, tree: &Tree, i: usize, attributes: bool) {
        let name = tree.names().qualified(tree.name(i));
        match tree.kind(i) {
            Kind::Element => {
                self.shown(&name, VALUE_WIDTH);
                if let Some(id) = tree.attribute(i, "id").filter(|id| !id.trim().is_empty()) {
                    self.push("#");
                    self.shown(id.trim(), VALUE_WIDTH);
                }
                for class in tree.attribute(i, "class").unwrap_or("").split_ascii_whitespace() {
                    if self.left < 8 {
                        self.push("…");
                        break;
                    }
                    self.push(".");
                    self.shown(class, VALUE_WIDTH);
                }
                if attributes {
                    self.attributes(tree, i);
                }
            }
            Kind::Text => self.quoted(tree.text(i)),
            Kind::Comment => self.between("<!-- ", tree.text(i).trim(), " -->"),
            Kind::Instruction => self.between(&format!("<?{name} "), tree.text(i), "?>"),
            Kind::Doctype => self.between("<!doctype ", &name, ">"),
            Kind::Document => self.push("#document"),
        }
    }

    fn attributes(&mut self, tree: &Tree, i: usize) {
        for a in tree.attributes(i) {
            let name = tree.names().qualified(tree.attr_name(a));
            if matches!(name.as_str(), "id" | "class") {
                continue;
            }
            if self.left < 12 {
                self.push(" …");
                return;
            }
            self.push(" [");
            self.shown(&name, VALUE_WIDTH);
            self.push("=");
            self.shown(tree.attr_value(a), VALUE_WIDTH);
            self.push("]");
        }
    }

    /// A text in quotes, cut to the columns that are left but never to nothing.
    fn quoted(&mut self, text: &str) {
        let before = if self.out.is_empty() || self.out.ends_with(['\n', ' ']) { "" } else { " " };
        self.push(before);
        self.push("\"");
        self.shown(text, self.left.saturating_sub(1).max(20));
        self.push("\"");
    }

    fn between(&mut self, before: &str, text: &str, after: &str) {
        self.shown(before, VALUE_WIDTH);
        self.shown(text, self.left.saturating_sub(after.len()).max(20));
        self.push(after);
    }

    /// `text` with runs of blanks as one, what would disturb a terminal escaped, and cut to
    /// `columns`.
    fn shown(&mut self, text: &str, columns: usize) {
        let mut used = 0;
        let mut after_blank = false;
        for c in text.chars() {
            if c.is_whitespace() {
                if after_blank {
                    continue;
                }
                after_blank = true;
            } else {
                after_blank = false;
            }
            let is_plain = !c.is_control()
                && !matches!(c, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}'
                    | '\u{2066}'..='\u{2069}' | '\u{FEFF}');
            let piece = if c.is_whitespace() {
                " ".to_string()
            } else if is_plain {
                c.to_string()
            } else {
                c.escape_unicode().to_string()
            };
            let wide: usize = piece.chars().map(width).sum();
            if used + wide > columns.saturating_sub(1) {
                self.push("…");
                return;
            }
            used += wide;
            self.push(&piece);
        }
    }
}

/// Columns of a character on a terminal: two for East Asian wide ones and pictures, none for those
/// that combine. Near enough for cutting lines.
fn width(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36F}'
        | '\u{200B}'..='\u{200D}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{20D0}'..='\u{20FF}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{303E}'
        | '\u{3041}'..='\u{A4CF}'
        | '\u{A960}'..='\u{A97F}'
        | '\u{AC00}'..='\u{D7A3}' => 2,
        '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}' => 2,
        '\u{1F300}'..='\u{1F64F}'
        | '\u{1F680}'..='\u{1F6FF}'
        | '\u{1F900}'..='\u{1F9FF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::sample::{build, steps};
    use crate::watch::Unwatched;

    fn outline(html: &str, options: impl Fn(&mut Options)) -> String {
        let tree =
            crate::parse::html::parse(html, &Default::default(), Limits::default(), &Unwatched)
                .unwrap();
        let mut chosen = Options::for_tree(&tree);
        options(&mut chosen);
        write(&tree, 0, &chosen, &Limits::default(), &Unwatched).unwrap()
    }

    #[test]
    fn an_outline_reads_like_a_page() {
        let page = "<!doctype html><title>A  page</title><div id=main class='content wide'>\n \
         <p>Hello <b>you</b><!-- c --></div>";
        let expected = "<!doctype html>\nhtml\n  head\n    title \"A page\"\n  body\n    \
         div#main.content.wide\n      p\n        \"Hello \"\n        b \"you\"\n        <!-- c -->";
        assert_eq!(outline(page, |_| {}), expected);
    }

    #[test]
    fn runs_are_folded_and_depth_is_cut() {
        let page = format!(
            "<ul>{}</ul><ol>{}</ol>",
            "<li class=x><a href=q>a</a> b</li>\n".repeat(24),
            "<li>c</li>".repeat(2)
        );
        let folded = outline(&page, |options| options.fold = true);
        let lists = "ul\n      li.x ×24\n        a \"a\"\n        \" b\"\n    \
            ol\n      li \"c\"\n      li \"c\"";
        assert!(folded.contains(lists), "{folded}");
        assert_eq!(
            outline(&page, |options| options.depth = Some(1)),
            "html\n  head\n  body … 126 nodes"
        );
    }

    #[test]
    fn a_page_cannot_write_on_the_screen() {
        let text = outline("<p>\u{1b}[2J\u{202e}abc</p>", |_| {});
        assert!(text.ends_with("p \"\\u{1b}[2J\\u{202e}abc\""), "{text}");
    }

    #[test]
    fn lines_are_cut_by_columns() {
        let text =
            outline(&format!("<p>{}</p>", "椅子".repeat(100)), |options| options.width = 40);
        let line = text.lines().last().unwrap().trim_start();
        assert!(line.ends_with("…\""), "{line}");
        assert!(line.chars().map(width).sum::<usize>() <= 41, "{line}");
    }

    proptest! {
        #[test]
        fn every_tree_has_an_outline(
            steps in steps(),
            fold: bool,
            depth in prop::option::of(0u32..4),
        ) {
            let tree = build(&steps, false);
            let options = Options { fold, depth, ..Options::for_tree(&tree) };
            for i in 0..tree.len() {
                let text = write(&tree, i, &options, &Limits::default(), &Unwatched).unwrap();
                prop_assert!(text.lines().count() <= tree.end(i) - i);
            }
        }
    }
}
