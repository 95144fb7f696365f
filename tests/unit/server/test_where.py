"""What the server writes into pages, and that all else passes as it came."""

import asyncio
import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from starlette.types import Message, Receive, Scope, Send

from attnviz.app.components.script_file import script_files
from attnviz.app.server.page_html import WITH_BOARD, WITHOUT, SaysWhere, moved_to, soon, where
from attnviz.link.state import MOST_CHARACTERS, state_of
from attnviz.published import OPENING, starting_points

ROOT = Path(__file__).parents[3]
HEAD, SCRIPT = b"<!DOCTYPE html><title>a</title>", b'<script type="module" src="a.js"></script>'


def answered(
    pieces: list[bytes], kind: str = "text/html; charset=utf-8", accept: str = "text/html,*/*", path: str = "/",
    query: bytes = b"",
) -> list[Message]:  # fmt: skip
    """What reaches the browser of a page in these pieces."""
    sent: list[Message] = []
    length = str(sum(map(len, pieces))).encode()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked = dict(scope["headers"])
        assert (b"accept-encoding" in asked) == ("text/html" not in accept)
        headers = [(b"content-type", kind.encode()), (b"content-length", length), (b"etag", b"1")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for i, piece in enumerate(pieces):
            await send({"type": "http.response.body", "body": piece, "more_body": i < len(pieces) - 1})

    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"accept", accept.encode()), (b"accept-encoding", b"gzip")]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query, "headers": headers}
    asyncio.run(SaysWhere(app)(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    "pieces", [[HEAD + SCRIPT + SCRIPT], [HEAD, SCRIPT, SCRIPT], [HEAD + SCRIPT[:9], SCRIPT[9:] + SCRIPT]]
)
def test_a_page_says_where_its_server_is_before_its_first_script(pieces: list[bytes]) -> None:
    start, body = answered(pieces)
    assert body["body"] == HEAD + where("/") + soon("/", b"") + SCRIPT + SCRIPT
    headers = dict(start["headers"])
    assert int(headers[b"content-length"]) == len(body["body"])
    assert b"etag" not in headers


@pytest.mark.parametrize(
    ("query", "named"),
    [
        (b"", True), (b"step=one-score&query=2", True), (b"present=1&utm_source=%3C/script%3E", True),
        (b"view=heatmaps", True), (b"seed=7&present=1", False), (b"present=1&example=journey", False),
        (b"a=" + b"1" * MOST_CHARACTERS, False),
    ],
)  # fmt: skip
def test_an_address_that_opens_the_opening_example_names_it_from_the_start(query: bytes, named: bool) -> None:
    told = where("/course/lesson", query).decode()
    assert told.count("<script>") == told.count("</script>") == 1
    found = re.search(r"replaceState\(null, '', '\?(.*?)'", told)
    assert (found is not None) == named
    if found:
        assert state_of(found[1]).scenario == starting_points()[OPENING].scenario
        assert parse_qs(query).keys() <= parse_qs(found[1].encode()).keys()


@pytest.mark.parametrize("base", ["/", "/course/"])
@pytest.mark.parametrize(
    ("page", "query", "needed"),
    [
        ("", b"", "board"), ("", b"seed=5&view=heatmaps", "heatmaps"), ("lesson", b"", "board"),
        ("lesson", b"view=heatmaps", "board"), ("compare", b"", "pictures"), ("scaling", b"", ""),
        ("check", b"view=heatmaps", ""),
    ],
)  # fmt: skip
def test_a_page_is_told_of_its_letters_and_its_own_script_and_of_no_other_pages(
    base: str, page: str, query: bytes, needed: str
) -> None:
    told = soon(base + page, query).decode()
    assert [name.split(".")[0] for name in script_files() if name in told] == ([needed] if needed else [])
    assert told.count('as="font"') == 1


@pytest.mark.parametrize(
    ("path", "query", "to"),
    [
        ("/check", b"check=exercise", "exercises"),
        ("/a/check", b"seed=7&check=exercise.7.2&x=1", "exercises"),
        ("/check", b"check=examples&tables=exercise", None), ("/lesson", b"check=exercise.7", None),
        ("/check", b"uncheck=exercise", None), ("/check", b"", None),
    ],
)  # fmt: skip
def test_a_link_to_what_has_a_page_of_its_own_now_is_led_there(path: str, query: bytes, to: str | None) -> None:
    assert moved_to(path, query) == to


def test_a_long_link_is_led_on_without_a_header_that_no_proxy_takes() -> None:
    start, body = answered([], path="/check", query=b"check=exercise.7&tables=" + b"1" * 400_000)
    assert sum(len(name) + len(value) for name, value in start["headers"]) < 4096
    assert b"'exercises' + location.search" in body["body"]


def test_of_every_page_it_is_known_what_draws_its_pictures() -> None:
    assert {*WITH_BOARD, *WITHOUT} == {page.stem for page in (ROOT / "pages").glob("*.py")} - {"playground"}
