"""Limits on what a connection may send, enforced while it arrives.

Middleware sees a request only once its head is complete, and a websocket message only once it is complete. Until then,
uvicorn gathers the bytes without a limit, in the thread that serves everybody: a header of 100 MB, which it copies with
each piece that arrives, held up all others for 18 seconds. A proxy limits this, too, but the app also runs without one.
"""

from asyncio import Transport
from collections.abc import Mapping
from typing import Any

from streamlit import get_option
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MOST_HEAD = 2**20  # bytes of a request line and headers; a link has at most half as many
_UNREAD = "attnviz_unread"  # attribute of a connection: its bytes since the last complete head or piece of a body
_PEER = "attnviz.peer"  # key in a scope's state: the address that the connection itself comes from
_connect, _receive = HttpToolsProtocol.connection_made, HttpToolsProtocol.data_received
_end_of_head, _take_body = HttpToolsProtocol.on_headers_complete, HttpToolsProtocol.on_body


def most_message() -> int:
    """Return the limit of a websocket message in bytes, from Streamlit's setting."""
    return int(get_option("server.maxWidgetStateSize")) * 1_000_000


def limit_connections() -> None:
    """Make uvicorn, in this process, close connections that exceed the limits."""
    HttpToolsProtocol.connection_made = _connect_limited  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.data_received = _receive_limited  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.on_headers_complete = _end_of_head_noted  # type: ignore[assignment, method-assign]
    HttpToolsProtocol.on_body = _take_body_noted  # type: ignore[assignment, method-assign]


def peer_of(scope: Mapping[str, Any]) -> str:
    """Return the address that a connection itself comes from.

    Behind a proxy that uvicorn trusts, `scope["client"]` is the address that the proxy names instead.
    """
    peer = scope.get("state", {}).get(_PEER) or scope.get("client") or ("",)
    return str(peer[0])


def _connect_limited(connection: HttpToolsProtocol, transport: Transport) -> None:
    _connect(connection, transport)
    connection.app_state = {**connection.app_state, _PEER: connection.client}
    # Each websocket reads this setting of the server when it opens; Streamlit sets it to 200 MB.
    connection.config.ws_max_size = min(connection.config.ws_max_size, most_message())
    vars(connection)[_UNREAD] = 0


def _receive_limited(connection: HttpToolsProtocol, data: bytes) -> None:
    """Close a connection that sends too much without completing a head.

    Any piece of a body also restarts the count. Trailers, and the lines that announce chunks, are counted as well.
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
