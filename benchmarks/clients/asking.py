"""A page's request for torch's numbers of an edit, over a connection that is kept open, as a browser keeps it."""

import asyncio
import gzip
import json
import re
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_PACKED = b"\x1f\x8b"  # how what gzip has packed begins
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3})")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Answer(NamedTuple):
    """What a server answered, and after how many seconds; a status of 0 stands for no answer."""

    status: int
    body: bytes
    seconds: float


class Asking:
    """Asks one server, one thing at a time."""

    def __init__(self, address: str, headers: Mapping[str, str] = MappingProxyType({})) -> None:
        self._address = address
        self._headers = {"Origin": f"http://{address}", **headers}  # among these the cookie of a copy behind a proxy
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, message: Any) -> Answer:
        """Send a message as JSON, or with None just ask, and take the answer; a connection that the server has closed
        is opened anew."""
        method, body = ("GET", b"") if message is None else ("POST", json.dumps(message).encode())
        said = {"Host": self._address, "Content-Type": "application/json", "Accept-Encoding": "gzip"}
        said |= {**self._headers, "Content-Length": str(len(body))}
        head = "\r\n".join((f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in said.items()), "", ""))
        start = time.perf_counter()
        for kept in (self._open is not None, False):
            try:
                status, answer = await self._exchange(head.encode() + body)
            except (OSError, EOFError):  # asyncio's IncompleteReadError is one of the latter
                self.close()
                if not kept:
                    break
                continue
            took = time.perf_counter() - start
            return Answer(status, gzip.decompress(answer) if answer[:2] == _PACKED else answer, took)
        return Answer(0, b"", time.perf_counter() - start)

    async def _exchange(self, request: bytes) -> tuple[int, bytes]:
        if self._open is None:
            host, _, port = self._address.rpartition(":")
            self._open = await asyncio.open_connection(host, int(port))
        reader, writer = self._open
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        status, length = _STATUS.match(head), _LENGTH.search(head)
        if status is None:
            raise ConnectionResetError("the server speaks no HTTP")
        if length or b"chunked" not in head.lower():
            return int(status[1]), await reader.readexactly(int(length[1]) if length else 0)
        body = b""  # of unknown length, as a proxy sends what it packs
        while size := int(await reader.readuntil(b"\r\n"), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readuntil(b"\r\n")
        return int(status[1]), body

    def close(self) -> None:
        """Close the connection."""
        if self._open is not None:
            self._open[1].close()
            self._open = None
