"""What tree an XML document becomes: texts, entities, attributes, namespaces, encodings,
fragments.
"""

from __future__ import annotations

import pytest

from treelace import _kernel, parse
from treelace.errors import ParseError
from treelace.limits import DEFAULT_LIMITS
from treelace.tree.names import Kind
from treelace.tree.node import Node
from treelace.tree.tree import Tree

XML = "http://www.w3.org/XML/1998/namespace"
XMLNS = "http://www.w3.org/2000/xmlns/"


def xml(source: str | bytes, *, fragment: bool = False, encoding: str | None = None) -> Tree:
    return parse(source, format="xml", fragment=fragment, encoding=encoding)


def root(tree: Tree) -> Node:
    assert tree.root is not None
    return tree.root


def shape(tree: Tree) -> list[tuple[int, str, str, str]]:
    """Depth, kind, name, own text of each node below the document."""
    core = tree._core
    return [
        (core.depth(i), Kind(core.kind(i)).name.lower(), core.local_name(i), core.text(i))
        for i in range(1, len(tree))
    ]


def test_every_kind_of_node() -> None:
    tree = xml(
        "<?xml version='1.0'?><!--c--><!DOCTYPE a PUBLIC 'p' 's' [<!ELEMENT a ANY>\n]><a><?go"
        " on?>t<b/></a><?end?>"
    )
    assert shape(tree) == [
        (1, "comment", "", "c"),
        (1, "doctype", "a", "<!ELEMENT a ANY>\n"),
        (1, "element", "a", ""),
        (2, "instruction", "go", "on"),
        (2, "text", "", "t"),
        (2, "element", "b", ""),
        (1, "instruction", "end", ""),
    ]
    assert tree._core.attributes(2) == [("", "", "public", "p"), ("", "", "system", "s")]
    assert tree.problems == []


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ("a<![CDATA[<b>]]>c", ["a<b>c"]),
        ("<![CDATA[x]]>", ["x"]),
        ("<![CDATA[]]>", []),
        ("a&#98;&lt;&gt;&amp;&quot;&apos;&#x63;", ["ab<>&\"'c"]),
        ("a<!--b-->c", ["a", "c"]),
        ("]]&gt;", ["]]>"]),
        ("] ]> ]]", ["] ]> ]]"]),
        ("a\r\nb\rc\n", ["a\nb\nc\n"]),
        ("a&#13;\r\n", ["a\r\n"]),
        ("  ", ["  "]),
        ("", []),
    ],
)
def test_texts_join(content: str, texts: list[str]) -> None:
    assert [text for _, kind, _, text in shape(xml(f"<r>{content}</r>")) if kind == "text"] == texts


def test_entities_with_text_and_markup() -> None:
    tree = xml(
        """<!DOCTYPE r [<!ENTITY t "x&#38;#60;y"><!ENTITY m "a<b c='&t;'>&t;</b>z">\
<!ENTITY t "second">]><r>1&m;2</r>"""
    )
    assert shape(tree)[1:] == [
        (1, "element", "r", ""),
        (2, "text", "", "1a"),
        (2, "element", "b", ""),
        (3, "text", "", "x<y"),
        (2, "text", "", "z2"),
    ]
    assert root(tree).children[1].attributes == {"c": "x<y"}


def test_parameter_entities_stand_between_declarations() -> None:
    # appendix D of the standard
    subset = """<!ENTITY % xx '&#37;zz;'> <!ENTITY % zz '&#60;!ENTITY tricky "error-prone" >' >\
 %xx;"""
    assert (
        root(xml(f"<!DOCTYPE test [{subset}]><test>This is &tricky;.</test>")).text
        == "This is error-prone."
    )


def test_conditional_sections_in_parameter_entities() -> None:
    subset = """<!ENTITY % s '<![INCLUDE[<!ENTITY a "1">]]><![ IGNORE [ <![ x ]]>\
 <!ENTITY a "2"> ]]>'> %s;"""
    assert root(xml(f"<!DOCTYPE r [{subset}]><r>&a;</r>")).text == "1"


def test_attribute_values_are_normalised_by_type() -> None:
    subset = (
        "<!ENTITY w ' &#10;w '><!ATTLIST r t CDATA #IMPLIED n NMTOKENS #IMPLIED e (x|y) ' y ' f"
        " CDATA #FIXED ' f '>"
    )
    found = root(xml(f"<!DOCTYPE r [{subset}]><r t=' a\n\tb&#10;&w;' n=' a \n b&#32; '/>"))
    assert found.attributes == {"t": " a  b\n  w ", "n": "a b", "e": "y", "f": " f "}


def test_the_first_declaration_of_an_attribute_counts() -> None:
    found = root(
        xml("<!DOCTYPE r [<!ATTLIST r a CDATA '1'><!ATTLIST r a CDATA '2' b CDATA '3'>]><r b='4'/>")
    )
    assert found.attributes == {"b": "4", "a": "1"}


def test_attributes_of_type_id() -> None:
    tree = xml(
        "<!DOCTYPE r [<!ATTLIST r key ID #IMPLIED>]><r key='  k '><s key='no' xml:id=' a '/></r>"
    )
    assert tree._core.id_attributes(2) == ["key"] and root(tree).attributes == {"key": "k"}
    assert tree._core.id_attributes(3) == ["id"] and tree._core.attribute(3, XML, "id") == "a"


def test_an_xml_id_that_is_no_name_is_a_problem_not_an_error() -> None:
    assert "xml:id" in xml("<r xml:id='1 2'/>").problems[0].message


def test_namespaces_are_resolved_and_declarations_are_attributes() -> None:
    tree = xml(
        "<p:a xmlns:p='u1' xmlns='u2' p:x='1' x='2'><b/><p:b xmlns:p='u3'/><c xmlns=''/></p:a>"
    )
    core = tree._core
    assert [core.name_parts(i) for i in range(1, 5)] == [
        ("p", "u1", "a"),
        ("", "u2", "b"),
        ("p", "u3", "b"),
        ("", "", "c"),
    ]
    assert core.attributes(1) == [
        ("xmlns", XMLNS, "p", "u1"),
        ("", XMLNS, "xmlns", "u2"),
        ("p", "u1", "x", "1"),
        ("", "", "x", "2"),
    ]


def test_a_namespace_can_come_from_a_default() -> None:
    tree = xml("<!DOCTYPE a [<!ATTLIST a xmlns CDATA 'u' xmlns:p CDATA 'v' p:q CDATA 'w'>]><a/>")
    assert tree._core.name_parts(2) == ("", "u", "a")
    assert tree._core.attributes(2)[2] == ("p", "v", "q", "w")


def test_without_namespaces_a_colon_is_a_letter() -> None:
    tree = _kernel.parse_xml(
        b"<a:b:c :x='' xmlns:p=''/>", None, False, DEFAULT_LIMITS, namespaces=False
    )
    assert tree.name_parts(1) == ("", "", "a:b:c")
    assert [name for _, _, name, _ in tree.attributes(1)] == [":x", "xmlns:p"]


def test_lines() -> None:
    tree = xml("<!-- -->\n<a\n x='1'>\r\n<b/>&#10;<c/>\r<d>\n\n</d></a>")
    assert {node.tag: node.line for node in tree.elements} == {"a": 2, "b": 4, "c": 4, "d": 5}
    inside = xml("<!DOCTYPE a [<!ENTITY e '\n\n<b/>'>]>\n<a>\n&e;<c/></a>")
    assert {node.tag: node.line for node in inside.elements} == {"a": 4, "b": 5, "c": 5}


# what lies outside


def test_references_to_what_is_not_read_are_kept() -> None:
    tree = xml("<!DOCTYPE a SYSTEM 'x.dtd' [<!ENTITY o SYSTEM 'o.xml'>]><a b='&u;1'>x&o;y&u;</a>")
    assert [text for _, kind, _, text in shape(tree) if kind == "text"] == ["x", "&o;", "y", "&u;"]
    assert root(tree).attributes == {"b": "&u;1"}
    assert [problem.message.split("'")[1] for problem in tree.problems] == ["u", "o", "u"]


def test_after_a_parameter_entity_that_is_not_read_declarations_do_not_count() -> None:
    subset = (
        "<!ENTITY a '1'><!ENTITY % o SYSTEM 'o.ent'> %o; <!ENTITY b '2'><!ATTLIST r x CDATA 'd'>"
    )
    tree = xml(f"<!DOCTYPE r [{subset}]><r>&a;&b;</r>")
    assert root(tree).text == "1&b;" and root(tree).attributes == {}
    alone = xml(f"<?xml version='1.0' standalone='yes'?><!DOCTYPE r [{subset}]><r>&a;&b;</r>")
    assert root(alone).text == "12" and root(alone).attributes == {"x": "d"}


@pytest.mark.parametrize(
    "prolog",
    [
        "",
        "<!DOCTYPE r [<!ENTITY x 'y'>]>",
        "<?xml version='1.0' standalone='yes'?><!DOCTYPE r SYSTEM 's'>",
    ],
)
def test_an_undeclared_entity_is_an_error_where_nothing_lies_outside(prolog: str) -> None:
    with pytest.raises(ParseError, match="entity 'u' is not declared"):
        xml(f"{prolog}<r>&u;</r>")


# fragments


def test_fragments() -> None:
    tree = xml("<?xml encoding='utf-8'?>a<b/>c&amp;<d>e</d><!--f-->", fragment=True)
    assert tree.is_fragment
    assert [(depth, text) for depth, kind, _, text in shape(tree) if kind == "text"] == [
        (1, "a"),
        (1, "c&"),
        (2, "e"),
    ]
    assert len(xml("", fragment=True)) == 1


@pytest.mark.parametrize("source", ["<a>", "</a>", "a & b", "<!DOCTYPE a><a/>", "]]>"])
def test_a_fragment_is_content(source: str) -> None:
    with pytest.raises(ParseError):
        xml(source, fragment=True)


# encodings

DECLARED = "<?xml version='1.0' encoding='{}'?><a>é€</a>"


@pytest.mark.parametrize(
    "name",
    ["utf-8", "utf-16-le", "utf-16-be", "windows-1252", "iso-8859-15", "utf-8-sig", "gb18030"],
)
def test_declared_encodings(name: str) -> None:
    label = {"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-8-sig": "UTF-8"}.get(name, name)
    assert root(xml(DECLARED.format(label).encode(name))).text == "é€"


@pytest.mark.parametrize(
    ("mark", "codec"),
    [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")],
)
def test_byte_order_marks(mark: bytes, codec: str) -> None:
    tree = xml(mark + "<a>é€</a>".encode(codec))
    assert root(tree).text == "é€" and tree.encoding in ("UTF-8", "UTF-16LE", "UTF-16BE")
    assert root(xml(mark + "<a>é</a>".encode(codec), encoding="iso-8859-1")).text == "é", (
        "the mark is stronger than the transport"
    )


def test_latin_1_is_latin_1() -> None:
    """Browsers read it as windows-1252; XML means the standard, where 0x80 to 0x9F are control
    characters.
    """
    tree = xml(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\x80\xa4\xe9</a>")
    assert root(tree).text == "\x80\xa4\xe9" and tree.encoding == "ISO-8859-1"
    assert root(xml(b"<?xml version='1.0' encoding='windows-1252'?><a>\x80</a>")).text == "€"


def test_the_transport_overrules_the_declaration_and_that_is_said() -> None:
    tree = xml(DECLARED.format("iso-8859-1").encode(), encoding="utf-8")
    assert root(tree).text == "é€" and "iso-8859-1" in tree.problems[0].message
    ignored = xml(b"<a>e</a>", encoding="nonsense")
    assert root(ignored).text == "e" and "nonsense" in ignored.problems[0].message


def test_the_declaration_of_a_str_is_not_heard() -> None:
    tree = xml(DECLARED.format("iso-8859-1"))
    assert root(tree).text == "é€" and tree.encoding is None and tree.problems == []
    assert root(xml("\ufeff<a>1</a>")).text == "1"


@pytest.mark.parametrize(
    ("source", "message", "line", "column"),
    [
        (b"<a>\n\xc3\xa9\xff</a>", "0xFF here is not UTF-8", 2, 2),
        (
            b"<?xml version='1.0' encoding='us-ascii'?>\n<a>\xe9</a>",
            "0xE9 here is not US-ASCII",
            2,
            4,
        ),
        (b"<?xml version='1.0' encoding='nonsense'?><a/>", 'unknown encoding "nonsense"', 1, 1),
        (b"<?xml version='1.0' encoding='utf-16'?><a/>", "the bytes are not UTF-16", 1, 1),
        (
            b"\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?><a/>",
            "but the document is in UTF-8",
            1,
            1,
        ),
        (b"\xff\xfe\0\0<\0\0\0", "UTF-32", 1, 1),
        ("<a>\n x\ud800</a>", "a lone surrogate", 2, 3),
    ],
)
def test_what_cannot_be_decoded(source: str | bytes, message: str, line: int, column: int) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        xml(source)
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.7"])
def test_later_versions_are_read_as_1_0_and_that_is_said(version: str) -> None:
    tree = xml(f"<?xml version='{version}'?><a/>")
    assert [problem.message for problem in tree.problems] == (
        [] if version == "1.0" else [f"an XML {version} document, read as XML 1.0"]
    )
