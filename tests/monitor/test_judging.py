"""Judges that fail, are slow or talk nonsense: no alert is lost, and what was said is kept with
it.
"""

from __future__ import annotations

import sys
import threading
import time
from datetime import UTC, datetime

import pytest

from treelace.monitor.channels import Outbox
from treelace.monitor.delivery import deliver
from treelace.monitor.judging import Judge
from treelace.store.alerts import Alerts, NewAlert
from treelace.store.store import Store

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def alerts(tmp_path) -> Alerts:
    made = Store.create(tmp_path / "store.sqlite").alerts
    for number in range(3):
        made.record(
            NewAlert(
                name=str(number),
                kind="new",
                time=NOW,
                why=f"tea {number}",
                channels=("terminal",),
            )
        )
    return made


def told(alerts: Alerts, judge: Judge, folder) -> tuple[list[str], list[str]]:
    """What was told, and the failures that were recorded."""
    heard: list[str] = []
    deliver(alerts, Outbox(folder=folder, say=heard.append), now=NOW, judge=judge)
    return [line.rpartition(": ")[2] for line in heard], [
        str(one.about["verdict"].get("error", "")) for one in alerts.alerts()
    ]


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (["sh", "-c", "sleep 60 & sleep 60"], "no answer within 0.5 s"),
        (["sh", "-c", "echo sorry >&2; exit 7"], "exit code 7 sorry"),
        (["echo", "perhaps"], "its answer is no JSON: 'perhaps'"),
        (["echo", "[1]"], "an answer is true, false, a number"),
        (["no-such-program-here"], "No such file"),
        ("nobody", "no installed package has 'nobody'"),
        ("no_such_module:judge", "cannot be loaded"),
        ("tests.monitor.test_judging:slow", "no answer within 0.5 s"),
        ("tests.monitor.test_judging:failing", "not today"),
    ],
)
def test_a_judge_that_fails_or_is_slow_loses_no_alert(alerts, tmp_path, judge, words):
    began = time.monotonic()
    heard, errors = told(alerts, Judge(judge, seconds=0.5), tmp_path)
    assert heard == ["tea 0", "tea 1", "tea 2"]
    assert words in errors[0] and all(errors)
    assert time.monotonic() - began < 20, "a round does not wait for each alert"


def slow(_alert):
    threading.Event().wait(30)


def failing(_alert):
    raise RuntimeError("not today")


def test_verdicts_decide_and_are_kept(alerts, tmp_path):
    script = (
        "import json, sys; n = int(json.load(sys.stdin)['alert']); print(json.dumps({'tell': n !="
        " 1, 'rank': n, 'why': f'weighs {n}'}))"
    )
    heard, _ = told(alerts, Judge([sys.executable, "-c", script], seconds=60), tmp_path)
    assert heard == ["tea 2", "tea 0"], "the weightiest first, the vetoed one not at all"
    kept = {one.name: one for one in alerts.alerts()}
    assert kept["1"].state == "suppressed" and kept["1"].why.endswith("said no: weighs 1")
    assert kept["2"].about["verdict"] == {
        "judge": sys.executable,
        "tell": True,
        "rank": 2.0,
        "why": "weighs 2",
    }
    assert told(alerts, Judge(["false"]), tmp_path)[0] == [], "each is judged and told once"


def test_without_a_judge_nothing_is_judged(alerts, tmp_path):
    heard: list[str] = []
    deliver(alerts, Outbox(folder=tmp_path, say=heard.append), now=NOW)
    assert len(heard) == 3 and not any("verdict" in one.about for one in alerts.alerts())
