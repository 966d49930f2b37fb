"""Starts for the fuzz targets of the kernel: `python fuzz/seeds.py` writes them to `fuzz/corpus`.

A fuzzer that begins with nothing has to guess the words of a form before it reaches what reads
them. So each target begins with small documents, and with deltas of every operation between them.
"""

from __future__ import annotations

from pathlib import Path

import treelace as tl

CORPUS = Path(__file__).parent / "corpus"
HEAD, CHECK = 5, 8
"""Bytes before and after what the target of binary deltas is given: it writes them itself."""
OLD = """<shop a="1" xmlns:t="urn:t"><!--old--><tea id="x">Assam <b>strong</b></tea>
<tea id="y" t:origin="cn">Keemun</tea><?sort by name?><cup/>gone</shop>"""
NEW = """<shop b="2" xmlns:t="urn:t"><cup size="ü">large</cup><!--new--><tea id="y" t:origin="in">
Keemun, best</tea><?sort by price?><tea id="x">Assam</tea></shop>"""
PAGES = [
    "<!DOCTYPE html><title>Teas</title><table><tr><td>Assam<td>4</table><p><b>bold<i>both</b></i>",
    "<meta charset=shift_jis><svg><foreignObject><p>x</svg><math><mi>y</math><select><option>z",
    "<template><tr><td>in</template><script>if (a<b) {}</script><textarea>\n</x></textarea><frame>",
]
DOCUMENTS = [
    OLD,
    NEW,
    """<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE a [<!ENTITY e "x<b/>">
<!ATTLIST a i ID #IMPLIED>]><a i="1">&e;&#x41;<![CDATA[<>]]></a>""",
]


def main() -> None:
    """Writes every start; older ones of the same name are overwritten."""
    old, new = (tl.parse(text, format="xml") for text in (OLD, NEW))
    deltas = [tl.diff(old, new), tl.diff(new, old), tl.diff(old, old)]
    starts = {
        "delta_binary": [delta.to_bytes()[HEAD:-CHECK] for delta in deltas],
        "delta_xml": [delta.to_xml().encode() for delta in deltas],
        "delta_json": [delta.to_json().encode() for delta in deltas],
        "html": [bytes([way]) + page.encode() for way in (0, 4, 0x80) for page in PAGES],
        "xml": [bytes([way]) + text.encode() for way in (0, 3) for text in DOCUMENTS],
    }
    for target, seeds in starts.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(seeds):
            (folder / f"start{number}").write_bytes(seed)


if __name__ == "__main__":
    main()
