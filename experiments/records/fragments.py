"""Small pages that hold a list and next to nothing else, as people write them to try something
out: with a menu or without, rows of one to five texts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

THINGS = (
    "Tea",
    "Milk",
    "Blackcurrant jam",
    "Rye bread",
    "Olive oil",
    "Brown sugar",
    "Coffee, ground",
    "Apples from the Alte Land",
    "Sea salt",
    "A bag of flour",
    "Honey",
    "Lamp, small",
    "Garden chair",
    "The history of the loom",
)
NOTES = (
    "in stock",
    "sold out",
    "ships in two days",
    "new this week",
    "A plain thing that does what it should.",
    "Keeps for a year if it is kept dry.",
)
SHAPES = (
    ("<ul>{}</ul>", "<li>{}</li>", ("<b>{}</b>", "<i>{}</i>", "<span>{}</span>")),
    ("<ul>{}</ul>", "<li>{}</li>", ("<a href=x>{}</a>", "<em>{}</em>", "<small>{}</small>")),
    (
        "<ul class=goods>{}</ul>",
        "<li class=item>{}</li>",
        ("<h3>{}</h3>", "<p>{}</p>", "<p>{}</p>"),
    ),
    ("<table>{}</table>", "<tr>{}</tr>", ("<td>{}</td>",) * 5),
    (
        "<main>{}</main>",
        "<div class=card>{}</div>",
        ("<h2>{}</h2>", "<p>{}</p>", "<span>{}</span>"),
    ),
    ("<div>{}</div>", "<p class=hit>{}</p>", ("<a href=x>{}</a>", "<i>{}</i>", "<b>{}</b>")),
    ("<section>{}</section>", "<article>{}</article>", ("<h3>{}</h3>", "<p>{}</p>", "<p>{}</p>")),
    ("<ol>{}</ol>", "<li>{}</li>", ("{}", " <b>{}</b>", " <i>{}</i>")),
)
ADVERT, ADVERTS = "Buy!", 0.4
"""What stands between rows, and how often."""

MENU = "<nav><a href=a>Home</a> <a href=b>Shop</a> <a href=c>About</a></nav>"


def fragments(count: int) -> Iterator[tuple[str, list[list[str]]]]:
    """So many pages, each with its rows."""
    for seed in range(count):
        draw = random.Random(seed)
        around, row, parts = SHAPES[seed % len(SHAPES)]
        width = draw.randint(1, len(parts))
        rows = [
            [thing, _number(draw), draw.choice(NOTES), _number(draw), _number(draw)][:width]
            for thing in draw.sample(THINGS, draw.randint(2 if width > 1 else 3, 9))
        ]
        made = [
            row.format("".join(part.format(text) for part, text in zip(parts, texts, strict=False)))
            for texts in rows
        ]
        if draw.random() < ADVERTS:
            advert = re.sub(r"class=\w+", "class=ad", row).format(ADVERT)
            made.insert(draw.randrange(1, len(made)), advert)
        body = "".join(made)
        page = around.format(body)
        before = draw.choice(("", "", MENU, "<h1>Goods</h1>", f"{MENU}<h1>Our goods</h1>"))
        after = draw.choice(("", "", "<footer><p>Made by hand.</p></footer>"))
        yield f"<!doctype html><title>Goods</title><body>{before}{page}{after}", rows


def _number(draw: random.Random) -> str:
    amount = f"{draw.randint(1, 40)}.{draw.randint(0, 99):02}"
    return draw.choice((amount, f"€{amount}", f"$ {amount}", str(draw.randint(1, 90))))
