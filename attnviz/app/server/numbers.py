"""Where a board asks for torch's numbers of an edit: see components/at_once.py.

It is answered beside the event loop, by few threads, and what would have to wait is told nothing: a run of the page
tells it. That is no error, and none stands in the browser's console. Nothing is logged but what fails.
"""

import asyncio
import gzip
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.components.at_once import AT, UNUSABLE, AskingPage, page_that_says
from attnviz.app.keeper.logs import get_log
from attnviz.app.server.asked import NOT_KEPT, message_of, nothing

_LOG = get_log(__name__)
PATHS = (f"/{AT}", f"/{{base:path}}/{AT}")  # the second where server.baseUrlPath is set
WORKERS, MOST_AT_ONCE = 2, 64  # what is turned away costs a run of its page, which is more than this is
_PACKED = {"Content-Encoding": "gzip"}


class Numbers:
    """Answers boards, so many at once and no more."""

    def __init__(self, workers: int = WORKERS, most: int = MOST_AT_ONCE) -> None:
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="attnviz-numbers")
        self._at_work, self._most = 0, most

    async def answer(self, request: Request) -> Response:
        """Answer one edit."""
        message = await message_of(request)
        if isinstance(message, Response):
            return message
        page = page_that_says(message["word"])
        if page is None:
            return nothing(404)
        if self._at_work >= self._most or page.pace.early():
            return nothing()
        self._at_work += 1
        try:
            data = await asyncio.get_running_loop().run_in_executor(self._workers, page.answer, message)
        finally:
            self._at_work -= 1
        if data is None:
            return nothing()
        data = _taken(page, message) or data
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(data, headers=NOT_KEPT, media_type="application/json")
        # Streamlit's server would pack it more tightly, in three times the time.
        packed = gzip.compress(data, 1, mtime=0)
        return Response(packed, headers=NOT_KEPT | _PACKED, media_type="application/json")


def _taken(page: AskingPage, message: dict[str, Any]) -> bytes | None:
    """Have the session of a page take what it is answered; what fails is told by a run, which takes it once more."""
    try:
        return page.take(message)
    except UNUSABLE:
        return None
    except Exception:
        _LOG.exception("what was done on a board could not be taken")
        return None
