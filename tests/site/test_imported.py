"""What an import did, in one line."""

from __future__ import annotations

import pytest

from treelace.site.intake import Imported


@pytest.mark.parametrize(
    ("done", "line"),
    [
        (Imported(), "0 versions added"),
        (Imported(versions=1, new_pages=1), "1 version added, 1 new page"),
        (Imported(versions=2, new_pages=2), "2 versions added, 2 new pages"),
        (
            Imported(versions=1200, records=1, alerts=1, same=1000, known=2),
            "1,200 versions added, 1 change of records, 1 alert, 1,000 unchanged, 2 known already",
        ),
        (
            Imported(records=2, alerts=2, late=("a",), failures=("b", "c")),
            "0 versions added, 2 changes of records, 2 alerts, 1 too old, 2 failed",
        ),
    ],
)
def test_only_what_happened_is_told(done, line):
    assert str(done) == line
