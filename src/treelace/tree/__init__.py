"""One tree for everything: parse a document, look at its nodes, select, write."""

from __future__ import annotations

from treelace.tree.names import Kind, Name
from treelace.tree.node import Node
from treelace.tree.parse import parse
from treelace.tree.select import (
    Attribute,
    Css,
    Namespace,
    XPath,
    XPathAnswer,
    compile_css,
    compile_xpath,
)
from treelace.tree.tree import Problem, Tree

__all__ = [
    "Attribute",
    "Css",
    "Kind",
    "Name",
    "Namespace",
    "Node",
    "Problem",
    "Tree",
    "XPath",
    "XPathAnswer",
    "compile_css",
    "compile_xpath",
    "parse",
]
