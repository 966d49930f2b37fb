"""Writes docs/reference/treelace.toml.schema.json: the schema of a site's settings, from the code
that reads them.
"""

from __future__ import annotations

import json
from pathlib import Path

from treelace.store.settings import schema

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "treelace.toml.schema.json"

if __name__ == "__main__":
    TARGET.write_text(json.dumps(schema(), indent=2) + "\n", encoding="utf-8")
    print(f"wrote {TARGET.name}")
