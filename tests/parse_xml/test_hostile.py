"""Hostile XML: a tree or a named error, quickly, whatever comes."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from treelace import parse
from treelace.errors import LimitError, ParseError
from treelace.limits import Limits
from treelace.tree.tree import Tree


def xml(source: str | bytes, **limits: int) -> Tree:
    return parse(source, format="xml", limits=Limits(**limits))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fails where the block takes more CPU time: generous, since it is there to tell linear from
    quadratic.
    """
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def test_a_billion_laughs() -> None:
    entities = "<!ENTITY l0 'lol'>" + "".join(
        f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 10)
    )
    for content in ("<a>&l9;</a>", "<a b='&l9;'/>"):
        with within(2), pytest.raises(LimitError) as caught:
            xml(f"<!DOCTYPE a [{entities}]>{content}")
        assert caught.value.limit == "entity_expansion"


def test_laughs_in_parameter_entities() -> None:
    entities = "<!ENTITY % l0 '<!--lol-->'>" + "".join(
        f"<!ENTITY % l{i} '{f'&#37;l{i - 1};' * 10}'>" for i in range(1, 10)
    )
    with within(2), pytest.raises(LimitError, match="entity_expansion"):
        xml(f"<!DOCTYPE a [{entities} %l9;]><a/>")


def test_quadratic_blow_up() -> None:
    with within(2), pytest.raises(LimitError, match="entity_expansion"):
        xml(f"<!DOCTYPE a [<!ENTITY e '{'x' * 50_000}'>]><a>{'&e;' * 50_000}</a>")


def test_expansion_up_to_the_limit_is_fine() -> None:
    source = f"<!DOCTYPE a [<!ENTITY e '{'é' * 1000}'>]><a>{'&e;' * 1000}</a>"
    tree = xml(source)
    assert tree.root is not None and len(tree.root.text) == 1_000_000
    with pytest.raises(LimitError, match="entity_expansion"):
        xml(source, entity_expansion=999_999)


def test_a_long_chain_of_entities() -> None:
    count = 60_000
    chain = "<!ENTITY e0 'x'>" + "".join(f"<!ENTITY e{i} '&e{i - 1};'>" for i in range(1, count))
    with within(5):
        assert (
            xml(f"<!DOCTYPE a [{chain}]><a b='&e{count - 1};'>&e{count - 1};</a>").root.text == "x"
        )


def test_default_attributes_cannot_multiply() -> None:
    subset = "<!ATTLIST a " + " ".join(f"a{i} CDATA 'v'" for i in range(5000)) + ">"
    with within(5), pytest.raises(LimitError, match="entity_expansion"):
        xml(f"<!DOCTYPE r [{subset}]><r>{'<a/>' * 50_000}</r>")
    long_value = f"<!ATTLIST a b CDATA '{'v' * 100_000}'>"
    with within(5), pytest.raises(LimitError, match="entity_expansion"):
        xml(f"<!DOCTYPE r [{long_value}]><r>{'<a/>' * 50_000}</r>")


def test_defaults_on_every_element_of_an_honest_document() -> None:
    tree = xml(
        f"<!DOCTYPE r [<!ATTLIST a b CDATA 'vvvvvvvvvv'>]><r>{'<a>some text</a>' * 100_000}</r>"
    )
    assert len(tree) == 200_003


@pytest.mark.parametrize("depth", [10**6 - 1])
def test_a_million_levels(depth: int) -> None:
    with within(5):
        tree = xml("<a>" * depth + "</a>" * depth)
    assert len(tree) == depth + 1
    with pytest.raises(LimitError) as caught:
        xml("<a>" * (depth + 2))
    assert caught.value.limit == "depth"


def test_deep_content_models() -> None:
    assert xml(f"<!DOCTYPE a [<!ELEMENT a {'(' * 10**6}a{')' * 10**6}>]><a/>").root is not None


def test_many_attributes() -> None:
    with within(3):
        assert (
            len(xml("<a " + " ".join(f"a{i}='1'" for i in range(9_999)) + "/>").root.attributes)
            == 9_999
        )
    with pytest.raises(LimitError) as caught:
        xml("<a " + " ".join(f"a{i}='1'" for i in range(10_001)) + "/>")
    assert caught.value.limit == "attributes"
    with within(3), pytest.raises(ParseError, match="a second attribute 'a7'"):
        xml("<a " + " ".join(f"a{i}='1'" for i in range(9_000)) + " a7='2'/>")


def test_namespaces_cannot_make_it_quadratic() -> None:
    declarations = " ".join(f"xmlns:p{i}='urn:{i}'" for i in range(9_000))
    levels = 20_000
    with within(5):
        xml(f"<r {declarations}>" + "<p7:a>" * levels + "</p7:a>" * levels + "</r>")
    long_name = "u" * 1_000_000
    with within(
        5
    ):  # one long namespace, many names in it, and a prefix that changes its meaning all the time
        names = "".join(f"<p:n{i}/><s xmlns:p='v'><p:x/></s><p:x/>" for i in range(50_000))
        tree = xml(f"<r xmlns:p='{long_name}'>{names}</r>")
    assert tree._core.memory < 50_000_000


@pytest.mark.parametrize(
    ("source", "limit", "limits"),
    [
        (b"<a>" + b"x" * 1000 + b"</a>", "bytes", {"bytes": 1000}),
        ("<a b='" + "x" * 1000 + "'/>", "text", {"text": 999}),
        ("<a b='" + "x" * 1000 + "&#32;'/>", "text", {"text": 999}),
        ("<a>" + "x" * 1000 + "</a>", "text", {"text": 999}),
        ("<a>" + "x" * 998 + "&amp;&amp;</a>", "text", {"text": 999}),
        ("<a><!--" + "x" * 1000 + "--></a>", "text", {"text": 999}),
        ("<a><?p " + "x" * 1000 + "?></a>", "text", {"text": 999}),
        ("<a>" + "<b/>" * 1000 + "</a>", "nodes", {"nodes": 1000}),
        ("<a>" * 5 + "</a>" * 5, "depth", {"depth": 4}),
        ("<a b='1' c='2'/>", "attributes", {"attributes": 1}),
    ],
)
def test_each_limit_has_its_name(source: str | bytes, limit: str, limits: dict[str, int]) -> None:
    with pytest.raises(LimitError) as caught:
        xml(source, **limits)
    assert caught.value.limit == limit
    assert xml(source, **{name: bound + 10 for name, bound in limits.items()})


def test_an_attribute_of_a_hundred_megabytes() -> None:
    source = b"<a b='" + b"x" * 100_000_000 + b"'/>"
    with pytest.raises(LimitError, match="bytes"):
        xml(source)
    with pytest.raises(LimitError) as caught:
        xml(source, bytes=200_000_000)
    assert caught.value.limit == "text"


def test_a_long_run_hears_its_deadline() -> None:
    with pytest.raises(LimitError) as caught:
        parse(
            "<a>" + "<b c='d'>e</b>" * 300_000 + "</a>", format="xml", limits=Limits(seconds=0.001)
        )
    assert caught.value.limit == "seconds"


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel has no sockets and no files; this is the outside view of it."""
    monkeypatch.setattr(socket, "socket", lambda *_: pytest.fail("a socket"))
    for outside in ("http://127.0.0.1:9/x", "file:///etc/passwd", "/etc/passwd"):
        tree = xml(
            f"<!DOCTYPE a SYSTEM '{outside}' [<!ENTITY e SYSTEM '{outside}'><!ENTITY % p SYSTEM"
            f" '{outside}'> %p;]><a>&e;</a>"
        )
        assert tree.root is not None and tree.root.text == "&e;"


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\0",
        b"\xff",
        b"\0\0\0\0",
        b"<a>\0</a>",
        b"\xfe\xff",
        b"\xff\xfe<",
        b"\x89PNG\r\n\x1a\n\0\0",
        b"<" * 1000,
        b"&" * 1000,
    ],
)
def test_what_is_no_xml_at_all(source: bytes) -> None:
    with pytest.raises(ParseError) as caught:
        xml(source)
    assert caught.value.line is not None


DOCUMENT = (
    "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE r [<!ENTITY e 'v<i/>w'><!ENTITY % p"
    " '<!--x-->'> %p; <!ATTLIST r a (x|y) 'x' id ID #IMPLIED>\n<!ELEMENT r (#PCDATA|i)*><!NOTATION"
    " n PUBLIC 'q'>]><?pi d?><r xmlns:q='urn:q' q:z='é&#10;&lt;' id=' k '>t&e;<![CDATA[ ]]"
    " ]]>&amp;<!--c--></r>\n"
).encode()


def test_every_truncation_is_a_named_error() -> None:
    assert xml(DOCUMENT).root is not None
    for end in range(len(DOCUMENT) - 1):
        with pytest.raises(ParseError):
            xml(DOCUMENT[:end])


def test_random_damage_gives_a_tree_or_a_named_error() -> None:
    chance = random.Random(7)
    for _ in range(3000):
        damaged = bytearray(DOCUMENT)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.choice(
                [0, 9, 10, 13, 38, 60, 62, 34, 39, 37, 59, 91, 93, 255, chance.randrange(256)]
            )
        with suppress(ParseError, LimitError):
            xml(bytes(damaged))
