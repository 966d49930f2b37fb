"""One tree for everything: parse a document, look at its nodes, select, write."""

from __future__ import annotations

from treelace.tree.node import Kind, Name, Node
from treelace.tree.parse import parse
from treelace.tree.tree import Problem, Tree

__all__ = ["Kind", "Name", "Node", "Problem", "Tree", "parse"]
