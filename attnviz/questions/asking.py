"""What a question is: its answer, an example of its own, what can be done to that, and what is then to be seen."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

import torch
from torch import Tensor

from attnviz.attention import AttentionTrace
from attnviz.link import query_of, scenario_from_query
from attnviz.numbers import written
from attnviz.scenario import Scenario, traced
from attnviz.sweep_settings import MAX_P

Change = Callable[[Scenario], Scenario]


@dataclass(frozen=True)
class Preset:
    """A button: what it is called, and what it makes of the example."""

    label: str
    change: Change


@dataclass(frozen=True)
class Control:
    """A slider over a number of the example: `read` tells where it stands, `change` moves it there."""

    name: str
    label: str
    low: float
    high: float
    step: float
    read: Callable[[Scenario], float]
    change: Callable[[Scenario, float], Scenario]


@dataclass(frozen=True)
class Option:
    """A choice of what is shown, which leaves the example as it is.

    `block` says that it is made by dragging the block "÷ √d_k" in the formula of the scores. In a link it is the place
    of what was chosen among the choices.
    """

    name: str
    label: str
    choices: tuple[str, ...]
    default: str
    block: bool = False

    def in_link(self, chosen: str) -> str:
        """Return a choice as the text of a link."""
        return str(self.choices.index(chosen))

    def from_link(self, text: str) -> str:
        """Return the choice that a link names. Raises ``ValueError`` for a text that names none."""
        places = {str(place): choice for place, choice in enumerate(self.choices)}
        if text not in places:
            raise ValueError(f"{self.name} is {text[:40]!r}, expected one of {', '.join(places)}")
        return places[text]


@dataclass(frozen=True)
class Exponent:
    """A choice of what is shown, too: the exponent p of a divisor d^p, from 0 to `MAX_P`, as it is written."""

    name: str
    label: str
    default: str

    def in_link(self, chosen: str) -> str:
        """Return an exponent as the text of a link: as it is."""
        return chosen

    def from_link(self, text: str) -> str:
        """Return the exponent that a link names. Raises ``ValueError`` for a text that names none."""
        if not (re.fullmatch(r"[0-9](\.[0-9]{1,4})?", text) and float(text) <= MAX_P):
            raise ValueError(f"{self.name} is {text[:40]!r}, expected an exponent from 0 to {MAX_P:g}")
        return text


@dataclass(frozen=True)
class Table:
    """A matrix to show as a heatmap: `kind` tells its colours, `sums` whether to add the sums of rows and columns.

    `labels` name the rows and the columns; without them, they are numbered.
    """

    title: str
    matrix: Tensor
    kind: Literal["signed", "share"] = "signed"
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    sums: bool = False
    limit: float | None = None  # of the colours of a signed matrix, where several share it


@dataclass(frozen=True)
class Points:
    """Values and contexts of two features, to show as points in a plane: contexts lie within the values' hull."""

    values: Tensor
    contexts: Tensor
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Seen:
    """What there is to see: sentences with the numbers of now, and pictures beside the board."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    points: Points | None = None


@dataclass(frozen=True)
class Now:
    """The example as it is now and as it was at the start, both computed, with the options and the decimals."""

    scenario: Scenario
    trace: AttentionTrace
    start: AttentionTrace
    options: Mapping[str, str]
    digits: int

    def write(self, value: float | Tensor) -> str:
        """Write a number with the decimals that the reader wants to see; zero has no sign."""
        return written(float(value) + 0.0, self.digits)

    def change_of(self, name: str) -> float | None:
        """Return the largest change of a number of a matrix since the start; None where its shape changed.

        Differences that rounding alone makes do not count as a change.
        """
        now, start = getattr(self.trace, name), getattr(self.start, name)
        if now.shape != start.shape:
            return None
        change = float((now - start).abs().max())
        size = max(1.0, float(start.abs().nan_to_num(posinf=0).max()))
        return 0.0 if change <= 1e-6 * size else change

    def says_change_of(self, name: str, words: str) -> str:
        """Say how far a matrix has moved since the start."""
        change = self.change_of(name)
        if change is None:
            now = " by ".join(map(str, getattr(self.trace, name).shape))
            return f"{words}: now {now}, another shape than at the start."
        if change == 0:
            return f"{words}: the same as at the start."
        return f"{words}: changed by up to {self.write(change)} since the start."


@dataclass(frozen=True)
class Question:
    """A question, the short right answer, an example that it starts from, and what is shown of it.

    `shows` are the matrices on the board (none: no board), `try_this` says what to do, `seen` what is then to be
    seen; with `framed`, the board tells learned matrices from computed ones, and `notes` stand beside its titles;
    `reorder` makes the example one with its tokens in another order, where they can be dragged;
    `sweep` are settings of the scaling page that go with it, `step` is the step of the lesson that does.
    """

    title: str
    answer: tuple[str, ...]
    try_this: str
    start: Scenario
    seen: Callable[[Now], Seen]
    shows: tuple[str, ...] = ()
    presets: tuple[Preset, ...] = ()
    controls: tuple[Control, ...] = ()
    options: tuple[Option | Exponent, ...] = ()
    framed: bool = False
    notes: Callable[[AttentionTrace], Mapping[str, str]] = lambda _: {}
    reorder: Callable[[Scenario, tuple[str, ...]], Scenario] | None = None
    lit: tuple[str, int, int] | None = None
    sweep: str = ""
    step: int = 1

    def look(self, scenario: Scenario, options: Mapping[str, str], digits: int) -> Seen:
        """Return what is to be seen of the example as it is now."""
        return self.seen(Now(scenario, traced(scenario), traced(self.start), {**self.defaults, **options}, digits))

    @property
    def defaults(self) -> dict[str, str]:
        """What is chosen at the start."""
        return {option.name: option.default for option in self.options}

    def in_link(self, scenario: Scenario, options: Mapping[str, str]) -> str:
        """Return the example as it is now, with what is chosen, as the query of a URL; blank at the start."""
        chosen = {
            option.name: option.in_link(options[option.name])
            for option in self.options
            if options[option.name] != option.default
        }
        return query_of(scenario, **chosen) if chosen or scenario != self.start else ""

    def from_link(self, query: str) -> tuple[Scenario, dict[str, str], list[str]]:
        """Return the example and what is chosen as a link holds them, and in words what was ignored of it."""
        if not query:
            return self.start, self.defaults, []
        scenario, ignored = scenario_from_query(query)
        given = {} if ignored else dict(parse_qsl(query, keep_blank_values=True))
        options = self.defaults
        for option in self.options:
            try:
                options[option.name] = option.from_link(given.get(option.name, option.in_link(option.default)))
            except ValueError as error:
                ignored.append(str(error))
        return scenario, options, ignored


def rows(*numbers: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    """Return a matrix as a scenario takes it: rows of floats."""
    return tuple(tuple(map(float, row)) for row in numbers)


def eye(n_rows: int, n_columns: int, factor: float = 1.0) -> tuple[tuple[float, ...], ...]:
    """Return a matrix with `factor` on its diagonal and zeros elsewhere, as a scenario takes it."""
    return tuple(map(tuple, (torch.eye(n_rows, n_columns) * factor).tolist()))


def question_number(raw: str, n_questions: int) -> int | None:
    """Return the number of a question, 1 to the last, from the text of a URL; None where that is none.

    >>> question_number("7", 12), question_number("13", 12), question_number("why", 12)
    (7, None, None)
    """
    valid = raw.isascii() and raw.isdigit() and len(raw) < 4 and 1 <= int(raw) <= n_questions
    return int(raw) if valid else None
