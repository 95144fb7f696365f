"""What a connection may send before anything reads it; tests/browser/site/test_flood.py asks a server that runs."""

import asyncio
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState

from attnviz.app.server.connections import MOST_HEAD, limit_connections, most_message, peer_of
from attnviz.core.limits import MAX_FILE_BYTES
from attnviz.link.state import MOST_CHARACTERS

PIECE = 2**16  # bytes that arrive at once
HOST = b"Host: localhost\r\n"
UPGRADE = HOST + (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
)
CHUNKED = b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(autouse=True)
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("connection_made", "data_received", "on_headers_complete", "on_body"):
        monkeypatch.setattr(HttpToolsProtocol, name, getattr(HttpToolsProtocol, name))  # is put back
    limit_connections()


def sent(*parts: bytes) -> tuple[bytes, int, list[Scope]]:
    """Return the answer to what a connection sends, how much of it was taken before it was closed, and the requests
    that came of it."""
    scopes: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scopes.append(scope)
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def connected() -> int:
        config = Config(app, http="httptools", ws="websockets-sansio", ws_max_size=200_000_000, lifespan="off")
        connection = HttpToolsProtocol(config, ServerState(), {})
        connection.connection_made(transport)
        taken = 0
        for part in parts:
            for start in range(0, len(part), PIECE):
                if transport.close.called:
                    return taken
                connection.data_received(part[start : start + PIECE])
                taken += len(part[start : start + PIECE])
                await asyncio.sleep(0)
        await asyncio.sleep(0.01)
        return taken

    transport = Mock()
    transport.get_extra_info = {"peername": ("192.0.2.7", 5), "sockname": ("192.0.2.1", 80)}.get
    transport.is_closing.return_value = False
    taken = asyncio.run(connected())
    return b"".join(call.args[0] for call in transport.write.call_args_list), taken, scopes


@pytest.mark.parametrize(
    "parts",
    [
        (b"GET /?q=", b"a" * 10 * MOST_HEAD),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: ", b"a" * 10 * MOST_HEAD),
        (b"GET / HTTP/1.1\r\n" + HOST, b"X: abcdefgh\r\n" * MOST_HEAD),
        (b"GET / HTTP/1.1\r\n" + HOST, b"a" * 10 * MOST_HEAD),
        (b"GET / HTTP/1.1\r\n" + HOST + b"\r\nGET /", b"a" * 10 * MOST_HEAD),
        (CHUNKED + b"1\r\na\r\n0\r\nX: ", b"a" * 10 * MOST_HEAD),
        (CHUNKED + b"1;", b"a" * 10 * MOST_HEAD),
    ],
    ids=["line", "header", "headers", "name", "second request", "trailer", "announced piece"],
)
def test_a_head_without_an_end_is_closed_at_one_to_two_mb(parts: tuple[bytes, ...]) -> None:
    answer, taken, _ = sent(*parts)
    assert b"HTTP/1.1 431 " in answer
    assert MOST_HEAD < taken < 2 * MOST_HEAD


def test_what_an_app_is_sent_passes() -> None:
    link = b"GET /?edits=" + b"a" * MOST_CHARACTERS + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    cookies = b"GET / HTTP/1.1\r\n" + HOST + b"Cookie: " + b"a" * (MOST_HEAD - PIECE) + b"\r\n\r\n"
    file = b"POST / HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\n\r\n" % MAX_FILE_BYTES + b"a" * MAX_FILE_BYTES
    pieces = CHUNKED + b"5\r\nabcde\r\n" * (MOST_HEAD // 5) + b"0\r\n\r\n"
    for parts in ((link,), (cookies,), (file,), (pieces,)):
        answer, _, scopes = sent(*parts)
        assert answer.startswith(b"HTTP/1.1 204 "), answer[:80]
        assert len(scopes) == 1
    answer, _, scopes = sent(link * 40)  # one connection after all
    assert b" 431 " not in answer
    assert len(scopes) >= 1


def test_a_socket_takes_no_larger_message_than_streamlit_does(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    begin = WebSocketsSansIOProtocol.connection_made

    def connection_made(self: WebSocketsSansIOProtocol, transport: Any) -> None:
        made.append(self.conn)
        begin(self, transport)

    monkeypatch.setattr(WebSocketsSansIOProtocol, "connection_made", connection_made)
    _, _, scopes = sent(b"GET /_stcore/stream HTTP/1.1\r\n" + UPGRADE + b"X-Forwarded-For: 192.0.2.9\r\n\r\n")
    assert made[0].max_message_size == most_message() == 8_000_000
    assert [peer_of(scope) for scope in scopes] == ["192.0.2.7"]


def test_the_peer_stays_known_when_a_proxys_word_takes_its_place() -> None:
    _, _, scopes = sent(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
    assert peer_of({**scopes[0], "client": ("192.0.2.9", 0)}) == "192.0.2.7"
    assert peer_of({"client": ("192.0.2.9", 0)}) == "192.0.2.9"  # a server other than uvicorn
