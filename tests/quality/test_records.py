"""Records and columns on real list pages. The weights were learnt from these pages: what holds on
sites left out stands in experiments/records.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import treelace as tl

SOME = (
    "est-cdc.gov",
    "est-en.wikipedia.org",
    "est-wiley.com",
    "est-y8.com",
    "tbdw-19",
    "tbdw-31",
    "vints-aw",
    "vints-bestjobsusa",
    "vints-ed_gov",
)


def scores(corpus: Path, folder: Path, names: list[str]) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location(
        "score_records", corpus / "tools/score_records.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    labels, made = folder / "labels", folder / "made"
    labels.mkdir()
    made.mkdir()
    for name in names:
        label = corpus / "data/records/labels" / f"{name}.json"
        (labels / label.name).write_bytes(label.read_bytes())
        page = next(
            path
            for path in (label.parents[1] / f"{name}.html", label.parents[1] / f"{name}.html.gz")
            if path.exists()
        )
        (made / label.name).write_text(
            json.dumps({"regions": [table.to_json() for table in tl.extract(tl.parse(page))]}),
            encoding="utf-8",
        )
    pages, bad, seconds = module.score_all(str(labels), str(made))
    assert not bad
    summary: dict[str, Any] = module.summary(pages, seconds)
    return summary


def test_some_pages(corpus: Path, tmp_path: Path):
    found = scores(corpus, tmp_path, list(SOME))
    assert found["texts.best"]["F1"] >= 0.99
    assert found["texts.top"]["F1"] >= 0.98
    assert found["items"]["F1"] >= 0.99
    assert found["columns"]["share"] >= 0.9


@pytest.mark.slow
def test_all_pages(corpus: Path, tmp_path: Path):
    found = scores(
        corpus,
        tmp_path,
        sorted(path.stem for path in (corpus / "data/records/labels").glob("*.json")),
    )
    assert found["texts.best"]["F1"] >= 0.995
    assert found["texts.top"]["F1"] >= 0.985
    assert found["items"]["F1"] >= 0.995
    assert found["columns"]["share"] >= 0.92
