"""`apprise:URL`: mail, chat and a hundred other services, by the Apprise library."""

from __future__ import annotations

from typing import ClassVar

from treelace.errors import MissingError, UsageError
from treelace.monitor.channels.channel import Outbox, secret_address
from treelace.store.alerts import Alert


class AppriseChannel:
    """Hands alerts to Apprise."""

    name: ClassVar[str] = "apprise"
    needs: ClassVar[str] = "URL"

    def __init__(self, address: str) -> None:
        self._address = address

    def send(self, alert: Alert, key: str, outbox: Outbox) -> None:
        """Sends it."""
        del key, outbox
        try:
            import apprise
        except ModuleNotFoundError as error:
            raise MissingError("this channel", package="apprise", extra="notify") from error
        post_office = apprise.Apprise()
        if not post_office.add(secret_address(self._address)):
            raise UsageError("apprise does not know this kind of address")
        if not post_office.notify(
            title=f"{alert.subscription}: {alert.kind}", body=f"{alert.why}\n{alert.url or ''}"
        ):
            raise OSError("apprise could not deliver it")
