"""Under which names this server is opened.

A page of a stranger can have its own name lead to this machine (DNS rebinding): the browser then takes the server for
that page's own, and origin and host agree. A name that does so is one that can be bought. So a browser that comes here
itself is served under an address, under a name without a dot or under this machine's own; and one that comes by a proxy
under whatever name it asked that for, unless names are listed.
"""

import socket
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

_NOBODYS = (".localhost", ".local", ".internal", ".home.arpa")  # within these nobody can buy a name
_OF_PROXIES = ("x-forwarded-for", "forwarded")  # which no page can have a browser send as it opens a socket


def listed() -> tuple[str, ...]:
    """Return the names that Streamlit's setting server.allowedHosts lists; it holds sockets to these itself."""
    return tuple(str(each).strip().lower().rstrip(".") for each in st.get_option("server.allowedHosts"))


def is_served(host: str, headers: Mapping[str, str], names: Sequence[str] = ()) -> bool:
    """Whether this server is opened under a host, which is a name or an address, with a port or without; `names` are
    those that are listed.

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
