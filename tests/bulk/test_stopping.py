"""A run that is stopped, by Ctrl-C or by force, goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bulk.archives_made import shop_pages, write_warc
from tests.bulk.test_run import contents
from treelace.bulk import BulkSettings, run_bulk


@pytest.fixture(scope="module")
def archives(tmp_path_factory) -> list[str]:
    folder = tmp_path_factory.mktemp("archives")
    return [
        str(write_warc(folder / f"{it}.warc.gz", shop_pages(f"s{it}.example", seed=it, most=30)))
        for it in range(4)
    ]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_same_command_goes_on(archives, tmp_path, how):
    calm, out = tmp_path / "calm", tmp_path / "out"
    run_bulk(archives, str(calm), BulkSettings(on="threads", workers=1))
    command = [sys.executable, "-m", "treelace", "bulk", *archives, "--into", str(out)]
    process = subprocess.Popen(
        [*command, "--workers", "1"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    _wait_for(out / "work" / "done" / "digest")
    os.kill(process.pid, how)
    _, said = process.communicate(timeout=120)
    assert process.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL), said
    if how == signal.SIGINT:
        assert b"the same command goes on from here" in said
    _wait_until_free(out)
    done = run_bulk(archives, str(out), BulkSettings(on="threads", workers=1))
    assert done.known >= 5
    assert contents(out) == contents(calm)


def _wait_for(folder: Path) -> None:
    for _ in range(2_400):
        if folder.is_dir() and any(folder.iterdir()):
            return
        time.sleep(0.05)
    raise AssertionError("the run did not begin")


def _wait_until_free(out: Path) -> None:
    """A worker whose run was killed ends with its task; nothing half is left of it."""
    half = out / "work" / "half"
    for _ in range(600):
        if not half.is_dir() or not any(half.iterdir()):
            return
        time.sleep(0.1)
