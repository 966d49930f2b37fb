"""Object storage: a real S3 server on loopback, which fails one request in twenty.

`make test-storage` runs these in an environment of their own: s3fs and moto are no part of the
other locks, because botocore holds python-dateutil below 3.
"""

from __future__ import annotations

import itertools
import threading

import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from treelace.bulk import BulkSettings, run_bulk
from treelace.errors import UsageError

s3fs = pytest.importorskip("s3fs")
moto_server = pytest.importorskip("moto.server")
fsspec = pytest.importorskip("fsspec")


class Server:
    """An S3 server; `fails` says whether each twentieth request is answered with 503."""

    def __init__(self) -> None:
        from werkzeug.serving import make_server

        self.fails = False
        self.failed = 0
        self._count = itertools.count(1)
        self._app = moto_server.DomainDispatcherApplication(moto_server.create_backend_app)
        self._server = make_server("127.0.0.1", 0, self, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __call__(self, environ, start_response):
        if self.fails and next(self._count) % 20 == 0:
            self.failed += 1
            start_response("503 Service Unavailable", [("Content-Type", "application/xml")])
            return [b"<Error><Code>ServiceUnavailable</Code></Error>"]
        return self._app(environ, start_response)

    def close(self) -> None:
        self._server.shutdown()


@pytest.fixture
def server(monkeypatch):
    made = Server()
    known = {"key": "a", "secret": "b", "endpoint_url": made.url}
    monkeypatch.setitem(fsspec.config.conf, "s3", known)
    s3fs.S3FileSystem.clear_instance_cache()
    yield made
    made.close()
    s3fs.S3FileSystem.clear_instance_cache()


def test_storage_that_fails_now_and_then_changes_nothing(server, tmp_path):
    files = s3fs.S3FileSystem()
    files.mkdir("crawl")
    for number in range(4):
        pages = shop_pages(f"shop{number}.example", seed=number, most=12)
        path = write_warc(tmp_path / f"{number}.warc.gz", pages)
        files.put_file(str(path), f"crawl/in/{number}.warc.gz")
    made = []
    for name, fails in (("calm", False), ("rough", True)):
        server.fails = fails
        run_bulk(["s3://crawl/in"], f"s3://crawl/{name}", BulkSettings(on="threads", workers=2))
        server.fails = False
        files.invalidate_cache()
        found = files.find(f"crawl/{name}")
        made.append({it.removeprefix(f"crawl/{name}/"): files.cat_file(it) for it in found})
    assert server.failed > 5
    assert len(made[0]) > 20 and made[0] == made[1]
    again = run_bulk(["s3://crawl/in"], "s3://crawl/rough", BulkSettings(on="threads"))
    assert again.tasks == 0


def test_a_place_that_is_not_there(server):
    s3fs.S3FileSystem().mkdir("empty")
    with pytest.raises(UsageError, match="there is no such folder or file"):
        run_bulk(["s3://empty/pages.warc.gz"], "s3://empty/out", BulkSettings(on="threads"))
