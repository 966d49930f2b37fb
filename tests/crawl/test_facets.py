"""Endless facets on a real server are left when they show the same records again and again; lists
that show something new are not.
"""

from __future__ import annotations

from itertools import product
from urllib.parse import parse_qsl, urlencode, urlsplit

from tests.crawl.servers import Answer, Server
from tests.crawl.test_crawler import Notebook, crawl

FACETS = {
    "kind": "green black white oolong",
    "size": "s m l xl",
    "from": "assam ceylon nepal japan",
    "with": "milk lemon sugar",
    "sort": "name price age",
}
ITEMS = [
    {
        "name": f"Tea {word}",
        "price": f"€{number + 3}.20",
        **{
            name: values.split()[(number // (1 + at)) % len(values.split())]
            for at, (name, values) in enumerate(FACETS.items())
        },
    }
    for number, word in enumerate(
        f"{a}{b}"
        for a, b in product(
            ("Mori", "Sora", "Kaze", "Umi", "Yama"), ("ka", "no", "ri", "to", "ya", "mi")
        )
    )
]


def rows(items: list[dict[str, str]]) -> str:
    lines = [
        f"<li><a href='/item/{ITEMS.index(it)}'>{it['name']}</a> <b>{it['price']}</b>"
        f" <i>{it['kind']} of {it['from']}</i></li>"
        for it in items
    ]
    return f"<ul>{''.join(lines)}</ul>"


def shop(handler) -> Answer:
    """Every choice of facets is an address of its own, in the order in which they were chosen; ten
    teas a page.
    """
    chosen = dict(parse_qsl(urlsplit(handler.path).query))
    at = int(chosen.pop("page", 1))
    fitting = [
        it
        for it in ITEMS
        if all(it[name] == value for name, value in chosen.items() if name not in ("sort", "with"))
    ]
    links = []
    for name, values in FACETS.items():
        for value in values.split():
            query = [*((n, v) for n, v in chosen.items() if n != name), (name, value)]
            links.append(f"<a href='/shop?{urlencode(query)}'>{name}: {value}</a>")
    following = (
        f"<a rel=next href='/shop?{urlencode([*chosen.items(), ('page', at + 1)])}'>next</a>"
        if at * 10 < len(fitting)
        else ""
    )
    title = ", ".join(f"{name} {value}" for name, value in chosen.items()) or "all"
    return Answer(
        (
            f"<h1>Teas: {title}</h1><p>{len(fitting)} teas</p><nav>{' '.join(links)}</nav>"
            f"{rows(fitting[10 * at - 10 : 10 * at])}{following}"
        ).encode()
    )


def item(handler) -> Answer:
    it = ITEMS[int(handler.path.rpartition("/")[2])]
    return Answer(
        f"<h1>{it['name']}</h1><p>{it['price']}</p><p>A {it['kind']} tea from {it['from']}.</p><a"
        f" href='/shop'>all teas</a>{rows(ITEMS[:5])}".encode()
    )


def test_endless_facets_are_left_and_nothing_is_missed(tmp_path):
    with Server(
        {"/shop": shop, **{f"/item/{number}": item for number in range(len(ITEMS))}}
    ) as server:
        notebook = Notebook()
        report = crawl(tmp_path, server.url + "/shop", notebook, concurrency=8)
    lists = [url for url in notebook.pages if "/shop" in url]
    assert sum("/item/" in url for url in notebook.pages) == len(ITEMS), "every tea was found"
    singles = {
        f"{server.url}/shop?{name}={value}"
        for name, values in FACETS.items()
        for value in values.split()
        if name != "sort"
    }
    assert singles <= set(notebook.pages), "each facet was looked at once"
    assert not any("sort=" in url for url in notebook.pages), "one order is enough"
    assert len(lists) < 120, len(lists)
    assert [
        line
        for line in report.problems
        if "a trap was left" in line and "/shop" in line and "same" in line
    ]


def test_known_parts_in_new_combinations_that_show_new_records_are_followed(tmp_path):
    """Eight categories of eight pages each: from the second category on every address combines
    known parts, and every page is new.
    """

    def listed(handler) -> Answer:
        query = dict(parse_qsl(urlsplit(handler.path).query))
        category, at = int(query.get("cat", 0)), int(query.get("page", 1))
        items = "".join(
            f"<li><b>Tea {chr(97 + category)}{chr(97 + at)}{number} of the shelf</b>"
            f" <i>€{number}.20</i></li>"
            for number in range(10)
        )
        links = "".join(
            f"<a href='/list?cat={other}&page=1'>category {other}</a>" for other in range(8)
        )
        pages = "".join(
            f"<a href='/list?cat={category}&page={other}'>page {other}</a>" for other in range(1, 9)
        )
        return Answer(f"<h1>Category {category}</h1>{links}<ul>{items}</ul>{pages}".encode())

    with Server({"/list": listed}) as server:
        notebook = Notebook()
        crawl(tmp_path, f"{server.url}/list?cat=0&page=1", notebook, concurrency=8)
    assert len(notebook.pages) == 64
