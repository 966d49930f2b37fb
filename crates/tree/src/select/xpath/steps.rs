//! A step with its predicates (XPath 1.0 §2.1, §2.4).
//!
//! Predicates that do not ask for positions hold or fail for a node whatever the context it was
//! reached from: they sift the whole set once. Only what comes after needs groups, one for each
//! context node, and even there nobody collects nodes anew: the sifted set is sorted, so a group is
//! a slice of it, or of its rearrangement by parents, or a stack of open ancestors.
//! `//li/preceding-sibling::li[1]` on a list of n items takes n steps, not n².

use super::plan::{Axis, Expr, Function, Path, Predicate, Start, Step, Test};
use super::run::{truth, Context, Run};
use super::value::{Item, Value};
use crate::error::Result;

impl Run<'_> {
    /// The nodes of one step from a set of context nodes.
    pub(super) fn step(&self, set: &[Item], step: &Step) -> Result<Vec<Item>> {
        let mut found = self.axis(set, step.axis, &step.test)?;
        let leading =
            step.predicates.iter().take_while(|it| matches!(it, Predicate::Boolean(_))).count();
        let (first, rest) = step.predicates.split_at(leading);
        for predicate in first {
            found = self.apply(predicate, found)?;
        }
        if rest.is_empty() || found.is_empty() {
            return Ok(found);
        }
        self.by_groups(set, step, found, rest)
    }

    /// Sifts one list of nodes, in document order, by a predicate.
    pub(super) fn apply(&self, predicate: &Predicate, nodes: Vec<Item>) -> Result<Vec<Item>> {
        match predicate {
            Predicate::Boolean(expr) => self.sift(nodes, expr),
            _ => {
                let mut found = Vec::new();
                self.pick(&nodes, false, std::slice::from_ref(predicate), &mut found)?;
                Ok(found)
            }
        }
    }

    /// Whether a predicate that does not ask for positions holds.
    pub(super) fn holds(&self, predicate: &Predicate, item: Item) -> Result<bool> {
        match predicate {
            Predicate::Boolean(expr) => self.boolean(expr, Context::alone(item)),
            _ => unreachable!("only searched paths ask, and these have no positions"),
        }
    }

    /// The nodes for which `expr` is true, whatever their positions.
    fn sift(&self, nodes: Vec<Item>, expr: &Expr) -> Result<Vec<Item>> {
        match expr {
            Expr::And(parts) => parts.iter().try_fold(nodes, |nodes, part| self.sift(nodes, part)),
            Expr::Or(parts) => {
                let mut rest = nodes;
                let mut found = Vec::new();
                for part in parts {
                    let more = self.sift(rest.clone(), part)?;
                    rest = without(&rest, &more);
                    found.extend(more);
                }
                found.sort_unstable();
                Ok(found)
            }
            Expr::Call(Function::Not, arguments) => {
                let dropped = self.sift(nodes.clone(), &arguments[0])?;
                Ok(without(&nodes, &dropped))
            }
            Expr::Call(Function::Boolean, arguments) if matches!(arguments[0], Expr::Path(_)) => {
                self.sift(nodes, &arguments[0])
            }
            Expr::Constant(place, inner) => {
                Ok(if truth(self.constant(*place, inner)?) { nodes } else { Vec::new() })
            }
            Expr::Path(path) if self.is_better_backwards(path, &nodes) => {
                self.sift_backwards(nodes, path)
            }
            _ => {
                let mut found = Vec::new();
                for item in nodes {
                    if self.boolean(expr, Context::alone(item))? {
                        found.push(item);
                    }
                    self.spend(1)?;
                }
                Ok(found)
            }
        }
    }

    /// Whether asking each node for itself would look at more rows than the tree has.
    fn is_better_backwards(&self, path: &Path, nodes: &[Item]) -> bool {
        let tree = self.tree;
        let are_boolean = path
            .steps
            .iter()
            .all(|step| step.predicates.iter().all(|it| matches!(it, Predicate::Boolean(_))));
        let inner = &path.steps[..path.steps.len().saturating_sub(1)];
        let has_nodes_only = inner.iter().all(|step| step.axis != Axis::Attribute)
            && path.steps.iter().all(|step| step.axis != Axis::Namespace);
        let is_possible = matches!(path.start, Start::Context) && are_boolean && has_nodes_only;
        if !is_possible
            || nodes.len() < 16
            || !path.steps.iter().any(|step| step.axis.is_wide())
            || !nodes.iter().all(|it| it.is_node())
        {
            return false;
        }
        let first_wide = path
            .steps
            .iter()
            .find(|step| step.axis.is_wide())
            .map_or(Axis::Itself, |step| step.axis);
        let rows = |i: usize| match first_wide {
            Axis::Descendant | Axis::DescendantOrSelf => tree.end(i) - i,
            Axis::Ancestor | Axis::AncestorOrSelf => tree.depth(i) as usize,
            Axis::Following => tree.len() - tree.end(i),
            Axis::Preceding => i,
            _ => self.parent(Item::node(i)).map_or(0, |parent| tree.end(parent) - parent),
        };
        let mut sum = 0;
        nodes.iter().any(|item| {
            sum += rows(item.index());
            sum > 2 * tree.len()
        })
    }

    /// The nodes from which a path leads somewhere, found from its end: linear in the tree, however
    /// many nodes ask.
    fn sift_backwards(&self, nodes: Vec<Item>, path: &Path) -> Result<Vec<Item>> {
        let everything = [Item::node(0)];
        let mut there: Option<Vec<Item>> = None;
        for step in path.steps.iter().rev() {
            let mut ends = match there.take() {
                // an attribute can only be the last thing a path leads to
                None if step.axis == Axis::Attribute => {
                    let elements = self.axis(&everything, Axis::DescendantOrSelf, &Test::Node)?;
                    self.axis(&elements, Axis::Attribute, &step.test)?
                }
                None => self.axis(&everything, Axis::DescendantOrSelf, &step.test)?,
                Some(starts) => {
                    starts.into_iter().filter(|&item| self.item_passes(&step.test, item)).collect()
                }
            };
            for predicate in &step.predicates {
                ends = self.apply(predicate, ends)?;
            }
            if ends.is_empty() {
                return Ok(ends);
            }
            there = Some(self.axis(&ends, against(step.axis), &Test::Node)?);
        }
        Ok(both(&nodes, &there.unwrap_or_default()))
    }

    /// Applies predicates that ask for positions: `found` holds the nodes of all groups together.
    fn by_groups(
        &self,
        set: &[Item],
        step: &Step,
        found: Vec<Item>,
        predicates: &[Predicate],
    ) -> Result<Vec<Item>> {
        let tree = self.tree;
        let mut picked = Vec::new();
        let group_of = |item: Item| self.parent(item).unwrap_or(0);
        match step.axis {
            _ if step.by_parent
                || matches!(step.axis, Axis::Child | Axis::Attribute | Axis::Namespace) =>
            {
                let mut by_parent = found;
                by_parent.sort_by_key(|&item| group_of(item));
                for group in by_parent.chunk_by(|&left, &right| group_of(left) == group_of(right)) {
                    self.pick(group, false, predicates, &mut picked)?;
                }
            }
            Axis::Itself | Axis::Parent => {
                for item in &found {
                    self.pick(std::slice::from_ref(item), false, predicates, &mut picked)?;
                }
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                // beside nodes, only contexts that are attributes themselves are there: they are
                // groups of their own
                let (nodes, parts): (Vec<Item>, Vec<Item>) =
                    found.into_iter().partition(|item| item.is_node());
                for item in &parts {
                    self.pick(std::slice::from_ref(item), false, predicates, &mut picked)?;
                }
                for item in set.iter().filter(|item| item.is_node()) {
                    let from = nodes.partition_point(|it| {
                        it < item || (it == item && step.axis == Axis::Descendant)
                    });
                    let to = from
                        + nodes[from..].partition_point(|it| it.index() < tree.end(item.index()));
                    self.pick(&nodes[from..to], false, predicates, &mut picked)?;
                }
            }
            Axis::Following => {
                for &item in set {
                    let from = found.partition_point(|it| it.index() < self.after(item));
                    self.pick(&found[from..], false, predicates, &mut picked)?;
                }
            }
            Axis::Preceding => {
                for &item in set {
                    let to = found.partition_point(|it| it.index() < item.index());
                    self.pick_preceding(&found[..to], item.index(), predicates, &mut picked)?;
                }
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {
                let mut by_parent: Vec<(usize, Item)> =
                    found.into_iter().map(|item| (group_of(item), item)).collect();
                by_parent.sort_unstable();
                let items: Vec<Item> = by_parent.iter().map(|it| it.1).collect();
                for &item in set.iter().filter(|item| item.is_node()) {
                    let parent = group_of(item);
                    let from = by_parent.partition_point(|it| it.0 < parent);
                    let to = by_parent.partition_point(|it| it.0 <= parent);
                    let here = from + items[from..to].partition_point(|it| *it < item);
                    if step.axis == Axis::PrecedingSibling {
                        self.pick(&items[from..here], true, predicates, &mut picked)?;
                    } else {
                        let after = here + usize::from(items.get(here) == Some(&item) && here < to);
                        self.pick(&items[after..to], false, predicates, &mut picked)?;
                    }
                }
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                self.pick_ancestors(set, step.axis, &found, predicates, &mut picked)?
            }
            Axis::Child | Axis::Attribute | Axis::Namespace => unreachable!("taken above"),
        }
        picked.sort_unstable();
        picked.dedup();
        Ok(picked)
    }

    /// Groups of ancestors: one sweep over contexts and found nodes, with a stack of those that are
    /// open.
    fn pick_ancestors(
        &self,
        set: &[Item],
        axis: Axis,
        found: &[Item],
        predicates: &[Predicate],
        picked: &mut Vec<Item>,
    ) -> Result<()> {
        let mut open: Vec<Item> = Vec::new();
        let mut next = 0;
        for &item in set {
            while next < found.len() && found[next] <= item {
                let met = found[next];
                next += 1;
                while open.last().is_some_and(|&it| !self.holds_item(it, met)) {
                    open.pop();
                }
                open.push(met);
            }
            while open.last().is_some_and(|&it| it != item && !self.holds_item(it, item)) {
                open.pop();
            }
            let is_self_last = open.last() == Some(&item);
            let len = open.len() - usize::from(axis == Axis::Ancestor && is_self_last);
            self.spend(1)?;
            self.pick(&open[..len], true, predicates, picked)?;
        }
        Ok(())
    }

    /// Whether `inner` is a descendant, attribute or namespace of `outer`.
    fn holds_item(&self, outer: Item, inner: Item) -> bool {
        outer.is_node() && outer < inner && inner.index() < self.tree.end(outer.index())
    }

    /// As [`Run::pick`] on nodes before row `i`, from last to first, ancestors of `i` left out.
    fn pick_preceding(
        &self,
        before: &[Item],
        i: usize,
        predicates: &[Predicate],
        picked: &mut Vec<Item>,
    ) -> Result<()> {
        let enough = match predicates[0] {
            Predicate::Range(_, to) => to,
            _ => usize::MAX,
        };
        let mut group = Vec::new();
        for &item in before.iter().rev() {
            if group.len() >= enough {
                break;
            }
            self.spend(1)?;
            if self.tree.end(item.index()) <= i {
                group.push(item);
            }
        }
        self.pick(&group, false, predicates, picked)
    }

    /// Adds the nodes of one group that pass all predicates. `group` is in the order of the axis,
    /// or with `is_reverse` in the other.
    fn pick(
        &self,
        group: &[Item],
        is_reverse: bool,
        predicates: &[Predicate],
        picked: &mut Vec<Item>,
    ) -> Result<()> {
        let Some((last, others)) = predicates.split_last() else { return Ok(()) };
        let (mut passed, mut is_reverse, mut is_first) = (Vec::new(), is_reverse, true);
        for predicate in others {
            let mut out = Vec::new();
            self.pass(if is_first { group } else { &passed }, is_reverse, predicate, &mut out)?;
            (passed, is_reverse, is_first) = (out, false, false);
        }
        self.pass(if is_first { group } else { &passed }, is_reverse, last, picked)
    }

    /// Adds the nodes of one group that pass one predicate.
    fn pass(
        &self,
        group: &[Item],
        is_reverse: bool,
        predicate: &Predicate,
        out: &mut Vec<Item>,
    ) -> Result<()> {
        let size = group.len();
        let range = match predicate {
            Predicate::Range(from, to) => *from..size.min(*to).saturating_add(1),
            Predicate::Last => size.max(1)..size + 1,
            _ => 1..size + 1,
        };
        self.spend(range.len() + 1)?;
        for position in range {
            let item = if is_reverse { group[size - position] } else { group[position - 1] };
            let context = Context { item, position, size };
            let is_in = match predicate {
                Predicate::Range(..) | Predicate::Last => true,
                Predicate::Boolean(expr) => self.boolean(expr, context)?,
                Predicate::General(expr) => self.admits(expr, context)?,
            };
            if is_in {
                out.push(item);
            }
        }
        Ok(())
    }

    /// §2.4: a number is compared with the position, anything else is a boolean.
    fn admits(&self, expr: &Expr, context: Context) -> Result<bool> {
        match expr {
            Expr::Number(_) | Expr::Calculate(..) | Expr::Negate(_) => {
                Ok(self.number(expr, context)? == context.position as f64)
            }
            Expr::Or(_) | Expr::And(_) | Expr::Compare(..) | Expr::Path(_) | Expr::Union(_) => {
                self.boolean(expr, context)
            }
            other => match self.value(other, context)? {
                Value::Number(number) => Ok(number == context.position as f64),
                value => Ok(truth(&value)),
            },
        }
    }
}

/// The axis that leads back.
fn against(axis: Axis) -> Axis {
    match axis {
        Axis::Child | Axis::Attribute | Axis::Namespace => Axis::Parent,
        Axis::Descendant => Axis::Ancestor,
        Axis::DescendantOrSelf => Axis::AncestorOrSelf,
        Axis::Parent => Axis::Child,
        Axis::Ancestor => Axis::Descendant,
        Axis::AncestorOrSelf => Axis::DescendantOrSelf,
        Axis::Following => Axis::Preceding,
        Axis::Preceding => Axis::Following,
        Axis::FollowingSibling => Axis::PrecedingSibling,
        Axis::PrecedingSibling => Axis::FollowingSibling,
        Axis::Itself => Axis::Itself,
    }
}

/// What of `all` is not in `some`; both sorted.
fn without(all: &[Item], some: &[Item]) -> Vec<Item> {
    let mut rest = some.iter().copied().peekable();
    all.iter().copied().filter(|item| rest.next_if_eq(item).is_none()).collect()
}

/// What is in both; both sorted.
fn both(left: &[Item], right: &[Item]) -> Vec<Item> {
    let mut at = 0;
    left.iter()
        .copied()
        .filter(|item| {
            while at < right.len() && right[at] < *item {
                at += 1;
            }
            right.get(at) == Some(item)
        })
        .collect()
}
