"""A reader without a browser who edits the board, and whose connection may go.

As the page does, it then comes back to whichever server answers, with the address that it had last, and sends again
what no answer came to.
"""

import asyncio
import http.client
import itertools
import random
import time
import uuid
from collections.abc import Mapping
from contextlib import AsyncExitStack
from urllib.parse import parse_qs

from attnviz.link.changes_text import decode_changes
from benchmarks.clients.client import Client, connected
from benchmarks.clients.editing import edit

PATIENCE = 10.0  # seconds until what was not answered is sent again, and until a connection that is tried is given up
_AGAIN = 0.5  # seconds between two tries to come back
RESTS_AFTER = 10  # edits
CELLS = tuple((name, row, column) for name in ("w_q", "w_k", "w_v") for row in range(3) for column in range(2))


class Reader:
    """One page of the playground, at this address of a server or of a proxy before several."""

    def __init__(self, address: str, query: str = "example=published") -> None:
        self.address = address
        self.query = query
        self.wanted: dict[tuple[str, int, int], float] = {}
        self.away: list[float] = []  # seconds from each loss of the connection to the page that stood again
        self.answers: list[float] = []  # seconds that each edit took
        self.copies: list[str] = []  # the sessions it had
        self._cookies: dict[str, str] = {}
        self._open = AsyncExitStack()
        self._client: Client | None = None

    @property
    def _headers(self) -> Mapping[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
        return {"Origin": f"http://{self.address}"} | ({"Cookie": cookies} if cookies else {})

    def _request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> int:
        host, port = self.address.split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.request(method, path, body, {**self._headers, **headers})
            answer = connection.getresponse()
            answer.read()
            for cookie in answer.headers.get_all("Set-Cookie", []):
                name, _, value = cookie.partition(";")[0].partition("=")
                self._cookies[name.strip()] = value
            return answer.status
        finally:
            connection.close()

    def status(self, path: str) -> int:
        """Return with which status this address is answered."""
        return self._request("GET", path)

    async def open(self) -> float:
        """Open the page, then its socket; return the seconds until its first answer."""
        start = time.perf_counter()
        status = await asyncio.to_thread(self._request, "GET", f"/?{self.query}", Accept="text/html")
        if status != 200:
            raise ConnectionError(f"the page was answered with {status}")
        await self._connect()
        return time.perf_counter() - start

    async def _connect(self) -> None:
        self._client = await self._open.enter_async_context(
            connected(self.address, self.query, self._headers, patience=PATIENCE)
        )
        self.query = self._client.query
        self.copies.append(self._client.session())

    async def _come_back(self) -> None:
        start = time.perf_counter()
        await self._open.aclose()
        self._open = AsyncExitStack()
        while True:
            try:
                await asyncio.wait_for(self._connect(), PATIENCE)
                break
            except (OSError, TimeoutError):
                await asyncio.sleep(_AGAIN)
        self.away.append(time.perf_counter() - start)

    async def edit(self, cell: tuple[str, int, int], value: float) -> None:
        """Change a number on the board, and go on once the address holds it."""
        self.wanted[cell] = value
        start = time.perf_counter()
        while not self.holds(cell, value):
            try:
                await asyncio.wait_for(self._send(cell, value), PATIENCE)
            except (OSError, TimeoutError):
                await self._come_back()
        self.answers.append(time.perf_counter() - start)

    async def _send(self, cell: tuple[str, int, int], value: float) -> None:
        assert self._client is not None
        matrix, row, column = cell
        await edit(self._client, [{"matrix": matrix, "row": row, "column": column, "value": value}])
        self.query = self._client.query

    async def rest(self) -> None:
        """Rest, so that the page is told; where the connection goes meanwhile, it comes back and says it again."""
        assert self._client is not None
        while not self._client.heard:
            try:
                await asyncio.wait_for(self._client.say(), PATIENCE)
            except (OSError, TimeoutError):
                await self._come_back()

    @staticmethod
    def _edits(query: str) -> dict[tuple[str, int, int], float]:
        changes, _ = decode_changes(parse_qs(query).get("edits", [""])[0])
        return {(each.matrix, each.row, each.column): each.value for each in changes.edits}

    def holds(self, cell: tuple[str, int, int], value: float) -> bool:
        """Whether the address holds this edit."""
        return self._edits(self.query).get(cell) == value

    def lost(self) -> int:
        """Return how many edits no run was drawn with."""
        held = self._edits(self.told)
        return sum(held.get(cell) != value for cell, value in self.wanted.items())

    @property
    def told(self) -> str:
        """The query that a run was last drawn of."""
        return "" if self._client is None else self._client.told

    async def upload(self, data: bytes) -> int:
        """Upload a file to the copy that holds this session, as the page does; return the status of the answer."""
        assert self.copies
        await asyncio.to_thread(self._request, "GET", "/_stcore/health")  # sets what an upload must prove to know
        boundary = uuid.uuid4().hex
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{boundary}--\r\n".encode()
        path = f"/_stcore/upload_file/{self.copies[-1]}/{uuid.uuid4()}"
        kind = f"multipart/form-data; boundary={boundary}"
        token = self._cookies.get("_streamlit_xsrf", "")
        return await asyncio.to_thread(self._request, "PUT", path, body, **{"Content-Type": kind, "X-Xsrftoken": token})

    async def cut(self) -> None:
        """Lose the connection, as to a network that goes."""
        assert self._client is not None
        await self._client.cut()

    async def close(self) -> None:
        """Leave."""
        await self._open.aclose()


async def keep_editing(reader: Reader, place: int, readers: int, over: float) -> None:
    """Edit a cell each second until `over`, on the monotonic clock, as one of so many readers at this place; every now
    and then, rest."""
    dice = random.Random(place)
    await asyncio.sleep(place / readers)  # people do not edit in step
    for edits in itertools.count(1):
        if time.monotonic() >= over:
            break
        turn = time.monotonic() + 1
        await reader.edit(dice.choice(CELLS), round(dice.uniform(-2, 2), 3))
        if edits % RESTS_AFTER == 0:
            await reader.rest()
        await asyncio.sleep(turn - time.monotonic())
    await reader.rest()  # what was done since the last rest, the page would still tell
