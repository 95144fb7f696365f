"""The endpoint of a board's numbers, computed from the page's query alone.

A page asks::

    POST /numbers   {"query": "text=a+cat&edits=w_q.0.1.0.9", "page": "playground"}

and receives the JSON that its board draws, see :func:`attnviz.app.server.boards.board_of`. `query` is the part of the
address after the question mark, percent-encoded as it is there; `page` is a board's name, by default that of the page
that the app opens with. The answer depends on nothing else, neither cookies nor a session, so that any copy of the
server can give it. The status is 204 if there is no such board, and if too many requests came at once, from everyone or
from one address: then a run of the page delivers the numbers. No page of this server sends what gets a 400, 403 or 413.

Few threads answer, beside the event loop, and the last answers are cached. A 204 is no error, so that the browser's
console shows none. Only failures are logged.
"""

import asyncio
import gzip
from collections import Counter
from collections.abc import Callable
from functools import partial
from hashlib import blake2b

from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.components.board import AT
from attnviz.app.operations import metrics
from attnviz.app.operations.logs import get_log
from attnviz.app.operations.run_queue import LANE
from attnviz.app.server.boards import board_of, boards
from attnviz.app.server.endpoints import NO_STORE, Workers, message_in, nothing
from attnviz.app.server.rate_limits import address_of
from attnviz.core.cache import Cache
from attnviz.link.state import MOST_CHARACTERS
from attnviz.words import LANGUAGE

_LOG = get_log(__name__)
PATHS = (f"/{AT}", f"/{{base:path}}/{AT}")  # the second path is used if server.baseUrlPath is set
WORKERS, MOST_AT_ONCE = 2, 64  # threads, and requests at once; one beyond these makes its page run, which costs more
MOST_OF_ADDRESS = MOST_AT_ONCE // 2  # leaves room for others; a whole class may share one address
MOST_BYTES = MOST_CHARACTERS + 1024  # limit for a message
MOST_KEPT, MOST_BYTES_KEPT = 128, 2**20  # limits of the cache of packed answers; an answer for six tokens has some 6 kB
_PACKED = {"Content-Encoding": "gzip"}


class Numbers:
    """An endpoint that answers requests for boards, a limited number at once."""

    def __init__(self, workers: int = WORKERS, most: int = MOST_AT_ONCE) -> None:
        self._workers = Workers(workers, thread_name_prefix="attnviz-numbers")
        self._at_work, self._most = Counter[str](), most
        self._answers = Cache(MOST_BYTES_KEPT, MOST_KEPT)

    async def answer(self, request: Request) -> Response:
        """Answer one request for a board."""
        message = await message_in(request, "query", most=MOST_BYTES)
        if isinstance(message, Response):
            return message
        page, query = message.get("page", next(iter(boards()))), message["query"]
        if not isinstance(query, str) or page not in list(boards()):
            return nothing(400)
        key = blake2b(f"{LANGUAGE.get()} {page} {query}".encode("utf-8", "surrogatepass")).digest()
        kept = partial(self._answers.get, key, lambda: _packed(board_of(page, query)), len)
        try:
            packed = await self._computed(address_of(request.scope), kept)
        except Exception:
            _LOG.exception("a board could not be told its numbers")
            return nothing()
        metrics.EDITS.inc(bool(packed))
        if not packed:
            return nothing()
        packs = "gzip" in request.headers.get("accept-encoding", "")
        data, headers = (packed, NO_STORE | _PACKED) if packs else (gzip.decompress(packed), NO_STORE)
        return Response(data, headers=headers, media_type="application/json")

    async def _computed(self, address: str, compute: Callable[[], bytes | None]) -> bytes | None:
        """Compute beside the event loop; None if too much is being computed."""
        if self._at_work.total() >= self._most or self._at_work[address] >= min(self._most, MOST_OF_ADDRESS):
            return None
        self._at_work[address] += 1
        try:
            with LANE.edit():
                return await asyncio.get_running_loop().run_in_executor(self._workers, compute)
        finally:
            self._at_work -= Counter((address,))


def _packed(data: bytes | None) -> bytes:
    """Return data gzipped, three times as fast as Streamlit's server does."""
    return gzip.compress(data, 1, mtime=0) if data else b""
