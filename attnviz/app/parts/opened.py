"""The open step of the history."""

from dataclasses import dataclass

from attnviz.app.session.session import this_session
from attnviz.teach.history import STEPS


@dataclass
class OpenStep:
    """The step whose board is open; None where all are listed."""

    step: str | None = None


def open_step() -> str | None:
    """Return the open step's name."""
    return this_session().part(OpenStep).step


def put_step(name: str | None) -> None:
    """Open a step's board; for None, or without a board, all steps."""
    this_session().part(OpenStep).step = name if any(step.name == name for step in STEPS) else None
