"""What bad input gets, through the command line: one clear line for each trouble, the rest of the
work done, nothing lost.

The network is a stand-in that a test can have: in the processes of these tests 93.184.215.14, a
public address, is this machine, and a few names have addresses (`sitecustomize` on the path). The
guard and all the rest are as they always are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.crawl.servers import Answer, Server, redirect, self_signed
from treelace.testing.shop import open_shop

NETWORK = """
import os, socket
PUBLIC = "93.184.215.14"
ANSWERS = {
    "shop.test": PUBLIC, "dead.test": PUBLIC, "inside.test": "127.0.0.1",
    "moving.test": os.environ.get("MOVED_TO", PUBLIC),
}
asked, connect, connect_ex = socket.getaddrinfo, socket.socket.connect, socket.socket.connect_ex

def getaddrinfo(host, port, *rest, **options):
    if isinstance(host, str) and host.endswith(".test"):
        if host not in ANSWERS:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        host = ANSWERS[host]
    return asked(host, port, *rest, **options)

def there(address):
    return ("127.0.0.1", *address[1:]) if address[0] == PUBLIC else address

socket.getaddrinfo = getaddrinfo
socket.gethostbyname = lambda host: getaddrinfo(host, 0, socket.AF_INET)[0][4][0]
socket.socket.connect = lambda self, address: connect(self, there(address))
socket.socket.connect_ex = lambda self, address: connect_ex(self, there(address))
"""


def page(*links: str, text: str = "") -> Answer:
    return Answer(
        "".join(
            [f"<h1>{text}</h1>", *(f'<p><a href="{link}">to {link}</a>' for link in links)]
        ).encode()
    )


class Trouble:
    """A site with everything that can go wrong, crawled once by the command line."""

    def __init__(self, folder: Path) -> None:
        self.stack = ExitStack()
        self.sent: list[int] = []
        safe = self.stack.enter_context(
            Server({"/": page(text="never")}, certificate=self_signed(folder))
        )
        storm = self.stack.enter_context(
            Server({f"/{number}": Answer(b"", 500) for number in range(60)})
        )
        self.inside = self.stack.enter_context(
            Server({"/": page(text="secret"), "/a": page(text="secret")})
        )
        shop = self.shop = self.stack.enter_context(Server({}))
        closed = Server({})
        closed._http.server_close()
        self.home = f"http://shop.test:{shop.port}"

        def flood() -> Iterator[bytes]:
            for _ in range(500):  # 500 MB
                self.sent.append(1)
                yield b"x" * 2**20

        shop.answers.update(
            {
                "/circle": redirect("/circle/2"),
                "/circle/2": redirect("/circle"),
                "/film": Answer(b"\x00\x01", content_type="video/mp4"),
                "/flood": Answer(flood()),
                "/drip": Answer(shop.drip()),
                "/inwards": redirect(f"http://inside.test:{self.inside.port}/a"),
                "/fine": page("/fine/2", text="fine"),
                "/fine/2": page(text="still fine"),
            }
        )
        hosts = {
            "nowhere": "nowhere.test",
            "dead": f"dead.test:{closed.port}",
            "inside": f"inside.test:{self.inside.port}",
            "number": f"127.0.0.1:{self.inside.port}",
            "storm": f"shop.test:{storm.port}",
            "safe": f"shop.test:{safe.port}",
        }
        links = [f"http://{hosts['storm']}/{number}" for number in range(60)]
        links += [f"http://{hosts[name]}/" for name in ("nowhere", "dead", "inside", "number")] + [
            f"https://{hosts['safe']}/"
        ]
        shop.answers["/"] = page(
            "/circle", "/film", "/flood", "/drip", "/inwards", "/fine", *links, text="home"
        )
        (folder / "network").mkdir()
        (folder / "network" / "sitecustomize.py").write_text(NETWORK, encoding="utf-8")
        self.folder, self.hosts, self.storm = folder, hosts, storm
        self.run("init", "shop", self.home + "/")
        with (folder / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
            file.write(
                f"\n[crawl]\nhosts = {list(hosts.values())!r}\nseconds = 3\ndelay = 0\nconcurrency"
                " = 8\n".replace("'", '"')
            )
        self.ran = self.run("crawl", "--limit", "bytes=3e6", "--site", "shop")

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = shutil.which("treelace", path=Path(sys.executable).parent)
        assert command is not None
        env = {
            **os.environ,
            "PYTHONUTF8": "1",
            "PYTHONPATH": os.pathsep.join(
                [str(self.folder / "network"), os.environ.get("PYTHONPATH", "")]
            ),
            **environment,
        }
        return subprocess.run(
            [command, *arguments],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def lines(self, *words: str) -> list[str]:
        return [
            line for line in self.ran.stderr.splitlines() if all(word in line for word in words)
        ]


@pytest.fixture(scope="module")
def trouble(tmp_path_factory) -> Iterator[Trouble]:
    made = Trouble(tmp_path_factory.mktemp("trouble"))
    with made.stack:
        yield made


def test_the_crawl_ends_well_with_what_can_be_had(trouble):
    assert trouble.ran.returncode == 0, trouble.ran.stderr
    pages = trouble.run("pages", "--to", "csv", "--site", "shop").stdout
    paths = {line.partition(",")[0].removeprefix(trouble.home) for line in pages.splitlines()[1:]}
    assert paths == {"/", "/fine", "/fine/2"}
    assert trouble.run("verify", "--site", "shop").returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ("nowhere.test", "cannot be found"),
        ("dead.test", "Connection refused"),
        ("/circle", "redirects in a circle"),
        ("failures in a row (answered 500); left alone for now",),
        ("shop.test", "the body has more than 3,000,000 bytes"),
        ("shop.test", "not done within 3 s"),
        ("shop.test", "the certificate is not valid"),
        ("inside.test", "127.0.0.1 is not a public address"),
        ("127.0.0.1: 127.0.0.1 is not a public address",),
    ],
    ids=lambda words: words[0] if len(words) == 1 else words[-1],
)
def test_each_trouble_is_one_line(trouble, words):
    assert len(trouble.lines(*words)) == 1, trouble.ran.stderr


def test_nothing_private_was_reached_by_name_by_number_or_by_redirect(trouble):
    assert not trouble.inside.asked


def test_dns_that_changes_its_answer_gains_nothing(trouble):
    """What was public yesterday and is this machine today is refused; what was stored stays."""
    with Server({"/": page(text="public, or so it seems")}) as moving:
        trouble.run("init", "moving", f"http://moving.test:{moving.port}/")
        assert "1 fetched" in trouble.run("crawl", "--site", "moving").stdout
        asked = moving.asked.total()
        ran = trouble.run("crawl", "--site", "moving", MOVED_TO="127.0.0.1")
        assert (
            ran.returncode == 5
            and ran.stderr
            == "moving.test: 127.0.0.1 is not a public address; --allow-private permits it\n"
        )
        assert moving.asked.total() == asked
    assert "moving.test" in trouble.run("pages", "--site", "moving").stdout


def test_a_wrong_type_is_counted_a_flood_is_cut_off_and_a_storm_is_left(trouble):
    assert "1 not a page" in trouble.ran.stdout
    assert len(trouble.sent) < 60
    assert sum(trouble.storm.asked.values()) < 40


def test_nothing_at_all_to_be_had_is_exit_code_5(treelace):
    treelace("init", "shop", "http://127.0.0.1:9/")
    ran = treelace("crawl", "--site", "shop")
    assert ran.returncode == 5 and len(ran.stderr.splitlines()) == 1


WRAPPED = '\n[[class]]\nname = "tea"\nurls = ".*/tea/.*"\nwrapper = "tea.json"\n'


def test_a_wrapper_that_is_edited_badly_during_a_crawl(treelace, tmp_path):
    """The crawl goes on with the wrapper it began with, and the next one with the last good one;
    both have every record.
    """
    tea = [
        (place, day)
        for day in open_shop().days[:1]
        for place, truth in day.truth.items()
        if truth.kind == "product"
    ][:4]
    with Server({"/": page(*(place for place, _ in tea), text="home")}) as server:
        for place, day in tea:
            server.answers[place] = Answer((day.page(place) or "").encode())
            (tmp_path / f"{place.rpartition('/')[2]}.html").write_text(
                day.page(place) or "", encoding="utf-8"
            )
        treelace("init", "shop", server.url + "/")
        learn = [f"{place.rpartition('/')[2]}.html" for place, _ in tea]
        assert treelace("wrap", "learn", *learn, "-o", "shop/tea.json").returncode == 0
        with (tmp_path / "shop" / "treelace.toml").open("a", encoding="utf-8") as file:
            file.write(WRAPPED)
        pages = dict(server.answers)

        def edited(_handler) -> Answer:
            (tmp_path / "shop" / "tea.json").write_text('{"oops', encoding="utf-8")
            return pages["/"]  # type: ignore[return-value]

        server.answers["/"] = edited
        crawl = ("crawl", "--allow-private", "--delay", "0", "--site", "shop")
        ran = treelace(*crawl)
        assert ran.returncode == 0 and not ran.stderr, ran.stderr
        assert (
            len(treelace("records", "tea", "--to", "jsonl", "--site", "shop").stdout.splitlines())
            == 4
        )
        server.answers[tea[0][0]] = Answer(
            (open_shop().days[0].page(tea[0][0]) or "").replace("<h1", "<h1 id=new").encode()
        )
        again = treelace(*crawl)
    assert again.returncode == 0
    assert [
        line
        for line in again.stderr.splitlines()
        if "tea" in line and "its last good version is used" in line
    ] == again.stderr.splitlines()
    assert (
        len(treelace("records", "tea", "--to", "jsonl", "--site", "shop").stdout.splitlines()) == 4
    )
    assert treelace("check", "--site", "shop").returncode == 3, "check names it, too"


def test_watching_a_site_that_is_being_crawled(treelace, tmp_path):
    """The watch is told in one line, the crawl is not disturbed; one that stays says so and waits
    for its next round.
    """
    came, go = threading.Event(), threading.Event()

    def slow(_handler) -> Answer:
        came.set()
        go.wait(60)
        return page(text="at last")

    with Server({"/": slow}) as server:
        treelace("init", "shop", server.url + "/")
        watch = ("watch", "--once", "--allow-private", "--delay", "0", "--site", "shop")
        first: list[subprocess.CompletedProcess[str]] = []
        thread = threading.Thread(target=lambda: first.append(treelace("crawl", *watch[2:])))
        thread.start()
        assert came.wait(60)
        second = treelace(*watch)
        assert (
            second.returncode == 5
            and "another process" in second.stderr
            and len(second.stderr.splitlines()) == 1
        )
        command = [
            shutil.which("treelace", path=Path(sys.executable).parent) or "",
            "watch",
            "--every",
            "1",
            "--allow-private",
            "--delay",
            "0",
            "--site",
            "shop",
        ]
        staying = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert staying.stderr is not None
        assert "another process" in staying.stderr.readline()
        go.set()
        thread.join()
        assert first[0].returncode == 0 and "1 fetched" in first[0].stdout
        assert staying.stdout is not None and staying.stdout.readline(), "its next round goes well"
        staying.terminate()
        assert staying.wait(30) == 0
        staying.stdout.close()
        staying.stderr.close()
    assert treelace("verify", "--site", "shop").returncode == 0
