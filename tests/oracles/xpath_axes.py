"""The axes of XPath 1.0 (§2.2), from their definitions, on children lists: no rows, no ranges.

What XPath sees of a tree (§5): no doctype, no template contents, and adjacent texts as one, which
the first of them stands for.
"""

from __future__ import annotations

from treelace import Kind, Node, Tree


class Seen:
    """A tree as XPath sees it."""

    def __init__(self, tree: Tree) -> None:
        self.children: dict[int, list[int]] = {}
        self.parent: dict[int, int | None] = {0: None}
        self.order: list[int] = []
        self._see(tree.document)

    def _see(self, node: Node) -> None:
        self.order.append(node.index)
        self.children[node.index] = []
        run: list[Node] = []
        for child in [*node.children, None]:
            if child is not None and child.kind is Kind.TEXT:
                run.append(child)
                continue
            if any(text.text for text in run):
                self._add(node, run[0])
            run = []
            if child is not None and child.kind is not Kind.DOCTYPE and not child.in_template:
                self._add(node, child)

    def _add(self, parent: Node, child: Node) -> None:
        self.children[parent.index].append(child.index)
        self.parent[child.index] = parent.index
        self._see(child)

    def ancestors(self, node: int) -> list[int]:
        parent = self.parent[node]
        return [] if parent is None else [parent, *self.ancestors(parent)]

    def descendants(self, node: int) -> list[int]:
        return [
            inner for child in self.children[node] for inner in (child, *self.descendants(child))
        ]

    def siblings(self, node: int) -> list[int]:
        parent = self.parent[node]
        return [] if parent is None else self.children[parent]

    def axis(self, name: str, node: int) -> list[int]:
        """The nodes of an axis, in the order of the axis."""
        place = self.order.index(node)
        match name:
            case "self":
                return [node]
            case "child":
                return self.children[node]
            case "parent":
                return self.ancestors(node)[:1]
            case "ancestor":
                return self.ancestors(node)
            case "ancestor-or-self":
                return [node, *self.ancestors(node)]
            case "descendant":
                return self.descendants(node)
            case "descendant-or-self":
                return [node, *self.descendants(node)]
            case "following-sibling":
                return [it for it in self.siblings(node) if self.order.index(it) > place]
            case "preceding-sibling":
                return [it for it in reversed(self.siblings(node)) if self.order.index(it) < place]
            case "following":
                return [it for it in self.order[place + 1 :] if it not in self.descendants(node)]
            case "preceding":
                return [it for it in reversed(self.order[:place]) if it not in self.ancestors(node)]
        raise ValueError(name)
