"""The mutants of `python -m tools.mutants`: what is changed, what is left alone, what is drawn."""

from __future__ import annotations

from tools.mutants import blocks, sample, sites


def changes(source: str) -> set[tuple[str, str, str]]:
    return {(one.kind, one.old, one.new.rstrip()) for one in sites.find(source)}


def test_each_kind_of_change_is_found():
    assert changes("if a < 3 and not b: c += 'x' * 40") == {
        ("compare", "<", "<="),
        ("constant", "3", "4"),
        ("constant", "40", "80"),
        ("negation", "and", "or"),
        ("negation", "not b", "b"),
        ("operator", "+=", "-="),
        ("operator", "*", "/"),
        ("string", "'x'", '""'),
    }


def test_a_bare_condition_is_negated():
    assert changes("x = [a for a in b if a.c]") == {("negation", "a.c", "not a.c")}


def test_what_no_test_should_see_is_left_alone():
    source = '''
"""Docs."""
from dataclasses import dataclass
__all__ = ["a"]
if TYPE_CHECKING:
    x = 1
@dataclass(frozen=True)
class A:
    """Docs."""
    b: "int"
def f(a: "str" | None) -> "int":
    """Docs."""
    option(help="words")
    cast("int", a)
Kind = Literal["a", 1]
'''
    assert changes(source) == set()


def test_error_messages_count():
    assert changes('raise ValueError(f"no {name}")') == {("string", 'f"no {name}"', '""')}


def test_a_mutation_keeps_the_other_lines_where_they_are():
    source = 'f(\n    "a"\n    "b",\n    é + 1,\n)\n'
    for mutation in sites.find(source):
        assert mutation.compiles(source)
        assert mutation.applied(source).count("\n") == source.count("\n")
    assert any(m.applied(source) == source.replace("+", "-") for m in sites.find(source))


def test_a_line_belongs_to_its_innermost_block():
    source = 'A = 1\ndef f(a):\n    """Docs."""\n    if a:\n        b = 2\n    return 3\n'
    assert blocks.around(source, 1) is None
    assert blocks.around(source, 4) == blocks.Block(4, 6)
    assert blocks.around(source, 5) == blocks.Block(5, 5)
    marked = blocks.marked(source, "a.py")
    assert "a.py:4" in marked and "a.py:5" in marked and "Docs." in marked


def test_the_draw_follows_the_seed_and_not_the_place_of_the_code(tmp_path):
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("def f(a):\n    return a < 1 or a > 5\n")
    other.write_text("import os\n\n\ndef f(a):\n    return a < 1 or a > 5\n")

    def drawn(seed, path):
        ranked = sample._ranked(seed, "x", [path])
        return [mutant.identity for mutant in sample._evenly(ranked, 3)]

    assert drawn(1, one) == drawn(1, other)
    assert len({tuple(drawn(seed, one)) for seed in range(20)}) > 1


def test_every_package_has_its_share_of_the_draw():
    sizes = {"small": 1, "large": 9_999}
    assert [sample._share(name, sizes, 100) for name in sizes] == [8, 92]
