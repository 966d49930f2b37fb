"""Writes docs/samples/tea-*.warc.gz: the small shop of the tutorial on three days, on the third of
them in a new design.

Everything in it is made up here. `--check` says whether the files still hold these pages (their
records have new numbers at each writing).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from pathlib import Path

from treelace.crawl.sources import pages_of
from treelace.crawl.warc import WarcWriter
from treelace.limits import DEFAULT_LIMITS
from treelace.store import FetchedPage

SAMPLES = Path(__file__).resolve().parents[1] / "docs" / "samples"
HOME = "https://tea.example"
PER_PAGE = 6
TYPE = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Tea:
    """A tea of the shop."""

    name: str
    origin: str
    kind: str
    cents: int
    note: str
    is_left: bool = True

    @property
    def path(self) -> str:
        """Where its own page is."""
        return f"/tea/{self.name.lower().replace(' ', '-')}"

    @property
    def price(self) -> str:
        """As the pages write it."""
        return f"€{self.cents // 100}.{self.cents % 100:02}"

    @property
    def stock(self) -> str:
        """As the pages write it."""
        return "in stock" if self.is_left else "sold out"


TEAS = [
    Tea("Assam Gold", "India", "black", 1210, "Malt and honey, for the first cup of the day."),
    Tea("Assam Reserve", "India", "black", 1890, "The second flush of one garden, picked in June."),
    Tea("Bancha", "Japan", "green", 640, "Late leaves, little caffeine, good with rice."),
    Tea("Ceylon Morning", "Sri Lanka", "black", 870, "Bright and brisk, takes milk well."),
    Tea("Darjeeling First", "India", "black", 2450, "Light, floral, and gone by autumn."),
    Tea("Dragon Well", "China", "green", 1990, "Flat leaves, chestnut, a little sweet."),
    Tea("Earl Grey", "Sri Lanka", "black", 950, "With oil of bergamot from Calabria."),
    Tea("Genmaicha", "Japan", "green", 780, "Green tea with roasted rice."),
    Tea("Gyokuro", "Japan", "green", 3120, "Grown in the shade; use cool water."),
    Tea("Hojicha", "Japan", "green", 820, "Roasted over charcoal, for the evening."),
    Tea("Iron Goddess", "China", "oolong", 1640, "Orchid, cream, many infusions."),
    Tea("Jasmine Pearls", "China", "green", 1750, "Rolled by hand, scented six nights."),
    Tea("Keemun", "China", "black", 1320, "Cocoa and a trace of smoke."),
    Tea("Lapsang", "China", "black", 1180, "Dried over pine fires; not for everyone."),
    Tea("Milk Oolong", "Taiwan", "oolong", 1560, "Soft, buttery, without any milk in it."),
    Tea("Nilgiri Frost", "India", "black", 1090, "Picked in January, clear and sweet."),
    Tea("Sencha", "Japan", "green", 990, "Grass, sea air, a quick minute in the pot."),
    Tea("White Peony", "China", "white", 1480, "Buds and leaves, pale and mild."),
]


@dataclass(frozen=True)
class State:
    """The shop at one moment."""

    name: str
    time: datetime
    teas: tuple[Tea, ...]
    visitors: int
    is_new_design: bool = False

    def pages(self) -> Iterator[FetchedPage]:
        """Every page of the shop, as it would have been fetched; the number of visitors in the foot
        of a list differs at every fetch.
        """
        for path, title, body in self._contents():
            foot = (
                f"{self.visitors + len(path):,} visitors so far"
                if "tea?" in path or path == "/tea"
                else "4 Quay Street"
            )
            text = (new_frame if self.is_new_design else old_frame)(title, body, foot)
            yield FetchedPage(HOME + path, self.time, 200, text.encode(), TYPE)

    def _contents(self) -> Iterator[tuple[str, str, str]]:
        look = NEW if self.is_new_design else OLD
        yield (
            "/",
            "The Tea Counter",
            "<p>Loose tea since 1987.</p><p><a href='/tea'>All our teas</a></p>",
        )
        pages = [
            self.teas[start : start + PER_PAGE] for start in range(0, len(self.teas), PER_PAGE)
        ]
        for number, shown in enumerate(pages, start=1):
            after = (
                f"<p class=pager><a rel=next href='/tea?page={number + 1}'>Next</a></p>"
                if number < len(pages)
                else ""
            )
            yield (
                "/tea" if number == 1 else f"/tea?page={number}",
                "Our teas",
                look.shelf(shown) + after,
            )
        for tea in self.teas:
            yield tea.path, tea.name, look.tea(tea)
        yield (
            "/about",
            "About us",
            "<p>We taste everything we sell.</p><p>4 Quay Street, Monday to Friday, 9 to 18.</p>",
        )


class OLD:
    """How lists and teas looked on Monday and Tuesday."""

    @staticmethod
    def shelf(teas: tuple[Tea, ...]) -> str:
        """A page of the list."""
        return "<ul class=shelf>\n" + "".join(OLD._item(tea) for tea in teas) + "</ul>\n"

    @staticmethod
    def _item(tea: Tea) -> str:
        return (
            f"<li><h2><a href='{tea.path}'>{escape(tea.name)}</a></h2><p"
            f" class=origin>{tea.origin}</p><p class=price>{tea.price}</p><p"
            f" class=stock>{tea.stock}</p></li>\n"
        )

    @staticmethod
    def tea(tea: Tea) -> str:
        """The page of one tea."""
        return (
            f"<div class=buy><p class=price>{tea.price}</p><p"
            f" class=stock>{tea.stock}</p><button>Into the basket</button></div>\n"
            f"<p class=note>{tea.note}</p>\n"
            f"<table><tr><th>Origin<td>{tea.origin}<tr><th>Kind<td>{tea.kind}</table>\n"
        )


class NEW:
    """How they look since Wednesday: other tags, other classes, another order."""

    @staticmethod
    def shelf(teas: tuple[Tea, ...]) -> str:
        """A page of the list."""
        return "<div class=grid>\n" + "".join(NEW._item(tea) for tea in teas) + "</div>\n"

    @staticmethod
    def _item(tea: Tea) -> str:
        return (
            f"<article class=card><strong class=money>{tea.price}</strong><div class=words><h3><a"
            f" href='{tea.path}'>{escape(tea.name)}</a></h3><small>{tea.origin}</small></div><em"
            f" class=avail>{tea.stock}</em></article>\n"
        )

    @staticmethod
    def tea(tea: Tea) -> str:
        """The page of one tea."""
        return (
            f"<section class=hero><strong class=money>{tea.price}</strong><em"
            f" class=avail>{tea.stock}</em></section>\n"
            f"<dl><dt>Kind<dd>{tea.kind}<dt>Origin<dd>{tea.origin}</dl>\n<blockquote>{tea.note}</blockquote>\n"
        )


def old_frame(title: str, body: str, foot: str) -> str:
    """A whole page in the old design."""
    return (
        "<!DOCTYPE html>\n<html lang=en><head><meta"
        f" charset=utf-8><title>{escape(title)}</title></head>\n<body>\n<div id=top><a href='/'>The"
        " Tea Counter</a> <a href='/tea'>Teas</a> <a href='/about'>About us</a></div>\n<div"
        f" id=content><h1>{escape(title)}</h1>\n{body}</div>\n<div"
        f" id=foot>{foot}</div>\n</body></html>\n"
    )


def new_frame(title: str, body: str, foot: str) -> str:
    """A whole page in the new design."""
    return (
        "<!DOCTYPE html>\n<html lang=en><head><meta"
        f" charset=utf-8><title>{escape(title)}</title></head>\n<body class=v2><header>"
        "<nav><a href='/tea'>Teas</a> <a href='/about'>About us</a></nav><a class=brand"
        " href='/'>The Tea Counter</a></header>\n"
        f"<main><h1>{escape(title)}</h1>\n{body}</main>\n<footer><i>{foot}</i></footer>\n</body></html>\n"
    )


def states() -> list[State]:
    """Monday; Tuesday, with two other prices, one tea sold out, one gone and one new; Wednesday,
    the same in a new design.
    """
    teas = {tea.name: tea for tea in TEAS}
    later = dict(teas)
    later["Gyokuro"] = replace(teas["Gyokuro"], cents=2650)
    later["Earl Grey"] = replace(teas["Earl Grey"], cents=990)
    later["Hojicha"] = replace(teas["Hojicha"], is_left=False)
    del later["Lapsang"]
    later["Lung Ching"] = Tea(
        "Lung Ching",
        "China",
        "green",
        2280,
        "From the hills around the lake, picked before the rain.",
    )
    tuesday = tuple(sorted(later.values(), key=lambda tea: tea.name))
    return [
        State("monday", datetime(2026, 3, 2, 8, tzinfo=UTC), tuple(TEAS), 18_204),
        State("tuesday", datetime(2026, 3, 3, 8, tzinfo=UTC), tuesday, 18_511),
        State(
            "wednesday", datetime(2026, 3, 4, 8, tzinfo=UTC), tuesday, 18_790, is_new_design=True
        ),
    ]


def drifted() -> list[str]:
    """The files that do not hold these pages."""
    wrong = []
    for state in states():
        path = SAMPLES / f"tea-{state.name}.warc.gz"
        kept = (
            [
                (page.url, page.time, page.body)
                for page in pages_of(path, limits=DEFAULT_LIMITS, on_trouble=print)
            ]
            if path.exists()
            else []
        )
        if kept != [(page.url, page.time, page.body) for page in state.pages()]:
            wrong.append(path.name)
    return wrong


def main() -> int:
    """Writes the files, or with `--check` says which have drifted."""
    if "--check" in sys.argv:
        wrong = drifted()
        print(
            f"write again with python tools/write_tea_site.py: {', '.join(wrong)}"
            if wrong
            else "the tea shop's files hold its pages"
        )
        return bool(wrong)
    for state in states():
        with (SAMPLES / f"tea-{state.name}.warc.gz").open("wb") as file, WarcWriter(file) as writer:
            writer.pages(state.pages())
    return 0


if __name__ == "__main__":
    sys.exit(main())
