"""Tools that change something: only where they were allowed, and each confirmed.

The first call changes nothing: it says what would be done, with a code. The same call with that
code does it. So a person who sees what the assistant asks for can refuse, and a text on a page
that makes an assistant call a tool has changed nothing yet.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING, Any

from treelace.errors import UsageError

if TYPE_CHECKING:
    from treelace.studio.sites import Sites


class Changes:
    """What an assistant may do where it is allowed to."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._secret = secrets.token_bytes(32)

    def acknowledge_alerts(
        self, site: str, numbers: list[int], confirm: str = ""
    ) -> dict[str, Any]:
        """Says that alerts have been dealt with. First without `confirm`: the answer says what
        would be done, and the code. Ask the person; then call again with the code.
        """
        words = f"acknowledge {len(numbers)} alerts of {site}: {numbers}"
        if refusal := self._unconfirmed(confirm, words, ["ack", site, numbers]):
            return refusal
        with self._sites.writing(site) as opened:
            return {"done": str(opened.ack(*numbers))}

    def keep_rule(
        self, site: str, name: str, table: str, when: str = "changed", confirm: str = ""
    ) -> dict[str, Any]:
        """Keeps a rule on a table ("new", "gone", "changed", "price drops 10%"), told in the
        terminal of `treelace watch`. First without `confirm`: the answer says how often it would
        have told so far, and the code. Ask the person; then call again with the code.
        """
        trial = self._sites.reading(site).try_rule(name, records=table, when=when)
        words = f"keep the rule {name} of {site}: {trial}"
        if refusal := self._unconfirmed(confirm, words, ["rule", site, name, table, when]):
            return refusal
        with self._sites.writing(site) as opened:
            return {"done": str(opened.subscribe(name, records=table, when=when))}

    def accept_repair(
        self, site: str, page_class: str, columns: list[str], confirm: str = ""
    ) -> dict[str, Any]:
        """Takes a repair into use with these of the columns that `propose_repair` found again.
        First without `confirm`: the answer says what would be done, and the code. Ask the person;
        then call again with the code.
        """
        words = f"read the class {page_class} of {site} by a repaired wrapper: {columns}"
        if refusal := self._unconfirmed(confirm, words, ["repair", site, page_class, columns]):
            return refusal
        with self._sites.writing(site) as opened:
            return {"done": str(opened.repair(page_class, accept=True, columns=columns))}

    def _unconfirmed(self, said: str, words: str, action: list[Any]) -> dict[str, Any] | None:
        """What to say before a change is confirmed; None where it is."""
        text = json.dumps(action).encode()
        code = hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:8]
        if not said:
            return {"would": words, "confirm": code, "done": None}
        if not hmac.compare_digest(said, code):
            raise UsageError("this is not the code of this change: call without `confirm` for it")
        return None


CHANGING = ("acknowledge_alerts", "keep_rule", "accept_repair")
