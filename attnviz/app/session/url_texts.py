"""The address's texts: all parameters that are not controls.

The page has them, and says them; what Python changes of them is offered to it (see address.py).
"""

from typing import Any

from attnviz.app.session.address import correct, offer
from attnviz.app.session.memory import memory
from attnviz.link.parameter_table import MOST_TOGETHER, PINNED
from attnviz.link.parameter_table import texts as rows
from attnviz.link.set_up import CHANGES, MOST_GIVEN

__all__ = ["correct", "current", "fits", "put", "receive", "room", "send", "texts"]


def receive(name: str) -> tuple[str, bool]:
    """Return the current text, and whether it newly came with a link."""
    now = memory()
    arrived = name in now.fresh
    now.fresh.discard(name)
    return now.texts.get(name, ""), arrived


def send(name: str, text: str) -> None:
    """Make this the current text, as part of one history step."""
    if current(name) != (text or ""):
        offer({name: text or None})


def put(name: str, value: Any) -> None:
    """Make this the current value, as :func:`send` does."""
    send(name, rows()[name].write(value))


def current(name: str) -> str:
    """Return the current text."""
    return memory().texts.get(name, "")


def texts() -> dict[str, str]:
    """Return all current texts, by the names of their parameters."""
    return dict.fromkeys(rows(), "") | memory().texts


def room(name: str) -> int:
    """Return how many characters the link has left for this text."""
    sizes = {other: len(held) for other, held in texts().items() if other != name}
    beside = sizes.get(CHANGES, 0) + sizes.get(PINNED, 0)
    return max(0, min(MOST_GIVEN - beside, MOST_TOGETHER - sum(sizes.values())))


def fits(name: str, text: str) -> bool:
    """Whether the link has room for this text beside all others."""
    return len(text) <= room(name)
