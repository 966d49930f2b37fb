"""The shop's templates in two designs: the same data with other tags, classes and order."""

from __future__ import annotations

import random
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from treelace.testing.shop_words import NEWS_PER_PAGE, PER_PAGE, list_path, money, sentence

if TYPE_CHECKING:
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


def render(day: Day, path: str, fetch: int) -> str | None:
    """The page at a path on a day, None where there is none."""
    parts = urlsplit(path)
    pieces = [piece for piece in parts.path.split("/") if piece]
    number = int((parse_qs(parts.query).get("page") or ["1"])[0])
    made = _body(day, pieces, number)
    if made is None:
        return None
    title, body = made
    return (_new_frame if day.is_redesigned else _old_frame)(title, body, _Noise(day, path, fetch))


def _body(day: Day, pieces: list[str], number: int) -> tuple[str, str] | None:
    new = day.is_redesigned
    if not pieces:
        return "Leaf & Cup", _home(day)
    head = pieces[0]
    if head == "news" and len(pieces) == 1:
        stories = day.stories[(number - 1) * NEWS_PER_PAGE : number * NEWS_PER_PAGE]
        return (
            (
                "News",
                (_new_news if new else _old_news)(stories)
                + _pager(day, "news", number, len(day.stories), NEWS_PER_PAGE),
            )
            if stories
            else None
        )
    if head == "news":
        found = [story for story in day.stories if story.path == f"/news/{pieces[1]}"]
        return (found[0].title, (_new_story if new else _old_story)(found[0])) if found else None
    if head == "calendar" and len(pieces) == 3 and all(piece.isdigit() for piece in pieces[1:]):
        return "Opening hours", _calendar(int(pieces[1]), int(pieces[2]))
    if head == "gifts":
        return "Gift ideas", (_new_gifts if new else _old_gifts)(day.gifts)
    if head in ("about", "delivery"):
        return head.title(), _text(head, day.seed)
    if head not in _SECTIONS:
        return None
    if len(pieces) == 1:
        goods = day.of(head)[(number - 1) * PER_PAGE : number * PER_PAGE]
        pager = _pager(day, head, number, len(day.of(head)), PER_PAGE)
        return (
            (_SECTIONS[head], (_new_list if new else _old_list)(goods) + pager) if goods else None
        )
    goods = tuple(product for product in day.of(head) if product.slug == pieces[1])
    return (
        (goods[0].name, (_new_product if new else _old_product)(goods[0], day)) if goods else None
    )


class _Noise:
    """What differs at every fetch and means nothing."""

    def __init__(self, day: Day, path: str, fetch: int) -> None:
        numbers = random.Random(f"{day.seed} {day.number} {path} {fetch}")
        self.visitors = f"{numbers.randrange(10_000, 99_999):,}"
        self.advert = numbers.choice(_ADVERTS)
        self.token = f"{numbers.getrandbits(64):016x}"
        self.stamp = (
            f"{numbers.randrange(24):02}:{numbers.randrange(60):02}:{numbers.randrange(60):02}"
        )


# the old design


def _old_frame(title: str, body: str, noise: _Noise) -> str:
    menu = "".join(f'<li><a href="/{name}">{label}</a></li>' for name, label in _SECTIONS.items())
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} – Leaf &amp; Cup</title><link \
rel="stylesheet" href="/style.css"></head>
<body>
<div id="top"><a class="logo" href="/">Leaf &amp; Cup</a>
<ul class="menu">{menu}<li><a href="/gifts">Gifts</a></li><li><a href="/news">News</a></li><li><a \
href="/calendar/2026/3">Opening hours</a></li></ul>
<form class="search" action="/search"><input name="q"><input type="hidden" name="token" \
value="{noise.token}"><button>Find</button></form></div>
<div id="advert"><b>{escape(noise.advert)}</b></div>
<div id="content"><h1>{escape(title)}</h1>
{body}</div>
<div id="foot"><a href="/about">About us</a> <a href="/delivery">Delivery</a> <a \
href="/cart">Basket</a>
<span class="visitors">{noise.visitors} visitors</span> <span class="stamp">page made at \
{noise.stamp}</span></div>
</body></html>
"""


def _old_list(goods: tuple[Product, ...]) -> str:
    rows = []
    for product in goods:
        badge = f'<span class="badge">{product.badge}</span>' if product.badge else ""
        was = (
            f' <del class="was">{money(product.was_cents)}</del>'
            if product.was_cents is not None
            else ""
        )
        rating = f'<p class="rating">{product.rating}</p>' if product.rating else ""
        rows.append(
            f'<li class="product"><a class="photo" href="{product.path}"><img'
            f' src="/img/{product.slug}.jpg" alt=""></a>{badge}<h2><a'
            f' href="{product.path}">{escape(product.name)}</a></h2><p'
            f' class="maker">{escape(product.maker)}</p><p class="cost"><span'
            f' class="price">{product.price}</span>{was}</p>{rating}<p'
            f' class="stock">{product.stock}</p></li>'
        )
    return f'<ul class="products">\n{chr(10).join(rows)}\n</ul>\n'


def _old_product(product: Product, day: Day) -> str:
    facts = "".join(
        f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>"
        for label, value in product.facts
    )
    rating = f'<p class="rating">{product.rating}</p>' if product.rating else ""
    return (
        f'<div class="photo"><img src="/img/{product.slug}-large.jpg" alt=""></div><div'
        f' class="buy"><p class="maker">{escape(product.maker)}</p><p'
        f' class="price">{product.price}</p>{rating}<p class="stock">{product.stock}</p><form'
        ' action="/cart"><button>Into the basket</button></form></div><p'
        f' class="about">{escape(product.text)}</p><table class="facts">{facts}</table><h3>Others'
        f' like it</h3><ol class="others">{_others(product, day)}</ol>'
    )


def _old_news(stories: tuple[Story, ...]) -> str:
    return "".join(
        '<div class="teaser"><h3><a'
        f' href="{story.path}">{escape(story.title)}</a></h3><em>{story.date}</em>'
        f"<p>{escape(story.paragraphs[0])}</p></div>\n"
        for story in stories
    )


def _old_story(story: Story) -> str:
    text = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in story.paragraphs)
    return (
        f'<p class="byline"><span class="author">By {story.author}</span>'
        f' <time>{story.date}</time></p><div class="story">{text}</div>'
    )


def _old_gifts(goods: tuple[Product, ...]) -> str:
    """Records in rows of cells: the names of four products in one row, their prices in the next."""
    rows = []
    for start in range(0, len(goods), 4):
        four = goods[start : start + 4]
        rows.append(
            "<tr>"
            + "".join(
                f'<td class="pic"><a href="{one.path}"><img src="/img/{one.slug}.jpg"'
                ' alt=""></a></td>'
                for one in four
            )
            + "</tr>"
        )
        rows.append(
            "<tr>"
            + "".join(
                f'<td class="name"><a href="{one.path}">{escape(one.name)}</a></td>' for one in four
            )
            + "</tr>"
        )
        rows.append(
            "<tr>" + "".join(f'<td class="price">{one.price}</td>' for one in four) + "</tr>"
        )
    return f'<table class="gifts">{"".join(rows)}</table>'


# the new design


def _new_frame(title: str, body: str, noise: _Noise) -> str:
    menu = "".join(
        f'<a class="nav-x" href="/{name}">{label}</a>' for name, label in _SECTIONS.items()
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} | Leaf &amp; Cup</title></head>
<body class="v2"><div class="app"><header class="bar"><div class="bar-in"><nav>{menu}<a \
class="nav-x" href="/gifts">Gifts</a>
<a class="nav-x" href="/news">News</a><a class="nav-x" href="/calendar/2026/3">Opening hours</a>\
</nav>
<a class="brand" href="/">Leaf &amp; Cup</a></div></header>
<main class="shell"><section class="stage"><h1 class="headline">{escape(title)}</h1>
{body}</section><aside class="promo"><p>{escape(noise.advert)}</p></aside></main>
<footer class="base"><p><a href="/about">About us</a><a href="/delivery">Delivery</a><a \
href="/cart">Basket</a></p>
<p data-token="{noise.token}"><i>{noise.visitors} visitors</i><i>page made at {noise.stamp}</i>\
</p></footer></div></body></html>
"""


def _new_list(goods: tuple[Product, ...]) -> str:
    cards = []
    for product in goods:
        was = (
            f'<s class="money-old">{money(product.was_cents)}</s>'
            if product.was_cents is not None
            else ""
        )
        badge = f'<b class="flag">{product.badge}</b>' if product.badge else ""
        rating = f'<span class="stars">{product.rating}</span>' if product.rating else ""
        cards.append(
            '<article class="card"><div class="card-top"><strong'
            f' class="money">{product.price}</strong>{was}{badge}</div><figure><img'
            f' src="/img/{product.slug}.jpg" alt=""></figure><div class="card-text"><span'
            f' class="brandname">{escape(product.maker)}</span><h4><a'
            f' href="{product.path}">{escape(product.name)}</a></h4>{rating}<small'
            f' class="avail">{product.stock}</small></div></article>'
        )
    return f'<div class="grid">\n{chr(10).join(cards)}\n</div>\n'


def _new_product(product: Product, day: Day) -> str:
    facts = "".join(
        f"<dt>{escape(label)}</dt><dd>{escape(value)}</dd>" for label, value in product.facts
    )
    rating = f'<span class="stars">{product.rating}</span>' if product.rating else ""
    return (
        f'<div class="split"><div class="side"><strong class="money">{product.price}</strong><small'
        f' class="avail">{product.stock}</small>{rating}<span'
        f' class="brandname">{escape(product.maker)}</span><button>Add</button></div><figure><img'
        f' src="/img/{product.slug}-large.jpg" alt=""></figure></div><dl'
        f' class="spec">{facts}</dl><div class="prose">{escape(product.text)}</div><section'
        f' class="more"><h5>Others like it</h5><ul>{_others(product, day)}</ul></section>'
    )


def _new_news(stories: tuple[Story, ...]) -> str:
    teasers = "".join(
        f'<li><time class="when">{story.date}</time><a class="what"'
        f' href="{story.path}">{escape(story.title)}</a>'
        f"<span>{escape(story.paragraphs[0])}</span></li>\n"
        for story in stories
    )
    return f'<ul class="feed">{teasers}</ul>'


def _new_story(story: Story) -> str:
    text = "".join(f'<div class="para">{escape(paragraph)}</div>' for paragraph in story.paragraphs)
    return (
        f'<article class="long">{text}<footer class="sig"><i>{story.date}</i><b>By'
        f" {story.author}</b></footer></article>"
    )


def _new_gifts(goods: tuple[Product, ...]) -> str:
    rows = []
    for start in range(0, len(goods), 4):
        four = goods[start : start + 4]
        rows.append(
            '<div class="r">'
            + "".join(
                f'<div class="n"><a href="{one.path}">{escape(one.name)}</a></div>' for one in four
            )
            + "</div>"
        )
        rows.append(
            '<div class="r">'
            + "".join(f'<div class="m">{one.price}</div>' for one in four)
            + "</div>"
        )
    return f'<div class="gifttable">{"".join(rows)}</div>'


# both


def _others(product: Product, day: Day) -> str:
    goods = day.of(product.section)
    at = goods.index(product)
    shown = [goods[(at + step) % len(goods)] for step in (1, 2, 3)]
    return "".join(f'<li><a href="{one.path}">{escape(one.name)}</a></li>' for one in shown)


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


def _pager(day: Day, section: str, number: int, count: int, size: int) -> str:
    last = max(1, -(-count // size))

    def link(to: int, label: str, rel: str) -> str:
        return f'<a href="{list_path(section, to)}"{rel}>{label}</a>'

    before = link(number - 1, "Previous", ' rel="prev"') if number > 1 else ""
    after = link(number + 1, "Next", ' rel="next"') if number < last else ""
    tag = "nav" if day.is_redesigned else "p"
    return f'<{tag} class="pager">{before} <span>Page {number} of {last}</span> {after}</{tag}>'


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
