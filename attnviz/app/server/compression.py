"""Streamlit's scripts and styles, gzipped to a quarter of their size."""

import asyncio
from functools import cache
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.file_util import get_static_dir

from attnviz.app.components.script_file import packed

MEDIA = {"js": "text/javascript", "css": "text/css"}
# These files may be cached for ever, because their names identify their contents.
KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
PACKED = KEPT | {"Content-Encoding": "gzip"}


@cache
def _files() -> dict[str, Path]:
    """Return Streamlit's scripts and styles, by the ends of their addresses."""
    static = Path(get_static_dir(), "static")
    return {f"{kind}/{file.name}": file for kind in MEDIA for file in static.glob(f"{kind}/*.{kind}")}


class SendsPacked:
    """A middleware that sends Streamlit's scripts gzipped, each packed once."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._packed: dict[str, bytes] = {}
        self._packing = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        name = scope.get("path", "").rpartition("/static/")[2]
        if name not in _files() or scope.get("method") != "GET" or not takes_packed(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        async with self._packing:  # so that people who open a page at the same time don't each pack it
            if name not in self._packed:
                self._packed[name] = await run_in_threadpool(lambda: packed(_files()[name].read_bytes()))
        kind = name.partition("/")[0]
        await Response(self._packed[name], headers=PACKED, media_type=MEDIA[kind])(scope, receive, send)


def takes_packed(headers: Headers) -> bool:
    """Whether a complete answer may be sent gzipped."""
    return "gzip" in headers.get("accept-encoding", "") and "range" not in headers
