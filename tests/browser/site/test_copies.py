"""Two copies behind a balancer, in a page of another site: the frame keeps its copy though others' cookies are blocked.

The cookie is the one that deploy/kubernetes/ingress.yaml asks the ingress for: Secure, SameSite=None and Partitioned.
Chromium takes localhost for a safe place, so that no TLS is needed for it; 127.0.0.1 is another site.
"""

import asyncio
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import count

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.playground import eventually
from tests.browser.serving import free_port, running_server

COOKIE = "attnviz_copy"
PARTITIONED = "Path=/; HttpOnly; Secure; SameSite=None; Partitioned"
_COPY = re.compile(rb"\r\ncookie:[^\r]*\battnviz_copy=([01])", re.IGNORECASE)
_CONNECTION = re.compile(rb"\r\nconnection: *keep-alive", re.IGNORECASE)


class Balancer:
    """A proxy to several copies: each in turn, or the one that a cookie names, which every answer without it sets.

    At /course it answers with a page that frames the app, as a course's page of another site does.
    """

    def __init__(self, copies: Sequence[int], attributes: str) -> None:
        self.copies, self.attributes = copies, attributes
        self.asked: list[tuple[str, int, bool]] = []  # path, copy, and whether the cookie named it
        self._turns = count()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        started = asyncio.run_coroutine_threadsafe(asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop)
        self.port = started.result(10).sockets[0].getsockname()[1]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            if path == "/course":
                frame = f"<iframe src='http://localhost:{self.port}/' width=1200 height=700></iframe>"
                writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{frame}".encode())
            else:
                await self._forward(path, head, reader, writer)
        writer.close()

    async def _forward(
        self, path: str, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        named = _COPY.search(head)
        copy = int(named[1]) if named else next(self._turns) % len(self.copies)
        self.asked.append((path.partition("?")[0], copy, bool(named)))
        there, back = await asyncio.open_connection("127.0.0.1", self.copies[copy])
        back.write(_CONNECTION.sub(b"\r\nConnection: close", head))
        sends = asyncio.create_task(_pass(reader, back))
        answer = await there.readuntil(b"\r\n\r\n")
        cookie = b"" if named else f"\r\nSet-Cookie: {COOKIE}={copy}; {self.attributes}".encode()
        writer.write(answer.removesuffix(b"\r\n\r\n") + cookie + b"\r\n\r\n")
        await _pass(there, writer)
        sends.cancel()
        back.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()


@pytest.fixture(scope="module")
def balancers() -> Iterator[tuple[Balancer, Balancer]]:
    """Two copies, behind a balancer whose cookie is partitioned and one whose cookie isn't."""
    ports = free_port(), free_port()
    balancers = Balancer(ports, PARTITIONED), Balancer(ports, PARTITIONED.removesuffix("; Partitioned"))
    courses = " ".join(f"http://127.0.0.1:{each.port}" for each in balancers)
    with ExitStack() as running:
        with ThreadPoolExecutor() as both:
            list(
                both.map(lambda port: running.enter_context(running_server(port=port, ATTNVIZ_EMBED_IN=courses)), ports)
            )
        yield balancers
    for each in balancers:
        each.close()


def framed(chromium: Browser, balancer: Balancer) -> Page:
    """A course's page with the app in a frame, in a browser that blocks other sites' cookies."""
    page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
    controls = page.context.new_cdp_session(page)
    controls.send("Network.enable")
    others = {"enableThirdPartyCookieRestriction": True, "disableThirdPartyCookieMetadata": True}
    controls.send("Network.setCookieControls", {**others, "disableThirdPartyCookieHeuristics": True})
    page.goto(f"http://127.0.0.1:{balancer.port}/course")
    return page


def test_a_framed_page_keeps_its_copy_where_other_sites_cookies_are_blocked(
    chromium: Browser, balancers: tuple[Balancer, Balancer]
) -> None:
    balancer = balancers[0]
    page = framed(chromium, balancer)
    app = page.frame_locator("iframe")
    expect(app.get_by_test_id("stAlert")).to_have_count(0)
    expect(app.locator("[data-at='scores,0,0']").first).to_be_visible(timeout=60_000)
    (path, copy, named), *others = balancer.asked
    assert (path, named) == ("/", False)
    assert "/_stcore/stream" in {path for path, _, _ in others}
    assert {(copy, named) for _, copy, named in others} == {(copy, True)}
    page.context.close()


def test_without_the_attribute_every_request_goes_to_another_copy(
    chromium: Browser, balancers: tuple[Balancer, Balancer]
) -> None:
    """So the browser of the test above does block others' cookies."""
    balancer = balancers[1]
    page = framed(chromium, balancer)
    eventually(lambda: len(balancer.asked) > 10, wanted=True)
    assert not any(named for _, _, named in balancer.asked)
    assert {copy for _, copy, _ in balancer.asked} == {0, 1}
    page.context.close()
