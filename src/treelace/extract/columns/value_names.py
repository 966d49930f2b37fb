"""What a column is called by what its values are, where the page has no word for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from treelace.extract.cells.money_text import is_sign
from treelace.extract.locales import all_words, any_word, languages
from treelace.extract.types import TEXT, type_named
from treelace.extract.types.availability import says_availability

MIN_SHARE = 0.6
"""Share of a column's texts that must look alike to name it."""

MIN_DESCRIPTION_LENGTH = 60
"""Characters of the text in the middle from which on a column is a description."""

MIN_WORDS_OF_PHRASE = 4
"""Words of the text in the middle from which on texts that lead nowhere describe something."""

MAX_CODE_LENGTH = 24
"""Characters of the text in the middle up to which a column may be codes, such as case numbers."""

MAX_CATEGORY_LENGTH = 32
"""Characters of a text that may be one of a few kinds."""

MEASURES = {
    "area": "m² m2 qm sqm sqft ha кв.м м²",
    "volume": "ml cl l л мл",
    "weight": "kg g mg lbs lb oz кг г",
    "distance": "km mi км",
    "length": "mm cm m мм см м",
    "size": "kb mb gb kib mib",
}
"""What is measured in which units."""

MAX_VALUE_LENGTH = 200
"""Characters of a text that is looked at as one value; a page may hold a number of any length."""
_RANK = re.compile(r"#?\d{1,5}[.)]?")
_CLOCK = re.compile(
    r"\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\.?)?(?:\s?[-–]\s?\d{1,2}[:.]\d\d\s?(?:[ap]\.?m\.?)?)?", re.I
)
_LENGTH = re.compile(r"\d{1,2}(?::\d\d){2}|\d{1,3}:\d\d")
_URL = re.compile(
    r"\W{0,3}(?:url:?\s*)?(?:https?://|www\.)\S+(?: .{0,40})?|(?:[\w-]+\.)+[a-z]{2,6}(?:/\S*)?",
    re.I,
)
_FILE = re.compile(r"[^\s/]+\.(?:pdf|docx?|xlsx?|pptx?|odt|rtf|txt|csv|zip|mp3|mp4)", re.I)
_EMAIL = re.compile(r"\S+@\S+\.\w{2,}")
_COUNTED = re.compile(
    r"\(?[~+]?\d[\d.,\s]*(?:[kKmM](?![^\W\d_]))?\+?\s?"
    r"(?P<unit>[^\W\d_²³]{2,}(?: [^\W\d_²³]{2,})?)\.?\)?"
)
_MEASURED = re.compile(
    r"(?:ca\.?\s*)?[~≈]?\d[\d.,\s]*\s?(?P<measure>"
    rf"{'|'.join(word for words in MEASURES.values() for word in words.split())}"
    r")(?![^\W_])\.?\s*(?P<what>[^\W\d_]{4,})?\W*",
    re.I,
)
_SIZE = re.compile(r"\d+(?:[.,]\d+)? ?[x×] ?\d+.*")
_RATING = re.compile(r"\d(?:[.,]\d+)?\s?(?:/|of|out of|von|sur|de)\s?(?:5|10)\b.*|★+☆*", re.I)
_CODE = re.compile(r"(?:no\.? ?|#)?[A-Z\d./-]+(?: [A-Z\d./-]+){0,3}", re.I)
_AUTHOR = re.compile(r"by\s+\S.*", re.I)
_POSTCODE = re.compile(
    r"(?:.{0,40}[, ])?(?:\w{1,2}[- ])?\d{5}\s+[^\W\d_a-zäöü].{2,60}|.*\b[A-Z]{2} \d{5}(?:-\d{4})?"
)
_PLACE = re.compile(r"[^\W\d_a-z][^,;:!?\d]{1,30}(?:(?:,| /) ?[^\W\d_a-z][^,;:!?\d]{1,30}){1,3}")


VAGUE_NAMES = frozenset(["details", "link", "description", "category"])
"""Names of columns of words that nothing else is known of."""

IDENTIFYING_NAMES = frozenset(["title", "name", "headline", "ingredient"])
"""The first column called so comes first in a table."""

MAY_BE_TITLES = frozenset(["details", "link", "description", "location"])
"""Names of columns of words that may as well be what identifies a record."""


def name_of_values(
    texts: Sequence[str], kind: str, *, is_linked: bool, are_lists: bool = False
) -> str:
    """The name of a column of this type by its texts; `is_linked`: they lead somewhere;
    `are_lists`: some are several links.

    >>> name_of_values(["1.", "2.", "3."], "text", is_linked=False)
    'rank'
    >>> name_of_values(["12 views", "1 view"], "text", is_linked=False)
    'views'
    """
    if kind == "number" and _are_ranks(texts):
        return "rank"
    if type_named(kind).names_columns:
        return kind
    if kind != TEXT.name:
        return "url"
    if name := sure_name(texts):
        return name
    for name, holds in _looks().items():
        if _share(holds, texts) >= MIN_SHARE:
            return name
    if _are_ranks(texts):
        return "rank"
    length = sorted(map(len, texts))[len(texts) // 2]
    if length <= MAX_CODE_LENGTH and _share(_is_code, texts) >= MIN_SHARE:
        return "number"
    differ = len(set(texts)) > MIN_SHARE * len(texts)
    if are_lists:
        return "tags"
    words = sorted(text.count(" ") + 1 for text in texts)[len(texts) // 2]
    is_phrase = differ and not is_linked and words >= MIN_WORDS_OF_PHRASE
    if length >= MIN_DESCRIPTION_LENGTH or is_phrase:
        return "description"
    if _are_places(texts):
        return "location"
    if not differ and length <= MAX_CATEGORY_LENGTH:
        return "category"
    return "details" if length > MAX_CATEGORY_LENGTH or not is_linked else "link"


def sure_name(texts: Sequence[str]) -> str:
    """A name that outweighs a class: addresses of mail and web, files, months, what is counted."""
    for name, form in (("email", _EMAIL), ("file", _FILE), ("url", _URL)):
        if _share(form.fullmatch, texts) >= MIN_SHARE:
            return name
    if _share(_POSTCODE.fullmatch, texts) >= MIN_SHARE:
        return "location"
    if _share(is_near_date, texts) >= MIN_SHARE:
        return "date"
    if texts and all(text.casefold().strip(" .") in _months() for text in texts):
        return "month"
    return _measured(texts) or counted_unit(texts)


@cache
def _months() -> frozenset[str]:
    """Names of months, whole and short, in the languages whose months we know: English today."""
    every = [language.months for language in languages().values()]
    return frozenset(word for months in every for words in months for word in words.split())


def _measured(texts: Sequence[str]) -> str:
    """What is measured: `living space` of `98 m² living space`, `area` of `98 m²`; else empty."""
    found = [match for text in texts if (match := _MEASURED.fullmatch(text[:MAX_VALUE_LENGTH]))]
    if len(found) < MIN_SHARE * len(texts):
        return ""
    (what, count), *_ = Counter(match["what"] or "" for match in found).most_common()
    if what and count >= MIN_SHARE * len(texts):
        return what.lower()
    if sum(not match["what"] for match in found) < MIN_SHARE * len(texts):
        return ""  # `500 g flour`: what is weighed says more than that it is
    measure = Counter(match["measure"].lower() for match in found).most_common(1)[0][0]
    return next(name for name, words in MEASURES.items() if measure in words.split())


def counted_unit(texts: Sequence[str]) -> str:
    """The word that numbers count: `comments` of `12 comments`, `1 comment`; else empty."""
    found = [
        match["unit"].lower()
        for text in texts
        if (match := _COUNTED.fullmatch(text[:MAX_VALUE_LENGTH]))
    ]
    if len(found) < MIN_SHARE * len(texts):
        return ""
    (unit, count), *_ = Counter(found).most_common()
    alike = sum(n for word, n in Counter(found).items() if word[:3] == unit[:3])
    if is_sign(unit):
        return "price"
    longest = max((word for word in found if word[:3] == unit[:3]), key=len)
    return longest if alike >= MIN_SHARE * len(texts) and count else ""


@cache
def _looks() -> dict[str, Callable[[str], object]]:
    """What texts look like, the surest first."""
    return {
        "size": _SIZE.fullmatch,
        "availability": lambda text: says_availability(text) is not None,
        "rating": _RATING.fullmatch,
        "duration": _LENGTH.fullmatch,
        "time": _CLOCK.fullmatch,
        "author": _AUTHOR.fullmatch,
    }


@cache
def _date_words() -> re.Pattern[str]:
    every = list(languages().values())
    months = [word for it in every for words in it.months for word in words.split()]
    near = [word for it in every for words in it.days.values() for word in words.split()]
    units = [word for it in every for words in it.duration_units.values() for word in words.split()]
    ago = any_word(all_words(lambda it: it.ago))
    month = any_word({*months, *(word[:3] for word in months if word.isascii())})
    unit = any_word([*units, "month", "months", "year", "years"])
    return re.compile(
        rf"\(?(?:(?:[^\W\d]+,? )?\d{{1,2}}(?:st|nd|rd|th|\.)?,? (?:de )?(?:{month})\b"
        rf"|(?:[^\W\d]+,? )?(?:{month})\.? \d{{1,4}}\b|(?:{any_word(near)})\b"
        rf"|(?:\w+ )?(?:\d+\+?|an?) (?:{unit}) (?:{ago})\b|(?:{ago}) \d+ \w+"
        rf"|\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b|\d{{4}}-\d\d-\d\d\b).{{0,40}}",
        re.IGNORECASE,
    )


def is_near_date(text: str) -> bool:
    """Whether a text begins with a day, perhaps without its year, or says how long ago it was.

    >>> is_near_date("Jul 25"), is_near_date("4 hours ago"), is_near_date("25 items")
    (True, True, False)
    """
    return len(text) <= 60 and _date_words().match(text) is not None


def _share(holds: Callable[[str], object], texts: Sequence[str]) -> float:
    held = sum(1 for text in texts if len(text) <= MAX_VALUE_LENGTH and holds(text))
    return held / (len(texts) or 1)


def _is_code(text: str) -> bool:
    """Digits, with letters and dashes between them: `22-CV-0104`, `2021 CA 0068`."""
    digits = sum(map(str.isdigit, text))
    has_words = re.search(r"[^\W\d_A-Z]{3}|[^\W\d_]{5}", text) is not None
    return digits >= 3 and 3 * digits >= len(text) and not has_words and bool(_CODE.fullmatch(text))


def _are_ranks(texts: Sequence[str]) -> bool:
    """Whether texts are numbers that go up by one."""
    if len(texts) < 3 or not all(map(_RANK.fullmatch, texts)):
        return False
    numbers = [int(re.sub(r"\D", "", text)) for text in texts]
    steps = [right - left for left, right in pairwise(numbers)]
    return sum(step == 1 for step in steps) >= 0.9 * len(steps)


def _are_places(texts: Sequence[str]) -> bool:
    """Whether texts are names with commas between them, some of which come again and again."""
    if _share(_PLACE.fullmatch, texts) < MIN_SHARE or len(texts) < 4:
        return False
    ends = [re.split(r",| /", text) for text in texts]
    return min(len({one[-1] for one in ends}), len({one[0] for one in ends})) <= len(texts) / 2
