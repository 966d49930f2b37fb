"""Runs `treelace` in children of a process that has everything imported already, and kills them
with signal 9 when their time is up.

Each line of standard input is JSON, `[seconds or null, [arguments…]]`; each line of the answer is
the exit code, -9 where it was killed. Starting a program anew takes longer than a round of it on a
small site: so most kills strike where something is going on.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time


def main() -> None:
    import numpy  # noqa: F401
    import psycopg  # noqa: F401
    import sqlalchemy.dialects.postgresql.psycopg
    import sqlalchemy.dialects.sqlite  # noqa: F401

    import treelace.cli.crawl
    import treelace.cli.monitor
    import treelace.crawl.crawler
    import treelace.extract
    import treelace.monitor.delivery
    import treelace.site.round
    import treelace.wrappers  # noqa: F401
    from treelace.cli import main as program

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


if __name__ == "__main__":
    main()
