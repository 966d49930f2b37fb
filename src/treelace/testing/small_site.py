"""A small shop with news, twelve pages in two versions, made by templates: what a demo can check itself against."""

from __future__ import annotations

from dataclasses import dataclass, replace

_STYLES = {"tea": "loose leaf", "cups": "stoneware", "kettles": "enamel"}


@dataclass(frozen=True, slots=True)
class Product:
    """A thing on sale."""

    name: str
    price: str
    stock: int


@dataclass(frozen=True, slots=True)
class SmallSite:
    """The pages of one day, and what stands on them."""

    pages: dict[str, str]
    kinds: dict[str, str]
    products: dict[str, tuple[Product, ...]]


_MONDAY: dict[str, tuple[Product, ...]] = {
    "tea": (Product("Assam", "4.20", 31), Product("Sencha", "6.80", 12), Product("Rooibos", "3.90", 44), Product("Earl Grey", "4.50", 27)),
    "cups": (Product("Blue cup", "9.00", 8), Product("White cup", "8.50", 15), Product("Glass cup", "7.25", 3)),
    "kettles": (Product("One-litre kettle", "34.00", 5), Product("Whistling kettle", "41.50", 2), Product("Travel kettle", "19.95", 9)),
}
_NEWS = (
    ("harvest", "The new harvest is here", ("The first flush arrived this morning.", "It is light and floral.", "Ask for a sample.")),
    ("hours", "Longer opening hours", ("From May we open at eight.", "Sundays stay quiet.")),
    ("glaze", "How a cup gets its glaze", ("A visit to the pottery.", "Two firings, a week apart.", "No two are alike.")),
    ("water", "Soft water, better tea", ("Lime is the enemy of leaves.", "A filter helps.")),
)


def monday() -> SmallSite:
    """The site on the first day."""
    return _site(_MONDAY, _NEWS)


def tuesday() -> SmallSite:
    """The site a day later: two prices changed, a product sold out, one came in, a story was edited."""
    tea = list(_MONDAY["tea"])
    tea[1] = replace(tea[1], price="5.95")
    tea[2] = replace(tea[2], stock=41)
    cups = (*_MONDAY["cups"][1:], Product("Red cup", "9.50", 20))
    news = [
        ("hours", "Longer opening hours", ("From June we open at eight.", "Sundays stay quiet.")) if story[0] == "hours" else story for story in _NEWS
    ]
    return _site({**_MONDAY, "tea": tuple(tea), "cups": cups}, tuple(news))


def _site(products: dict[str, tuple[Product, ...]], news: tuple[tuple[str, str, tuple[str, ...]], ...]) -> SmallSite:
    made: list[tuple[str, str, str]] = []
    for section, goods in products.items():
        made.append((f"{section}.html", "list", _list_page(section, goods)))
        shown = goods[:2] if section == "tea" else goods[1:2]
        made += [(_address(section, product), "product", _detail_page(section, product)) for product in shown]
    made += [(f"news-{name}.html", "story", _story_page(title, paragraphs)) for name, title, paragraphs in news]
    letter = "<address>Leaf &amp; Cup, 4 Quay Street</address><form><label>Your mail <input name=mail></label><button>Write</button></form>"
    made.append(("about.html", "about", _frame("About us", letter)))
    return SmallSite({name: page for name, _, page in made}, {name: kind for name, kind, _ in made}, products)


def _address(section: str, product: Product) -> str:
    return f"{section}-{product.name.lower().replace(' ', '-')}.html"


def _frame(title: str, body: str) -> str:
    menu = "".join(f"<a href={section}.html>{section.title()}</a> " for section in _STYLES)
    return (
        f"<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title} – Leaf &amp; Cup</title></head>"
        f"<body><header><h1>{title}</h1><nav>{menu}</nav></header><main>{body}</main><footer><small>Leaf &amp; Cup</small></footer></body></html>\n"
    )


def _list_page(section: str, goods: tuple[Product, ...]) -> str:
    rows = "".join(
        f'<li class=product><img src="{section}-{number}.jpg" alt=""><h3><a href="{_address(section, product)}">{product.name}</a></h3>'
        f"<p class=price>€ {product.price}</p><p class=stock>{product.stock} in stock</p></li>"
        for number, product in enumerate(goods, start=1)
    )
    return _frame(section.title(), f"<ul class=products>{rows}</ul>")


def _detail_page(section: str, product: Product) -> str:
    pairs = (("Price", f"€ {product.price}"), ("Stock", product.stock), ("Kind", _STYLES[section]))
    facts = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in pairs)
    photo = f"<figure><img src=photo.jpg alt=''><figcaption>{product.name}</figcaption></figure>"
    return _frame(product.name, f"{photo}<table class=facts>{facts}</table>")


def _story_page(title: str, paragraphs: tuple[str, ...]) -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return _frame(title, f"<article><time datetime=2026-05-04>4 May</time>{text}<blockquote><em>{paragraphs[0]}</em></blockquote></article>")
