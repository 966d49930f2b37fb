"""Small state of whoever needs some: a text under a name."""

from __future__ import annotations

from sqlalchemy import insert, select, update

from treelace.store.database import Connections
from treelace.store.schema import about


class Notes:
    """The notes of a store."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, name: str) -> str:
        """A note; empty where there is none."""
        with self._connections.reading() as connection:
            said = select(about.c.value).where(about.c.name == name)
            return str(connection.execute(said).scalar() or "")

    def set(self, name: str, value: str) -> None:
        """Keeps a note."""
        with self._connections.writing() as connection:
            known = connection.execute(select(about.c.name).where(about.c.name == name)).first()
            if known is None:
                connection.execute(insert(about).values(name=name, value=value))
            else:
                connection.execute(update(about).where(about.c.name == name).values(value=value))
