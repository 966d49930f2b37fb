"""New names for tags and classes: of the same family, as many as asked for."""

from __future__ import annotations

from random import Random

import pytest

from treelace.testing.redesign import _ALIKE, new_tags


class Lowest(Random):
    """The lowest number that a generator can give."""

    def random(self) -> float:
        return 0.0


@pytest.mark.parametrize("seed", range(30))
def test_a_tag_becomes_another_one_of_its_family(seed):
    used = [tag for family in _ALIKE for tag in family]
    names = new_tags(used, Random(seed), share=1.0)
    assert names.keys() == set(used)
    for old, new in names.items():
        assert new.isalnum() and new != old
        assert any({old, new} <= set(family) for family in _ALIKE)


def test_families_have_different_members():
    members = [tag for family in _ALIKE for tag in family]
    assert len(set(members)) == len(members)
    assert all(tag.isalnum() and tag.islower() for tag in members)


def test_a_share_of_nothing_renames_nothing_and_half_of_them_about_half():
    used = [tag for family in _ALIKE for tag in family]
    assert new_tags(used, Lowest(1), share=0.0) == {}
    assert new_tags(["p", "x-y"], Random(1), share=1.0) == {}
    counts = [len(new_tags(used, Random(seed))) for seed in range(50)]
    assert 0.4 < sum(counts) / len(counts) / len(used) < 0.6
