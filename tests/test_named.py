"""What lies under everything: names, limits, errors, parts of other packages."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

import treelace
from treelace import plugins
from treelace.errors import LimitError, MissingError, ParseError, UsageError
from treelace.limits import Limits
from treelace.named import make, pick


def test_the_limits_are_those_that_the_docs_name():
    assert Limits() == Limits(
        bytes=67_108_864,
        nodes=5_000_000,
        depth=1_000_000,
        attributes=10_000,
        text=67_108_864,
        entity_expansion=1_000_000,
        memory=2_147_483_648,
        seconds=60.0,
    )


@pytest.mark.parametrize(
    ("limit", "unit"),
    [
        ("bytes", "bytes of input"),
        ("nodes", "nodes"),
        ("depth", "levels"),
        ("attributes", "attributes on one element"),
        ("memory", "bytes of working memory"),
        ("seconds", "seconds"),
    ],
)
def test_a_limit_names_the_need_the_bound_and_the_way_out(limit, unit):
    way_out = f"; the limit is 1,000. Raise it with Limits({limit}=…) or --limit {limit}=…"
    assert str(LimitError(limit, bound=1000)) == f"more than 1,000 {unit}{way_out}"
    error = LimitError(limit, bound=1000, needed=2000)
    assert str(error) == f"would need 2,000 {unit}{way_out}"
    assert (error.limit, error.bound, error.needed) == (limit, 1000, 2000)


def test_a_place_in_a_document_is_told_as_far_as_it_is_known():
    assert str(ParseError("bad", line=2, column=3)) == "bad (line 2, column 3)"
    assert str(ParseError("bad", line=2)) == "bad (line 2)"
    assert str(ParseError("bad")) == "bad"


def test_a_missing_package_is_named_with_its_extra():
    error = MissingError("rendering", package="playwright", extra="render")
    assert str(error) == (
        "rendering needs the package 'playwright': pip install 'treelace[render]'"
    )
    assert isinstance(error, ImportError)


@dataclass
class Tea:
    strength: int = 1
    warmth: float = 0.5
    is_green: bool = False
    name: str = "x"
    limits: Limits = Limits()  # noqa: RUF009


def test_options_are_fields_of_the_type_of_their_defaults():
    given = {"strength": 2, "warmth": 1, "is_green": True, "name": "y", "limits": Limits(nodes=1)}
    assert make("tea", {"tea": Tea}, "tea", given) == Tea(2, 1, True, "y", Limits(nodes=1))


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("strength", 1.5, "option 'strength' of tea 'tea' is a whole number, not 1.5"),
        ("strength", True, "a whole number, not True"),
        ("warmth", "hot", "a number, not 'hot'"),
        ("warmth", True, "a number, not True"),
        ("is_green", 1, "true or false, not 1"),
        ("name", 1, "a word, not 1"),
        ("limits", 1, "Limits(…), on the command line --limit NAME=VALUE, not 1"),
        ("milk", 1, "tea 'tea' has no option 'milk'; its options are: strength, warmth, is_green"),
    ],
)
def test_an_option_of_another_type_is_said(option, value, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        make("tea", {"tea": Tea}, "tea", {option: value})


def test_a_thing_without_fields_has_no_options():
    with pytest.raises(UsageError, match="its options are: none"):
        make("thing", {"thing": object}, "thing", {"a": 1})


def test_a_name_far_from_all_others_has_no_hint():
    with pytest.raises(UsageError, match=r"^no tea is called 'zzz': There are: oolong, assam$"):
        pick("tea", {"oolong": 1, "assam": 2}, "zzz")


def test_parts_of_other_packages_are_found_by_name_or_place():
    assert plugins.names("console_scripts") == sorted(plugins.names("console_scripts"))
    assert plugins.load("console_scripts", "treelace").__name__ == "main"
    assert plugins.load(plugins.JUDGES, "math:isnan")(float("nan"))
    with pytest.raises(UsageError, match=r"^'nowhere:x' of treelace.judges cannot be loaded: No m"):
        plugins.load(plugins.JUDGES, "nowhere:x")
    with pytest.raises(UsageError, match=r"there are: .*treelace"):
        plugins.load("console_scripts", "nobody")


def test_the_menu_loads_its_heavy_names_when_they_are_asked_for():
    assert treelace.Wrapper.__name__ == "Wrapper"
    assert treelace.Site.__name__ == "Site"
    with pytest.raises(AttributeError, match="module 'treelace' has no attribute 'Nothing'"):
        treelace.Nothing
