//! The text inside a node.

use super::{Kind, Tree};

impl Tree {
    /// All text inside node `i`, in document order, joined; the own text of a leaf. Comments,
    /// instructions and the doctype inside an element do not count.
    pub fn string_value(&self, i: usize) -> String {
        if !matches!(self.kind(i), Kind::Element | Kind::Document) {
            return self.text(i).to_string();
        }
        let mut out = String::new();
        for j in (i + 1..self.end(i)).filter(|&j| self.kind(j) == Kind::Text) {
            out.push_str(self.text(j));
        }
        out
    }

    /// The node with this element index, if there is one.
    pub fn node_of_element(&self, element_index: u32) -> Option<usize> {
        // the column is increasing where it is set, but has holes: search the elements only
        let column = self.element_index();
        let mut low = 0;
        let mut high = column.len();
        while low < high {
            let middle = (low + high) / 2;
            let mut probe = middle;
            while probe < high && column[probe] == super::NONE {
                probe += 1;
            }
            if probe == high {
                high = middle;
            } else if column[probe] == element_index {
                return Some(probe);
            } else if column[probe] < element_index {
                low = probe + 1;
            } else {
                high = middle;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::html;
    use crate::watch::Unwatched;
    use crate::Limits;

    #[test]
    fn every_element_is_found_by_its_number() {
        let text = "<!doctype html><title>x</title><p>a<b>c</b><!--n-->d\
            <template><i>t</i></template><hr><ul><li>1<li>2</ul>";
        let tree =
            html::parse(text, &html::Options::default(), Limits::default(), &Unwatched).unwrap();
        let numbered: Vec<usize> =
            (0..tree.len()).filter(|&i| tree.element_index()[i] != crate::tree::NONE).collect();
        for (number, &node) in numbered.iter().enumerate() {
            assert_eq!(tree.node_of_element(number as u32), Some(node));
        }
        assert_eq!(tree.node_of_element(numbered.len() as u32), None);
        assert_eq!(tree.string_value(0), "xacdt12");
    }
}
