"""A websocket that costs its process next to nothing: a class of clients shares the cores with the servers that they
measure.

It takes each message in the callback in which its bytes come, without a coroutine for each, and masks with zeros. It is
for servers of ours alone, and trusts them.
"""

import asyncio
import base64
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

_TEXT, _BINARY, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_GOODBYE = 2  # seconds
_LAST = 0x80  # of a message's frames; of the length, that what follows is masked


class HandshakeError(ConnectionError):
    """A server that did not open a socket, and with which status it said so."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the socket was answered with {status}, expected 101")
        self.status = status


class Socket(asyncio.Protocol):
    """One open socket; each message goes to `hear` as it comes."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self._came = bytearray()
        self._message = bytearray()  # of which the last frame has not come
        self._transport: asyncio.Transport | None = None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.hear: Callable[[bytes], None] = lambda message: None
        self.lose: Callable[[], None] = lambda: None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for a socket."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._request)

    def connection_lost(self, error: Exception | None) -> None:
        """Tell whoever waits."""
        if not self.opened.done():
            self.opened.set_exception(ConnectionResetError("the connection was closed"))
        if not self.closed.done():
            self.closed.set_result(None)
        self.lose()

    def data_received(self, data: bytes) -> None:
        """Take the answer to the request first, then frames."""
        self._came += data
        if not self.opened.done():
            end = self._came.find(b"\r\n\r\n")
            if end < 0:
                return
            status = int(self._came.split(b" ", 2)[1])
            del self._came[: end + 4]
            if status != 101:
                self.opened.set_exception(HandshakeError(status))
                self.abort()
                return
            self.opened.set_result(None)
        self._take_frames()

    def _take_frames(self) -> None:
        came, at = self._came, 0
        while len(came) >= at + 2:
            start, length = at + 2, came[at + 1]
            if length >= 126:
                size = 2 if length == 126 else 8
                if len(came) < start + size:
                    break
                length = int.from_bytes(came[start : start + size], "big")
                start += size
            if len(came) < start + length:
                break
            self._take(came[at], bytes(came[start : start + length]))
            at = start + length
        del came[:at]

    def _take(self, first: int, payload: bytes) -> None:
        kind = first & 0x0F
        if kind == _PING:
            self._send(_PONG, payload)
        elif kind == _CLOSE:
            self.abort()
        elif kind != _PONG:
            if first & _LAST and not self._message:
                self.hear(payload)
                return
            self._message += payload
            if first & _LAST:
                whole, self._message = bytes(self._message), bytearray()
                self.hear(whole)

    def send(self, message: bytes) -> None:
        """Send a message; ConnectionResetError where the connection has gone."""
        if self.closed.done():
            raise ConnectionResetError("the connection was closed")
        self._send(_BINARY, message)

    def _send(self, kind: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            told = bytes([_LAST | length])
        elif length < 65536:
            told = bytes([_LAST | 126]) + length.to_bytes(2, "big")
        else:
            told = bytes([_LAST | 127]) + length.to_bytes(8, "big")
        if self._transport is not None:
            self._transport.write(bytes([_LAST | kind]) + told + bytes(4) + payload)

    def abort(self) -> None:
        """End the connection without a word, as one that is lost."""
        if self._transport is not None:
            self._transport.abort()

    async def close(self) -> None:
        """Say goodbye, and end the connection."""
        if not self.closed.done() and self._transport is not None:
            self._send(_CLOSE, b"")
            self._transport.close()
        try:
            async with asyncio.timeout(_GOODBYE):
                await asyncio.shield(self.closed)
        except TimeoutError:  # nobody takes what is left to send
            self.abort()


@asynccontextmanager
async def open_socket(
    address: str, path: str, headers: Mapping[str, str] | None = None, patience: float = 60
) -> AsyncIterator[Socket]:
    """Open a socket of Streamlit's kind at host and port, and close it in the end.

    HandshakeError where the server answers otherwise, OSError where none answers, TimeoutError where it takes longer.
    """
    host, _, port = address.rpartition(":")
    told = {
        "Host": address, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "streamlit",
    } | dict(headers or {})  # fmt: skip
    request = f"GET {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in told.items()) + "\r\n"
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(patience):
        _, socket = await loop.create_connection(lambda: Socket(request.encode("latin-1")), host, int(port))
        try:
            await socket.opened
        except BaseException:
            socket.abort()
            raise
    try:
        yield socket
    finally:
        await socket.close()
