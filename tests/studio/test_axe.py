"""axe-core finds no serious violation on any screen, wide and narrow, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.studio.conftest import Studio, started
from tests.studio.screens import WIDTHS, make_sites, screens, strangers, tried

GRAVE = ("serious", "critical")


@pytest.fixture(scope="module")
def axe() -> str:
    package = pytest.importorskip("axe_playwright_python", reason="a tool of `make setup`")
    return (files(package) / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("axe")


@pytest.fixture(scope="module")
def studio(place: Path) -> Iterator[Studio]:
    with started(*make_sites(place), cwd=place) as running:
        yield running


def violations(page: Any, axe: str) -> list[str]:
    """What is gravely wrong with the page that is open; captured pages are not ours."""
    page.evaluate(axe)
    found = page.evaluate(
        "axe.run({exclude: [['iframe']]}, {resultTypes: ['violations'], iframes: false})"
    )
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in GRAVE
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [*((it, "light") for it in WIDTHS), (WIDTHS[0], "dark")]
)
def test_every_screen(studio: Studio, place: Path, visit: Any, axe: str, width: int, scheme: str):
    page = visit(
        studio.link, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    wrong = {}
    for name, path in screens(place / "tea").items():
        if name == "failed":
            continue  # the browser itself complains of its status
        answer = page.goto(studio.origin + path)
        assert answer.status == 200, path
        if found := violations(page, axe):
            wrong[name] = found
    for name in tried(page, studio):
        if found := violations(page, axe):
            wrong[name] = found
    assert not wrong, "\n".join(f"{name}: {one}" for name, some in wrong.items() for one in some)


def test_who_is_not_in_yet(place: Path, chromium: Any, axe: str):
    page = chromium.new_context(bypass_csp=True).new_page()  # a browser complains of a 401
    for name in strangers(page, place):
        assert not violations(page, axe), name
    page.close()


def test_axe_sees_what_is_wrong(studio: Studio, visit: Any, axe: str):
    page = visit(studio.link, bypass_csp=True)
    assert not violations(page, axe)
    page.evaluate("document.querySelector('main').innerHTML = '<input><img src=\"data:,\">'")
    assert {it.partition(":")[0] for it in violations(page, axe)} >= {"label", "image-alt"}
