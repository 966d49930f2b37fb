"""What a crawl that was killed has left is done by the next one; a second watch says one line; what
ends with its page is told.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from treelace.classes.pages import Fetched, Gone
from treelace.errors import StoreError
from treelace.site import Site
from treelace.site.page_classes import PageClasses

HOME = "https://shop.example"
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


class KilledError(Exception):
    """In place of signal 9: nothing after it is done."""


def body(number: int, price: int, *, is_new: bool = False) -> bytes:
    items = "".join(
        f'<li class="tea"><a href="/tea/{number}-{it}">tea {number}.{it}</a> <i class="by">maker'
        f' {it}</i> <b class="price">€{price + it}.50</b></li>'
        for it in range(6)
    )
    if is_new:
        items = "".join(
            f"<tr><td>{it}</td><td><i>tea {number}.{it}</i></td></tr>" for it in range(6)
        )
        return (
            f"<title>{number}</title><div id=new><section><h2>teas</h2><table"
            f" class=grid>{items}</table></section></div>".encode()
        )
    return (
        f"<title>{number}</title><header><nav><a href='/'>home</a></nav></header>"
        f"<main><h1>teas</h1><ul class=teas>{items}</ul></main>".encode()
    )


def looks(day: int, *, is_new: bool = False) -> list[Fetched]:
    time = MONDAY + timedelta(days=day)
    return [
        Fetched(
            f"{HOME}/list/{number}", time, 200, body(number, 3 + day, is_new=is_new), "text/html"
        )
        for number in range(5)
    ]


@pytest.mark.parametrize("where", ["leave_out_noise", "accept", "store_records"])
def test_a_class_is_finished_by_the_next_crawl(tmp_path, monkeypatch, where):
    def killed(*_: object) -> None:
        raise KilledError

    with Site.create(tmp_path / "shop", HOME + "/") as site:
        with monkeypatch.context() as patch:
            patch.setattr(PageClasses, where, killed)
            with pytest.raises(KilledError):
                site.crawl(source=looks(0), auto_accept=True)
        assert not site.store.records.kinds()
    with Site(tmp_path / "shop") as site:
        done = site.crawl(source=looks(0), auto_accept=True)  # the same pages: nothing new comes in
        assert (done.stored.versions, done.stored.same + done.stored.known) == (0, 5)
        name = site.store.classes.all()[0].name
        assert len(list(site.store.records.read(site.store.records.kinds()[0].name)[1])) == 30
        assert "left" not in site.store.classes.get(name).about


def test_drift_is_told_in_the_transaction_that_shows_it(tmp_path, monkeypatch):
    def killed(*_: object) -> None:
        raise KilledError

    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.crawl(source=looks(0), auto_accept=True)
        site.store.alerts.subscribe("broken", {"drift": "*", "channels": ["terminal"]})
        with monkeypatch.context() as patch:
            patch.setattr(PageClasses, "propose", killed)
            with pytest.raises(KilledError):
                site.crawl(source=looks(1, is_new=True))
        told = list(site.store.alerts.alerts())
        assert [alert.kind for alert in told] == ["drift"] and len(
            site.store.alerts.deliveries(told[0].id)
        ) == 1
        site.crawl(source=looks(1, is_new=True))
        assert len(list(site.store.alerts.alerts())) == 1


def test_a_record_that_ends_with_its_page_is_told(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site:
        site.crawl(source=looks(0), auto_accept=True)
        kind = site.store.records.kinds()[0].name
        site.store.alerts.subscribe(
            "gone", {"records": kind, "when": "gone", "channels": ["terminal"]}
        )
        gone = Gone(Fetched(f"{HOME}/list/3", MONDAY + timedelta(days=1), 410, b""))
        list(site.intake.take([gone], site.page_classes.catalogue()))
        site.crawl(source=looks(2)[:3])
        told = [alert for alert in site.store.alerts.alerts() if alert.kind == "gone"]
        assert len(told) == 6 and {alert.state for alert in told} == {"open"}


def test_a_second_watch_says_one_line(tmp_path):
    with Site.create(tmp_path / "shop", HOME + "/") as site, site.store.watcher():
        command = [
            sys.executable,
            "-m",
            "treelace",
            "watch",
            "--once",
            "--site",
            str(tmp_path / "shop"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 5 and done.stderr.count("\n") == 1
        assert "another process is watching this site already" in done.stderr
    with (
        Site(tmp_path / "shop") as site,
        site.store.watcher(),
        site.store.writer(),
        site.store.writer(),
    ):
        pass  # free again, and whoever may write may ask twice
    taken = pytest.raises(StoreError, match="another process is adding versions")
    with (
        Site(tmp_path / "shop") as site,
        Site(tmp_path / "shop") as other,
        site.store.writer(),
        taken,
    ):
        other.add_pages(looks(0))
