"""Where a browser tells that it has painted what stands first on a page: see session/painting.py."""

from starlette.requests import Request
from starlette.responses import Response

from attnviz.app.server.asked import message_of, nothing
from attnviz.app.session.painting import AT, painting_that_says

PATHS = (f"/{AT}", f"/{{base:path}}/{AT}")  # the second where server.baseUrlPath is set


async def answer(request: Request) -> Response:
    """Take what a page tells, and answer nothing, whoever it was."""
    message = await message_of(request)
    if isinstance(message, Response):
        return message
    page, number = painting_that_says(message["word"]), message.get("number")
    if page is not None and isinstance(number, int):
        page.tell(number)
    return nothing()
