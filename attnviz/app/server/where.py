"""Additions to Streamlit's pages: server address, needed scripts, redirects and headers.

The address /lesson may be a page, or the folder that an app is served from. Streamlit's script asks at both places,
the folder first: two requests that fail, and two red lines in the browser's console. Told where its server is, it asks
there alone. The tests in the browser fail when Streamlit no longer reads this.

The script of a board, or of what a page shows in its place, is asked for by these, when they are drawn, the letters by
the first text, and the scripts that draw components when the first of these is drawn: told of them here, the browser
fetches them beside Streamlit's own, and no first picture waits for them. A page is told of no other page's script.

And the headers that tell a browser what a page may do: load nothing from elsewhere, stand in no stranger's page.
"""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.app.components.script_file import board_file, letters_file, scripts_of_components
from attnviz.feature import features, filled, pages
from attnviz.link.set_up import CHANGES
from attnviz.link.state import as_the_app_opens, read_query

_EARLY_KEYS = Path(__file__).with_name("early_keys.js").read_text(encoding="utf-8")
_BEFORE = b'<script type="module"'  # the first of Streamlit's scripts
# Pages behind a door that show a board. The page that the app opens with isn't among them: it may show heatmaps.
WITH_BOARD = tuple(page.name for page in pages() if page.door and page.has_board)
WITHOUT = tuple(page.name for page in pages() if not page.has_board)
# Folders of pages that need nothing of Streamlit's.
_PLAIN = frozenset(folder for each in features() for folder in each.folders)
_LETTERS = letters_file()
_SOON = "".join((
    *((f'<link rel="preload" as="font" type="font/woff2" crossorigin href="./static/media/{_LETTERS.name}">',)
      if _LETTERS else ()),
    *(f'<link rel="modulepreload" crossorigin href="./{script}">' for script in scripts_of_components()),
)).encode()  # fmt: skip
# What would bring the page packed, in part, or not at all.
_LEFT_OUT = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


def where(path: str, query: bytes = b"") -> bytes:
    """Return HTML that says where the server is, and what opens.

    Pages stand side by side: the server is where the page's name is left out. An address that says at most a place
    (a step, a presentation) names the example that it opens from the start, so that the page isn't drawn twice.
    """
    said = read_query(query.decode("ascii", "replace"))
    opened = as_the_app_opens(said)
    if not query:
        for says in filled("bare_says").values():
            opened |= says(path.rpartition("/")[2])
    names_it = ""
    if opened.keys() - said.keys() >= {CHANGES} and bool(said) == bool(query):  # not of a query beyond all limits
        names_it = f"history.replaceState(null, '', '?{urlencode(opened, safe='*')}' + location.hash)"
    return (
        f"<script>window.__streamlit = {{BACKEND_BASE_URL: new URL('.', location.href).href}}; {names_it}\n"
        f"{_EARLY_KEYS}</script>"
    ).encode()


def soon(path: str, query: bytes) -> bytes:
    """Return HTML that preloads what the page at an address needs."""
    page = path.rpartition("/")[2]
    # In the language that the browser accepts, as the session that comes.
    others = (drawn_by(page, query) for drawn_by in filled("drawn_by").values())
    file = next(filter(None, others), None) or (None if page in WITHOUT else board_file())
    if file is None:
        return _SOON
    return f'<link rel="modulepreload" href="{file.address}">'.encode() + _SOON


def moved_to(path: str, query: bytes) -> str | None:
    """Return the page that a link has moved to; None if unmoved.

    >>> moved_to("/course/check", b"seed=7&check=exercise.7"), moved_to("/check", b"check=examples")
    ('exercises', None)
    """
    page = path.rpartition("/")[2]
    return next((to for moved in filled("moved_to").values() if (to := moved(page, query))), None)


class SaysWhere:
    """A middleware that adds server address and preloads to pages, and redirects."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        own = not _PLAIN.isdisjoint(scope.get("path", "").split("/"))
        if scope["type"] == "http" and not own and "text/html" in Headers(scope=scope).get("accept", ""):
            query = scope.get("query_string", b"")
            if to := moved_to(scope["path"], query):
                # Said in a header, a long query would be more than a proxy takes.
                leads = f"<script>location.replace('{to}' + location.search + location.hash)</script>"
                await HTMLResponse(leads)(scope, receive, send)
                return
            headers = [(name, value) for name, value in scope["headers"] if name not in _LEFT_OUT]
            added = where(scope["path"], query) + soon(scope["path"], query)
            await self.app({**scope, "headers": headers}, receive, _Page(send, added))
        else:
            await self.app(scope, receive, send)


class _Page:
    """A sender that passes responses on, and HTML whole with its additions."""

    def __init__(self, send: Send, added: bytes) -> None:
        self.send, self.added = send, added
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
        body = self.body.replace(_BEFORE, self.added + _BEFORE, 1)
        headers = MutableHeaders(raw=started["headers"])
        if self.body:  # of a HEAD request there is none
            headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified", "accept-ranges"):  # those of the file
            if name in headers:
                del headers[name]
        await self.send(started)
        await self.send({"type": "http.response.body", "body": body})


# Streamlit's page and ours have scripts in them, made for the one who asks (a page opened again, a figure to save), and
# components arrive as blobs: so scripts within the page are allowed, and what keeps a text from becoming one is that no
# text that was typed is ever written as markup. Nothing is fetched from any other place, and nothing is sent there.
_POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
# No Cross-Origin-Opener-Policy: a browser starts a process of its own for a page that has one, which costs 40 ms of a
# first page. It'd keep who opened the page from leading it elsewhere; what it says or shows they can't read either way.
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # A link holds what was typed: nobody else hears of it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# A file to take home is no page of the app's: where a browser shows it all the same, it can do nothing.
_OF_FILES = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
_FILES = "/media/"
_PROOF = b"_streamlit_xsrf="


def policy(embed_in: Sequence[str]) -> str:
    """Return the Content-Security-Policy of pages that these origins may embed.

    >>> policy(["https://moodle.example.edu"]).rpartition("; ")[2]
    "frame-ancestors 'self' https://moodle.example.edu"
    """
    told = _POLICY | {"frame-ancestors": " ".join(["'self'", *embed_in])}
    return "; ".join(f"{name} {where}" for name, where in told.items())


def _for_frames(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header, with the upload cookie also allowed in foreign frames."""
    if name.lower() == b"set-cookie" and value.startswith(_PROOF):
        return name, value.replace(b"SameSite=Lax", b"SameSite=None; Secure; Partitioned")
    return name, value


class SafeHeaders:
    """A middleware that sets security headers, unless an answer has its own."""

    def __init__(self, app: ASGIApp, embed_in: Sequence[str] = ()) -> None:
        self.app = app
        self._headers = _ALWAYS | ({} if embed_in else {"X-Frame-Options": "SAMEORIGIN"})
        self._policy = policy(embed_in)
        self._embedded = bool(embed_in)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        of_file, begun = _FILES in scope.get("path", ""), False

        async def send_safe(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", _OF_FILES if of_file else self._policy)
                if self._embedded:
                    message["headers"] = [_for_frames(*each) for each in message["headers"]]
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, send_safe)
        except Exception:  # which is logged, and answered without headers where it wasn't yet
            if not begun:
                await PlainTextResponse("", 500)(scope, receive, send_safe)
            raise
