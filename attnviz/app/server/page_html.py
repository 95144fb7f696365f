"""Additions to Streamlit's pages: server address, needed scripts, redirects and headers.

The address /lesson may be a page, or the folder that an app is served from. Streamlit's script tries both, the folder
first: two requests fail, and the browser's console shows two red lines. If the page states its server's address, the
script asks only there. The browser tests fail if a newer Streamlit no longer reads that setting.

A page needs several files that its scripts would ask for only when they come to draw: the script of its board, or of
what it shows instead; the font; the scripts of components. The page names them in advance, so that the browser fetches
them together with Streamlit's own and the first paint doesn't wait for them. It names no other page's script.

Headers also restrict pages: they load nothing from other servers, and no foreign page may embed them.
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
# Pages behind a door that show a board. The page that the app opens with isn't listed, because it may show heatmaps.
WITH_BOARD = tuple(page.name for page in pages() if page.door and page.has_board)
WITHOUT = tuple(page.name for page in pages() if not page.has_board)
# Folders of pages that don't use Streamlit.
_PLAIN = frozenset(folder for each in features() for folder in each.folders)
_LETTERS = letters_file()
_SOON = "".join((
    *((f'<link rel="preload" as="font" type="font/woff2" crossorigin href="./static/media/{_LETTERS.name}">',)
      if _LETTERS else ()),
    *(f'<link rel="modulepreload" crossorigin href="./{script}">' for script in scripts_of_components()),
)).encode()  # fmt: skip
# Request headers that would make Streamlit send the page compressed, in part, or not at all.
_LEFT_OUT = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")


def where(path: str, query: bytes = b"") -> bytes:
    """Return HTML that sets the server's address and the opened example.

    All pages lie in one folder, so the server is at the page's address without its last part. If an address names no
    set-up but at most a place (a step, a presentation), the HTML adds the example that it opens to the address before
    anything is drawn; otherwise the page would be drawn twice.
    """
    said = read_query(query.decode("ascii", "replace"))
    opened = as_the_app_opens(said)
    if not query:
        for says in filled("bare_says").values():
            opened |= says(path.rpartition("/")[2])
    names_it = ""
    # A query beyond the limits is read as empty.
    if opened.keys() - said.keys() >= {CHANGES} and bool(said) == bool(query):
        names_it = f"history.replaceState(null, '', '?{urlencode(opened, safe='*')}' + location.hash)"
    return (
        f"<script>window.__streamlit = {{BACKEND_BASE_URL: new URL('.', location.href).href}}; {names_it}\n"
        f"{_EARLY_KEYS}</script>"
    ).encode()


def soon(path: str, query: bytes) -> bytes:
    """Return HTML that preloads what the page at an address needs."""
    page = path.rpartition("/")[2]
    # A request's language is the one that the browser accepts; the session will have the same.
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
                # A redirect header with a long query would exceed what proxies accept.
                leads = f"<script>location.replace('{to}' + location.search + location.hash)</script>"
                await HTMLResponse(leads)(scope, receive, send)
                return
            headers = [(name, value) for name, value in scope["headers"] if name not in _LEFT_OUT]
            added = where(scope["path"], query) + soon(scope["path"], query)
            await self.app({**scope, "headers": headers}, receive, _Page(send, added))
        else:
            await self.app(scope, receive, send)


class _Page:
    """A sender that holds HTML responses back, and sends them with additions."""

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
        if self.body:  # the answer to a HEAD request has none
            headers["content-length"] = str(len(body))
        for name in ("etag", "last-modified", "accept-ranges"):  # they describe the file as it was
            if name in headers:
                del headers[name]
        await self.send(started)
        await self.send({"type": "http.response.body", "body": body})


# Streamlit's pages and ours contain scripts that are made for one reader (a page opened again, a figure to save), and
# components arrive as blobs. So the policy allows inline scripts. It is another rule that keeps a text from becoming a
# script: no typed text is ever written as markup. Nothing is fetched from other servers, and nothing is sent there.
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
# There is no Cross-Origin-Opener-Policy, because a browser starts a new process for a page with one, which costs 40 ms
# of the first paint. The header would only keep the page that opened ours from navigating it elsewhere; what ours
# contains stays unreadable to that page in either case.
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # A link contains what was typed, so other servers must not receive it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# A downloaded file isn't a page of the app. If a browser shows it all the same, it can run nothing.
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
    """Return a header, with the upload cookie allowed in foreign frames, too."""
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
        # The server logs the exception. Its own error page would lack these headers, so an empty page replaces it.
        except Exception:
            if not begun:
                await PlainTextResponse("", 500)(scope, receive, send_safe)
            raise
