"""Limits on who opens pages, how many, and how fast each sends.

Pages of other origins may not connect, and are refused here: Streamlit would first look up its own public address, by
asking a server on the internet, and everybody would wait. A page whose host name was pointed at this server may not
connect, either. If too many pages are open, in total or from one address, or too much memory is used, the server tells
the next page to come back later; a proxy then tries another copy of the server. Messages that come faster than a person
can send them are delayed. Messages that no reader's page sends are dropped, because one kind of them empties
Streamlit's caches for everybody.

About host names: a foreign page can point its own name at this machine (DNS rebinding). The browser then takes this
server for that page's own, and origin and host agree. Such a name must be one that can be bought. So a browser that
comes here directly is served only under an IP address, a name without a dot, or this machine's own name; one that comes
through a proxy is served under any name, unless the allowed names are listed. Any client can claim to come through a
proxy, so the claim is believed only from the addresses that the server's operator names (FORWARDED_ALLOW_IPS). uvicorn
takes a visitor's address from the same proxies, but by default it also trusts this machine itself. That isn't enough
here: a rebound page that is open in a browser on this machine comes from there, too.
"""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from attnviz.app.operations import metrics
from attnviz.app.operations.logs import get_log
from attnviz.app.operations.memory import used_mib
from attnviz.app.server.connections import most_message, peer_of
from attnviz.app.streamlit_internals import is_of_a_reader
from attnviz.words import say

_NOBODYS = (".localhost", ".local", ".internal", ".home.arpa")  # endings of host names that nobody can buy
_OF_ONE = 64  # bits of an IPv6 address that a network assigns to a visitor, who can choose the others
RATE, BURST = 20.0, 60.0  # messages per second in the long run, and in one burst: as fast as a person can


def listed() -> tuple[str, ...]:
    """Return the names in Streamlit's setting server.allowedHosts."""
    return tuple(str(each).strip().lower().rstrip(".") for each in st.get_option("server.allowedHosts"))


def is_served(host: str, names: Sequence[str] = (), *, forwarded: bool = False) -> bool:
    """Whether this server answers under a host.

    `names` are the allowed names; `forwarded` says that a trusted proxy passed the request on.

    >>> [is_served(host) for host in ("localhost:8501", "192.0.2.7", "[::1]:8501", "elsewhere.example.org")]
    [True, True, True, False]
    >>> [is_served("a.example.org", names, forwarded=True) for names in ([], ["*.example.org"], ["b.example.org"])]
    [True, True, False]
    """
    try:
        name = (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return False
    if _is_nobodys(name):
        return True
    if names:
        return any(each in ("*", name) or (each.startswith("*.") and name.endswith(each[1:])) for each in names)
    return forwarded


def may_forward(peer: str, forwarders: str) -> bool:
    """Whether an address is trusted to forward requests for others.

    `forwarders` is FORWARDED_ALLOW_IPS, read as uvicorn reads it: addresses and networks with commas between them, or
    `*` for any address.

    >>> [may_forward("192.0.2.7", each) for each in ("", "*", "192.0.2.7", "10.0.0.1, 192.0.2.0/24", "10.0.0.1")]
    [False, True, True, True, False]
    """
    if forwarders == "*":
        return True
    try:
        address = ip_address(peer)
    except ValueError:
        return False
    for each in forwarders.split(","):
        with suppress(ValueError):  # raised for anything that isn't an address
            if address in ip_network(each.strip()):
                return True
    return False


def _is_nobodys(name: str) -> bool:
    """Whether no stranger can own this host name."""
    if "." not in name or name.endswith(_NOBODYS) or name == socket.gethostname().lower():
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def address_of(scope: Scope) -> str:
    """Return the key by which a visitor's address is counted.

    Behind a proxy, it's the proxy's address until uvicorn trusts the proxy: see docs/DEPLOYMENT.md.

    >>> address_of({"client": ("2001:db8:1:2:3:4:5:6", 50000)}), address_of({"client": ("192.0.2.7", 50000)})
    ('2001:db8:1:2::/64', '192.0.2.7')
    """
    host = (scope.get("client") or ("",))[0]
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return str(host)
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if not isinstance(address, IPv6Address) or address.is_loopback or address.is_link_local:
        return str(address)
    return str(ip_network((address, _OF_ONE), strict=False))


def is_of_this_machine(address: str) -> bool:
    """Whether an address from :func:`address_of` is this machine's own."""
    try:
        return ip_network(address).is_loopback
    except ValueError:
        return False


class Pace:
    """A rate limit: `rate` messages a second, and `burst` at once."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def early(self) -> float:
        """Count a message; return the seconds by which it's early."""
        self._left = self._now() - 1
        return max(0.0, -self._left / self._rate)

    def admits(self) -> bool:
        """Count a message if it's admitted now; return whether it is."""
        self._left = self._now()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _now(self) -> float:
        now = time.monotonic()
        left, self._at = min(self._burst, self._left + self._rate * (now - self._at)), now
        return left


_LOG = get_log(__name__)
_FULL, _OF_ADDRESS, _MEMORY, _STRANGER, _NAME = "full", "address", "memory", "origin", "name"
# Streamlit's own metrics stay hidden. Ours, at /metrics, say more, if they are turned on.
_FIGURES = "/_stcore/metrics"


class Visitors:
    """A middleware that counts open pages and limits each visitor."""

    def __init__(
        self, app: ASGIApp, origins: Sequence[str] = (), names: Sequence[str] = (), most: int = 400,
        most_of_address: int = 100, most_mib: int | None = None, used: Callable[[], float | None] = used_mib,
        forwarders: str = "",
    ) -> None:  # fmt: skip
        self.app = app
        self.open = 0
        self._of_address = Counter[str]()
        self._most_mib = most_mib
        self._used = used
        self._origins = frozenset(each.lower() for each in origins)
        self._names = tuple(names)
        self._forwarders = forwarders
        self._most, self._most_of_address = most, most_of_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or one page while it is open."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        forwarded = "x-forwarded-for" in headers and may_forward(peer_of(scope), self._forwarders)
        served = is_served(headers.get("host", ""), self._names, forwarded=forwarded)
        known = served and self._is_known(headers)
        if scope["type"] == "http":
            if not served:
                await PlainTextResponse(say("app.other_name"), 421)(scope, receive, send)
            elif scope["path"].endswith(_FIGURES):
                await PlainTextResponse("", 404)(scope, receive, send)
            else:
                # A foreign page gets the same answer, but its Origin is removed from the request, so that no header of
                # the answer allows that page to read it.
                kept = [(name, value) for name, value in scope["headers"] if known or name != b"origin"]
                await self.app({**scope, "headers": kept}, receive, send)
        elif not known:
            _note(_STRANGER if served else _NAME)
            await receive()
            # The socket isn't accepted yet, so the client gets a 403.
            await send({"type": "websocket.close", "code": 1008})
        elif full := self._is_full(address := address_of(scope)):
            _note(full)
            await _tell_to_come_back(receive, send, scope)
        else:
            await self._visit(address, scope, receive, send)

    async def _visit(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        self.open += 1
        self._of_address[address] += 1
        metrics.OPENED.inc()
        metrics.SESSIONS.inc()
        try:
            await self.app(scope, _Paced(receive), send)
        finally:
            self.open -= 1
            self._of_address -= Counter([address])  # also drops an address without open pages
            metrics.SESSIONS.dec()

    def _is_full(self, address: str) -> str:
        """Return the limit that another page would exceed; blank within limits."""
        if self.open >= self._most:
            return _FULL
        if self._of_address[address] >= self._most_of_address and not is_of_this_machine(address):
            return _OF_ADDRESS
        if self._most_mib is not None and self.open and (self._used() or 0) > self._most_mib:
            return _MEMORY
        return ""

    def _is_known(self, headers: Headers) -> bool:
        """Whether a request has this server's origin, a listed one or none."""
        origin = headers.get("origin")
        if origin is None:
            return True
        try:
            host = urlsplit(origin).netloc.lower()
        except ValueError:
            return False
        return host == headers.get("host", "").lower() or origin.lower() in self._origins


def _note(why: str) -> None:
    metrics.TURNED_AWAY.labels(why).inc()
    _LOG.warning("a page was turned away", extra={"told": {"why": why}})


async def _tell_to_come_back(receive: Receive, send: Send, scope: Scope) -> None:
    """Answer with 503, so that a proxy tries another copy."""
    await receive()
    if "websocket.http.response" in scope.get("extensions", {}):
        headers = [(b"retry-after", b"5"), (b"content-length", b"0")]
        await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": b""})
    else:
        await send({"type": "websocket.close", "code": 1013})


class _Paced:
    """A receiver that delays messages sent too fast, and drops foreign ones."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._pace = Pace()
        self._most = most_message()

    async def __call__(self) -> Message:
        while True:
            message = await self._receive()
            if message["type"] != "websocket.receive":
                return message
            if early := self._pace.early():
                metrics.HELD_BACK.inc()
                await asyncio.sleep(early)
            sent = message.get("bytes") or b""
            if len(sent) <= self._most and is_of_a_reader(sent):  # length first: parsing 100 MB would hold up everybody
                return message
            metrics.LEFT_OUT.inc()
