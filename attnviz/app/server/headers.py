"""The headers that tell a browser what a page may do: load nothing from elsewhere, stand in no stranger's page."""

from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    # A link holds what was typed: nobody else hears of it.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A file to take home is no page of the app's: where a browser shows it all the same, it can do nothing.
_OF_FILES = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
_FILES = "/media/"
_PROOF = b"_streamlit_xsrf="


def policy(embed_in: Sequence[str]) -> str:
    """Return the Content-Security-Policy of pages that these origins may embed, beside the app's own.

    >>> policy(["https://moodle.example.edu"]).rpartition("; ")[2]
    "frame-ancestors 'self' https://moodle.example.edu"
    """
    told = _POLICY | {"frame-ancestors": " ".join(["'self'", *embed_in])}
    return "; ".join(f"{name} {where}" for name, where in told.items())


def _for_frames(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return a header, the cookie that uploads are proved by as one that browsers keep in a stranger's page, too."""
    if name.lower() == b"set-cookie" and value.startswith(_PROOF):
        return name, value.replace(b"SameSite=Lax", b"SameSite=None; Secure; Partitioned")
    return name, value


class SafeHeaders:
    """Sets the headers of every answer; one that has such a header already keeps it."""

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
