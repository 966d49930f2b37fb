"""The settings of a crawl: what `[crawl]` says by name, and what it says where it says nothing."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from treelace.crawl.settings import USER_AGENT, CrawlSettings
from treelace.store.settings import CrawlSection

FOLDER = Path("shop")


def test_a_site_that_says_nothing_has_the_settings_of_everyone():
    assert CrawlSettings.of(CrawlSection(), FOLDER) == CrawlSettings()


def test_what_a_site_says_is_heard():
    said = CrawlSection(
        delay=0.0, pages=7, headers={"X-A": "1"}, cookies={"c": "2"}, login="me.json", render=["/x"]
    )
    heard = CrawlSettings.of(said, FOLDER, depth=3, concurrency=None)
    assert (heard.delay, heard.pages, heard.depth, heard.concurrency) == (0.0, 7, 3, 4)
    assert heard.headers == (("X-A", "1"),) and heard.cookies == (("c", "2"),)
    assert heard.login == str(FOLDER / "me.json") and heard.render == ("/x",)
    assert heard.user_agent == USER_AGENT
    assert CrawlSettings.of(CrawlSection(render=True), FOLDER).render == ("",)
    assert CrawlSettings.of(CrawlSection(render=False), FOLDER).render == ()


def test_every_field_of_a_site_is_heard_by_someone():
    scope = {"hosts", "include", "exclude"}
    names = {one.name for one in fields(CrawlSettings)}
    assert set(CrawlSection.__struct_fields__) - scope <= names


def test_secrets_are_what_the_environment_holds_and_what_is_made_of_it(monkeypatch):
    monkeypatch.setenv("TOKEN", "s3cret")
    monkeypatch.setenv("WORD", "p%20w")
    settings = CrawlSettings(
        headers=(("Authorization", "Bearer ${TOKEN}"),), proxy="http://me:${WORD}@proxy.example:1"
    )
    found = settings.secrets()
    assert {"s3cret", "Bearer s3cret", "p w", "p%20w"} <= found and "" not in found
