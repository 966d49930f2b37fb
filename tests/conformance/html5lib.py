"""The forms of the html5lib suites: how a tree-construction case reads, and how a tree is dumped to
be compared with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from treelace.tree import Kind, Node, Tree

HEADINGS = {
    "#data",
    "#errors",
    "#new-errors",
    "#document-fragment",
    "#document",
    "#script-on",
    "#script-off",
}
NAMESPACES = {
    "": "",
    "http://www.w3.org/1999/xhtml": "",
    "http://www.w3.org/2000/svg": "svg ",
    "http://www.w3.org/1998/Math/MathML": "math ",
    "http://www.w3.org/1999/xlink": "xlink ",
    "http://www.w3.org/XML/1998/namespace": "xml ",
    "http://www.w3.org/2000/xmlns/": "xmlns ",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case of a `.dat` file."""

    name: str
    """File and number from 1: `tests1.dat:12`."""
    data: str
    context: str | None
    document: str
    is_scripting: bool


def read_cases(folder: Path) -> Iterator[Case]:
    """Every case below a folder, in the order of the files."""
    for path in sorted(folder.rglob("*.dat")):
        blocks = path.read_bytes().decode().split("#data\n")[1:]
        for number, block in enumerate(blocks, 1):
            parts = _parts(block)
            yield Case(
                name=f"{path.relative_to(folder)}:{number}",
                data=parts["#data"].removesuffix("\n"),
                context=parts["#document-fragment"].strip()
                if "#document-fragment" in parts
                else None,
                document=parts["#document"].rstrip("\n"),
                is_scripting="#script-on" in parts,
            )


def _parts(block: str) -> dict[str, str]:
    parts = {"#data": ""}
    heading = "#data"
    for line in block.splitlines(keepends=True) if "\r" not in block else block.split("\n"):
        end = "" if line.endswith("\n") else "\n"
        if line.rstrip("\n") in HEADINGS and heading != "#document":
            heading = line.rstrip("\n")
            parts[heading] = ""
        else:
            parts[heading] += line + end
    return parts


def dump(tree: Tree) -> str:
    """A tree in the form of the suite."""
    lines: list[str] = []
    # a template's contents stand one level deeper, below the word "content"
    stack: list[tuple[Node, int]] = [(child, 0) for child in reversed(list(tree.document.children))]
    while stack:
        node, level = stack.pop()
        indent = "| " + "  " * level
        if node.kind == Kind.TEXT:
            lines.append(f'{indent}"{node.text}"')
        elif node.kind == Kind.COMMENT:
            lines.append(f"{indent}<!-- {node.text} -->")
        elif node.kind == Kind.DOCTYPE:
            ids = dict(node.attributes)
            pair = f' "{ids.get("public", "")}" "{ids.get("system", "")}"' if ids else ""
            lines.append(f"{indent}<!DOCTYPE {node.name.local}{pair}>")
        else:
            lines.append(f"{indent}<{NAMESPACES[node.name.namespace]}{node.name.local}>")
            rows = tree._core.attributes(node.index)
            named = sorted(
                (f"{NAMESPACES[namespace]}{local}", value) for _, namespace, local, value in rows
            )
            lines += [f'{indent}  {name}="{value}"' for name, value in named]
            inner = level + 1
            if node.name.local == "template" and NAMESPACES[node.name.namespace] == "":
                lines.append(f"{indent}  content")
                inner += 1
            stack += [(child, inner) for child in reversed(list(node.children))]
    return "\n".join(lines)
