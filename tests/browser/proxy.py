"""A network between browser and server that can be cut."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Where a page that comes back names its session, after the protocol and its token.
_WITH_SESSION = re.compile(rb"(sec-websocket-protocol: *[^,\r]+, *[^,\r]+), *[^,\r]+", re.IGNORECASE)


class Network:
    """A TCP proxy to a port of this machine, in a thread of its own.

    `cut` closes every connection and refuses new ones, as a network that goes away and says so; `freeze` lets all that
    is sent get stuck, as a network that goes away without a word, until it is cut or restored; `forget` cuts all and is
    there again at once, and from then on the server knows no page that comes back, as one that was started anew.
    """

    def __init__(self, to: int) -> None:
        self.to = to
        self.port = 0
        self.refused = 0
        self._loop = asyncio.new_event_loop()
        self._open: set[asyncio.StreamWriter] = set()
        self._flows = asyncio.Event()
        self._refuses = False
        self._forgets = False
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._started.wait(10)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        self._call(self._cut)

    def freeze(self) -> None:
        self._call(self._flows.clear)

    def restore(self) -> None:
        def restore() -> None:
            self._refuses = False
            self._flows.set()

        self._call(restore)

    def forget(self) -> None:
        self._forgets = True
        self.cut()
        self.restore()

    def mend(self) -> None:
        """Be as a network that was never away."""
        self._forgets = False
        self.restore()

    def close(self) -> None:
        self._call(self._cut)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _call(self, act: object) -> None:
        done = threading.Event()

        def run() -> None:
            act()  # type: ignore[operator]
            done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait(10)

    def _cut(self) -> None:
        self._refuses = True
        self._flows.set()
        for writer in list(self._open):
            writer.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._flows.set()
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = int(server.sockets[0].getsockname()[1])
        self._started.set()
        self._loop.run_forever()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            self.refused += 1
            writer.transport.abort()
            return
        try:
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
    """Give a network to this port."""
    between = Network(to)
    try:
        yield between
    finally:
        between.close()
