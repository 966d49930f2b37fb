"""Headers, cookies, a login and a proxy with secrets: the site gets them, and no file, log or line
on the screen ever shows them.
"""

from __future__ import annotations

import json

import pytest

from tests.crawl.logins import SESSION, TOKEN, assert_nowhere, make_site, write_login
from tests.crawl.servers import Answer, Server

COOKIE, PASSWORD = "c00kie-of-the-shop", "p4ssword-of-the-proxy"
ALL = (TOKEN, COOKIE, SESSION, PASSWORD)
SECRETS = {"SHOP_TOKEN": TOKEN, "SHOP_COOKIE": COOKIE, "PROXY_PASSWORD": PASSWORD}


def guarded(handler) -> Answer:
    """A page for those who are logged in; it sets a cookie of its own."""
    has_all = handler.headers.get(
        "Authorization"
    ) == f"Bearer {TOKEN}" and f"taste={COOKIE}" in handler.headers.get("Cookie", "")
    if not has_all or f"session={SESSION}" not in handler.headers.get("Cookie", ""):
        return Answer(b"<h1>Please log in</h1>", 403)
    number = int(handler.path.rpartition("/")[2] or 0)
    link = f"<a href=/{number + 1}>more</a>" if number < 3 else ""
    return Answer(
        f"<h1>Tea {number}</h1>{link}".encode(), headers={"Set-Cookie": f"seen={number}-{SESSION}"}
    )


SETTINGS = """
[crawl]
login = "login.json"
headers = { Authorization = "Bearer ${SHOP_TOKEN}" }
cookies = { taste = "${SHOP_COOKIE}" }

[log]
json = "log.jsonl"
"""


def test_a_login_reaches_the_site_and_nothing_else(treelace, tmp_path):
    with Server({"/": guarded, **{f"/{number}": guarded for number in range(1, 4)}}) as server:
        make_site(treelace, tmp_path, server.url + "/", SETTINGS)
        write_login(tmp_path)
        crawl = (
            "crawl",
            "--allow-private",
            "--delay",
            "0",
            "--site",
            "shop",
            "--warc",
            "shop.warc.gz",
            "--verbose",
        )
        ran = treelace(*crawl, env=SECRETS)
        assert ran.returncode == 0, ran.stderr
        assert "4 fetched" in ran.stdout
        assert "stale=" not in str(server.headers) and "other=" not in str(server.headers)
        robots = next(
            headers
            for headers, path in zip(server.headers, server.asked, strict=False)
            if path == "/robots.txt"
        )
        assert "Cookie" not in robots and "Authorization" not in robots
        log = [
            json.loads(line)
            for line in (tmp_path / "shop" / "log.jsonl").read_text(encoding="utf-8").splitlines()
        ]
    fetched = [line for line in log if line["event"] == "fetched"]
    assert len(fetched) == 4 and all(
        line["status"] == 200 and line["ms"] >= 0 and line["bytes"] and line["time"].endswith("Z")
        for line in fetched
    )
    assert {line["event"] for line in log} >= {"fetched", "stored", "done"}
    assert [line["url"] for line in log if line["event"] == "stored"] == [
        line["url"] for line in fetched
    ]
    assert_nowhere(ALL, tmp_path, ran.stdout + ran.stderr)


@pytest.mark.parametrize(
    ("mode", "text", "words"),
    [
        (0o644, None, "a login is its owner's alone"),
        (0o600, "{not json", "this is no storage state of a browser"),
        (0o600, '{"cookies": [{"name": 3}]}', "this is no storage state of a browser"),
        (0o600, "", "this is no storage state of a browser"),
    ],
)
def test_a_login_that_cannot_be_used_is_one_line(treelace, tmp_path, mode, text, words):
    make_site(treelace, tmp_path, "http://127.0.0.1:9/", SETTINGS)
    write_login(tmp_path, mode=mode, text=text)
    ran = treelace("crawl", "--site", "shop", env=SECRETS)
    assert ran.returncode == 2 and words in ran.stderr and len(ran.stderr.splitlines()) == 1


def test_a_proxy_gets_its_password_and_an_error_does_not_tell_it(treelace, tmp_path):
    with Server({"http://tea.example/": Answer(b"<h1>Tea by proxy</h1>")}) as proxy:
        place = f"http://me:${{PROXY_PASSWORD}}@127.0.0.1:{proxy.port}"
        make_site(treelace, tmp_path, "http://tea.example/", f'[crawl]\nproxy = "{place}"\n')
        ran = treelace(
            "crawl", "--delay", "0", "--site", "shop", "--log-json", "log.jsonl", env=SECRETS
        )
        assert ran.returncode == 0 and "1 fetched" in ran.stdout, ran.stderr
        assert all("Proxy-Authorization" in headers for headers in proxy.headers)
    again = treelace(
        "crawl", "--delay", "0", "--site", "shop", "--log-json", "log.jsonl", env=SECRETS
    )
    assert "tea.example" in again.stderr and len(again.stderr.splitlines()) == 1
    assert_nowhere(ALL, tmp_path, ran.stdout + ran.stderr + again.stdout + again.stderr)


def test_a_secret_that_is_not_set_is_named(treelace, tmp_path):
    make_site(
        treelace,
        tmp_path,
        "http://127.0.0.1:9/",
        '[crawl]\nheaders = { X = "${TREELACE_NO_SUCH}" }\n',
    )
    ran = treelace("crawl", "--site", "shop")
    assert (
        ran.returncode == 2
        and "TREELACE_NO_SUCH" in ran.stderr
        and len(ran.stderr.splitlines()) == 1
    )
