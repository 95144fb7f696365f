"""The tables of stages: what each matrix is called, what it is made of, and by which rule.

A table is executed: :func:`attnviz.core.trace.run` makes a trace of it. Everything that names a matrix, draws it,
explains it, marks it or writes code for it reads the table of the trace at hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

from attnviz.core.rules import GELU, Add, Product, ReLU, Rule, Scale, Softmax
from attnviz.words import say


@dataclass(frozen=True)
class Stage:
    """One matrix: its name in the trace and on screen, and what it is made of.

    `plain` says in one sentence what it is, `axes` what its rows and columns are, `meaning` what it is in few words,
    `short` in two or three.
    `rows` and `columns` say what a row and a column stand for: "token", "query", "key" or "feature". `colours` names
    the family of matrices that share their colour limits, `part` which of queries, keys and values it belongs to. A
    given matrix has neither a `rule` nor `sources`.
    """

    name: str
    symbol: str
    title: str
    plain: str
    axes: str
    meaning: str
    short: str
    rows: Literal["token", "query", "key", "feature"]
    columns: Literal["key", "feature"]
    colours: Literal["inputs", "projections", "vectors", "scores", "attention"]
    rule: Rule | None = None
    sources: tuple[str, ...] = ()
    is_vector: bool = False  # it has no rows of its own: its one row is added to every row
    part: Literal["", "q", "k", "v"] = ""

    @property
    def role(self) -> Literal["x", "q", "k", "a", "v"]:
        """What it is to attention, which its colour tells: what asks, what is asked, how much is read ("a"), what is
        read; and "x", the vectors of tokens, as they come in and as they go on behind attention.

        >>> [STAGES[name].role for name in ("x", "w_q", "b_k", "scores", "attention_weights", "context")]
        ['x', 'q', 'k', 'a', 'a', 'v']
        """
        return "a" if self.columns == "key" else self.part or "x"

    def at(self, row: int | str, column: int | str) -> str:
        """Write a cell, a row or a column in symbols, counted from 0 as in Python.

        >>> STAGES["k"].at(5, ":"), STAGES["b_q"].at(0, 1)
        ('K[5, :]', 'b_q[1]')
        """
        return f"{self.symbol}[{column}]" if self.is_vector else f"{self.symbol}[{row}, {column}]"

    @property
    def kind(self) -> str:
        """The name of its rule, or "given"."""
        return "given" if self.rule is None else self.rule.name

    @property
    def origin(self) -> Literal["input", "learned", "computed"]:
        """Whether it enters with each sentence, is learned and kept, or is computed anew for each sentence."""
        if self.rule is not None:
            return "computed"
        return "learned" if self.colours == "projections" else "input"


Table = Mapping[str, Stage]  # the stages by their names, in the order of the computation

BIASES = ("b_q", "b_k", "b_v")
LAYERS = ("w_1", "b_1", "w_2", "b_2")
EDITABLE = ("x", "e", "p", "w_q", "w_k", "w_v", *BIASES, *LAYERS)
ACTIVATIONS: Mapping[str, Rule] = MappingProxyType({"relu": ReLU(), "gelu": GELU()})


def _stage(name: str, symbol: str, *what: Any, told: str = "", **more: Any) -> Stage:
    """Return a stage with what the catalogue says of it, under its name or under `told`."""
    said: Any = (say(f"stages.{told or name}.{key}") for key in ("title", "plain", "axes", "meaning", "short"))
    return Stage(name, symbol, *said, *what, **more)


def _table(*stages: Stage) -> Table:
    return MappingProxyType({stage.name: stage for stage in stages})


@lru_cache(maxsize=512)
def attention_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    causal: bool = False,
    positions: bool = False,
) -> Table:
    """Return the stages of self-attention with keys of `d_k` numbers and these `biases`; with `positions`, X is made
    of the vectors of the tokens and those of their places.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; section 3.5 for positions.

    >>> list(attention_table(2, biases=()))[4:]
    ['q', 'k', 'v', 'scores', 'scaled_scores', 'attention_weights', 'context']
    """
    added = {letter: tuple(name for name in biases if name == f"b_{letter}") for letter in "qkv"}
    inputs = (
        _stage("e", "E", "token", "feature", "inputs"),
        _stage("p", "P", "token", "feature", "inputs"),
        _stage("x", "X", "token", "feature", "inputs", Add(), ("e", "p")),
    )
    return _table(
        *(inputs if positions else (_stage("x", "X", "token", "feature", "inputs"),)),
        *(_stage(f"w_{part}", f"W_{part}", "feature", "feature", "projections", part=part) for part in "qkv"),
        *(_stage(name, name, "feature", "feature", "projections", is_vector=True, part=name[-1])
          for name in BIASES if name in biases),
        _stage("q", "Q", "query", "feature", "vectors", Product(), ("x", "w_q", *added["q"]), part="q"),
        _stage("k", "K", "key", "feature", "vectors", Product(), ("x", "w_k", *added["k"]), part="k"),
        _stage("v", "V", "token", "feature", "vectors", Product(), ("x", "w_v", *added["v"]), part="v"),
        _stage("scores", "S", "query", "key", "scores", Product(transposed=True), ("q", "k")),
        _stage("scaled_scores", "S′", "query", "key", "scores",
               Scale(d_k if scale else None, temperature, causal), ("scores",)),
        _stage("attention_weights", "A", "query", "key", "attention", Softmax(), ("scaled_scores",)),
        _stage("context", "C", "query", "feature", "vectors", Product(), ("attention_weights", "v"), part="v"),
    )  # fmt: skip


@lru_cache(maxsize=16)
def feed_forward_table(*, b_1: bool = True, b_2: bool = True, activation: str = "relu") -> Table:
    """Return the stages of the step after attention: two layers, for each token alone.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3; "gelu" is Hendrycks and Gimpel 2016.
    """
    layers = [("w_1", False), *[("b_1", True)] * b_1, ("w_2", False), *[("b_2", True)] * b_2]
    curve = ACTIVATIONS[activation]
    return _table(
        _stage("context", "C", "query", "feature", "vectors", part="v"),
        *(
            _stage(name, name.capitalize() if not vector else name, "feature", "feature", "projections",
                   is_vector=vector)
            for name, vector in layers
        ),
        _stage("preactivations", "Z", "token", "feature", "vectors", Product(), ("context", "w_1", "b_1")[: 2 + b_1],
               told=f"preactivations_{activation}"),
        _stage("hidden", "H", "token", "feature", "vectors", curve, ("preactivations",), told=f"hidden_{activation}"),
        _stage("feed_forward", "F", "token", "feature", "vectors", Product(), ("hidden", "w_2", "b_2")[: 2 + b_2]),
    )  # fmt: skip


def followed_by(first: Table, second: Table) -> Table:
    """Return a table that goes on with another, whose given matrices the first has made."""
    return MappingProxyType({**first, **{name: stage for name, stage in second.items() if name not in first}})


@lru_cache(maxsize=512)
def layer_table(d_k: int = 1, *, activation: str | None = None, **settings: Any) -> Table:
    """Return the stages of self-attention as :func:`attention_table` does, and with an `activation` those of a
    feed-forward step after it.

    >>> list(layer_table(2, activation="gelu"))[-3:]
    ['preactivations', 'hidden', 'feed_forward']
    """
    attention = attention_table(d_k, **settings)
    return attention if activation is None else followed_by(attention, feed_forward_table(activation=activation))


STAGES: Table = attention_table()
EVERY_STAGE: Table = followed_by(attention_table(positions=True), feed_forward_table())
VECTORS = tuple(name for name, stage in EVERY_STAGE.items() if stage.is_vector)


def pictured(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the matrices in the order of a page, in groups: each that comes in or is computed, behind the learned ones
    that it is made with.

    >>> pictured(attention_table(biases=("b_q",)))[:4]
    (('x',), ('w_q', 'b_q', 'q'), ('w_k', 'k'), ('w_v', 'v'))
    """
    return tuple(
        (*(source for source in stage.sources if table[source].origin == "learned"), name)
        for name, stage in table.items()
        if stage.origin != "learned"
    )


def formula_of(name: str, table: Table) -> str:
    """Return the formula of a stage in symbols; of a given one, its own symbol.

    >>> formula_of("scaled_scores", attention_table(2, temperature=2.0, causal=True))
    'Q Kᵀ / (√d_k · 2), masked'
    >>> formula_of("q", attention_table(2))
    'X W_q + b_q'
    """
    stage = table[name]
    if stage.rule is None:
        return stage.symbol
    spelt_out = stage.rule.spells_sources
    return stage.rule.formula(
        *(formula_of(source, table) if spelt_out else table[source].symbol for source in stage.sources)
    )
