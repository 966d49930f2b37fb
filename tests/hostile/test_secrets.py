"""Secrets stay with their owner: files, error lines, the log."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treelace.errors import StoreError
from treelace.monitor.channels import Outbox
from treelace.monitor.delivery import deliver
from treelace.site import Site
from treelace.store import Store
from treelace.store.alerts import NewAlert

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_files_of_a_site_are_for_their_owner_only(tmp_path: Path):
    before = os.umask(0o022)
    try:
        with Site.create(tmp_path / "site", "https://shop.example/") as site:
            site.check()
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "site").iterdir() if path.is_file()]
    assert {path.name for path in files} >= {"treelace.toml", "store.sqlite"}
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in files} == {
        path.name: "0o600" for path in files
    }


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@[::1/shop",
        "postgresql://me:a/s3cret@b@127.0.0.1:1/shop",
        "postgresql://me:s3:cret@127.0.0.1:port/shop",
        "postgresql://127.0.0.1:1/shop?password=s3cret",
        "postgresql://127.0.0.1:1/shop?options=-c%20x&PASSWORD=s3cret&a=b",
    ],
)
def test_a_password_is_in_no_error(address: str):
    with pytest.raises(StoreError) as refused:
        Store.open(address)
    assert "cret" not in str(refused.value)


def test_the_token_of_a_webhook_is_not_logged(tmp_path: Path):
    alerts = Store.create(tmp_path / "store.sqlite").alerts
    user = "me:s3cret"
    channel = f"webhook:http://{user}@127.0.0.1:9/T0/s3cret?k=s3cret"
    alerts.record(NewAlert(name="1", kind="new", time=NOW, why="tea", channels=[channel]))
    lines: list[str] = []
    deliver(
        alerts,
        Outbox(folder=tmp_path, say=lines.append, allow_private=True),
        now=NOW,
        on_event=lambda *words, **said: lines.append(json.dumps([*words, said], default=str)),
    )
    assert "not delivered" in lines[0] and "127.0.0.1:9/" in lines[0]
    assert "cret" not in "".join(lines)
