"""The reader without a browser that load, soak and cluster are measured with: what it counts as lost is lost."""

import asyncio
from collections.abc import Iterator

import pytest

from benchmarks.reader import Reader
from benchmarks.servers import OURS, Server, serving


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(OURS) as served:
        yield served


def test_what_is_edited_is_in_the_address_also_after_the_connection_went(server: Server) -> None:
    async def edit() -> Reader:
        reader = Reader(server.address)
        await reader.open()
        await reader.edit(("w_q", 0, 0), 0.5)
        await reader.cut()
        await reader.edit(("w_k", 1, 1), 9.0)
        await reader.rest()
        await reader.close()
        return reader

    reader = asyncio.run(edit())
    assert reader.lost() == 0
    assert len(reader.away) == 1
    assert len(set(reader.copies)) == 2, "a session each time"
    reader.wanted["w_v", 0, 0] = 1.0
    assert reader.lost() == 1, "what no run was drawn with is lost"


def test_a_file_of_five_million_bytes_is_taken_and_a_larger_one_is_not(server: Server) -> None:
    async def upload() -> list[int]:
        reader = Reader(server.address)
        await reader.open()
        told = [await reader.upload(bytes(size)) for size in (5_000_000, 6_500_000)]
        await reader.close()
        return told

    assert asyncio.run(upload()) == [204, 413]
