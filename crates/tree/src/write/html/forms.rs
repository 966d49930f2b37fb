//! Forms in forms. A start tag of a form is ignored while another form is open, yet pages have
//! forms in forms: by an end tag that came early, inside something that was still open. Such trees
//! are written with that early end tag.
//!
//! `</form>` makes the parser forget the form. If the form is in scope it is also taken from the
//! stack of open elements, so that nothing can be added to it but through its descendants that are
//! open; if it is not (there is a table between), it stays on the stack, and only the end tag of an
//! element around it closes it.

use super::sets;
use crate::tree::{Tree, HTML};

/// How forms in forms are to be written.
#[derive(Default)]
pub(super) struct Plan {
    /// Nodes before which an early `</form>` goes, ascending.
    pub ends_before: Vec<usize>,
    /// Forms without an end tag of their own, ascending.
    pub unended: Vec<usize>,
    /// The first form that cannot be written where it is.
    pub impossible: Option<usize>,
}

/// The plan for the forms below node `top`.
pub(super) fn plan(tree: &Tree, top: usize) -> Plan {
    let mut plan = Plan::default();
    let Some(form) = tree.names().find("", HTML, "form") else { return plan };
    let mut open: Vec<usize> = Vec::new();
    let template = tree.names().find("", HTML, "template");
    let mut next = top;
    while next < tree.end(top) {
        let i = next;
        // templates have rules of their own, by which forms nest
        let is_template = tree.is_element(i) && Some(tree.name(i)) == template;
        next = if is_template { tree.end(i) } else { i + 1 };
        if tree.name(i) != form || !tree.is_element(i) {
            continue;
        }
        while open.pop_if(|outer| tree.end(*outer) <= i).is_some() {}
        if let Some(&outer) = open.last().filter(|outer| plan.unended.binary_search(outer).is_err())
        {
            match early_end(tree, outer, i) {
                Some(before) => {
                    plan.ends_before.push(before);
                    plan.unended
                        .insert(plan.unended.partition_point(|&other| other < outer), outer);
                }
                None => plan.impossible = plan.impossible.or(Some(i)),
            }
        }
        open.push(i);
    }
    plan.ends_before.sort_unstable();
    plan
}

/// The node before which the end tag of `outer` can go, so that the form `inner` inside it is not
/// ignored.
fn early_end(tree: &Tree, outer: usize, inner: usize) -> Option<usize> {
    // from the inner form up to the child of the outer one
    let mut path = vec![inner];
    path.extend(tree.ancestors(inner).take_while(|&node| node != outer));
    if path[1..].iter().any(|&node| sets::ends_scope(tree, node)) {
        let parent = tree.parent(outer) as usize;
        let is_last = tree.end(outer) == tree.end(parent);
        return (is_last && sets::closes_what_is_open(tree, parent)).then_some(inner);
    }
    let is_last = path.last().is_some_and(|&child| tree.end(child) == tree.end(outer));
    // the end tag would close a list item or a paragraph that is open: it goes where none is
    let place = path.windows(2).find(|pair| !sets::has_implied_end(tree, pair[1]));
    place.filter(|_| is_last).map(|pair| pair[0])
}
