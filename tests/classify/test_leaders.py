"""Leader clustering."""

from __future__ import annotations

import treelace as tl
from treelace.classify import leader_clusters


def test_pages_of_one_template_share_a_class():
    lists = [tl.parse("<ul>" + "<li>x</li>" * n + "</ul>") for n in (3, 4, 5)]
    tables = [tl.parse("<table>" + "<tr><td>x<td>y</tr>" * n + "</table>") for n in (2, 3)]
    assert leader_clusters([lists[0], tables[0], lists[1], tables[1], lists[2]]) == [0, 1, 0, 1, 0]


def test_no_pages_no_classes():
    assert leader_clusters([]) == []
