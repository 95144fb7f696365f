"""What the server adds to each page of Streamlit's: where the server is, and which script it will need.

The address /lesson may be a page, or the folder that an app is served from. Streamlit's script asks at both places,
the folder first: two requests that fail, and two red lines in the browser's console. Told where its server is, it asks
there alone. The tests in the browser fail when Streamlit no longer reads this.

The board's script is asked for by the board itself, when it is drawn, and those that draw components when the first of
these is: told of them here, the browser fetches them beside Streamlit's own, and no first picture waits for them.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.app.components.script_file import BOARD_FILE
from attnviz.app.streamlit_internals import component_scripts

_BEFORE = b'<script type="module"'  # the first of Streamlit's scripts
# Pages stand side by side: the server is where the page's name is left out.
WHERE = b"<script>window.__streamlit = {BACKEND_BASE_URL: new URL('.', location.href).href}</script>"
SOON = "".join((
    f'<link rel="modulepreload" href="{BOARD_FILE.address}">',
    *(f'<link rel="modulepreload" crossorigin href="./{script}">' for script in component_scripts()),
)).encode()  # fmt: skip
# What would bring the page packed, in part, or not at all.
_LEFT_OUT = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


class SaysWhere:
    """Writes into each page where its server is, and what it needs soon; all else passes as it came."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            headers = [(name, value) for name, value in scope["headers"] if name not in _LEFT_OUT]
            await self.app({**scope, "headers": headers}, receive, _Page(send))
        else:
            await self.app(scope, receive, send)


class _Page:
    """Sends a response on; one of HTML whole, with what it must say."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.started: Message | None = None
        self.body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if Headers(raw=message["headers"]).get("content-type", "").startswith("text/html"):
                self.started = message
                return
        elif self.started is not None:
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish(self.started)
            return
        await self.send(message)

    async def _finish(self, started: Message) -> None:
        body = self.body.replace(_BEFORE, WHERE + SOON + _BEFORE, 1)
        headers = MutableHeaders(raw=started["headers"])
        if self.body:  # of a HEAD request there is none
            headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified", "accept-ranges"):  # those of the file
            if name in headers:
                del headers[name]
        await self.send(started)
        await self.send({"type": "http.response.body", "body": body})
