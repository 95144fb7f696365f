"""The language of what the server answers beside Streamlit's own sockets."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from attnviz.words import LANGUAGE, spoken


class Speaks:
    """A middleware that answers each request as its browser accepts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] not in ("http", "websocket"):  # what is made for a download is made in its socket's context
            await self.app(scope, receive, send)
            return
        before = LANGUAGE.set(spoken(Headers(scope=scope).get("accept-language", "")))
        try:
            await self.app(scope, receive, send)
        finally:
            LANGUAGE.reset(before)
