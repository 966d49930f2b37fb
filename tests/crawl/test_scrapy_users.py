"""A spider of someone else's, with our extension in its settings: its pages are in the site."""

from __future__ import annotations

import subprocess
import sys

import pytest

from treelace.errors import UsageError
from treelace.site import KeepPages, Site
from treelace.testing.shop import open_shop
from treelace.testing.shop_server import ShopServer

SPIDER = """
import sys
from scrapy import Spider
from scrapy.crawler import CrawlerProcess

class News(Spider):
    name = "news"
    start_urls = [sys.argv[1] + "/news"]

    def parse(self, response):
        yield from response.follow_all(css="h3 a, a[rel=next]")

process = CrawlerProcess({"EXTENSIONS": {"treelace.site.KeepPages": 500}, "LOG_ENABLED": False})
process.crawl(News)
process.start()
"""


def test_a_spider_with_one_setting(tmp_path):
    shop = open_shop().days[0]
    with ShopServer(shop) as server:
        Site.create(tmp_path / "shop", server.url + "/").close()
        (tmp_path / "spider.py").write_text(SPIDER, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "../spider.py", server.url],
            cwd=tmp_path / "shop",
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
        with Site(tmp_path / "shop") as site:
            paths = {page.url.removeprefix(server.url) for page in site.pages()}
            assert paths == {
                path for path, truth in shop.truth.items() if truth.kind in ("news", "story")
            }
            assert {one.name for one in site.store.classes.all()} == {"news", "news-list"}


def test_a_folder_that_is_no_site_is_said_before_anything_is_fetched(tmp_path):
    from scrapy.utils.test import get_crawler

    with pytest.raises(UsageError, match="this is no site"):
        KeepPages.from_crawler(get_crawler(settings_dict={"TREELACE_SITE": str(tmp_path)}))
