"""HostRights: one process at a time asks a host, and the next one keeps the pauses of the last.

The right to a host is an advisory lock of PostgreSQL. It belongs to the session: it ends when the
process dies, whatever it dies of, and nothing has to be cleaned up after it. What the next holder
must know stands in `treelace.hosts`: when the host was last asked, how long it wants to be left
alone, and which pause its robots.txt asks for. A name that is still there when another takes the
host is of one that died while it asked: then the host counts as asked just now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import blake2b
from urllib.parse import urlsplit
from uuid import uuid4

from sqlalchemy import Connection, Integer, text

from treelace.errors import StoreError
from treelace.store.database import Database
from treelace.store.shared_schema import NOW

_KEEPALIVE = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 3}
"""Seconds and tries after which the server ends the session of a machine that is gone."""
_RECALL = f"""
    insert into treelace.hosts as known (host, held_by) values (:host, :token)
    on conflict (host) do update set held_by = :token, asked = case
        when known.held_by is not null and known.held_by <> :token then {NOW} else known.asked end
    returning {NOW} - asked as age, not_before - {NOW} as rest, delay
"""


class HostRights:
    """The hosts that this process may ask. Not for two threads."""

    def __init__(self, database: Database) -> None:
        self.token = uuid4().hex
        self._database = database
        self._stack = ExitStack()
        self._session: Connection | None = None
        self._held: list[tuple[int, bool]] = []

    # locks

    @contextmanager
    def holding(self, hosts: Iterable[str], *, wait: bool = False) -> Iterator[None]:
        """The right to ask these hosts; `StoreError` where another process has one of them."""
        if self._held:  # whoever holds it may ask again
            yield
            return
        wanted = tuple(hosts)
        if not self.take(wanted, wait=wait):
            raise StoreError(
                f"{self._database.place}: another process asks {', '.join(wanted)}: wait for it"
                " with --wait, or try again later"
            )
        try:
            yield
        finally:
            self.give_back()
            self.close()

    def take(self, hosts: Iterable[str], *, wait: bool = False) -> bool:
        """Tries to get all of these hosts; whether it did. All or none."""
        keys = lock_keys(hosts)
        session = self.session()
        with self._database.failures():
            if wait:
                for key, is_shared in keys:
                    session.execute(text(f"select {_lock('', key, is_shared)}"))
                self._held = keys
                return True
            tried = ", ".join(_lock("try_", key, is_shared) for key, is_shared in keys)
            got = session.execute(text(f"select {tried}")).one()
            self._held = [key for key, is_held in zip(keys, got, strict=True) if is_held]
            if not all(got):
                self._unlock()
            return all(got)

    def give_back(self) -> None:
        """Lets go of the hosts, each as asked just now."""
        with self._database.sharing() as connection:
            said = f"update treelace.hosts set asked = {NOW}, held_by = null where held_by = :token"
            connection.execute(text(said), {"token": self.token})
        with self._database.failures():
            self._unlock()

    def session(self) -> Connection:
        """The connection whose locks they are."""
        if self._session is None:
            self._session = self._stack.enter_context(self._database.session())
            for name, value in _KEEPALIVE.items():
                self._session.execute(text(f"set {name} = {value}"))
        return self._session

    def close(self) -> None:
        """Ends the session, and with it every right."""
        self._session, self._held = None, []
        self._stack.close()

    def _unlock(self) -> None:
        if self._held:
            said = ", ".join(_lock("un", key, is_shared) for key, is_shared in self._held)
            self.session().execute(text(f"select {said}"))
        self._held = []

    # what the last one knew

    def wait(self, host: str, delay: float) -> float:
        """Seconds until a host may be asked, if two requests are to be `delay` apart at least."""
        with self._database.sharing() as connection:
            said = text(_RECALL).columns(age=Integer, rest=Integer)
            row = connection.execute(said, {"host": host, "token": self.token}).one()
        pause = 0.0 if row.age is None else max(delay, row.delay) - row.age / 1000
        return max(0.0, pause, 0.0 if row.rest is None else row.rest / 1000)

    def set_delay(self, host: str, seconds: float) -> None:
        """Says which pause a host asks for."""
        self._note("delay = :seconds", host, seconds)

    def set_rest(self, host: str, seconds: float) -> None:
        """Says that a host wants to be left alone for so long."""
        self._note(f"not_before = {NOW} + (1000 * :seconds)::bigint", host, seconds)

    def asked(self) -> None:
        """Says that the hosts of this process were asked just now."""
        with self._database.sharing() as connection:
            connection.execute(
                text(f"update treelace.hosts set asked = {NOW} where held_by = :token"),
                {"token": self.token},
            )

    def _note(self, what: str, host: str, seconds: float) -> None:
        with self._database.sharing() as connection:
            connection.execute(
                text(f"update treelace.hosts set {what} where host = :host"),
                {"host": host, "seconds": float(seconds)},
            )


def hosts_of(urls: Sequence[str], further: Sequence[str]) -> list[str]:
    """The hosts of a site, without ports; a leading dot stands for a domain and all below it.

    >>> hosts_of(["https://shop.example:8443/tea"], [".shop.example", "cdn.example:80"])
    ['shop.example', '.shop.example', 'cdn.example']
    """
    dotted = [("." if host.startswith(".") else "", host.lstrip(".")) for host in further]
    found = [
        *(urlsplit(url).hostname or "" for url in urls),
        *(dot + (urlsplit(f"//{host}").hostname or "") for dot, host in dotted),
    ]
    return list(dict.fromkeys(host for host in found if host))


def lock_keys(hosts: Iterable[str]) -> list[tuple[int, bool]]:
    """The locks of some hosts, and whether each is a shared one: two sites with a host in common
    have a lock in common that is not shared by both. In one order for all who ask.

    >>> own, below = dict(lock_keys(["a.shop.example"])), dict(lock_keys([".shop.example"]))
    >>> any(not (own[key] and below[key]) for key in own.keys() & below.keys())
    True
    """
    keys: dict[int, bool] = {}
    for host in hosts:
        is_domain = host.startswith(".")
        labels = host.strip(".").split(".")
        domains = [".".join(labels[at:]) for at in range(len(labels))]
        keys[_key(f"{'domain' if is_domain else 'host'} {domains[0]}")] = False
        for domain in domains[1:] if is_domain else domains:
            keys.setdefault(_key(f"domain {domain}"), True)
    return sorted(keys.items())


def _key(words: str) -> int:
    digest = blake2b(f"treelace {words}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _lock(verb: str, key: int, is_shared: bool) -> str:
    """The call of PostgreSQL: `verb` is empty, `try_` or `un`."""
    name = f"pg_{verb}advisory_lock" if verb != "un" else "pg_advisory_unlock"
    return f"{name}{'_shared' if is_shared else ''}({key})"
