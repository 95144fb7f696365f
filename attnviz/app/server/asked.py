"""What pages ask by requests of their own: a message, read with care, and answers that nobody keeps."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

MOST_BYTES = 32_768  # of a message: what is pasted into a board of 16 tokens has less
NOT_KEPT = {"Cache-Control": "no-store"}
_NOTHING = 204


def nothing(status: int = _NOTHING) -> Response:
    """Return an answer without words."""
    return Response(status_code=status, headers=NOT_KEPT)


async def message_of(request: Request) -> dict[str, Any] | Response:
    """Return what a page says, with the word that it was told; for anything else, what is answered."""
    if "origin" not in request.headers:  # what a stranger's page says of itself is left out: see visitors.py
        return nothing(403)
    body = await _body(request)
    if body is None:
        return nothing(413)
    message = _read(body)
    return nothing(400) if message is None else message


async def _body(request: Request) -> bytes | None:
    """Return what was sent; None where it is too long, which is not read to its end."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return None
    return body


def _read(body: bytes) -> dict[str, Any] | None:
    """Return a message that has a word; None for anything else."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and isinstance(message.get("word"), str) else None
