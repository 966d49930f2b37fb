//! The "in body" insertion mode (13.2.6.4.7): which start tags leave everything open as it is and
//! put the element just there.

use super::{place, sets, Walk};
use crate::tree::HTML;

impl Walk<'_> {
    /// What keeps an HTML element from standing where it is, in a body or the like.
    pub(super) fn flow(&self, i: usize, local: &str) -> Option<&'static str> {
        if place::is_metadata(local) {
            return None;
        }
        let parent = self.path.last().map(|&parent| sets::name(self.tree, parent));
        let parent_is = |names: &[&str]| {
            parent.is_some_and(|(namespace, local)| namespace == HTML && names.contains(&local))
        };
        let ends_paragraph = sets::is_block(local)
            || matches!(
                local,
                "p" | "h1"
                    | "h2"
                    | "h3"
                    | "h4"
                    | "h5"
                    | "h6"
                    | "li"
                    | "dd"
                    | "dt"
                    | "plaintext"
                    | "hr"
                    | "xmp"
            )
            || local == "table" && !self.is_quirky;
        if ends_paragraph && self.has_in_button_scope("p") {
            return Some("an element in a p that ends it");
        }
        let has_implied_end =
            self.path.last().is_some_and(|&parent| sets::has_implied_end(self.tree, parent));
        match local {
            "html" | "head" | "body" | "frame" | "frameset" => {
                Some("an element that is only at the top")
            }
            local if place::is_structure(local) => Some("a part of a table outside one"),
            "image" => Some("image, which is read as img"),
            "svg" | "math" => Some("an HTML element with the name of a foreign one"),
            "selectedcontent" if self.has_in_path("select") => {
                Some("selectedcontent, which is filled when it is read")
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
                if parent_is(&["h1", "h2", "h3", "h4", "h5", "h6"]) =>
            {
                Some("a heading in a heading")
            }
            "li" if self.would_close(&["li"]) => Some("a list item in a list item"),
            "dd" | "dt" if self.would_close(&["dd", "dt"]) => Some("a definition in a definition"),
            "button" if self.has_in_scope("button") => Some("a button in a button"),
            "nobr" if self.has_in_scope("nobr") => Some("nobr in nobr"),
            "a" if self.has_active_link() => Some("a link in a link"),
            "select" if self.has_in_scope("select") => Some("a select in a select"),
            "input" if self.has_in_scope("select") => Some("an input in a select"),
            "hr" if self.has_in_scope("select") && has_implied_end => Some("hr in an option"),
            "option"
                if self.has_in_scope("select") && has_implied_end && !parent_is(&["optgroup"]) =>
            {
                Some("an option in an option")
            }
            "optgroup" if self.has_in_scope("select") && has_implied_end => {
                Some("an optgroup in an option")
            }
            "option" | "optgroup" if parent_is(&["option"]) => Some("an option in an option"),
            "rb" | "rtc" if self.has_in_scope("ruby") && has_implied_end => {
                Some("a part of ruby in another")
            }
            "rp" | "rt" if self.has_in_scope("ruby") && has_implied_end && !parent_is(&["rtc"]) => {
                Some("a part of ruby in another")
            }
            // the text of it goes to the end of the document
            "plaintext" if self.tree.end(i) != self.tree.len() => Some("something after plaintext"),
            _ => None,
        }
    }

    pub(super) fn has_in_path(&self, local: &str) -> bool {
        self.path.iter().any(|&open| sets::name(self.tree, open) == (HTML, local))
    }

    /// "Has an element in scope."
    fn has_in_scope(&self, local: &str) -> bool {
        self.scope(local, |_| false)
    }

    /// "Has an element in button scope."
    fn has_in_button_scope(&self, local: &str) -> bool {
        self.scope(local, |open| sets::name(self.tree, open) == (HTML, "button"))
    }

    fn scope(&self, local: &str, ends: impl Fn(usize) -> bool) -> bool {
        for &open in self.path.iter().rev() {
            if sets::name(self.tree, open) == (HTML, local) {
                return true;
            }
            if sets::ends_scope(self.tree, open) || ends(open) {
                return false;
            }
        }
        false
    }

    /// Whether the start tag of a list item closes one of `names` that is open.
    fn would_close(&self, names: &[&str]) -> bool {
        for &open in self.path.iter().rev() {
            let (namespace, local) = sets::name(self.tree, open);
            if namespace == HTML && names.contains(&local) {
                return true;
            }
            if namespace == HTML
                && sets::is_special(local)
                && !matches!(local, "address" | "div" | "p")
            {
                return false;
            }
        }
        false
    }

    /// Whether a link is among the active formatting elements, up to the last marker.
    fn has_active_link(&self) -> bool {
        for &open in self.path.iter().rev() {
            match sets::name(self.tree, open) {
                (HTML, "a") => return true,
                (HTML, "applet" | "marquee" | "object" | "template" | "td" | "th" | "caption") => {
                    return false
                }
                _ => {}
            }
        }
        false
    }
}
