"""Limits on the files that Streamlit holds for its sessions.

Streamlit keeps an uploaded file until the page removes it or the session ends, and limits only the size of each file.
This middleware counts uploads by their route, and removes files beyond our limits by the same route as a page would.
"""

from collections import defaultdict

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.app.streamlit_internals import is_connected
from attnviz.core.limits import MAX_UPLOADED_BYTES, MAX_UPLOADS

_ROUTE = "/_stcore/upload_file/"
_LEAST = 2**16  # bytes that even the smallest file counts as, which limits the number of files
_PROOFS = (b"host", b"cookie", b"x-xsrftoken")  # headers by which Streamlit recognizes requests of its own page


class Uploads:
    """A middleware that removes files beyond the limits."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.held: defaultdict[str, dict[str, int]] = defaultdict(dict)  # session -> (file -> bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; count it if it's an upload."""
        before, route, names = scope.get("path", "").partition(_ROUTE)
        session, _, file = names.partition("/")
        if scope["type"] != "http" or not route or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        size, taken = 0, False

        async def receive_counted() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            return message

        async def send_noted(message: Message) -> None:
            nonlocal taken
            taken = taken or message.get("status") == 204
            await send(message)

        await self.app(scope, receive_counted, send_noted)
        if taken and scope["method"] == "DELETE":
            self._forget(session, file)
        elif taken:
            self.held[session].pop(file, None)
            self.held[session][file] = max(size, _LEAST)
            for old in self._beyond(session):
                await self._remove(scope, f"{before}{_ROUTE}", *old)

    def _beyond(self, session: str) -> list[tuple[str, str]]:
        """Forget files beyond the limits, and return their sessions and names.

        If all sessions together exceed their limit, closed sessions lose files first, then the one that holds most.
        """
        found = [(session, old) for old in list(self.held[session])[:-MAX_UPLOADS]]
        for each in found:
            self._forget(*each)
        while sum(sum(files.values()) for files in self.held.values()) > MAX_UPLOADED_BYTES:
            most = max(self.held, key=lambda each: (not is_connected(each), sum(self.held[each].values())))
            found.append((most, next(iter(self.held[most]))))
            self._forget(*found[-1])
        return found

    def _forget(self, session: str, file: str) -> None:
        self.held[session].pop(file, None)
        if not self.held[session]:
            del self.held[session]

    async def _remove(self, scope: Scope, route: str, session: str, file: str) -> None:
        path = f"{route}{session}/{file}"
        headers = [(name, value) for name, value in scope["headers"] if name in _PROOFS]
        asked = {**scope, "method": "DELETE", "path": path, "raw_path": path.encode(), "headers": headers}

        async def nothing() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unheard(message: Message) -> None:
            pass

        await self.app(asked, nothing, unheard)
