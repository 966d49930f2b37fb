"""Runs `treelace` in children of a process that has everything imported already, and kills them
with signal 9 when their time is up.

Each line of standard input is JSON, `[seconds or null, [arguments…]]`; each line of the answer is
the exit code, -9 where it was killed. Starting a program anew takes longer than a round of it on a
small site: so most kills strike where something is going on. The downloader is a child of its own
in the same way.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any


def main() -> None:
    import numpy  # noqa: F401
    import psycopg  # noqa: F401
    import scrapy.core.downloader.contextfactory
    import scrapy.core.engine
    import scrapy.crawler  # noqa: F401
    import sqlalchemy.dialects.postgresql.psycopg
    import sqlalchemy.dialects.sqlite  # noqa: F401
    import twisted.web.client  # noqa: F401

    import treelace.cli.crawl
    import treelace.cli.monitor
    import treelace.crawl.crawler
    import treelace.crawl.downloader
    import treelace.crawl.spider
    import treelace.extract
    import treelace.monitor.delivery
    import treelace.site.round
    import treelace.wrappers
    from treelace.cli import main as program

    if "twisted.internet.reactor" not in sys.modules:  # one that is there cannot be shared
        names = {"PIPE", "DEVNULL", "TimeoutExpired"}
        ours = SimpleNamespace(Popen=Spider, **{name: getattr(subprocess, name) for name in names})
        setattr(treelace.crawl.downloader, "subprocess", ours)  # noqa: B010
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for line in sys.stdin:
        seconds, arguments = json.loads(line)
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            try:
                program(arguments)
            except SystemExit as end:
                os._exit(int(end.code or 0))
            os._exit(0)
        print(ended(child, seconds), flush=True)


def ended(child: int, seconds: float | None) -> int:
    """The exit code of the child, which is killed after so many seconds."""
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        number, status = os.waitpid(child, 0 if end is None else os.WNOHANG)
        if number:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() >= end:
            os.kill(child, signal.SIGKILL)
            end = None
        time.sleep(0.002)


class Spider:
    """The downloader's process as `subprocess.Popen` would make it, by a fork."""

    def __init__(self, command: list[str], **_: Any) -> None:
        from treelace.crawl import spider

        assert command[1:] == ["-m", "treelace.crawl.spider"]
        jobs, to_jobs = os.pipe()
        from_answers, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.dup2(jobs, 0)
                os.dup2(answers, 1)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                os.closerange(3, 1024)  # locks and connections of the crawl are not ours
                sys.stdin = os.fdopen(0)
                spider.main()
            finally:
                os._exit(0)
        os.close(jobs)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(to_jobs, "wb"), os.fdopen(from_answers, "rb")

    def wait(self, seconds: float = 600.0) -> int:
        end = time.monotonic() + seconds
        while not os.waitpid(self.pid, os.WNOHANG)[0]:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired("spider", seconds)
            time.sleep(0.002)
        return 0

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
