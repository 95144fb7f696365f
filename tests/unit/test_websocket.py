"""The socket with which servers are measured: it takes frames as they come, however the network cuts them."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.server import ServerConnection, serve

from benchmarks.websocket import HandshakeError, Socket, open_socket


def frame(payload: bytes, first: int = 0x82) -> bytes:
    """A frame as a server sends it: of a whole binary message, where nothing else is said."""
    length = len(payload)
    if length < 126:
        return bytes([first, length]) + payload
    if length < 65536:
        return bytes([first, 126]) + length.to_bytes(2, "big") + payload
    return bytes([first, 127]) + length.to_bytes(8, "big") + payload


def heard(parts: list[bytes]) -> list[bytes]:
    async def hear() -> list[bytes]:
        socket, told = Socket(b""), list[bytes]()
        socket.hear = told.append
        for part in parts:
            socket.data_received(part)
        return told

    return asyncio.run(hear())


SIZES = st.sampled_from((0, 1, 125, 126, 127, 65535, 65536, 70000))


@given(st.lists(SIZES, max_size=5), st.lists(st.integers(1, 200_000), max_size=6))
def test_messages_are_whole_wherever_the_bytes_are_cut(sizes: list[int], cuts: list[int]) -> None:
    messages = [bytes([i]) * size for i, size in enumerate(sizes)]
    sent = b"HTTP/1.1 101 Switching Protocols\r\n\r\n" + b"".join(map(frame, messages))
    places = [0, *sorted(cut for cut in cuts if cut < len(sent)), len(sent)]
    assert heard([sent[start:end] for start, end in pairwise(places)]) == messages


def test_a_message_in_several_frames_is_one_and_a_ping_between_them_is_none() -> None:
    parts = [b"HTTP/1.1 101 \r\n\r\n", frame(b"a", 0x02), frame(b"?", 0x89), frame(b"b", 0x00), frame(b"c", 0x80)]
    assert heard([b"".join(parts)]) == [b"abc"]


def test_a_server_of_somebody_elses_making_understands_it_and_is_understood() -> None:
    async def talk() -> list[bytes]:
        async def echo(connection: ServerConnection) -> None:
            async for message in connection:
                await connection.send(message)

        def told(address: Any) -> str:
            return f"{address[0]}:{address[1]}"

        messages = [b"x" * size for size in (0, 125, 126, 65536, 300_000)]
        async with serve(echo, "127.0.0.1", 0, subprotocols=["streamlit"], max_size=None) as server:  # type: ignore[list-item]
            address = told(server.sockets[0].getsockname())
            async with open_socket(address, "/") as socket:
                back: asyncio.Queue[bytes] = asyncio.Queue()
                socket.hear = back.put_nowait
                for message in messages:
                    socket.send(message)
                got = [await asyncio.wait_for(back.get(), 10) for _ in messages]
            with pytest.raises(ConnectionResetError):
                socket.send(b"after it was closed")
        assert got == messages
        return got

    asyncio.run(talk())


def test_what_a_server_says_instead_is_told_by_its_status() -> None:
    async def status() -> int:
        async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()

        server = await asyncio.start_server(refuse, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        try:
            async with server, open_socket(f"{host}:{port}", "/"):
                return 101
        except HandshakeError as refused:
            return refused.status

    assert asyncio.run(status()) == 403


def test_whoever_waits_for_an_answer_hears_that_the_connection_went() -> None:
    async def lost() -> bool:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")
            await writer.drain()
            await reader.read(1)
            writer.transport.abort()

        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        host, port = server.sockets[0].getsockname()
        async with server, open_socket(f"{host}:{port}", "/") as socket:
            gone = asyncio.Event()
            socket.lose = gone.set
            socket.send(b"asked")
            await asyncio.wait_for(gone.wait(), 10)
            return gone.is_set()

    assert asyncio.run(lost())
