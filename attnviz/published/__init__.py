"""Published examples of self-attention with their printed numbers, each as a scenario."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase
from types import MappingProxyType
from typing import Any

from attnviz.core.limits import check_choice
from attnviz.core.matrix_input import EXAMPLE_FILL
from attnviz.core.scenario import Scenario
from attnviz.core.seeding.vectors import (
    PUBLISHED_TEXT,
    Rows,
    chosen_matrices,
    examples_made_by_hand,
    published_data,
    published_examples,
    stated_matrix,
    words_of,
)
from attnviz.words import DeferredText, catalogue, say

_PROJECTIONS = ("w_q", "w_k", "w_v")
OPENING = "fluffy-cat"  # the example that the app opens with
VARIANCES = "variance_of_dot_products"  # the name of the published variances, which stand beside the examples


@dataclass(frozen=True)
class PublishedFeedForward:
    """The feed-forward step of an example: weights, biases and printed output."""

    w_1: Rows
    b_1: tuple[float, ...]
    w_2: Rows
    b_2: tuple[float, ...]
    output: Rows


@dataclass(frozen=True)
class WorkedExample:
    """One published example.

    `inputs` are the tables that the example starts from, and `published` those that it prints as results, both by their
    names in the table of stages; `decimals` is how many decimals are printed. `tokens` label the rows, as far as the
    source names them. `d_k` is given if no table shows it. If an example starts from scores, its `scenario` goes
    further back: the matrices there are chosen so that they give these scores.
    """

    id: str
    tokens: tuple[str, ...]
    scale: bool
    decimals: int
    inputs: Mapping[str, Rows]
    published: Mapping[str, Rows]
    scenario: Scenario
    d_k: int | None = None
    feed_forward: PublishedFeedForward | None = None

    title = DeferredText("published.{its.id}.title")

    @property
    def note(self) -> str:
        """A remark for readers; blank if there is none."""
        return say(key) if (key := f"published.{self.id}.note") in catalogue() else ""

    @property
    def from_scores(self) -> bool:
        """Whether the example starts from scores and has no X."""
        return "x" not in self.inputs


@dataclass(frozen=True)
class VarianceRow:
    """Published variances of standard normal vectors' dot products, undivided and by √d."""

    d: int
    raw: float
    scaled: float

    @property
    def standard_error(self) -> float:
        """The standard deviation of 1000 trials' variance, relative to d.

        The fourth moment of such a dot product is 3 d² + 6 d.
        """
        return math.sqrt((2 + 6 / self.d) / 1000)


@cache
def worked_examples() -> Mapping[str, WorkedExample]:
    """Return all published examples by id, in the file's order.

    >>> worked_examples()["love-ai"].published["scores"][2]
    (2.0, 1.0, 3.0)
    """
    return MappingProxyType({name: _example(raw) for name, raw in published_examples().items()})


def worked_example(name: str) -> WorkedExample:
    """Return one published example.

    Raises ``ValueError`` for an unknown one.
    """
    check_choice("example", name, worked_examples())
    return worked_examples()[name]


@cache
def starting_points() -> Mapping[str, WorkedExample]:
    """Return all examples to start from, published or made by hand.

    >>> starting_points()["fluffy-cat"].scenario.tokens[1:3]
    ('fluffy', 'cat')
    """
    by_hand = {name: _example(raw) for name, raw in examples_made_by_hand().items()}
    return MappingProxyType({**worked_examples(), **by_hand})


@cache
def published_variances() -> tuple[VarianceRow, ...]:
    """Return the published variances of dot products."""
    return tuple(VarianceRow(**row) for row in published_data()["variance_of_dot_products"]["rows"])


def _example(raw: Mapping[str, Any]) -> WorkedExample:
    given, published, tokens = _tables(raw)
    scale = raw.get("scale", False)  # a source that doesn't mention it takes the softmax of a row as it is
    return WorkedExample(
        id=raw["id"],
        tokens=tokens,
        scale=scale,
        decimals=raw["decimals"],
        inputs=MappingProxyType(given),
        published=MappingProxyType(published),
        d_k=raw.get("d_k"),
        scenario=_scenario(raw) if "x" in raw else _scenario_of_scores(raw["id"], scale),
        feed_forward=_feed_forward(raw["feed_forward"]) if "feed_forward" in raw else None,
    )


def _tables(raw: Mapping[str, Any]) -> tuple[dict[str, Rows], dict[str, Rows], tuple[str, ...]]:
    """Return an example's given tables, its printed tables, and its tokens."""
    if "scores_row" in raw:
        return {"scores": _rows([raw["scores_row"]])}, {"attention_weights": _rows([raw["published_row"]])}, ()
    if "row" in raw:
        row, printed = raw["row"], raw["published"]
        scores = [row, [8 * score for score in row]]
        weights = [printed["times_1"], printed["times_8"]]
        return {"scaled_scores": _rows(scores)}, {"attention_weights": _rows(weights)}, ()
    given = {name: stated for name in ("x", *_PROJECTIONS) if (stated := stated_matrix(raw["id"], name))}
    return given, {name: _rows(rows) for name, rows in raw["published"].items()}, tuple(raw["tokens"])


def _scenario(raw: Mapping[str, Any]) -> Scenario:
    d_in = len(raw["x"][0])
    text = " ".join(words_of(raw))
    published = text == PUBLISHED_TEXT
    replaced: dict[str, Any] = {name: _replaced(raw, name) for name in _PROJECTIONS if name in raw}
    d_out = raw.get("d_out", d_in)
    if isinstance(raw.get("w_q"), list):
        d_out = len(raw["w_q"][0])
    return Scenario(
        text=text,
        tokenizer=raw.get("tokenizer", "words" if published else "whitespace"),
        embedding="published",
        x=None if published else f"{EXAMPLE_FILL}{raw['id']}",
        d_in=d_in,
        d_out=d_out,
        init=raw.get("init", "uniform"),
        seed=raw.get("seed", 123),
        scale=raw["scale"],
        **replaced,
    )


def _scenario_of_scores(name: str, scale: bool) -> Scenario:
    """Return a scenario with an example's scores; X and W_v are identities."""
    w_q = chosen_matrices(name)["w_q"]
    n_tokens, named = len(w_q), PUBLISHED_TEXT.split()
    text = PUBLISHED_TEXT if n_tokens == len(named) else " ".join(ascii_lowercase[:n_tokens])
    return Scenario(
        text=text,
        embedding="published",
        x="identity",
        d_in=n_tokens,
        d_out=len(w_q[0]),
        d_v=n_tokens,
        scale=scale,
        w_q=f"{EXAMPLE_FILL}{name}",
        w_k=f"{EXAMPLE_FILL}{name}",
        w_v="identity",
    )


def _replaced(raw: Mapping[str, Any], name: str) -> str:
    return str(raw[name]) if isinstance(raw[name], str) else f"{EXAMPLE_FILL}{raw['id']}"


def _feed_forward(raw: Mapping[str, Any]) -> PublishedFeedForward:
    return PublishedFeedForward(
        w_1=_rows(raw["w_1"]),
        b_1=tuple(map(float, raw["b_1"])),
        w_2=_rows(raw["w_2"]),
        b_2=tuple(map(float, raw["b_2"])),
        output=_rows(raw["published"]),
    )


def _rows(rows: Any) -> Rows:
    return tuple(tuple(map(float, row)) for row in rows)
