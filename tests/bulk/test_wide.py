"""Wide tables have every column of their pages, whatever it is called."""

from __future__ import annotations

from treelace.bulk.datasets import from_parquet
from treelace.bulk.learn import Kind
from treelace.bulk.read import ReadClass, ReadRecord
from treelace.bulk.reading import known_class
from treelace.bulk.storage import Storage
from treelace.bulk.wide import WideRows
from treelace.store.record_rows import RecordRow


def test_columns_with_the_names_of_ours_are_numbered(tmp_path):
    names = ["page", "page 2", "key", "time", "node"]
    kind = Kind(dict.fromkeys(names, "text"), ("page",))
    of = ReadClass("a.example", known_class(0, "tea", None, b"", {}), (kind,))
    wide = WideRows()
    for number in range(3):
        values = {name: f"{name} of {number}" for name in names}
        row = RecordRow(f"key {number}", number, values, {}, b"")
        wide.add(ReadRecord(of.name, row, 5, kind.columns), {"url": "u", "time": 0}, of)
    (file,) = wide.write(Storage(str(tmp_path)), "0")
    found = from_parquet((tmp_path / file).read_bytes())
    assert found["page"] == ["u"] * 3 and found["key"] == ["key 0", "key 1", "key 2"]
    assert len(found) == 4 + len(names)
    told = [texts[1] for texts in found.values() if isinstance(texts[1], str)]
    assert {f"{name} of 1" for name in names} <= set(told)
