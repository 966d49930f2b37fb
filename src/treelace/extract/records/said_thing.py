"""Whether a page's own data says that it is about one thing: a product, an event, a job."""

from __future__ import annotations

import re
from collections.abc import Sequence

from treelace.extract.page.page_view import PageView
from treelace.extract.page.structured_data import StructuredItem

THINGS = frozenset(
    "Product IndividualProduct ProductModel ProductGroup Event JobPosting Book Movie Restaurant"
    " Hotel Car Vehicle Apartment House SingleFamilyResidence RealEstateListing Course"
    " SoftwareApplication MobileApplication VideoGame TouristAttraction".split()
)
"""Types of schema.org that are the main thing of their page; those that end in `Event` are too.
Recipes are not, as their lists are what a person wants; nor is a person, who is mostly an author.
"""

TEXTS = frozenset(
    "Article NewsArticle BlogPosting Report TechArticle ReviewNewsArticle OpinionNewsArticle"
    " LiveBlogPosting Recipe HowTo CollectionPage SearchResultsPage Blog".split()
)
"""Types of pages that are no page of one thing, whatever else they describe."""

OPENGRAPH_THINGS = frozenset("product product.item book books.book video.movie music.album".split())
"""The same, as OpenGraph calls them."""

MIN_SHARE_OF_NAME = 0.6
"""Share of the words of a thing's name that the page's title, or a heading of it, must have."""

_NAMES = ("name", "title")
_THING_IN_SCRIPT = re.compile(rf'"[^"]*(?:{"|".join(sorted(THINGS))})"')


def says_one_thing(view: PageView, items: Sequence[StructuredItem]) -> bool:
    """Whether the data describes one thing by the name that the page itself has.

    Data of other things, of which a page of one thing may be full (what others bought, reviews),
    counts for nothing; an article stays one, whoever wrote it and whatever it is about.

    >>> from treelace import parse
    >>> from treelace.extract.page.structured_data import structured_items
    >>> said = '{"@type": "Product", "name": "Tea pot"}'
    >>> page = f'<title>Tea pot | Shop</title><script type="application/ld+json">{said}</script>'
    >>> tree = parse(page)
    >>> says_one_thing(PageView.of(tree), structured_items(tree))
    True
    """
    if not _may_say(view):
        return False
    if any(not TEXTS.isdisjoint(item.types) for item in items):
        return False
    headings = [_words(node.text) for node in view.tree.select("title, h1", limit=5)]
    named = {
        " ".join(sorted(words))
        for item in items
        if _is_thing(item)
        for name in _NAMES
        if (words := _words(item.text(name) or ""))
        and any(len(words & heading) >= MIN_SHARE_OF_NAME * len(words) for heading in headings)
    }
    return bool(named) and (len(named) == 1 or _are_one(named))


def _may_say(view: PageView) -> bool:
    """Whether it is worth reading the data."""
    tree = view.tree
    return (
        any(
            _THING_IN_SCRIPT.search(script.text)
            for script in tree.select("script[type^='application/ld+json' i]", limit=20)
        )
        or any(
            (node.attribute("content") or "").strip() in OPENGRAPH_THINGS
            for node in tree.select("meta[property='og:type']", limit=2)
        )
        or bool(tree.select("[itemscope][itemtype]", limit=1))
    )


def _is_thing(item: StructuredItem) -> bool:
    if item.source == "opengraph":
        return not OPENGRAPH_THINGS.isdisjoint(item.types)
    return any(kind in THINGS or kind.endswith("Event") for kind in item.types)


def _are_one(named: set[str]) -> bool:
    """Whether names are longer and shorter forms of one."""
    longest = set(max(named, key=len).split())
    return all(set(name.split()) <= longest for name in named)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
