"""Hosts and addresses of requests, and the rate limit of each.

A page of a stranger can have its own name lead to this machine (DNS rebinding): the browser then takes the server for
that page's own, and origin and host agree. A name that does so is one that can be bought. So a browser that comes here
itself is served under an address, under a name without a dot or under this machine's own; and one that comes by a proxy
under whatever name it asked that for, unless names are listed.
"""

import socket
import time
from collections.abc import Mapping, Sequence
from ipaddress import IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

import streamlit as st
from starlette.types import Scope

_NOBODYS = (".localhost", ".local", ".internal", ".home.arpa")  # within these nobody can buy a name
_OF_ONE = 64  # bits of an address of IPv6 that a visitor is given; the others are as they like
RATE, BURST = 20.0, 60.0  # messages a second in the long run, and at once: as fast as a person can
_OF_PROXIES = ("x-forwarded-for", "forwarded")  # which no page can have a browser send as it opens a socket


def listed() -> tuple[str, ...]:
    """Return the names in Streamlit's setting server.allowedHosts."""
    return tuple(str(each).strip().lower().rstrip(".") for each in st.get_option("server.allowedHosts"))


def is_served(host: str, headers: Mapping[str, str], names: Sequence[str] = ()) -> bool:
    """Whether this server answers under a host; `names` are those listed.

    >>> [is_served(host, {}) for host in ("localhost:8501", "192.0.2.7", "[::1]:8501", "elsewhere.example.org")]
    [True, True, True, False]
    >>> by_proxy = {"x-forwarded-for": "192.0.2.7"}
    >>> [is_served("a.example.org", by_proxy, names) for names in ([], ["*.example.org"], ["b.example.org"])]
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
    return any(each in headers for each in _OF_PROXIES)


def _is_nobodys(name: str) -> bool:
    """Whether a name is one that no stranger can have."""
    if "." not in name or name.endswith(_NOBODYS) or name == socket.gethostname().lower():
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def address_of(scope: Scope) -> str:
    """Return what tells a visitor's address from others.

    Behind a proxy it's the proxy's, until that is trusted to tell of whom a request comes: see deploy/README.md.

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
        """Whether a message may come now; only then it counts."""
        self._left = self._now()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _now(self) -> float:
        now = time.monotonic()
        left, self._at = min(self._burst, self._left + self._rate * (now - self._at)), now
        return left
