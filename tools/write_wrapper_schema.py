"""Writes the JSON schema of a wrapper's file beside the code that reads it: `python
tools/write_wrapper_schema.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

from treelace.wrappers.model.json_file import schema

TARGET = Path(__file__).parents[1] / "src/treelace/wrappers/model/wrapper.schema.json"

if __name__ == "__main__":
    TARGET.write_text(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
