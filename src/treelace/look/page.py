"""A whole page in one file: it needs no other file and asks no network for anything."""

from __future__ import annotations

from treelace.look.colours import COLOURS
from treelace.look.parts import escape

NO_NETWORK = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none';"
    " form-action 'none'"
)
"""Content security policy of a page without scripts; with scripts, its own is allowed."""

STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; margin: 0; color: var(--ink);
  background: var(--paper); }
header { display: flex; flex-wrap: wrap; gap: .2em 1em; padding: .6em 1em;
  border-bottom: 1px solid var(--line); }
h1 { font-size: 1.1em; margin: 0; }
h2 { font-size: 1em; margin: .8em 1em .3em; }
summary { cursor: pointer; font-weight: 600; }
table { border-collapse: collapse; }
th, td { padding: .15em .6em; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.badge { padding: 0 .5em; border-radius: .7em; border: 1px solid var(--line); }
.went { background: var(--gone-back); } .came { background: var(--come-back); }
.moved { background: var(--moved-back); } .changed { background: var(--changed-back); }
"""


def page(title: str, body: str, *, head: str = "", style: str = "", script: str = "") -> str:
    """A page with a title, a body of markup, and beside the title what `head` says (markup, too).

    >>> page("Tea & milk", "<p>3</p>").splitlines()[0]
    '<!DOCTYPE html>'
    >>> "<h1>Tea &amp; milk</h1>" in page("Tea & milk", "<p>3</p>")
    True
    """
    policy = f"{NO_NETWORK}; script-src 'unsafe-inline'" if script else NO_NETWORK
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{COLOURS}{STYLE}{style}</style></head>\n"
        f"<body><header><h1>{escape(title)}</h1>{head}</header>\n{body}\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body></html>\n"
    )
