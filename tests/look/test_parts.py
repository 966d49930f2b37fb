"""The one look of every page: what is escaped, cut, numbered and coloured."""

from __future__ import annotations

import re

from treelace import look
from treelace.look.colours import column_colour
from treelace.look.parts import badge, frame, legend, table

BAD = "<i>&\"'"
SAFE = "&lt;i&gt;&amp;&quot;&#x27;"


def test_everything_from_outside_is_escaped() -> None:
    assert f"<th>{SAFE} <small>{SAFE}</small></th>" in table([BAD], [], most_rows=1, notes=[BAD])
    assert f"<td>{SAFE}</td>" in table(["a"], [[BAD]], most_rows=1)
    assert SAFE in badge(BAD)
    assert f'title="{SAFE}" srcdoc="{SAFE}"' in frame(BAD, title=BAD)
    assert f'style="{SAFE}"' in frame("", title="", style=BAD)


def test_a_table_shows_its_first_rows_and_counts_the_rest() -> None:
    rows = [["one"], ["two"], ["three"]]
    assert "more row" not in table(["n"], rows, most_rows=3)
    assert table(["n"], rows, most_rows=2).endswith("<p>… 1 more row</p>")
    assert table(["n"], rows, most_rows=1).endswith("<p>… 2 more rows</p>")
    assert "three" not in table(["n"], rows, most_rows=2)
    assert table(["n"], rows * 1000, most_rows=1).endswith("<p>… 2,999 more rows</p>")


def test_numbers_of_rows_begin_at_one_under_an_empty_head() -> None:
    made = table(["n"], [["a"], [None]], most_rows=9, is_numbered=True)
    assert "<tr><th></th><th>n</th></tr>" in made
    assert "<tr><td>1</td><td>a</td></tr><tr><td>2</td><td></td></tr>" in made


def test_columns_have_colours_only_if_asked_for() -> None:
    plain, coloured = (table(["a", "b"], [], most_rows=1, is_coloured=c) for c in (False, True))
    assert "style" not in plain
    colours = re.findall(r'style="background:([^;]+);color:#111"', coloured)
    assert colours == [column_colour(0), column_colour(1)]
    assert column_colour(0, table=1, light=50) == "hsl(47 75% 50%)"
    assert column_colour(3) == "hsl(52 75% 82%)"
    assert len({column_colour(number, table=t) for number in range(4) for t in range(2)}) == 8


def test_a_badge_and_a_legend_carry_their_kinds() -> None:
    assert badge("a") == '<span class="badge">a</span>'
    assert legend({"came": "new", "went": "gone"}) == (
        '<span class=legend><span class="badge came">new</span>'
        ' <span class="badge went">gone</span></span>'
    )


def test_a_frame_runs_nothing_unless_it_is_ours() -> None:
    assert 'sandbox=""' in frame("", title="")
    assert 'sandbox="allow-scripts"' in frame("", title="", may_run_scripts=True)


def test_a_page_asks_nobody_and_runs_only_what_it_was_given() -> None:
    page = look.page("a & b", "<p>body", head="<b>head</b>", style="p {}")
    assert page.count("<title>a &amp; b</title>") == 1
    assert "<h1>a &amp; b</h1><b>head</b></header>\n<p>body\n" in page
    assert "default-src &#x27;none&#x27;" in page
    assert "script" not in page
    assert look.COLOURS in page
    assert "p {}</style>" in page
    running = look.page("a", "", script="go()")
    assert "script-src &#x27;unsafe-inline&#x27;" in running
    assert "<script>go()</script>" in running
