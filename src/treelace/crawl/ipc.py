"""Messages between the crawl and its downloader process, each with its length in front."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import datetime
from io import BytesIO
from typing import IO, TypeVar

import msgspec

from treelace.classes.pages import Fetched
from treelace.limits import DEFAULT_LIMITS, Limits
from treelace.tree.files import read_packed

_LENGTH = struct.Struct(">I")
T = TypeVar("T")


class Job(msgspec.Struct, frozen=True, array_like=True):
    """A page to be downloaded."""

    number: int
    url: str
    etag: str = ""
    last_modified: str = ""
    has_secrets: bool = True
    """Whether the host may see the headers and cookies of the settings."""


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """What became of a job: an answer, or a failure in one line."""

    number: int
    url: str
    time: datetime
    status: int = 0
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    failure: str = ""
    milliseconds: int | None = None
    """From asking to the first byte of the answer."""

    def header(self, name: str) -> str:
        """The first value of a header; empty where there is none."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def is_packed_sitemap(self) -> bool:
        """Whether the address is that of a packed XML file, which servers say to be no page."""
        return self.url.endswith(".xml.gz")

    def page(self, limits: Limits = DEFAULT_LIMITS) -> Fetched:
        """The answer as a source of pages gives it; a packed sitemap is unpacked."""
        is_packed = self.is_packed_sitemap
        return Fetched(
            url=self.url,
            time=self.time,
            status=self.status,
            body=read_packed(BytesIO(self.body), limits=limits) if is_packed else self.body,
            content_type="application/xml" if is_packed else self.header("content-type"),
            headers=self.headers,
        )


def write_message(stream: IO[bytes], message: msgspec.Struct) -> None:
    """Sends one message."""
    packed = msgspec.msgpack.encode(message)
    stream.write(_LENGTH.pack(len(packed)) + packed)
    stream.flush()


def read_messages(stream: IO[bytes], kind: type[T]) -> Iterator[T]:
    """The messages of a stream, until it ends; a message that is cut off ends it, too."""
    decoder = msgspec.msgpack.Decoder(kind)
    while len(length := stream.read(_LENGTH.size)) == _LENGTH.size:
        (size,) = _LENGTH.unpack(length)
        packed = stream.read(size)
        if len(packed) < size:
            return
        yield decoder.decode(packed)
