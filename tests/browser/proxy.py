"""A network between browser and server that can be cut."""

import asyncio
import re
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

# The header in which a reconnecting page names its session, after the protocol and its token.
_WITH_SESSION = re.compile(rb"(sec-websocket-protocol: *[^,\r]+, *[^,\r]+), *[^,\r]+", re.IGNORECASE)


class Network:
    """A TCP proxy to a port of this machine, in a thread of its own.

    `cut` closes every connection and refuses new ones, like a network that goes down. `freeze` holds back everything
    that is sent, like a network that fails silently, until it is cut or restored. `forget` cuts all connections and
    restores them at once; from then on, the server doesn't recognize a page that reconnects, as if it had been
    restarted.
    """

    def __init__(self, to: int) -> None:
        self.to = to
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._refuses = self._forgets = False
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.restore()
        server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        self._do(self._become(flows=True, refuses=True))

    def freeze(self) -> None:
        self._do(self._become(flows=False))

    def restore(self) -> None:
        self._do(self._become(flows=True))

    def forget(self) -> None:
        self._forgets = True
        self.cut()
        self.restore()

    def close(self) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _do(self, act: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(act, self._loop).result(10)

    async def _become(self, *, flows: bool, refuses: bool = False) -> None:
        self._refuses = refuses
        (self._flows.set if flows else self._flows.clear)()
        for writer in list(self._open) if refuses else ():
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if self._refuses:
                raise OSError
            there, back = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:  # the server itself is away
            writer.transport.abort()
            return
        self._open |= {writer, back}
        await asyncio.gather(self._pass(reader, back), self._pass(there, writer))
        self._open -= {writer, back}

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flows.wait()
                if self._refuses:
                    break
                writer.write(_WITH_SESSION.sub(rb"\1", data) if self._forgets else data)
                await writer.drain()
        with suppress(OSError):
            writer.close()


@contextmanager
def network(to: int) -> Iterator[Network]:
    """Yield a network to this port."""
    between = Network(to)
    try:
        yield between
    finally:
        between.close()
