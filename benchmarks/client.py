"""A client of a Streamlit server without a browser: it changes a control and takes the answer."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect


class Client:
    """One session. `rerun` is one change of a control and its answer; `lost` counts answers that were no success."""

    def __init__(self, socket: ClientConnection, query: str) -> None:
        self._socket = socket
        self._query = query
        self._answer: list[ForwardMsg] = []
        self.lost = 0

    async def rerun(self, *changed: WidgetState) -> float:
        """Send the states of changed widgets; return the seconds until the script has finished."""
        message = BackMsg()
        message.rerun_script.query_string = self._query
        message.rerun_script.widget_states.widgets.extend(changed)
        start = time.perf_counter()
        await self._socket.send(message.SerializeToString())
        self._answer = []
        while True:
            part = ForwardMsg.FromString(await self._socket.recv(decode=False))
            self._answer.append(part)
            if part.WhichOneof("type") == "script_finished":
                self.lost += part.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY
                return time.perf_counter() - start

    def elements(self, kind: str) -> Iterator[Any]:
        """Yield the elements of a kind in the last answer."""
        for part in self._answer:
            if part.WhichOneof("type") == "delta" and part.delta.WhichOneof("type") == "new_element":
                element = part.delta.new_element
                if element.WhichOneof("type") == kind:
                    yield getattr(element, kind)

    def navigation(self) -> Any:
        """Return what the last answer says of the app's pages."""
        return [part.navigation for part in self._answer if part.WhichOneof("type") == "navigation"][-1]

    def heatmap(self, name: str) -> np.ndarray:
        """Return the numbers of a heatmap in the last answer, by the end of its key."""
        spec = next(json.loads(chart.spec) for chart in self.elements("plotly_chart") if chart.id.endswith(name))
        parts = [np.array(drawn["z"], dtype=np.float32) for drawn in spec["data"] if "z" in drawn]
        return np.fmax.reduce(parts)  # each part has the cells of one ink


@asynccontextmanager
async def connected(address: str, query: str = "") -> AsyncIterator[Client]:
    """Open a session and take its first answer."""
    url = f"ws://{address}/_stcore/stream"
    async with connect(url, subprotocols=["streamlit"], max_size=None, compression=None) as socket:  # type: ignore[list-item]
        client = Client(socket, query)
        await client.rerun()
        yield client
