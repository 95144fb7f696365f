"""The language in which the server answers a request."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.words import LANGUAGE, spoken


class Speaks:
    """A middleware that sets the language that each request's browser accepts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        # Websockets need it, too: a file for download is made in the context of its session's socket.
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        before = LANGUAGE.set(spoken(Headers(scope=scope).get("accept-language", "")))
        try:
            await self.app(scope, receive, send)
        finally:
            LANGUAGE.reset(before)
