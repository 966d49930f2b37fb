"""Killed at any moment, a crawl loses nothing and doubles nothing: kill -9 at random times, again and again, then once to the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from treelace.site import Site
from treelace.store.alerts import Alerts
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

SHOP = open_shop()


def killed(folder: str, seconds: float) -> bool:
    """Runs a crawl and kills it after so many seconds; False where it was done before."""
    command = [sys.executable, "-m", "treelace", "crawl", "--auto-accept", "--allow-private", "--delay", "0", "--concurrency", "8", "--site", folder]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


@pytest.mark.slow
def test_kill_nine_at_random_points(tmp_path):
    numbers = random.Random(int(os.environ.get("TREELACE_SEED", "1")))
    kills = int(os.environ.get("TREELACE_KILLS", "20"))
    folder = str(tmp_path / "shop")
    with ShopServer(SHOP.days[0]) as server:
        Site.create(folder, server.url + "/").close()
        for _ in range(kills // 2):
            killed(folder, numbers.uniform(0.5, 8))
        assert not killed(folder, 600)
        with Site(folder) as site:
            assert set(SHOP.days[0].truth) <= {page.url.removeprefix(server.url) for page in site.pages()}
            Alerts(site.store).subscribe("new", {"records": "list", "when": "new"})
            Alerts(site.store).subscribe("gone", {"records": "list", "when": "gone"})
        server.day = SHOP.days[1]
        for _ in range(kills - kills // 2):
            killed(folder, numbers.uniform(0.5, 8))
        time.sleep(0.1)
        assert not killed(folder, 600)
        with Site(folder) as site:
            heads, rows = site.records.read("list")
            titles = [row[heads.index("title")] for row in rows]
            assert sorted(titles) == sorted(product.name for product in SHOP.days[1].products)
            told = sorted(alert.why for alert in Alerts(site.store).alerts() if alert.state == "open")
            changes = [change for change in SHOP.days[1].changes if not change.path.startswith("/news/")]
            wanted = [f"new record: {it.new}" for it in changes if it.kind == "new"] + [
                f"record gone: {it.old}" for it in changes if it.kind == "gone"
            ]
            assert told == sorted(wanted), "each alert once, none lost"
            assert len(Alerts(site.store).due(site.history(server.url + "/")[-1].time, 1000)) <= len(wanted)
    done = subprocess.run([sys.executable, "-m", "treelace", "verify", "--site", folder], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
