"""Limits on what a connection may send, held while it arrives.

Middleware sees a request once its head is whole, and a socket's message once that is. Until then uvicorn gathers them
without a limit, in a thread that serves everybody: a header of 100 MB, which it copies with each piece that arrives,
held up all others for 18 seconds. A proxy limits this, too, but the app also runs without one.
"""

from asyncio import Transport
from collections.abc import Mapping
from typing import Any

from streamlit import get_option
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MOST_HEAD = 2**20  # bytes of a request line and headers; a link has at most half of that
_UNREAD = "attnviz_unread"  # a connection's bytes since its last whole head or piece of a body
_PEER = "attnviz.peer"  # in a scope's state: the address that the connection itself comes from
_connect, _receive = HttpToolsProtocol.connection_made, HttpToolsProtocol.data_received
_end_of_head, _take_body = HttpToolsProtocol.on_headers_complete, HttpToolsProtocol.on_body


def most_message() -> int:
    """Return a socket message's limit in bytes, from Streamlit's setting."""
    return int(get_option("server.maxWidgetStateSize")) * 1_000_000


def limit_connections() -> None:
    """Have uvicorn, in this process, close connections that send more."""
    HttpToolsProtocol.connection_made = _connect_limited  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.data_received = _receive_limited  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.on_headers_complete = _end_of_head_noted  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.on_body = _take_body_noted  # type: ignore[assignment, method-assign]


def peer_of(scope: Mapping[str, Any]) -> str:
    """Return the address that a connection itself comes from.

    Behind a proxy that uvicorn believes, `scope["client"]` is what the proxy says instead.
    """
    peer = scope.get("state", {}).get(_PEER) or scope.get("client") or ("",)
    return str(peer[0])


def _connect_limited(connection: HttpToolsProtocol, transport: Transport) -> None:
    _connect(connection, transport)
    connection.app_state = {**connection.app_state, _PEER: connection.client}
    # The settings of all sockets, which each of them reads as it begins; Streamlit gives 200 MB.
    connection.config.ws_max_size = min(connection.config.ws_max_size, most_message())
    vars(connection)[_UNREAD] = 0


def _receive_limited(connection: HttpToolsProtocol, data: bytes) -> None:
    """Refuse what goes on without a whole head or body.

    A piece of a body is enough; trailers count as well, and the line that announces a piece.
    """
    if vars(connection)[_UNREAD] > MOST_HEAD:
        connection.transport.write(STATUS_LINE[431] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        connection.transport.close()
        return
    vars(connection)[_UNREAD] += len(data)
    _receive(connection, data)


def _end_of_head_noted(connection: HttpToolsProtocol) -> None:
    vars(connection)[_UNREAD] = 0
    _end_of_head(connection)


def _take_body_noted(connection: HttpToolsProtocol, body: bytes) -> None:
    vars(connection)[_UNREAD] = 0
    _take_body(connection, body)
