"""Nobody gets anything out of the studio without its token, and no other page by a browser."""

from __future__ import annotations

import re
import socket
from urllib.parse import quote

import pytest
from starlette.routing import Route

from tests.studio.conftest import Studio
from treelace.limits import DEFAULT_LIMITS
from treelace.studio.app import make_app
from treelace.studio.guard import Keys
from treelace.studio.jobs import Jobs
from treelace.studio.server import send_at_once
from treelace.studio.sites import Sites


def routes() -> list[tuple[str, str]]:
    """Every route of the studio with every method it takes, its parts filled in."""
    app = make_app(Sites([], limits=DEFAULT_LIMITS), Keys(1), Jobs())
    return [
        (method, re.sub(r"\{\w+\}", "tea", route.path))
        for route in app.routes
        if isinstance(route, Route)
        for method in sorted((route.methods or set()) - {"HEAD"})
    ]


def test_there_are_routes_to_try():
    app = make_app(Sites([], limits=DEFAULT_LIMITS), Keys(1), Jobs())
    assert len(routes()) >= len(app.routes) >= 14
    assert ("GET", "/s/tea/table/tea") in routes()


@pytest.mark.parametrize(("method", "path"), routes())
def test_every_route_wants_the_token(studio: Studio, method: str, path: str):
    answer = studio.ask(path, method, token=False)
    assert answer.status in (401, 403), answer
    assert "tea.example" not in answer.text
    wrong = {"Cookie": f"treelace-{studio.port}=wrong", "Authorization": "Bearer wrong"}
    assert studio.ask(path, method, token=False, **wrong).status in (401, 403)


@pytest.mark.parametrize(("method", "path"), routes())
def test_every_route_refuses_foreign_hosts_and_origins(studio: Studio, method: str, path: str):
    port = studio.port
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.2:{port}"):
        assert studio.ask(path, method, host=host).status == 403, host
    for origin in ("https://evil.example", "null", f"http://localhost:{port}", "http://127.0.0.1"):
        assert studio.ask(path, method, Origin=origin).status == 403, origin
    cross = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert studio.ask(path, method, **cross).status == 403


@pytest.mark.parametrize(("method", "path"), routes())
def test_the_name_of_captured_pages_gives_nothing_else(studio: Studio, method: str, path: str):
    assert studio.ask(path, method, host=f"localhost:{studio.port}").status == 403


def test_a_frame_needs_the_studios_signature(studio: Studio):
    page = studio.ask(f"/s/tea/page?url={quote('https://tea.example/')}").text
    address = re.search(r'src="http://localhost:\d+(/frame/\?[^"]+)"', page)
    assert address is not None
    path = address[1].replace("&amp;", "&")
    host = f"localhost:{studio.port}"
    good = studio.ask(path, host=host, token=False)
    assert good.status == 200 and "Tea" in good.text
    policy = good.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'") and "script-src" not in policy
    assert studio.ask(path.replace("tea.example", "tea.examplf"), host=host).status == 403
    assert studio.ask(path[:-1], host=host).status == 403
    assert studio.ask(path).status == 403  # under the studio's own name it is not shown


def test_the_token_becomes_a_cookie_and_leaves_the_address(studio: Studio):
    answer = studio.ask(f"/s/tea/tables?to=csv&token={studio.token}", token=False)
    assert answer.status == 303 and answer.headers["location"] == "/s/tea/tables?to=csv"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie
    sent = {"Cookie": cookie.partition(";")[0]}
    assert studio.ask("/s/tea/tables", token=False, **sent).status == 200


def test_what_a_browser_may_do_is_said_in_every_answer(studio: Studio):
    for path in ("/", "/s/tea/", "/s/tea/nothing", "/static/studio.css", "/s/tea/tables?to=json"):
        headers = studio.ask(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"


def test_an_answer_is_sent_without_waiting():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        send_at_once([listening])
        with socket.create_connection(listening.getsockname()):
            accepted, _ = listening.accept()
            with accepted:
                assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
