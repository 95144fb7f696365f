"""The server's settings, from environment variables; invalid ones stop the start."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from attnviz.app.operations.memory import default_most_mib

METRICS, EMBED_IN, ORIGINS, MOST_SESSIONS, MOST_OF_ADDRESS, MOST_MEMORY = (
    "ATTNVIZ_METRICS", "ATTNVIZ_EMBED_IN", "ATTNVIZ_ORIGINS", "ATTNVIZ_MOST_SESSIONS", "ATTNVIZ_MOST_OF_ADDRESS",
    "ATTNVIZ_MOST_MEMORY",
)  # fmt: skip
FORWARDERS = "FORWARDED_ALLOW_IPS"  # uvicorn's own variable
_SESSIONS = 400  # limit per process: with more than some sixty active readers, another copy answers sooner
_OF_ADDRESS = 100  # limit per address, enough for a class that shares one
_ORIGIN = re.compile(r"https?://(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?", re.IGNORECASE)


@dataclass(frozen=True)
class Settings:
    """The settings of a server."""

    metrics: bool
    embed_in: tuple[str, ...]
    origins: tuple[str, ...]
    most_sessions: int
    most_of_address: int  # how many of these sessions one address may have
    most_memory: int | None  # MiB of this process, beyond which no further page opens
    forwarders: str  # addresses of trusted proxies, separated by commas; blank if there are none


def settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings; raise ``ValueError`` with the name of an invalid one.

    >>> settings({"ATTNVIZ_EMBED_IN": "https://moodle.example.edu"}).embed_in
    ('https://moodle.example.edu',)
    """
    most = _whole(environment, MOST_SESSIONS, 100_000) or _SESSIONS
    of_address = _whole(environment, MOST_OF_ADDRESS, 100_000) or _OF_ADDRESS
    memory = _whole(environment, MOST_MEMORY, 10_000_000) or default_most_mib()
    metrics = environment.get(METRICS, "").strip() or "0"
    if metrics not in ("0", "1"):
        raise ValueError(f"{METRICS} is {metrics!r}, expected 0 or 1")
    return Settings(
        metrics == "1",
        _origins(environment, EMBED_IN),
        _origins(environment, ORIGINS),
        most,
        of_address,
        memory,
        environment.get(FORWARDERS, "").strip(),
    )


def _whole(environment: Mapping[str, str], name: str, most: int) -> int | None:
    """Return a whole-number setting; None if not set."""
    given = environment.get(name, "").strip()
    if given and not (given.isascii() and given.isdigit() and 1 <= int(given) <= most):
        raise ValueError(f"{name} is {given!r}, expected a whole number from 1 to {most:,}")
    return int(given) if given else None


def _origins(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return a setting's origins, validated because they go into a header."""
    found = tuple(environment.get(name, "").split())
    for each in found:
        if not _ORIGIN.fullmatch(each):
            raise ValueError(
                f"{name} has {each!r}, expected origins with spaces between them, as https://moodle.example.edu"
            )
    return found
