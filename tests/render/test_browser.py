"""Rendering by a real Chromium: boxes and final HTML agree with our own parse, nothing is fetched,
nothing runs for ever.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import treelace as tl
from tests.conftest import Treelace
from treelace.render import Boxes, Browser, find_browser, render
from treelace.render.public_addresses import is_public_url

pytest.importorskip("playwright", reason="the extra [render] is not installed")
pytestmark = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium on this machine (chromium, google-chrome)"
)

PAGE = """<!DOCTYPE html><html lang=en><head><title>Shop</title><noscript><style>p{}</style>\
</noscript></head><body style="margin:0">
<noscript><p>Please turn scripts on</p></noscript><template><p>never</p></template>
<ul style="margin:0;padding:0;list-style:none"><li style="height:40px">Tea<li \
style="height:40px">Milk</ul>
<div hidden>unseen</div><table><tr><td>1<td>2</table><svg width=10 height=10><path d="M0 0"/></svg>
<script>
const make = (tag) => document.createElement(tag);
for (const name of ['Jam', 'Rye']) {
  const li = make('li'); li.style.height = '40px'; li.textContent = name; \
document.querySelector('ul').append(li);
}
const a = make('a'), p = make('p'); a.append(make('a')); p.append(make('div')); \
document.body.append(a, p); // no parser would make these
</script></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as running:
        yield running


def test_boxes_are_those_of_our_own_parse(browser: Browser) -> None:
    seen = browser.render(PAGE)
    assert seen.tree == tl.parse(seen.html, format="html")
    assert "data-treelace" not in seen.html
    assert seen.boxes.count == len(list(seen.tree.elements))
    items = seen.tree.select("li")
    assert [item.text for item in items] == ["Tea", "Milk", "Jam", "Rye"]
    boxes = seen.boxes.of(seen.tree)
    assert [boxes[item.index].y for item in items] == [0, 40, 80, 120]
    assert [boxes[item.index].height for item in items] == [40] * 4
    assert (
        boxes[seen.tree.select("td:nth-child(2)")[0].index].x
        > boxes[seen.tree.select("td")[0].index].x
    )
    hidden = seen.tree.select("[hidden], script, head, title, noscript, template")
    assert len(hidden) == 7
    assert not any(node.index in boxes for node in hidden)
    assert Boxes.from_json(seen.boxes.to_json()) == seen.boxes
    assert seen.boxes.viewport == (1280, 1024)


def test_one_page_is_rendered_in_the_same_window_with_scripts_and_without() -> None:
    seen = render("<p>a<script>document.body.append('b')</script>", scripts=False)
    assert seen.boxes.viewport == (1280, 1024)


def test_without_scripts_the_tree_is_that_of_the_page() -> None:
    with Browser(scripts=False) as running:
        seen = running.render(PAGE)
    assert [node.tag for node in seen.tree.elements] == [
        node.tag for node in tl.parse(PAGE).elements
    ]
    assert len(seen.tree.select("li")) == 2
    note = seen.tree.select("noscript p")[0]
    assert note.index in seen.boxes.of(seen.tree)


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{running.server_port}", asked
    running.shutdown()


@pytest.mark.parametrize("network", [False, True])
def test_nothing_is_fetched_from_this_machine(server: tuple[str, list[str]], network: bool) -> None:
    host, asked = server
    page = (
        f"<img src=http://{host}/img><link rel=stylesheet href=http://{host}/css><iframe"
        f" src=http://{host}/frame></iframe><script"
        f" src=http://{host}/js></script><script>fetch('http://{host}/fetch'); new"
        f" WebSocket('ws://{host}/socket');"
        f" navigator.sendBeacon('http://{host}/beacon');open('http://{host}/window');"
        " alert('wait'); new Image().src ="
        f" 'http://localhost:{host.split(':')[1]}/name'</script><meta http-equiv=refresh"
        f" content='0;url=http://{host}/refresh'><p>still here"
    )
    with Browser(network=network) as running:
        seen = running.render(page)
    assert "still here" in seen.html
    assert asked == []


def test_addresses_of_this_machine_and_its_neighbours_are_not_public() -> None:
    for url in (
        "http://127.0.0.1/",
        "http://localhost/",
        "http://[::1]/",
        "http://10.0.0.1/",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "http://0/",
    ):
        assert not is_public_url(url), url


@pytest.mark.parametrize(
    "page",
    [
        "<script>for (;;) {}</script>",
        "<p>x<script>onload = () => setTimeout(() => { for (;;) {} })</script>",
    ],
    ids=["at once", "later"],
)
def test_a_page_that_never_ends_meets_the_limit(page: str) -> None:
    with Browser() as running:
        with pytest.raises(tl.LimitError, match="seconds"):
            running.render(page, limits=tl.Limits(seconds=3))
        assert "after" in running.render("<p>after").html  # the next page is not harmed


def test_extract_render_on_the_command_line(treelace: Treelace, tmp_path: Path) -> None:
    rows = (
        "['Tea','Milk','Jam','Rye'].map((w, n) => `<li><b>${w}</b> <i>${n}.50</i></li>`).join('')"
    )
    (tmp_path / "made.html").write_text(
        f"<body><div id=x></div><script>document.getElementById('x').innerHTML = '<ul>' + {rows} +"
        " '</ul>'</script>"
    )
    done = treelace("extract", "made.html", "--to", "csv")
    assert done.returncode == 1
    assert "--render" in done.stderr
    for extractor in ("records", "depta"):
        done = treelace(
            "extract", "made.html", "--render", "--extractor", extractor, "--to", "jsonl"
        )
        assert done.returncode == 0, done.stderr
        assert [line.split('"')[3] for line in done.stdout.splitlines()] == [
            "Tea",
            "Milk",
            "Jam",
            "Rye",
        ]
    assert treelace("extract", "made.html", "--network").returncode == 2


def test_the_marked_page_runs_and_fetches_nothing(
    server: tuple[str, list[str]], browser: Browser
) -> None:
    from treelace.extract.outputs import marked_page

    host, asked = server
    page = tl.parse(
        f"<ul><li onclick=x()><b>a</b> <i>1</i><img src=http://{host}/a><li><b>b</b>"
        " <i>2</i></ul><script>document.title = 'owned'</script>"
    )
    seen = browser.render(marked_page(page, tl.extract(page), title="mine"))
    assert seen.tree.select("title")[0].text == "mine"
    frame = seen.tree.select("iframe")[0]
    assert seen.boxes.of(seen.tree)[frame.index].height > 100
    assert asked == []


def test_extract_render_network_passes_the_guard(
    treelace: Treelace, tmp_path: Path, server: tuple[str, list[str]]
) -> None:
    host, asked = server
    (tmp_path / "made.html").write_text(
        "<ul><li><b>Tea</b> <i>1.50</i><li><b>Milk</b> <i>2.50</i></ul><script"
        f" src=http://{host}/script></script>"
    )
    extract = ("extract", "made.html", "--render", "--network", "--to", "jsonl")
    assert treelace(*extract).returncode == 0 and asked == []
    assert treelace(*extract, "--allow-private").returncode == 0 and asked == ["/script"]
