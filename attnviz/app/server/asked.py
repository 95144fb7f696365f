"""What pages ask by requests of their own: a message, read with care, and answers that nobody keeps."""

import json
from collections.abc import Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

MOST_BYTES = 32_768  # of a message: what is pasted into a board of 16 tokens has less
NOT_KEPT = {"Cache-Control": "no-store"}
_NOTHING = 204


def nothing(status: int = _NOTHING) -> Response:
    """Return an answer without words."""
    return Response(status_code=status, headers=NOT_KEPT)


async def message_of(request: Request, *says: str, most: int = MOST_BYTES) -> dict[str, Any] | Response:
    """Return what a page says, in which one of these is a text: the word that it was told, unless others are named.
    For anything else, return what is answered."""
    if "origin" not in request.headers:  # what a stranger's page says of itself is left out: see visitors.py
        return nothing(403)
    body = await _body(request, most)
    if body is None:
        return nothing(413)
    message = _read(body, says or ("word",))
    return nothing(400) if message is None else message


async def _body(request: Request, most: int) -> bytes | None:
    """Return what was sent; None where it is too long, which is not read to its end."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return body


def _read(body: bytes, says: Sequence[str]) -> dict[str, Any] | None:
    """Return a message in which one of these is a text; None for anything else."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or not any(isinstance(message.get(name), str) for name in says):
        return None
    return message
