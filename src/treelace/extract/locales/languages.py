"""The languages there are, one file each, and the words they have for one thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from treelace.extract.locales.afrikaans import AFRIKAANS
from treelace.extract.locales.albanian import ALBANIAN
from treelace.extract.locales.armenian import ARMENIAN
from treelace.extract.locales.azerbaijani import AZERBAIJANI
from treelace.extract.locales.basque import BASQUE
from treelace.extract.locales.belarusian import BELARUSIAN
from treelace.extract.locales.bosnian import BOSNIAN
from treelace.extract.locales.bulgarian import BULGARIAN
from treelace.extract.locales.catalan import CATALAN
from treelace.extract.locales.chinese import CHINESE
from treelace.extract.locales.croatian import CROATIAN
from treelace.extract.locales.czech import CZECH
from treelace.extract.locales.danish import DANISH
from treelace.extract.locales.dutch import DUTCH
from treelace.extract.locales.english import ENGLISH
from treelace.extract.locales.estonian import ESTONIAN
from treelace.extract.locales.finnish import FINNISH
from treelace.extract.locales.french import FRENCH
from treelace.extract.locales.galician import GALICIAN
from treelace.extract.locales.georgian import GEORGIAN
from treelace.extract.locales.german import GERMAN
from treelace.extract.locales.greek import GREEK
from treelace.extract.locales.hungarian import HUNGARIAN
from treelace.extract.locales.icelandic import ICELANDIC
from treelace.extract.locales.indonesian import INDONESIAN
from treelace.extract.locales.italian import ITALIAN
from treelace.extract.locales.japanese import JAPANESE
from treelace.extract.locales.kazakh import KAZAKH
from treelace.extract.locales.korean import KOREAN
from treelace.extract.locales.kyrgyz import KYRGYZ
from treelace.extract.locales.language import Language
from treelace.extract.locales.latvian import LATVIAN
from treelace.extract.locales.lithuanian import LITHUANIAN
from treelace.extract.locales.macedonian import MACEDONIAN
from treelace.extract.locales.mongolian import MONGOLIAN
from treelace.extract.locales.norwegian import NORWEGIAN
from treelace.extract.locales.persian import PERSIAN
from treelace.extract.locales.polish import POLISH
from treelace.extract.locales.portuguese import PORTUGUESE
from treelace.extract.locales.romanian import ROMANIAN
from treelace.extract.locales.russian import RUSSIAN
from treelace.extract.locales.serbian import SERBIAN
from treelace.extract.locales.slovak import SLOVAK
from treelace.extract.locales.slovenian import SLOVENIAN
from treelace.extract.locales.spanish import SPANISH
from treelace.extract.locales.swedish import SWEDISH
from treelace.extract.locales.turkish import TURKISH
from treelace.extract.locales.ukrainian import UKRAINIAN
from treelace.extract.locales.uzbek import UZBEK
from treelace.extract.locales.vietnamese import VIETNAMESE

_ALL = (
    ENGLISH,
    AFRIKAANS,
    ALBANIAN,
    ARMENIAN,
    AZERBAIJANI,
    BASQUE,
    BELARUSIAN,
    BOSNIAN,
    BULGARIAN,
    CATALAN,
    CHINESE,
    CROATIAN,
    CZECH,
    DANISH,
    DUTCH,
    ESTONIAN,
    FINNISH,
    FRENCH,
    GALICIAN,
    GEORGIAN,
    GERMAN,
    GREEK,
    HUNGARIAN,
    ICELANDIC,
    INDONESIAN,
    ITALIAN,
    JAPANESE,
    KAZAKH,
    KOREAN,
    KYRGYZ,
    LATVIAN,
    LITHUANIAN,
    MACEDONIAN,
    MONGOLIAN,
    NORWEGIAN,
    PERSIAN,
    POLISH,
    PORTUGUESE,
    ROMANIAN,
    RUSSIAN,
    SERBIAN,
    SLOVAK,
    SLOVENIAN,
    SPANISH,
    SWEDISH,
    TURKISH,
    UKRAINIAN,
    UZBEK,
    VIETNAMESE,
)
"""To add one: write its file, add it to this list."""

LANGUAGES: dict[str, Language] = {
    code: language for language in _ALL for code in (language.code, *language.other_codes)
}
"""Every language by its code. One that is not here is read by what its texts show."""


def all_words(words_of: Callable[[Language], str]) -> list[str]:
    """The words that all languages have for one thing, each once.

    >>> all_words(lambda language: language.before_month)
    ['of', 'de']
    """
    found = [word for language in _ALL for word in words_of(language).split()]
    return list(dict.fromkeys(found))


def any_word(words: Iterable[str]) -> str:
    """A pattern of any of these words, longer ones first.

    >>> any_word(["m", "min", "kr."])
    'kr\\\\.|min|m'
    """
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
