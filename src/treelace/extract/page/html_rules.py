"""What extraction knows of HTML: kinds of tags, words of navigation and lists, and bounds."""

from __future__ import annotations

from functools import cache

from treelace import _kernel

UNSEEN = frozenset(
    "script style noscript template head iframe svg {http://www.w3.org/2000/svg}svg select textarea"
    " object audio video canvas map noframes datalist".split()
)
"""Elements whose text no one sees, or only as a fallback (`noscript`, `object`, `video`)."""

FORMATTING = frozenset(
    "a abbr acronym b bdi bdo big cite code dfn em font i ins del kbd label mark nobr q s samp"
    " small span strike strong sub sup tt u var wbr center".split()
)
"""Elements that format text; one that holds blocks is no level for `PageView.children`."""

INLINE = FORMATTING | {
    "br",
    "img",
    "input",
    "button",
    "time",
    "data",
    "output",
    "meter",
    "progress",
    "ruby",
    "rt",
    "rp",
    "#text",
}
"""What stands in a line of text; all other elements start a new one."""

DRESS = FORMATTING - {"a", "span", "label"} | {"br", "wbr"}
"""Formatting that shapes and paths leave out."""

STANDING = frozenset(
    "a p div li ul ol dl dt dd td th tr table h1 h2 h3 h4 h5 h6 button section article header"
    " footer address time".split()
)
"""Elements that hold data even with one word; others may be marks in running text."""

_ROLES = (
    UNSEEN,
    FORMATTING,
    INLINE,
    DRESS,
    {"a"},
    {"img"},
    {"h1", "h2", "h3", "h4", "h5", "h6", "dt", "b", "strong", "th"},
    {"input", "button"},
    {"nav", "footer", "header", "aside", "form", "menu"},
    {"tr"},
    {"td", "th"},
    {"li", "dt", "dd"},
    {"br"},
    {"hr"},
    STANDING,
    {"th"},
    {"thead"},
    {"main"},
    {"article"},
    {"aside"},
    {"header"},
    {"nav"},
    {"footer"},
    {"h1", "h2", "h3", "h4", "h5", "h6"},
    {"h1"},
    {"li"},
    {"table"},
    {"ol"},
    {"html", "body"},
)
"""Who has which of the kernel's roles, in the order of their bits."""

_FRAME_WORDS = (
    "nav menu foot header sidebar side-bar breadcrumb crumb pager paginat paging toolbar filter"
    " facet refine tab| tabs| share social lang login sort ad| ads| sponsor related"
).split()
"""Parts of classes, ids and roles of navigation and adverts; a word must end at `|`."""

_LIST_WORDS = (
    "result product item list search content main post entry article record hit card grid catalog"
    " story stories".split()
)
"""Parts that speak of lists."""

TOPICS = {
    "talk": "comment repl respond discuss review testimonial rating feedback",
    "more": (
        "related recommend popular trending also widget latest recent more similar featured promo"
        " sponsor teaser carousel slider discover suggest advert archive"
    ),
    "meta": "share social follow tag| tags| tagged categor meta byline author toc| jump nutri",
    "layer": (
        "cookie consent gdpr onetrust popup modal dialog newsletter subscri signup overlay banner"
        " drawer dropdown submenu sub-menu hidden mobile print"
    ),
    "steps": (
        "ingred ingréd instruct direction step method procedure prepara prépara recipe"
        " zutat zubereit bereid benodigd składnik przygot wykonanie tillag fremgang framgång"
        " hozzával elkészít postup suroviny ингредиент ингредіент приготов Ингредиент Приготов"
        " 材料 作り方 食材 做法 재료"
    ),
    "days": (
        "event meeting calendar agenda schedul hearing minutes| upcoming opinion decision docket"
        " veranstaltung termin| termine sitzung évènement événement evento reuni"
    ),
}
"""Parts of classes, ids, roles, properties and headings by what they speak of: readers' words,
other pages, what is said about the page, layers above it, things to take and to do, days.
"""

_LANDMARKS = {
    "main": "main",
    "complementary": "aside",
    "banner": "header",
    "navigation": "nav",
    "contentinfo": "footer",
}
"""The tag that an element of each `role` could have had."""

CLUSTER_THRESHOLDS = (0.4, 0.6, 0.8)
"""Similarities at which the children of a parent are clustered."""

MAX_SHAPE_NODES = 400
"""Nodes that a subtree's shape looks at, so that shapes in a deep page stay linear."""

MAX_CLUSTERED_CHILDREN = 3_000
"""A parent with more children is clustered by tag and class only, and its list not trimmed."""

MAX_SAMPLED_RECORDS = 150
"""Records of a candidate looked at one by one: evenly spread, with the first and last."""

MAX_CLUSTER_LEADERS = 40
"""Shapes below one parent that may lead a cluster."""

MAX_HEAD_KINDS = 200
"""Kinds of children below one parent that may head a group."""

MAX_COMMON_SHAPES = 12
"""Shapes of a list that each of its records is compared with."""

MIN_SHARE_OF_MIDDLE_CLOSENESS = 0.6
"""Variants of a list drop records less close to the others than this share of the median."""

INHERITED_SHARE = 0.8
"""What an element hands down of how much it speaks of navigation or lists."""


@cache
def page_rules() -> _kernel.PageRules:
    """All of this, as the kernel takes it."""
    roles: dict[str, int] = {}
    for bit, tags in enumerate(_ROLES):
        for tag in tags:
            roles[tag] = roles.get(tag, 0) | 1 << bit
    return _kernel.PageRules(
        roles=sorted(roles.items()),
        landmarks=[(role, roles[tag]) for role, tag in _LANDMARKS.items()],
        frame_words=_words(_FRAME_WORDS),
        list_words=_words(_LIST_WORDS),
        topics=[_words(words.split()) for words in TOPICS.values()],
        signs="$€£¥",
        codes=["USD", "EUR"],
        thresholds=list(CLUSTER_THRESHOLDS),
        bounds=(
            MAX_SHAPE_NODES,
            MAX_CLUSTERED_CHILDREN,
            MAX_SAMPLED_RECORDS,
            MAX_CLUSTER_LEADERS,
            MAX_HEAD_KINDS,
            MAX_COMMON_SHAPES,
        ),
        odd=MIN_SHARE_OF_MIDDLE_CLOSENESS,
        fading=INHERITED_SHARE,
    )


def _words(words: list[str]) -> list[tuple[str, bool]]:
    return [(word.rstrip("|"), word.endswith("|")) for word in words]
