"""The server between network and Streamlit: headers, who may connect and how fast, what can be set, readiness."""

import asyncio
import contextlib
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
import streamlit
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server import server_util
from streamlit.web.server.starlette import starlette_routes
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from attnviz import trace
from attnviz.app import streamlit_internals
from attnviz.app.operations import metrics
from attnviz.app.server import connections, endpoints, rate_limits
from attnviz.app.server.numbers import Numbers
from attnviz.app.server.page_html import SafeHeaders, policy
from attnviz.app.server.rate_limits import BURST, RATE, Visitors
from attnviz.app.server.settings import (
    EMBED_IN,
    FORWARDERS,
    METRICS,
    MOST_MEMORY,
    MOST_OF_ADDRESS,
    MOST_SESSIONS,
    ORIGINS,
    settings,
)
from attnviz.words import say
from tests.said import of_features

HERE, STRANGER, LISTED = "http://testserver", "https://elsewhere.example.org", "https://course.example.edu"


async def _greet(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"origin {request.headers.get('origin')}", headers={"X-Own": "1"})


async def _echo(socket: WebSocket) -> None:
    await socket.accept()
    try:
        while True:
            await socket.send_bytes(await socket.receive_bytes())
    except WebSocketDisconnect:
        pass


def client(*middleware: Middleware) -> TestClient:
    routes = [Route("/", _greet), Route("/media/a.html", _greet), WebSocketRoute("/_stcore/stream", _echo)]
    return TestClient(Starlette(routes=routes, middleware=middleware))


# Headers


def directives(text: str) -> dict[str, list[str]]:
    return {name: where for name, *where in (part.split() for part in text.split(";"))}


def test_every_answer_says_what_a_browser_may_do_with_it() -> None:
    headers = client(Middleware(SafeHeaders)).get("/").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "SAMEORIGIN"
    assert headers["X-Own"] == "1"
    assert "Cross-Origin-Opener-Policy" not in headers  # with which a first page takes 40 ms more
    assert directives(headers["Content-Security-Policy"])["frame-ancestors"] == ["'self'"]


def test_a_page_fetches_from_here_alone_and_sends_nowhere_else() -> None:
    """No directive names a host, a scheme that reaches one, or everything."""
    told = directives(policy([]))
    assert told["default-src"] == told["connect-src"] == told["form-action"] == told["base-uri"] == ["'self'"]
    assert told["object-src"] == ["'none'"]
    assert "'unsafe-eval'" not in told["script-src"]
    named = {where for places in told.values() for where in places}
    assert named <= {"'self'", "'none'", "'unsafe-inline'", "blob:", "data:"}


def test_a_file_to_take_home_can_do_nothing_in_the_apps_name() -> None:
    told = directives(client(Middleware(SafeHeaders)).get("/media/a.html").headers["Content-Security-Policy"])
    assert told["default-src"] == ["'none'"]
    assert told["sandbox"] == []
    assert "script-src" not in told


# Settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (METRICS, "yes"), (MOST_SESSIONS, "0"), (MOST_SESSIONS, "many"), (MOST_SESSIONS, "1e3"), (EMBED_IN, "*"),
        (MOST_MEMORY, "0"), (MOST_MEMORY, "2g"), (MOST_MEMORY, "-1"),
        (EMBED_IN, "https://a.example; script-src *"), (EMBED_IN, "moodle.example.edu"), (ORIGINS, "https://a.example/x"),
        (EMBED_IN, "https://a.example\r\nSet-Cookie:a=b"), (ORIGINS, "null"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_named_with_what_is_expected(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"^{name} .*expected"):
        settings({name: value})


@given(st.text())
def test_whatever_names_an_embedder_adds_no_directive(value: str) -> None:
    try:
        found = settings({EMBED_IN: value}).embed_in
    except ValueError:
        return
    assert directives(policy(found)).keys() == directives(policy([])).keys()


# Visitors


def opened(given: TestClient, origin: str | None, host: str | None = None, **more: str) -> int:
    """Return 101 where a page may connect, else the status that it is told."""
    headers = {name: value for name, value in (("origin", origin), ("host", host)) if value is not None} | more
    try:
        with given.websocket_connect("/_stcore/stream", headers=headers) as socket:
            socket.send_bytes(message := _of_kind("app_heartbeat"))
            assert socket.receive_bytes() == message
            return 101
    except WebSocketDenialResponse as refused:
        return refused.status_code
    except WebSocketDisconnect as refused:
        return {1008: 403}[refused.code]  # what uvicorn makes of it


@pytest.mark.parametrize(
    ("origin", "status"),
    [(None, 101), (HERE, 101), (LISTED, 101), (LISTED.upper(), 101), (STRANGER, 403), ("null", 403),
     ("http://testserver.example.org", 403), ("http://localhost", 403), ("http://[", 403), ("http://[x]", 403),
     ("", 403)],
)  # fmt: skip
def test_a_page_of_another_origin_may_not_connect(origin: str | None, status: int) -> None:
    given = client(Middleware(Visitors, origins=(LISTED,)))
    assert opened(given, origin) == status
    if origin is not None:  # to a request it's answered as if it came from no page
        assert given.get("/", headers={"origin": origin}).text == f"origin {origin if status == 101 else None}"


REBOUND = "elsewhere.example.org:8501"
BY_PROXY = {"x-forwarded-for": "192.0.2.7"}


@pytest.mark.parametrize(
    ("host", "names", "more", "served"),
    [
        *((host, (), {}, True) for host in ("localhost:8501", "127.0.0.1:8501", "192.0.2.7", "[2001:db8::1]:80",
                                            "box", "box.local", "app:8501", socket.gethostname())),
        *((host, (), {}, False) for host in (REBOUND, "127.0.0.1.example.org", "localhost.example.org", "[", "a.b:c",
                                             "elsewhere.example.org.")),
        (REBOUND, (), BY_PROXY, False),
        (REBOUND, (), {"forwarded": "for=192.0.2.7"}, False),
        ("attnviz.example.edu", ("attnviz.example.edu",), {}, True),
        ("Attnviz.Example.Edu:443", ("*.example.edu",), {}, True),
        ("notexample.edu", ("*.example.edu",), {}, False),
        ("10.0.0.3:8501", ("attnviz.example.edu",), {}, True),
        (REBOUND, ("*",), {}, True),
    ],
)  # fmt: skip
def test_a_name_that_a_stranger_can_have_is_not_served_unless_a_list_says_so(
    host: str, names: tuple[str, ...], more: dict[str, str], served: bool
) -> None:
    given = client(Middleware(SafeHeaders), Middleware(Visitors, names=names))
    answer = given.get("/", headers={"host": host, **more})
    assert answer.status_code == (200 if served else 421)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert (answer.text == say("app.other_name")) is not served
    assert opened(given, f"http://{host}", host, **more) == (101 if served else 403)


@pytest.mark.parametrize(
    ("peer", "forwarders", "names", "more", "served"),
    [
        ("10.0.0.3", "10.0.0.3", (), BY_PROXY, True),
        ("10.0.0.3", "192.0.2.1, 10.0.0.0/8", (), BY_PROXY, True),
        ("::1", "127.0.0.1,::1", (), BY_PROXY, True),
        ("10.0.0.3", "*", (), BY_PROXY, True),
        ("10.0.0.3", "*", (), {}, False),
        ("10.0.0.3", "*", ("attnviz.example.edu",), BY_PROXY, False),
        ("10.0.0.4", "10.0.0.3", (), BY_PROXY, False),
        ("10.0.0.4", "10.0.0.3", (), {"x-forwarded-for": "10.0.0.3"}, False),
        ("127.0.0.1", "", (), BY_PROXY, False),  # uvicorn believes it; but a page on this machine sends from there, too
        ("127.0.0.1", "127.0.0.1", (), BY_PROXY, True),
    ],
)
def test_that_a_request_is_passed_on_is_believed_of_who_may_forward(
    peer: str, forwarders: str, names: tuple[str, ...], more: dict[str, str], served: bool
) -> None:
    """As uvicorn serves it, which puts in the peer's place whom a proxy names."""
    visited: Any = Visitors(client().app, names=names, forwarders=settings({FORWARDERS: forwarders}).forwarders)
    trusting: Any = ProxyHeadersMiddleware(visited, trusted_hosts=forwarders or "127.0.0.1,::1")

    async def connected(scope: Scope, receive: Receive, send: Send) -> None:
        await trusting({**scope, "client": (peer, 5), "state": {connections._PEER: (peer, 5)}}, receive, send)

    given = TestClient(connected)
    assert given.get("/", headers={"host": REBOUND, **more}).status_code == (200 if served else 421)
    assert opened(given, f"http://{REBOUND}", REBOUND, **more) == (101 if served else 403)


def test_what_fails_is_answered_with_the_same_headers() -> None:
    async def fail(request: Request) -> PlainTextResponse:
        raise ZeroDivisionError

    app = Starlette(routes=[Route("/", fail)], middleware=[Middleware(SafeHeaders)])
    answer = TestClient(app, raise_server_exceptions=False).get("/")
    assert (answer.status_code, answer.text) == (500, "")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_streamlits_own_figures_are_told_to_nobody() -> None:
    for path in (f"/{starlette_routes.ROUTE_METRICS}", f"/base/{starlette_routes.ROUTE_METRICS}"):
        found = Starlette(routes=[Route(path, _greet)], middleware=[Middleware(Visitors)])
        assert TestClient(found).get(path).status_code == 404


def test_one_address_may_not_have_all_places_and_this_machine_may() -> None:
    app = Starlette(
        routes=[WebSocketRoute("/_stcore/stream", _echo)], middleware=[Middleware(Visitors, most=5, most_of_address=2)]
    )

    def at(address: str) -> TestClient:
        return TestClient(app, client=(address, 5))

    before = metrics.SESSIONS._value.get()
    with contextlib.ExitStack() as held:
        for address in ("2001:db8:1:2::3", "2001:db8:1:2::4"):
            held.enter_context(at(address).websocket_connect("/_stcore/stream"))
        assert opened(at("2001:db8:1:2:3::5"), None) == 503, "one who has an address of IPv6 has all of its network"
        assert opened(at("2001:db8:1:3::5"), None) == 101
        for _ in range(3):
            held.enter_context(at("127.0.0.1").websocket_connect("/_stcore/stream"))
        assert opened(at("192.0.2.7"), None) == 503, "all are taken"
        assert metrics.SESSIONS._value.get() == before + 5
    assert metrics.SESSIONS._value.get() == before
    assert opened(at("2001:db8:1:2:3::5"), None) == 101
    assert settings({MOST_OF_ADDRESS: "7"}).most_of_address == 7


def handed_on(
    *messages: bytes, come: Callable[[], None] = lambda: None, seen: Callable[[], None] = lambda: None
) -> list[bytes]:
    """Return those of a page's messages that reach Streamlit; tell as each comes, and as it's seen there."""
    coming = [{"type": "websocket.receive", "bytes": each} for each in messages]
    coming.append({"type": "websocket.disconnect"})
    found: list[bytes] = []

    async def receive() -> Message:
        come()
        return coming.pop(0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while (message := await receive())["type"] == "websocket.receive":
            found.append(message["bytes"])
            seen()

    async def send(message: Message) -> None: ...

    scope: dict[str, Any] = {"type": "websocket", "headers": []}
    asyncio.run(Visitors(app)(scope, receive, send))
    return found


def test_what_would_empty_the_caches_of_all_readers_never_reaches_streamlit() -> None:
    run, clear = BackMsg(), BackMsg(clear_cache=True).SerializeToString()
    run.rerun_script.query_string = "seed=7"
    whole = run.SerializeToString()
    unknown = bytes([0xF2, 0x3F, 5]) + b"aaaaa"  # a field that there is not
    assert BackMsg.FromString(unknown + clear).clear_cache
    assert handed_on(whole, clear, unknown + clear, whole + clear, clear + unknown, whole) == [whole, whole]
    assert handed_on(clear + whole, b"", b"no message") == [clear + whole], "the last of two counts"


def test_a_message_beyond_the_limit_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    run, most = BackMsg(), connections.most_message()
    run.rerun_script.query_string = "a" * (most - 20)
    within = run.SerializeToString()
    run.rerun_script.query_string += "a" * 20
    beyond = run.SerializeToString()
    assert len(within) <= most < len(beyond)
    parsed: list[int] = []
    taken = streamlit_internals.is_of_a_reader

    def is_of_a_reader(message: bytes) -> bool:
        parsed.append(len(message))
        return taken(message)

    monkeypatch.setattr(rate_limits, "is_of_a_reader", is_of_a_reader)
    assert handed_on(beyond, within, beyond) == [within]
    assert parsed == [len(within)]


def test_every_kind_of_message_is_a_readers_or_left_out() -> None:
    kinds = {field.name for field in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    left_out = {kind for kind in kinds if not streamlit_internals.is_of_a_reader(_of_kind(kind))}
    assert left_out == {"clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket",
                        "debug_shutdown_runtime"}  # fmt: skip


def _of_kind(kind: str) -> bytes:
    message = BackMsg()
    if BackMsg.DESCRIPTOR.fields_by_name[kind].message_type is None:
        setattr(message, kind, True)
    else:
        getattr(message, kind).SetInParent()
    return bytes(message.SerializeToString())


def test_what_sessions_share_hangs_on_nothing_that_streamlit_empties() -> None:
    def held() -> list[int]:
        more = (each for of_feature in of_features("held") for each in of_feature())
        return [id(each) for each in more]

    before = held()
    streamlit.cache_data.clear()
    streamlit.cache_resource.clear()
    assert held() == before


def test_a_strangers_origin_never_reaches_streamlit_which_would_ask_the_internet_who_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    for name in ("get_external_ip", "get_internal_ip"):
        monkeypatch.setattr(net_util, name, lambda name=name: asked.append(name))
    server_util.is_url_from_allowed_origins(STRANGER)
    assert "get_external_ip" in asked, "Streamlit no longer asks: this need not be kept from it"
    given = client(Middleware(Visitors))
    assert given.get("/", headers={"origin": STRANGER}).text == "origin None"
    assert given.get("/", headers={"origin": HERE}).text == f"origin {HERE}"


def test_where_memory_is_short_no_further_page_is_opened_but_the_first_always_is() -> None:
    used = [99.0]
    given = client(Middleware(Visitors, most_mib=100, used=lambda: used[0]))
    with given.websocket_connect("/_stcore/stream"):
        assert opened(given, None) == 101
        used[0] = 101.0
        before = metrics.TURNED_AWAY.labels("memory")._value.get()
        assert opened(given, None) == 503
        assert metrics.TURNED_AWAY.labels("memory")._value.get() == before + 1
    assert opened(given, None) == 101
    assert settings({MOST_MEMORY: "700"}).most_memory == 700


def received(times: Sequence[float], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return when messages that come at these times are handed on."""
    now, handed, coming = [0.0], list[float](), iter([*times, 0.0])

    def come() -> None:
        now[0] = max(now[0], next(coming))

    async def wait(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(asyncio, "sleep", wait)
    handed_on(*[_of_kind("app_heartbeat")] * len(times), come=come, seen=lambda: handed.append(now[0]))
    return handed


def test_who_sends_as_a_person_does_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [i / RATE for i in range(500)]
    assert received(times, monkeypatch) == times
    assert received([0.0] * int(BURST), monkeypatch) == [0.0] * int(BURST)


def test_who_sends_more_waits_between_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 1000
    handed = received([0.0] * n, monkeypatch)
    assert handed == sorted(handed)
    assert handed[-1] == pytest.approx((n - BURST) / RATE)


# What is asked of a server that runs


def test_while_numbers_are_computed_a_run_lets_them_go_on_ten_times_as_soon_as_python_does() -> None:
    """Or each call of torch waits 5 ms for it: numbers that take 1.5 ms took 66 beside two runs."""
    usual, numbers = sys.getswitchinterval(), Numbers()

    def computed() -> bytes:
        return str(sys.getswitchinterval() <= usual / 10).encode()

    assert asyncio.run(numbers._computed("192.0.2.7", computed)) == b"True"
    assert sys.getswitchinterval() == usual


def test_readiness_waits_for_what_pages_need(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_READY", threading.Event())
    given = TestClient(Starlette(routes=[Route("/ready", partial(endpoints.tell_ready, served={}))]))
    assert given.get("/ready").status_code == 503
    goes_on = threading.Event()

    def slowly(scenario: Any) -> Any:
        goes_on.wait(30)
        return trace(scenario)

    monkeypatch.setattr(endpoints, "trace", slowly)
    endpoints.begin()
    assert given.get("/ready").json() == {"ready": False}
    goes_on.set()
    assert endpoints._READY.wait(60)
    assert given.get("/ready").status_code == 200
