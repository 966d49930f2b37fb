"""The structure measure from its definition: sets of strings, one family after another."""

from __future__ import annotations

import re
from math import sqrt

from treelace import Node, Tree

OUT = {"script", "style", "noscript", "template"}
LOOKS = set(
    "align alink background bgcolor border bordercolor cellpadding cellspacing clear color cols"
    " colspan face frameborder height hspace link marginheight marginwidth noshade nowrap rows"
    " rowspan scrolling size style text valign vlink vspace width".split()
)
ROLES = set(
    "charset dir http-equiv itemprop itemtype lang media method property rel role target"
    " type".split()
)
NAMED = set("button form frame iframe input meta param select textarea".split())
FOREIGN = {"{http://www.w3.org/2000/svg}svg", "{http://www.w3.org/1998/Math/MathML}math"}


def ancestors(node: Node) -> list[Node]:
    out = []
    while node.parent is not None and node.parent.is_element:
        node = node.parent
        out.append(node)
    return out


def counts(node: Node) -> bool:
    above = ancestors(node)
    return not any(one.name.local in OUT for one in [node, *above]) and not any(
        one.tag in FOREIGN for one in above
    )


def zeros(text: str) -> str:
    return re.sub("[0-9]+", "0", text)


def lower(text: str) -> str:
    return "".join(character.lower() for character in text)


def attributes(node: Node) -> list[tuple[str, str]]:
    rows = [(parts[2], parts[3]) for parts in node.tree._core.attributes(node.index)]
    return [(name, value) for name, value in rows if not name.lower().startswith("on")]


def dressed(node: Node) -> str:
    values = [value for name, value in attributes(node) if name.lower() == "class"]
    classes = sorted({zeros(word) for word in (values[-1].split() if values else [])})
    return ".".join([node.tag, *classes])


def resources(tree: Tree) -> set[str]:
    out = set()
    for node in tree:
        if not node.is_element or node.tree._core.in_template(node.index):
            continue
        values = {
            name: value
            for prefix, namespace, name, value in node.tree._core.attributes(node.index)
            if not namespace
        }
        address = values.get("src", "") if node.name.local == "script" else ""
        words = values.get("rel", "").lower().split()
        if node.name.local == "link" and any(
            word in ("stylesheet", "icon", "mask-icon") or word.startswith("apple-touch-")
            for word in words
        ):
            address = values.get("href", "")
        address = re.split("[?#]", address)[0].strip()
        if address:
            out.add(zeros(lower(address)))
    return out


def families(tree: Tree) -> dict[str, set[str]]:
    out: dict[str, set[str]] = {
        name: set() for name in ("shapes", "edges", "words", "resources", "looks", "roles", "paths")
    }
    out["resources"] = resources(tree)
    for node in tree:
        if not node.is_element or not counts(node):
            continue
        pairs = attributes(node)
        out["shapes"].add(f"{node.tag} {sorted({zeros(lower(name)) for name, _ in pairs})}")
        out["paths"].add("/".join(one.tag for one in [*ancestors(node)[::-1], node]))
        if ancestors(node):
            out["edges"].add(f"{dressed(ancestors(node)[0])} > {dressed(node)}")
        for name, value in pairs:
            short = lower(value.strip()[:64])
            if name.lower() in ("class", "id"):
                out["words"].update(
                    f"{node.tag} {lower(word)}" for word in re.findall(r"[^\W\d_]+", value)
                )
            elif name.lower() in LOOKS:
                out["looks"].add(f"{node.tag} {name.lower()} {short}")
            elif name.lower() in ROLES or (name.lower() == "name" and node.name.local in NAMED):
                out["roles"].add(f"{node.tag} {name.lower()} {zeros(short)}")
    return out


def similarity(left: Tree, right: Tree) -> float:
    a, b = families(left), families(right)
    roots = [
        sqrt(len(a[name] & b[name]) / len(a[name] | b[name])) for name in a if a[name] | b[name]
    ]
    return (sum(roots) / len(roots)) ** 2 if roots else 1.0


def design(left: Tree, right: Tree) -> float:
    a, b = families(left)["paths"], families(right)["paths"]
    return min(similarity(left, right), len(a & b) / len(a | b) if a | b else 1.0)
