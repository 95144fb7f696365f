"""Who may open a page, how many, and how fast each may send: what one visitor does must not be felt by the others.

A page of another origin may not connect, and is told so here: Streamlit would look for its own address first, by asking
a server on the internet, and everybody would wait. Beyond so many pages, or so much memory, the next one is told to
come back later, and where there are other copies the proxy asks one of those. Who sends more messages than a person can
waits between them.
"""

import asyncio
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.app.keeper import figures
from attnviz.app.keeper.logs import get_log
from attnviz.app.server.memory import used_mib
from attnviz.app.session.pace import Pace

_LOG = get_log(__name__)
_FULL, _MEMORY, _STRANGER = "full", "memory", "origin"


class Visitors:
    """Counts the open pages of this process, and holds each to its limits."""

    def __init__(
        self, app: ASGIApp, origins: Sequence[str] = (), most: int = 400, most_mib: int | None = None,
        used: Callable[[], float | None] = used_mib,
    ) -> None:  # fmt: skip
        self.app = app
        self.open = 0
        self._most_mib = most_mib
        self._used = used
        self._origins = frozenset(each.lower() for each in origins)
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one page for as long as it is open."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        known = self._is_known(Headers(scope=scope))
        if scope["type"] == "http":
            # An answer to a stranger's page is the same as to any other; only nothing is said to it of who may read it.
            headers = [(name, value) for name, value in scope["headers"] if known or name != b"origin"]
            await self.app({**scope, "headers": headers}, receive, send)
        elif not known:
            _note(_STRANGER)
            await receive()
            await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
        elif full := self._is_full():
            _note(full)
            await _tell_to_come_back(receive, send, scope)
        else:
            await self._visit(scope, receive, send)

    async def _visit(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.open += 1
        figures.OPENED.inc()
        figures.SESSIONS.inc()
        try:
            await self.app(scope, _Paced(receive), send)
        finally:
            self.open -= 1
            figures.SESSIONS.dec()

    def _is_full(self) -> str:
        """Return of what there is too much for another page; blank where there is room. Where no page is open, what
        memory there is can't be theirs."""
        if self.open >= self._most:
            return _FULL
        if self._most_mib is not None and self.open and (self._used() or 0) > self._most_mib:
            return _MEMORY
        return ""

    def _is_known(self, headers: Headers) -> bool:
        """Whether a request comes from a page of this server's, from one that is listed, or from no page at all."""
        origin = headers.get("origin")
        if origin is None:
            return True
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower() or origin.lower() in self._origins


def _note(why: str) -> None:
    figures.TURNED_AWAY.labels(why).inc()
    _LOG.warning("a page was turned away", extra={"told": {"why": why}})


async def _tell_to_come_back(receive: Receive, send: Send, scope: Scope) -> None:
    """Answer a page with 503, at which a proxy asks another copy."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        headers = [(b"retry-after", b"5"), (b"content-length", b"0")]
        await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b""})
    else:
        await send({"type": "websocket.close", "code": 1013})


class _Paced:
    """Passes on what is received, the messages of a page no faster than its pace."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._pace = Pace()

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "websocket.receive" and (early := self._pace.early()):
            figures.HELD_BACK.inc()
            await asyncio.sleep(early)
        return message
