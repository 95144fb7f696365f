"""The open step of the history."""

from dataclasses import dataclass

from attnviz.app.session.address import go_to
from attnviz.app.session.session import this_session
from attnviz.features.history.steps import STEPS


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


def open_place(name: str) -> None:
    """Go to the page with a step's board open, in a callback."""
    put_step(name)
    go_to("history")
