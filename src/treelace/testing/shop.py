"""A shop and its news, some hundred pages over three days and a redesign, all known.

What real sites do to crawlers and extractors is in it: lists with missing fields, lists cut into
pages, records laid out in rows of cells, detail pages with tables of facts, a news section, a
calendar without end, and noise that differs at every fetch (a visitor counter, an advertisement, a
token, a time stamp). The same seed gives the same site, byte for byte, but for the noise, which
follows the number of the fetch.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cached_property

from treelace.testing.shop_pages import render
from treelace.testing.shop_words import NEWS_PER_PAGE, PER_PAGE, WORDS, list_path, money, sentence

DAYS = 3

_STOCK = {
    "tea": (
        "Assam Darjeeling Sencha Keemun Oolong Rooibos Ceylon Matcha Yunnan Gyokuro".split(),
        ("Gold", "Reserve", "Classic", "No. 7"),
        (390, 2490),
        {
            "Origin": ("Assam", "Fujian", "Kagoshima", "Nuwara Eliya"),
            "Weight": ("50 g", "100 g", "250 g"),
            "Caffeine": ("low", "medium", "high"),
        },
    ),
    "cups": (
        "Harbour Meadow Quarry Linen Dusk Fjord".split(),
        ("Cup", "Mug", "Bowl", "Beaker"),
        (650, 3890),
        {
            "Material": ("stoneware", "porcelain", "glass"),
            "Volume": ("0.2 l", "0.3 l", "0.5 l"),
            "Dishwasher": ("yes", "no"),
        },
    ),
    "kettles": (
        "Copper Enamel Travel Whistling Nordic".split(),
        ("Kettle", "Kettle Pro", "Pot"),
        (1950, 12900),
        {
            "Power": ("1,800 W", "2,200 W", "none"),
            "Volume": ("0.8 l", "1.0 l", "1.7 l"),
            "Warranty": ("2 years", "5 years"),
        },
    ),
}
_MAKERS = ("Hofmann & Daughters", "Blue Jetty", "Maison Laurier", "Kanda Works", "Orchard Hill")
_BADGES = ("New", "Bestseller", "Fair trade")


@dataclass(frozen=True, slots=True)
class Product:
    """A thing on sale. None and empty mean that the page does not show it."""

    slug: str
    section: str
    name: str
    maker: str
    cents: int
    was_cents: int | None
    rating: str
    left: int
    badge: str
    text: str
    facts: tuple[tuple[str, str], ...]

    @property
    def path(self) -> str:
        """Where its own page is."""
        return f"/{self.section}/{self.slug}"

    @property
    def price(self) -> str:
        """As the pages write it."""
        return money(self.cents)

    @property
    def stock(self) -> str:
        """As the pages write it."""
        return "sold out" if not self.left else f"{self.left} in stock"


@dataclass(frozen=True, slots=True)
class Story:
    """A piece of news."""

    slug: str
    title: str
    date: str
    author: str
    paragraphs: tuple[str, ...]

    @property
    def path(self) -> str:
        """Where it is."""
        return f"/news/{self.slug}"


@dataclass(frozen=True, slots=True)
class Change:
    """The day's changes: `new` and `gone` products and stories, a product's `price` and `stock`."""

    kind: str
    path: str
    old: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of a page: its kind and its records, each field as the page writes it."""

    kind: str
    records: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Day:
    """The shop on one day, in the old design or the new one."""

    number: int
    products: tuple[Product, ...]
    stories: tuple[Story, ...]
    changes: tuple[Change, ...] = ()
    is_redesigned: bool = False
    seed: int = field(default=7, repr=False)

    @cached_property
    def truth(self) -> dict[str, Truth]:
        """Every page that is worth visiting, by path. The calendar is not: it has no end."""
        known = {
            "/": Truth("home"),
            "/about": Truth("text"),
            "/delivery": Truth("text"),
            "/gifts": Truth("gifts", self._gift_records()),
        }
        for section in _STOCK:
            for number, shown in enumerate(_cut(self.of(section), PER_PAGE), start=1):
                known[list_path(section, number)] = Truth(
                    "list", tuple(_list_record(product) for product in shown)
                )
        for product in self.products:
            known[product.path] = Truth("product", (_product_record(product),))
        for number, stories in enumerate(_cut(self.stories, NEWS_PER_PAGE), start=1):
            known[list_path("news", number)] = Truth(
                "news", tuple(_story_record(story) for story in stories)
            )
        for story in self.stories:
            known[story.path] = Truth(
                "story",
                ({"title": story.title, "date": story.date, "author": f"By {story.author}"},),
            )
        return known

    def of(self, section: str) -> tuple[Product, ...]:
        """The products of a section in the order of the shop."""
        return tuple(product for product in self.products if product.section == section)

    @property
    def gifts(self) -> tuple[Product, ...]:
        """What the page of presents shows: the first four of each section."""
        return tuple(product for section in _STOCK for product in self.of(section)[:4])

    def _gift_records(self) -> tuple[dict[str, str], ...]:
        return tuple({"name": product.name, "price": product.price} for product in self.gifts)

    def page(self, path: str, *, fetch: int = 0) -> str | None:
        """The page at a path as HTML, None if there is none; noise follows the fetch number."""
        return render(self, path, fetch)


@dataclass(frozen=True, slots=True)
class Shop:
    """The shop on three `days`, and `redesign`: the third day's stock in a new design."""

    days: tuple[Day, ...]
    redesign: Day


def open_shop(seed: int = 7) -> Shop:
    """Makes the shop.

    >>> shop = open_shop()
    >>> len(shop.days), len(shop.days[0].truth) > 100, shop.days[0].truth["/tea"].records[0]["name"]
    (3, True, 'Assam Gold')
    >>> sorted({change.kind for change in shop.days[1].changes})
    ['gone', 'new', 'price', 'stock']
    """
    random_numbers = random.Random(seed)
    products, stories = _products(random_numbers), _stories(random_numbers, 26)
    reserve = [
        replace(product, slug=f"{product.slug}-ii", name=f"{product.name} II")
        for product in random_numbers.sample(products, 6)
    ]
    days = [Day(0, tuple(products), tuple(stories), seed=seed)]
    for _ in range(1, DAYS):
        days.append(_next_day(days[-1], random_numbers, reserve))
    return Shop(tuple(days), replace(days[-1], is_redesigned=True, changes=()))


def _products(numbers: random.Random) -> list[Product]:
    made = []
    for section, (firsts, seconds, (least, most), facts) in _STOCK.items():
        for first in firsts:
            for second in seconds:
                cents = numbers.randrange(least, most, 10)
                made.append(
                    Product(
                        slug=f"{first}-{second}".lower().replace(" ", "-").replace(".", ""),
                        section=section,
                        name=f"{first} {second}",
                        maker=numbers.choice(_MAKERS),
                        cents=cents,
                        was_cents=(
                            cents + numbers.randrange(100, 900, 50)
                            if numbers.random() < 0.25
                            else None
                        ),
                        rating=(
                            f"{numbers.randrange(30, 50) / 10} / 5"
                            if numbers.random() < 0.7
                            else ""
                        ),
                        left=numbers.randrange(1, 60),
                        badge=numbers.choice(_BADGES) if numbers.random() < 0.2 else "",
                        text=sentence(numbers, 12),
                        facts=tuple(
                            (label, numbers.choice(values)) for label, values in facts.items()
                        ),
                    )
                )
    return made


def _stories(numbers: random.Random, count: int) -> list[Story]:
    return [_story(numbers, number) for number in range(count, 0, -1)]


def _story(numbers: random.Random, number: int) -> Story:
    title = (
        f"{numbers.choice(WORDS).title()} {numbers.choice(WORDS)} and {numbers.choice(WORDS)}"
        f" {numbers.choice(WORDS)}"
    )
    return Story(
        slug=f"{number}-{title.lower().replace(' ', '-')}",
        title=title,
        date=f"{numbers.randrange(1, 28)} March 2026",
        author=numbers.choice(("A. Winter", "Jo Marsh", "P. Okafor")),
        paragraphs=tuple(
            " ".join(sentence(numbers, 14) for _ in range(numbers.randrange(2, 4)))
            for _ in range(numbers.randrange(3, 7))
        ),
    )


def _next_day(day: Day, numbers: random.Random, reserve: list[Product]) -> Day:
    """Five prices, three stocks, one product gone, two new ones, a new story."""
    products, changes = list(day.products), []
    chosen = numbers.sample(range(len(products)), 9)
    for index in chosen[:5]:
        old = products[index]
        factor = numbers.choice((0.8, 0.85, 0.9, 1.1, 1.25))
        products[index] = replace(old, cents=round(old.cents * factor / 10) * 10)
        changes.append(Change("price", old.path, old.price, products[index].price))
    for index in chosen[5:8]:
        old = products[index]
        products[index] = replace(old, left=max(0, old.left - numbers.randrange(1, 9)))
        if products[index].left != old.left:
            changes.append(Change("stock", old.path, old.stock, products[index].stock))
    lost = products.pop(chosen[8])
    changes.append(Change("gone", lost.path, lost.name))
    for _ in range(2):
        fresh = reserve.pop(0)
        at = next(
            index for index, product in enumerate(products) if product.section == fresh.section
        )
        products.insert(at, fresh)
        changes.append(Change("new", fresh.path, "", fresh.name))
    story = _story(numbers, 100 + day.number)
    changes.append(Change("new", story.path, "", story.title))
    return Day(
        day.number + 1, tuple(products), (story, *day.stories), tuple(changes), seed=day.seed
    )


def _cut(things: tuple[Product, ...] | tuple[Story, ...], size: int) -> list[tuple]:  # type: ignore[type-arg]
    return [things[start : start + size] for start in range(0, len(things), size)] or [()]


def _list_record(product: Product) -> dict[str, str]:
    shown = {
        "name": product.name,
        "maker": product.maker,
        "price": product.price,
        "stock": product.stock,
    }
    if product.was_cents is not None:
        shown["was"] = money(product.was_cents)
    if product.rating:
        shown["rating"] = product.rating
    if product.badge:
        shown["badge"] = product.badge
    return shown


def _product_record(product: Product) -> dict[str, str]:
    shown = {
        "name": product.name,
        "maker": product.maker,
        "price": product.price,
        "stock": product.stock,
        "text": product.text,
        **dict(product.facts),
    }
    if product.rating:
        shown["rating"] = product.rating
    return shown


def _story_record(story: Story) -> dict[str, str]:
    return {"title": story.title, "date": story.date, "teaser": story.paragraphs[0]}
