"""A client of a Streamlit server without a browser: it changes a control and takes the answer."""

import asyncio
import json
import time
from base64 import b64decode
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from attnviz.app.session.page_record import mark_of
from attnviz.link.state import read_query
from benchmarks.clients.asking import Asking
from benchmarks.clients.websocket import Socket, open_socket

_ENDED_WELL = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


class Client:
    """One session. `rerun` is one change of a control and its answer; `lost` counts answers that were no success.

    `query` is its page's, `told` the same as it was when a run was last drawn of it.
    """

    def __init__(self, socket: Socket, query: str, asking: Asking) -> None:
        self._socket = socket
        self.asking = asking
        self.query = self.told = query
        self.offered: set[str] = set()  # what buttons changed, and was taken
        self.taken = ""  # the last of these
        self.moved: list[WidgetState] = []  # controls, of which nothing was said yet
        self.ears = ""  # the component that hears what the page says
        self.state: dict[str, Any] = {}  # what was drawn last, and of which query
        self.page = ""  # the hash of the page that is open; blank for the first
        self.components: dict[str, tuple[str, str]] = {}  # by their names: the id, and that of the fragment around it
        self.drawn: dict[str, bytes] = {}  # what they were given to draw, of those that are given bytes
        self._answer: list[ForwardMsg] = []
        self._ended: asyncio.Future[float] | None = None
        self._history = False
        self.lost = 0
        socket.hear, socket.lose = self._hear, self._lose

    async def rerun(self, *changed: WidgetState, fragment: str = "") -> float:
        """Send the states of changed widgets; return the seconds until the script has finished.

        ConnectionResetError where the connection goes before.
        """
        message = BackMsg()
        message.rerun_script.query_string = self.query
        message.rerun_script.fragment_id = fragment
        message.rerun_script.page_script_hash = self.page
        message.rerun_script.is_history_navigation = self._history
        message.rerun_script.widget_states.widgets.extend(changed)
        self._answer = []
        self._ended = asyncio.get_running_loop().create_future()
        start = time.perf_counter()
        self._socket.send(message.SerializeToString())
        return await self._ended - start

    async def go_back(self) -> None:
        """Open the address that `query` says, as the browser's Back does."""
        self._history = True
        await self.rerun()
        self._history = False

    def _hear(self, data: bytes) -> None:
        part = ForwardMsg.FromString(data)
        self._answer.append(part)
        kind = part.WhichOneof("type")
        if kind == "navigation":
            self.page = part.navigation.page_script_hash  # a browser says it with all that it sends
        elif kind == "delta" and part.delta.new_element.WhichOneof("type") == "bidi_component":
            drawn = part.delta.new_element.bidi_component
            self.components[drawn.component_name] = drawn.id, part.delta.fragment_id
            self.drawn[drawn.component_name] = drawn.bytes
            if drawn.component_name == "attnviz_address":
                self._take(drawn.id, json.loads(drawn.json))
        # A run may end early to begin anew, as where a link is opened as far as it can be used.
        elif kind == "script_finished" and part.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            self.lost += part.script_finished not in _ENDED_WELL
            if self._ended is not None and not self._ended.done():
                self._ended.set_result(time.perf_counter())

    def _take(self, component: str, told: dict[str, Any]) -> None:
        """Take what a run tells of the page's query, as attnviz/scripts/address.js does."""
        if "asks" in told:
            self.ears = component
        for offer in told.get("offers", told.get("drawn", {}).get("offers", [])):
            if offer["id"] not in self.offered:
                self.offered.add(offer["id"])
                self.taken = offer["id"]
                self.change(offer["patch"])
        if "drawn" in told:
            self.state = told["drawn"]
            if self.state["from"] == mark_of(read_query(self.query)):
                self.query = self.state["is"]
            self.told = self.query

    def change(self, patch: Mapping[str, str | None]) -> None:
        """Change the page's query."""
        query = {**read_query(self.query), **patch}
        self.query = urlencode({name: text for name, text in query.items() if text is not None}, safe="*")

    async def say(self) -> float:
        """Say the page's query, as it does once the hand rests; return the seconds until the run has ended."""
        said = {"said": {"query": self.query, "taken": self.taken}}
        moved, self.moved = self.moved, []
        return await self.rerun(WidgetState(id=self.ears, json_value=json.dumps(said)), *moved)

    @property
    def heard(self) -> bool:
        """Whether what was drawn last is of the page's query."""
        query = read_query(self.query)
        return mark_of(query) == self.state.get("from") or query == read_query(self.state.get("is", ""))

    def _lose(self) -> None:
        if self._ended is not None and not self._ended.done():
            self._ended.set_exception(ConnectionResetError("the connection was closed"))

    async def cut(self) -> None:
        """Lose the connection."""
        self._socket.abort()
        await self._socket.closed

    def elements(self, kind: str) -> Iterator[Any]:
        """Yield the elements of a kind in the last answer."""
        for part in self._answer:
            if part.WhichOneof("type") == "delta" and part.delta.WhichOneof("type") == "new_element":
                element = part.delta.new_element
                if element.WhichOneof("type") == kind:
                    yield getattr(element, kind)

    def fragment_of(self, kind: str, key: str = "") -> str:
        """Return the fragment around the first element of a kind in the last answer, or around the one of a key."""
        deltas = (part.delta for part in self._answer if part.WhichOneof("type") == "delta")
        found = (each for each in deltas if each.new_element.WhichOneof("type") == kind)
        return str(next(each.fragment_id for each in found
                        if not key or getattr(each.new_element, kind).id.endswith(f"-{key}")))  # fmt: skip

    def navigation(self) -> Any:
        """Return what the last answer says of the app's pages."""
        return [part.navigation for part in self._answer if part.WhichOneof("type") == "navigation"][-1]

    async def open_page(self, name: str) -> None:
        """Open another page, by its name in the address."""
        self.page = next(each.page_script_hash for each in self.navigation().app_pages if each.url_pathname == name)
        await self.rerun()

    def session(self) -> str:
        """Return the id of the session that the last answer tells."""
        return next(p.new_session.initialize.session_id for p in self._answer if p.WhichOneof("type") == "new_session")

    def heatmap(self, name: str) -> np.ndarray:
        """Return the numbers of a heatmap in the last answer."""
        sent = next(each for each in self.elements("bidi_component") if each.component_name == "attnviz_heatmaps")
        picture = json.loads(sent.bytes)["pictures"][name]
        return np.frombuffer(b64decode(picture["numbers"]), "<f4").reshape(len(picture["rows"]), -1)


@asynccontextmanager
async def connected(
    address: str, query: str = "", headers: Mapping[str, str] | None = None, patience: float = 60
) -> AsyncIterator[Client]:
    """Open a session and take its first answer."""
    async with open_socket(address, "/_stcore/stream", headers, patience) as socket:
        asking = Asking(address, headers or {})
        client = Client(socket, query, asking)
        try:
            await client.rerun()
            yield client
        finally:
            asking.close()
