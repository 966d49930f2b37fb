"""Several who repair the same site at the same moment repair it once, on both databases: the others
are told that somebody does.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.hostile.test_killed_repair import HOME, drifted, on, records, repair
from treelace.errors import StoreError
from treelace.site import Site

DONE, REFUSED = 0, 5
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def _code_of_repair(folder: Path) -> int:
    try:
        repair(folder)
    except StoreError as error:
        return REFUSED if "another process is adding versions" in str(error) else 1
    except BaseException:  # noqa: BLE001 (a child of fork must not go on as the test)
        return 1
    return DONE


def wrappers_of(folder: Path) -> dict[str, int]:
    """How many versions of its wrapper each class has."""
    with Site(folder) as site:
        classes = site.store.classes
        return {one.name: len(classes.wrappers(one.id)) for one in classes.all()}


@pytest.mark.parametrize("back_end", ["sqlite", "postgresql"])
def test_repairs_at_once_happen_once(tmp_path: Path, back_end: str, request: pytest.FixtureRequest):
    drifted(tmp_path / "first")
    store = on(tmp_path, back_end, request)
    alone, crowd = tmp_path / "alone", tmp_path / "crowd"
    for folder in (alone, crowd):
        with Site.create(folder, HOME, store=store()) as site:
            site.import_(str(tmp_path / "first"))
    repair(alone)
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            os._exit(_code_of_repair(crowd))
        children.append(child)
    codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
    assert DONE in codes and codes <= {DONE, REFUSED}
    assert records(crowd) == records(alone)
    assert wrappers_of(crowd) == wrappers_of(alone)
