"""Lists of meetings, events and rulings of our own, in the shapes that plug-ins, city halls and
courts write them, each put in the place of the running text of a real article: what stands around
it (menus, sidebars, related stories, footers) is that of a page that was served.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from lxml import html

BODIES = (
    "Board of Directors",
    "Finance Committee",
    "Planning Commission",
    "Parks and Recreation Board",
    "City Council Work Session",
    "Zoning Board of Appeals",
    "Library Trustees",
    "Advisory Council on Walking",
    "Audit and Compliance Committee",
    "Public Hearing on the Budget",
)
SHOWS = (
    "Open Rehearsal of the City Orchestra",
    "Guided Walk through the Old Harbour",
    "Lecture: Maps before Printing",
    "Repair Café",
    "Story Hour for Children",
    "Film Night: The Third Man",
    "Farmers’ Market",
    "Introduction to Beekeeping",
    "Choir of Saint Anne",
    "Exhibition Opening",
)
PLACES = (
    "City Hall, Room 204",
    "121 N. LaSalle St., 2nd Floor",
    "Main Library, Conference Room B",
    "Zoom",
    "Community Center, 9830 Lorain Ave.",
    "County Building, Chambers",
)
PAPERS = ("Agenda", "Minutes", "Board Packet", "Notice", "Presentation", "Video", "Audio")
NAMES = ("Smith", "Garcia", "In re J.M.", "Acme Corp.", "Nguyen", "Doe", "Okafor", "Lindqvist")
MEMBERS = ("Ann Lee, Chair", "Tom Ruiz, Vice Chair", "Jo Park", "Kim Brandt", "Lu Adeyemi")
PROSE = (
    "Unless otherwise noted, meetings begin at 9 a.m. and are open to the public.",
    "To speak at a meeting, please sign up with the clerk at least one day before it begins.",
    "Minutes are posted after they have been approved. Older ones can be had from the archive.",
    "All times are local. Doors open half an hour before the start; there is no entrance fee.",
)
REMARKS = (
    "I made this last night and everyone loved it, thank you!",
    "Does it keep for a few days? Ours was gone before we could find out.",
    "We were there last year and will come again.",
    "Sadly this did not work for me at all. The text leaves out the most important thing.",
    "Great!",
    "@Ann yes, that is what I do too, and it never fails.",
)
TITLES = ("Meetings", "Meeting Schedule", "Upcoming Events", "Calendar", "Agendas & Minutes")

FORMS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day:%B} {day.day}, {day.year}",
    lambda day: f"{day:%B} {day.day}",
    lambda day: f"{day:%b}. {day.day}",
    lambda day: f"{day:%A}, {day:%B} {day.day}, {day.year}",
    lambda day: f"{day:%m/%d/%Y}",
    lambda day: f"{day:%Y-%m-%d}",
    lambda day: f"{day:%A} {day:%B} {day.day}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day:%a}, {day:%b} {day.day}",
)


class Entry(NamedTuple):
    """One thing that happens."""

    day: date
    written: str
    time: str
    title: str
    place: str
    papers: tuple[str, ...]


class Draw:
    """The entries of one page and how it writes them."""

    def __init__(self, seed: int) -> None:
        self.of = random.Random(seed)
        self.is_court = seed % 4 == 3
        form = self.of.choice(FORMS)
        day = date(self.of.randint(2014, 2025), self.of.randint(1, 12), self.of.randint(1, 28))
        step, clock = self.of.choice((7, 14, 30, 31)), self.of.choice(("pm", "p.m.", ":30 PM"))
        titles = self.of.choice((BODIES, SHOWS))
        self.entries = []
        for number in range(self.of.choice((4, 5, 6, 8, 10, 12, 16, 20, 28, 40))):
            then = day + timedelta(days=number * step + self.of.randint(0, 3))
            self.entries.append(
                Entry(
                    then,
                    form(then),
                    f"{self.of.randint(1, 9)}{' ' * (clock[0] != ':')}{clock}",
                    self._case(number) if self.is_court else self.of.choice(titles),
                    f"No. {then.year % 100}-{self.of.randint(100, 9999)}"
                    if self.is_court
                    else self.of.choice(PLACES),
                    ("Opinion",) if self.is_court else self._papers(),
                )
            )

    def _case(self, number: int) -> str:
        one, other = self.of.sample(NAMES, 2)
        return f"{one} v. {other}" if number % 5 else f"State v. {other}"

    def _papers(self) -> tuple[str, ...]:
        return tuple(self.of.sample(PAPERS, self.of.choice((0, 1, 2, 2, 3))))


Shape = Callable[[Draw], tuple[str, list[list[str]]]]
"""The markup of a list, and the texts of its rows."""


def links(entry: Entry, between: str = " ") -> str:
    """The papers of an entry."""
    return between.join(f'<a href="/{entry.day}/{paper}.pdf">{paper}</a>' for paper in entry.papers)


def table(draw: Draw) -> tuple[str, list[list[str]]]:
    """A row an entry; some pages have a head, some none."""
    heads = ("Date", "Case" if draw.is_court else "Meeting", "Location", "Documents")
    head = f"<tr>{''.join(f'<th>{word}</th>' for word in heads)}</tr>"
    head = draw.of.choice((f"<thead>{head}</thead>", "", head))
    rows = "".join(
        f"<tr><td>{it.written}</td><td>{it.title}</td><td>{it.place}</td><td>{links(it)}</td></tr>"
        for it in draw.entries
    )
    named = draw.of.choice(("", ' class="wp-block-table"', ' class="listingTable"', ' border="1"'))
    return f"<table{named}>{head}<tbody>{rows}</tbody></table>", [
        [it.written, it.title, it.place, *it.papers] for it in draw.entries
    ]


def table_a_part(draw: Draw) -> tuple[str, list[list[str]]]:
    """A heading and a small table for each year or committee, each in a part or not."""
    made, rows = [], []
    around = draw.of.choice(("{}", "<div class=part>{}</div>", "<section>{}</section>"))
    size = draw.of.choice((3, 4, 6, 12))
    for start in range(0, len(draw.entries), size):
        some = draw.entries[start : start + size]
        body = "".join(
            f"<tr><td>{it.written} {it.time}</td><td>{it.place}</td><td>{links(it)}</td></tr>"
            for it in some
        )
        title = draw.of.choice((f"{some[0].day.year} Meetings", draw.of.choice(BODIES)))
        made.append(f"<h3>{title}</h3><div class=panel><table><tbody>{body}</tbody></table></div>")
        made[-1] = around.format(made[-1])
        rows += [[f"{it.written} {it.time}", it.place, *it.papers] for it in some]
    return "".join(made), rows


def items(draw: Draw) -> tuple[str, list[list[str]]]:
    """Items of a list, the day first or last."""
    is_first = draw.of.random() < 0.7
    made, rows = [], []
    for it in draw.entries:
        day = draw.of.choice((it.written, f"{it.written} @ {it.time}"))
        rest = f"<strong>{it.title}</strong>" if draw.is_court else it.place
        text = f"{day}, {rest}" if is_first else f"{rest} – {day}"
        made.append(f"<li>{text} {links(it, ' | ')}</li>")
        rows.append([text.replace("<strong>", "").replace("</strong>", ""), *it.papers])
    return f"<ul>{''.join(made)}</ul>", rows


def paragraphs(draw: Draw) -> tuple[str, list[list[str]]]:
    """A paragraph an entry."""
    dress = draw.of.choice(("{}", "<strong>{}</strong>", "<a href=x>{}</a>", "<b>{}</b>"))
    made = [f"<p>{dress.format(it.written)} {links(it, ' – ')}</p>" for it in draw.entries]
    return "".join(made), [[it.written, *it.papers] for it in draw.entries]


def lines(draw: Draw) -> tuple[str, list[list[str]]]:
    """Lines between breaks, all in one paragraph or one paragraph a year."""
    size = draw.of.choice((4, 6, len(draw.entries)))
    made = []
    for start in range(0, len(draw.entries), size):
        some = draw.entries[start : start + size]
        body = "<br>\n".join(f"{it.written} {links(it, ' – ')}" for it in some)
        made.append(f"<h4>{some[0].day.year}</h4><p>{body}</p>")
    return "".join(made), [[it.written, *it.papers] for it in draw.entries]


def grid(draw: Draw) -> tuple[str, list[list[str]]]:
    """A cell an entry, three or four in a row."""
    wide = draw.of.choice((2, 3, 4))
    cells = [f"<td>{it.written}<br>{links(it)}</td>" for it in draw.entries]
    rows = ["".join(cells[start : start + wide]) for start in range(0, len(cells), wide)]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><tbody>{body}</tbody></table>", [
        [it.written, *it.papers] for it in draw.entries
    ]


def badges(draw: Draw) -> tuple[str, list[list[str]]]:
    """Month and day in boxes of their own, beside title and time."""
    row = draw.of.choice(("event-item", "row calendar-row", "media event", "listing"))
    made = [
        f'<div class="{row}"><div class="date"><span class="month">{it.day:%b}</span>'
        f'<span class="day">{it.day.day}</span></div><div class="info"><h4><a href="/e/{it.day}">'
        f'{it.title}</a></h4><p class="time">{it.time}</p><p>{it.place}</p></div></div>'
        for it in draw.entries
    ]
    return f'<div class="events">{"".join(made)}</div>', [
        [f"{it.day:%b}", str(it.day.day), it.title, it.time, it.place] for it in draw.entries
    ]


def calendar_plugin(draw: Draw) -> tuple[str, list[list[str]]]:
    """Rows with a date tag and an article, and the name of each month between them."""
    made, rows, month = [], [], 0
    for it in draw.entries:
        if it.day.month != month:
            month = it.day.month
            made.append(f'<h2 class="month-separator"><time>{it.day:%B} {it.day.year}</time></h2>')
        when = f"{it.day:%B} {it.day.day} @ {it.time}"
        made.append(
            f'<div class="list__event-row"><div class="list__event-date-tag"><time>'
            f"<span>{it.day:%a}</span><span>{it.day.day}</span></time></div><article><header>"
            f'<time datetime="{it.day}">{when}</time><h3><a href="/e/{it.day}">{it.title}</a></h3>'
            f"<address>{it.place}</address></header><p>{draw.of.choice(PROSE)}</p></article></div>"
        )
        rows.append([f"{it.day:%a}", str(it.day.day), when, it.title, it.place])
    return f'<div class="events-calendar-list">{"".join(made)}</div>', rows


def views(draw: Draw) -> tuple[str, list[list[str]]]:
    """Rows of fields in boxes with long class names."""
    made = [
        f'<div class="views-row views-row-{at}"><div class="views-field views-field-date">'
        f'<span class="date-display-single">{it.written}</span></div>'
        f'<div class="views-field views-field-title"><span><a href="/n/{at}">{it.title}</a></span>'
        f'</div><div class="views-field views-field-place">{it.place}</div></div>'
        for at, it in enumerate(draw.entries, start=1)
    ]
    return f'<div class="view"><div class="view-content">{"".join(made)}</div></div>', [
        [it.written, it.title, it.place] for it in draw.entries
    ]


def cards(draw: Draw) -> tuple[str, list[list[str]]]:
    """Cards with a picture, a linked title, time and place."""
    row = draw.of.choice(("event-card", "em-card", "tile", "c-card"))
    made = [
        f'<div class="{row}"><img src="/i/{at}.jpg" alt=""><h3><a href="/e/{at}">{it.title}</a>'
        f"</h3><p>{it.written} • {it.time}</p><p>{it.place}</p></div>"
        for at, it in enumerate(draw.entries)
    ]
    return f"<div>{''.join(made)}</div>", [
        [it.title, f"{it.written} • {it.time}", it.place] for it in draw.entries
    ]


def headed(draw: Draw) -> tuple[str, list[list[str]]]:
    """A day as a heading, its papers as a list below."""
    head = draw.of.choice(("h4", "h3", "dt"))
    made = []
    for it in draw.entries:
        papers = "".join(f"<li><a href=x>{paper}</a></li>" for paper in it.papers or ("Agenda",))
        body = f"<dd>{it.place}</dd>" if head == "dt" else f"<ul>{papers}</ul>"
        made.append(f"<{head}>{it.written}</{head}>{body}")
    page = f"<dl>{''.join(made)}</dl>" if head == "dt" else "".join(made)
    return page, [
        [it.written, *([it.place] if head == "dt" else it.papers or ("Agenda",))]
        for it in draw.entries
    ]


def months(draw: Draw) -> tuple[str, list[list[str]]]:
    """A list for each month or year, below a heading or in a drawer."""
    made, rows = [], []
    size = draw.of.choice((3, 4, 6, 12))
    around = draw.of.choice(("{}", '<div class="accordion-panel">{}</div>'))
    for start in range(0, len(draw.entries), size):
        some = draw.entries[start : start + size]
        body = "".join(f"<li><a href=x>{it.title}</a> {it.written}</li>" for it in some)
        made.append(f"<h3>{some[0].day:%B}</h3>{around.format(f'<ul>{body}</ul>')}")
        rows += [[it.title, it.written] for it in some]
    return "".join(made), rows


SHAPES: tuple[Shape, ...] = (
    table,
    table_a_part,
    table_a_part,
    items,
    paragraphs,
    lines,
    grid,
    badges,
    calendar_plugin,
    views,
    cards,
    headed,
    months,
    months,
)


def comments(draw: Draw) -> str:
    """What readers say below: dated too, and no list that a person came for."""
    row = draw.of.choice(
        (
            '<li class="comment"><b>{name}</b> <time>{day}</time><p>{text}</p><a href=x>Reply</a>',
            '<div class="review"><p>{text}</p><span>{name}</span> <span>{day}</span></div>',
            "<div><h5>{name}</h5><small>{day}</small><p>{text}</p><a href=x>Report</a></div>",
        )
    )
    form, day = draw.of.choice(FORMS), draw.entries[0].day
    made = [
        row.format(
            name=draw.of.choice(("Ann", "tom77", "J. Park", "Kim", "Lu")),
            day=form(day + timedelta(days=draw.of.randint(0, 900))),
            text=draw.of.choice(REMARKS),
        )
        for _ in range(draw.of.randint(3, 30))
    ]
    around = "<ol>{}</ol>" if row.startswith("<li") else "<div>{}</div>"
    title = draw.of.choice(("<h3>Comments</h3>", "<h2>Reviews</h2>", ""))
    return f"{title}{around.format(''.join(made))}"


def meetings(articles: Sequence[bytes]) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """For each article that has a place for it: its number, the page, and the label of its list."""
    for number, article in enumerate(articles):
        draw = Draw(number)
        made, rows = SHAPES[number % len(SHAPES)](draw)
        before = [f"<p>{text}</p>" for text in draw.of.sample(PROSE, draw.of.randint(0, 3))]
        title = "Opinions" if draw.is_court else draw.of.choice(TITLES)
        after = draw.of.choice(("", "<h3>Members</h3><ul>{}</ul>", f"<p>{PROSE[0]}</p>"))
        after = after.format("".join(f"<li>{name}</li>" for name in MEMBERS))
        after += comments(draw) if draw.of.random() < SHARE_WITH_COMMENTS else ""
        page = _grafted(article, f"<h1>{title}</h1>{''.join(before)}{made}{after}")
        if page:
            label = {"name": "rows", "rows": [{"texts": row} for row in rows]}
            yield number, page, label


SHARE_WITH_COMMENTS = 0.5
"""Share of the pages on which readers have their say below the list."""

LONG = 120
"""Letters from which on a text is running text."""

MIN_SHARE = 0.7
"""Share of a page's running text that its place must hold."""


def _grafted(article: bytes, markup: str) -> str:
    """The page with the element that holds most of its running text filled anew; empty where it has
    hardly any.
    """
    try:
        root = html.document_fromstring(article)
    except ValueError:
        return ""
    long = {
        node: sum(len(text) for text in (node.text, *(it.tail for it in node)) if text)
        for node in root.iter()
        if isinstance(node.tag, str) and node.tag not in ("script", "style", "noscript")
    }
    held = {node: size for node, size in long.items() if size >= LONG}
    whole = sum(held.values())
    if whole < 5 * LONG:
        return ""
    place = root
    while True:
        inside = {
            child: sum(held.get(node, 0) for node in child.iter())
            for child in place
            if isinstance(child.tag, str)
        }
        best = max(inside, key=inside.__getitem__, default=None)
        if best is None or inside[best] < MIN_SHARE * whole or best.tag == "p":
            break
        place = best
    if place.tag in ("html", "body"):
        return ""
    for child in list(place):
        place.remove(child)
    place.text = ""
    place.append(html.fragment_fromstring(markup, create_parent="div"))
    return str(html.tostring(root, encoding="unicode", doctype="<!doctype html>"))
