"""The shop's pages in two designs: the same data with other tags, classes and order.

The designs are `shop_old.html` and `shop_new.html`: pieces of pages under their names.
"""

from __future__ import annotations

import random
import re
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from treelace.testing.shop_words import NEWS_PER_PAGE, PER_PAGE, list_path, money, sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from treelace.testing.shop import Day, Product, Story

_SECTIONS = {"tea": "Tea", "cups": "Cups", "kettles": "Kettles"}
_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_ADVERTS = (
    "Free delivery over €40",
    "Try our monthly box",
    "Gift cards, also by mail",
    "Open on Sundays in March",
)
_GIFTS_IN_A_ROW = 4


def render(day: Day, path: str, fetch: int) -> str | None:
    """The page at a path on a day, None where there is none."""
    parts = urlsplit(path)
    pieces = [piece for piece in parts.path.split("/") if piece]
    number = int((parse_qs(parts.query).get("page") or ["1"])[0])
    design = _design("new" if day.is_redesigned else "old")
    made = _body(design, day, pieces, number)
    if made is None:
        return None
    title, body = made
    menu = design.each("menu", ({"name": name, "label": it} for name, it in _SECTIONS.items()))
    return design.fill(
        "frame", title=escape(title), body=body, menu=menu, **_noise(day, path, fetch)
    )


def _body(design: _Design, day: Day, pieces: list[str], number: int) -> tuple[str, str] | None:
    """The title and the content of a page."""
    match pieces:
        case []:
            return "Leaf & Cup", _home(day)
        case ["news"]:
            stories = day.stories[(number - 1) * NEWS_PER_PAGE : number * NEWS_PER_PAGE]
            pager = _pager(design, "news", number, len(day.stories), NEWS_PER_PAGE)
            return ("News", design.news(stories) + pager) if stories else None
        case ["news", slug, *_]:
            found = [story for story in day.stories if story.path == f"/news/{slug}"]
            return (found[0].title, design.story(found[0])) if found else None
        case ["calendar", year, month] if year.isdigit() and month.isdigit():
            return "Opening hours", _calendar(int(year), int(month))
        case ["gifts", *_]:
            return "Gift ideas", design.gifts(day.gifts)
        case ["about" | "delivery" as name, *_]:
            return name.title(), _text(name, day.seed)
        case [section] if section in _SECTIONS:
            goods = day.of(section)[(number - 1) * PER_PAGE : number * PER_PAGE]
            pager = _pager(design, section, number, len(day.of(section)), PER_PAGE)
            items = "\n".join(design.product("item", product) for product in goods)
            return (_SECTIONS[section], design.fill("list", items=items) + pager) if goods else None
        case [section, slug, *_] if section in _SECTIONS:
            shown = [product for product in day.of(section) if product.slug == slug]
            return (shown[0].name, design.details(shown[0], day)) if shown else None
    return None


def _noise(day: Day, path: str, fetch: int) -> dict[str, str]:
    """What differs at every fetch and means nothing."""
    numbers = random.Random(f"{day.seed} {day.number} {path} {fetch}")
    return {
        "visitors": f"{numbers.randrange(10_000, 99_999):,}",
        "advert": escape(numbers.choice(_ADVERTS)),
        "token": f"{numbers.getrandbits(64):016x}",
        "stamp": ":".join(f"{numbers.randrange(most):02}" for most in (24, 60, 60)),
    }


@cache
def _design(name: str) -> _Design:
    return _Design(files("treelace.testing").joinpath(f"shop_{name}.html").read_text("utf-8"))


class _Design:
    """One look of the shop: pieces of pages with the names of what is filled in."""

    def __init__(self, text: str) -> None:
        names_and_pieces = re.split(r"^== (\w+)\n", text, flags=re.MULTILINE)[1:]
        pieces = (Template(piece.removesuffix("\n")) for piece in names_and_pieces[1::2])
        self._pieces = dict(zip(names_and_pieces[::2], pieces, strict=True))

    def fill(self, piece: str, **values: object) -> str:
        """A piece with these values in it."""
        return self._pieces[piece].substitute(values)

    def each(self, piece: str, rows: Iterable[dict[str, str]]) -> str:
        """A piece for each of these."""
        return "".join(self.fill(piece, **row) for row in rows)

    def product(self, piece: str, product: Product, **more: str) -> str:
        """A piece about a product; what the page does not show of it is left out."""
        was = "" if product.was_cents is None else money(product.was_cents)
        shown = {"badge": product.badge, "was": was, "rating": product.rating}
        for name, value in shown.items():
            more[name] = self.fill(name, value=value) if value else ""
        for name in ("name", "maker", "text"):
            more[name] = escape(getattr(product, name))
        for name in ("path", "slug", "price", "stock"):
            more[name] = getattr(product, name)
        return self.fill(piece, **more)

    def details(self, product: Product, day: Day) -> str:
        """A product's own page."""
        rows = ({"label": escape(name), "value": escape(it)} for name, it in product.facts)
        goods = day.of(product.section)
        at = goods.index(product)
        others = _links(goods[(at + step) % len(goods)] for step in (1, 2, 3))
        return self.product("product", product, facts=self.each("fact", rows), others=others)

    def news(self, stories: Sequence[Story]) -> str:
        """The beginnings of some stories."""
        rows = (
            {
                "path": story.path,
                "title": escape(story.title),
                "date": story.date,
                "first": escape(story.paragraphs[0]),
            }
            for story in stories
        )
        return self.fill("news", stories=self.each("teaser", rows))

    def story(self, story: Story) -> str:
        """A whole story."""
        text = self.each("paragraph", ({"text": escape(one)} for one in story.paragraphs))
        return self.fill("story", author=story.author, date=story.date, text=text)

    def gifts(self, goods: Sequence[Product]) -> str:
        """Records in rows of cells: the names of four products in one row, their prices in the
        next.
        """
        rows = ""
        for start in range(0, len(goods), _GIFTS_IN_A_ROW):
            for piece in ("gift_picture", "gift_name", "gift_price"):
                if piece in self._pieces:
                    some = goods[start : start + _GIFTS_IN_A_ROW]
                    cells = "".join(self.product(piece, product) for product in some)
                    rows += self.fill("gift_row", cells=cells)
        return self.fill("gifts", rows=rows)


# what both designs have alike


def _links(goods: Iterable[Product]) -> str:
    return "".join(f'<li><a href="{one.path}">{escape(one.name)}</a></li>' for one in goods)


def _home(day: Day) -> str:
    welcome = "<p>Tea, and what it is drunk from. Since 1987.</p>"
    tiles = "".join(
        f'<div class="tile"><h2><a href="/{name}">{label}</a></h2><p>{len(day.of(name))}'
        " things</p></div>"
        for name, label in _SECTIONS.items()
    )
    latest = "".join(
        f'<p class="latest"><a href="{story.path}">{escape(story.title)}</a></p>'
        for story in day.stories[:3]
    )
    return f"{welcome}<div class=tiles>{tiles}</div><h2>News</h2>{latest}"


def _pager(design: _Design, section: str, number: int, count: int, size: int) -> str:
    last = max(1, -(-count // size))

    def link(to: int, label: str, rel: str) -> str:
        return f'<a href="{list_path(section, to)}" rel="{rel}">{label}</a>'

    before = link(number - 1, "Previous", "prev") if number > 1 else ""
    after = link(number + 1, "Next", "next") if number < last else ""
    return design.fill("pager", before=before, number=number, last=last, after=after)


def _calendar(year: int, month: int) -> str:
    month = min(max(month, 1), 12)
    after = f"/calendar/{year + month // 12}/{month % 12 + 1}"
    before = f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1}"
    days = "".join(
        f"<td>{day}</td>" + ("</tr><tr>" if day % 7 == 0 else "") for day in range(1, 31)
    )
    return (
        f'<h2>{_MONTHS[month - 1]} {year}</h2><table class="month"><tr>{days}</tr></table><p>Monday'
        f' to Friday, 9 to 18</p><p><a href="{before}">Earlier</a> <a href="{after}">Later</a></p>'
    )


def _text(name: str, seed: int) -> str:
    numbers = random.Random(f"{seed} {name}")
    return (
        "".join(f"<p>{sentence(numbers, 18)}</p>" for _ in range(5))
        + "<address>4 Quay Street</address>"
    )
