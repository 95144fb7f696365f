"""Somebody sends 100 MB at once, without a proxy between: others are answered in the meantime."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

MUCH, LIMIT = 100_000_000, 8_000_000
HELD = 8_000_000  # bytes that are in the buffers of a connection's two ends, at most
OTHERS = 0.5  # seconds that they may wait
HOST = b"Host: localhost\r\n"
PAGE = (
    b"GET /_stcore/stream HTTP/1.1\r\n" + HOST + b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)


def frame(kind: int, length: int) -> bytes:
    """Return the head of a socket's frame that is masked with zeros, so that what follows is sent as it is."""
    return bytes([kind, 0xFF]) + length.to_bytes(8, "big") + bytes(4)


@contextmanager
def others(server: str) -> Iterator[list[float]]:
    """Ask the server again and again; give how long each answer took."""
    took, over = list[float](), threading.Event()

    def ask() -> None:
        while not over.is_set():
            begun = time.monotonic()
            urlopen(f"{server}/_stcore/health", timeout=60).read()
            took.append(time.monotonic() - begun)
            over.wait(0.02)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        time.sleep(0.3)
        yield took
    finally:
        over.set()
        asking.join()


def taken_by(server: str, begin: bytes, repeated: bytes) -> int:
    """Send this, then the second 100 MB long; return how much was taken until the server closed the connection."""
    at = urlsplit(server)
    piece, taken = repeated * max(1, 2**16 // len(repeated)), 0
    with socket.create_connection((at.hostname, at.port), timeout=60) as connection:
        if begin.startswith(PAGE):
            connection.sendall(PAGE)
            assert connection.recv(4096).startswith(b"HTTP/1.1 101 ")
            begin = begin.removeprefix(PAGE)
        with suppress(ConnectionError):
            connection.sendall(begin)
            while taken < MUCH:
                connection.sendall(piece)
                taken += len(piece)
        return taken


@pytest.fixture(scope="module")
def ready(server: str) -> str:
    """The address of a server that has imported what pages need, which takes a processor, too."""
    deadline = time.monotonic() + 120
    while True:
        with suppress(OSError):
            urlopen(f"{server}/ready", timeout=60)
            return server
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.parametrize(
    ("begin", "repeated", "limit"),
    [
        (b"GET /?q=", b"a", 2**21),
        (b"GET / HTTP/1.1\r\n" + HOST + b"X: ", b"a", 2**21),
        (b"GET / HTTP/1.1\r\n" + HOST, b"X: abcdefghijk\r\n", 2**21),
        (b"POST / HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"a", 2**21),
        (PAGE + frame(0x82, MUCH), b"a", 0),
        (PAGE + frame(0x82, MUCH), b"\x0a\x08" + b"\x12\x06abcdef", 0),
        (PAGE + frame(0x02, 0), frame(0x00, 60_000) + b"a" * 60_000, LIMIT),
    ],
    ids=["request line", "header", "many headers", "trailer", "message", "message of fields", "message in fragments"],
)
def test_whoever_sends_100_mb_keeps_nobody_waiting(ready: str, begin: bytes, repeated: bytes, limit: int) -> None:
    with others(ready) as took:
        taken = taken_by(ready, begin, repeated)
    assert max(took) < OTHERS
    assert taken < limit + HELD
