"""A page as HTML that runs nothing and asks for nothing: what faces show of a captured page.

Scripts, frames, style sheets, handlers and addresses are dropped; style sheets and images that were
kept stand inside of the page instead. Whoever shows the answer puts it into a sandboxed frame under
a content security policy besides, so that what a style sheet names is not fetched.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import NamedTuple

from treelace.tree.names import HTML_NAMESPACE, Kind
from treelace.tree.tree import Tree

MARK_ID = "treelace-mark"
"""The `id` of the node that a frame is to scroll to."""
NODE = "data-treelace-node"
"""The attribute by which an element says its number, where someone is to point at it."""

_DROPPED = frozenset(
    "script iframe frame object embed applet portal link base noembed template".split()
)
_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr basefont bgsound frame"
    " keygen".split()
)
_RAW = frozenset(["style", "xmp", "plaintext", "noframes"])
_ADDRESSES = frozenset(
    ["href", "action", "formaction", "ping", "poster", "background", "srcset", "xlink:href", "data"]
)


class Looks(NamedTuple):
    """What was kept of how a page looks, by what the page writes for it: style sheets as text,
    images as `data:` addresses.
    """

    styles: Mapping[str, str] = {}
    images: Mapping[str, str] = {}


def harmless_html(
    tree: Tree, marks: Mapping[int, str] | None = None, looks: Looks | None = None
) -> str:
    """The markup of a page without what runs or fetches; `marks` are attributes, as markup, that
    nodes get by their index. A text with marks stands in a `span` of its own.

    >>> from treelace.tree import parse
    >>> page = parse("<p onclick=alert(1)>tea <a href=javascript:alert(2)>3</a><script>x</script>")
    >>> harmless_html(page, {3: ' class="price"'})
    '<html><head></head><body class="price"><p>tea <a>3</a></p></body></html>'
    """
    marks, looks = marks or {}, looks or Looks()
    kinds, ends = tree.kinds.tolist(), tree.ends.tolist()
    out: list[str] = []
    open_until: list[tuple[int, str]] = []
    raw_until = 0  # the end of an element whose text a browser takes as it is
    index = 0
    while index < len(kinds):
        while open_until and open_until[-1][0] <= index:
            out.append(f"</{open_until.pop()[1]}>")
        if kinds[index] == Kind.ELEMENT:
            tag = tree[index].name.local.lower()
            if tag == "link":
                out.append(_style(tree, index, looks))
            if tag in _DROPPED or not _is_plain(tag) or _is_refresh(tree, index, tag):
                index = ends[index]
                continue
            mark = marks.get(index, "")
            kept = harmless_attributes(tree, index, has_own_id=' id="' not in mark)
            if tag == "img" and (source := looks.images.get(tree[index].attribute("src") or "")):
                kept += f' src="{escape(source)}"'
            out.append(f"<{tag}{kept}{mark}>")
            if tag not in _VOID:
                open_until.append((ends[index], tag))
            # in SVG and MathML a `style` is an element like others: its text is markup to a browser
            if tag in _RAW and tree[index].name.namespace in ("", HTML_NAMESPACE):
                raw_until = ends[index]
        elif kinds[index] == Kind.TEXT:
            text = tree[index].text
            raw = index < raw_until
            written = _raw(text) if raw else escape(text, quote=False)
            mark = "" if raw else marks.get(index, "")
            out.append(f"<span{mark}>{written}</span>" if mark else written)
        index += 1
    out += [f"</{tag}>" for _, tag in reversed(open_until)]
    return "".join(out)


def _style(tree: Tree, index: int, looks: Looks) -> str:
    """A style sheet that was kept, in the place of the link to it."""
    node = tree[index]
    text = looks.styles.get(node.attribute("href") or "")
    if text is None or "stylesheet" not in (node.attribute("rel") or "").lower().split():
        return ""
    media = node.attribute("media")
    said = "" if media is None else f' media="{escape(media)}"'
    return f"<style{said}>{_raw(text)}</style>"


def _raw(text: str) -> str:
    """A text that a browser takes as it is, without what would end it."""
    return text.replace("</", "<\\/")


def element_numbers(tree: Tree) -> list[int]:
    """The numbers of all elements."""
    return [index for index, kind in enumerate(tree.kinds.tolist()) if kind == Kind.ELEMENT]


def harmless_attributes(tree: Tree, index: int, *, has_own_id: bool = True) -> str:
    """The attributes of an element, without handlers, addresses and names of our own."""
    kept = []
    for name, value in tree[index].attributes.items():
        low = name.lower()
        is_source = low == "src" and not value.lstrip().lower().startswith("data:image/")
        is_ours = low.startswith("data-treelace") or (low == "id" and value.startswith("treelace-"))
        if (
            low.startswith("on")
            or low in _ADDRESSES
            or low == "title"
            or is_source
            or is_ours
            or (low == "id" and not has_own_id)
            or not _is_plain(name)
        ):
            continue
        kept.append(f' {name}="{escape(value)}"')
    return "".join(kept)


def _is_plain(name: str) -> bool:
    return bool(name) and all(character.isalnum() or character in "-_:." for character in name)


def _is_refresh(tree: Tree, index: int, tag: str) -> bool:
    return tag == "meta" and tree[index].attribute("http-equiv") is not None
