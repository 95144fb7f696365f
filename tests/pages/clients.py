"""Clients of a real server that edit its board, and what the list of edits says then."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from benchmarks.client import Client, connected
from benchmarks.servers import Server

EDIT = {"matrix": "w_q", "row": 0, "column": 1, "value": 0.9}
LISTED = "W_q[0, 1]: 0.5166 → 0.9000"


def on(server: Server, query: str, does: Callable[[Client], Coroutine[Any, Any, None]]) -> None:
    """Open the page of an address and do something there; none of its messages is lost."""

    async def run() -> None:
        async with connected(server.address, query) as client:
            await asyncio.sleep(0.1)  # until the first run's thread has ended
            await does(client)
            assert client.lost == 0

    asyncio.run(run())
