"""A stage, the row of a table: what a matrix is called, of what and by which rule it is made; and names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from torch import Tensor

from attnviz.core.masks import Masked
from attnviz.core.rules import Rule, names_on, owner_of
from attnviz.core.rules.explaining.cell import OWN_ROWS
from attnviz.core.tokens import axis_labels
from attnviz.core.what_if import SCORES, Made, WhatIf
from attnviz.words import Later, later

BIASES = ("b_q", "b_k", "b_v")
OUTPUT = ("w_o", "b_o")
LAYERS = ("w_1", "b_1", "w_2", "b_2")
GAINS = ("gamma_1", "gamma_2")
NORMS = ("gamma_1", "beta_1", "gamma_2", "beta_2")
MASK = "mask"
BY_DISTANCE = "by_distance"  # a number for each distance of two tokens, a row for each head
DISTANCE_BIAS = "distance_bias"
DIVIDED, CAPPED = "divided_scores", "capped_scores"  # of a model that caps scores before it masks them
OF_ALL = (MASK, BY_DISTANCE)  # given once, for all heads and layers
ITSELF, SECOND, KEPT = READINGS = ("itself", "second", "kept")  # whose keys and values a sentence reads
Y = "y"  # the vectors of the tokens that are read, where these are others, or of those that were kept
JOINED = "joined"  # these, and those of the sentence below them
E_SCALED = "e_scaled"
E_KEPT, P_KEPT = OF_KEPT = ("e_y", "p_y")  # what Y is made of where X is made of E and P, by the same rules
E_KEPT_SCALED = "e_y_scaled"
EDITABLE = ("x", "e", "p", "w_q", "w_k", "w_v", *BIASES, *OF_ALL, *OUTPUT, *LAYERS, *NORMS, Y, *OF_KEPT)
HEADS = "heads"  # what the path of one of several heads begins with


def head_name(head: int, name: str) -> str:
    """Return the name of a matrix of one of several heads.

    >>> head_name(1, "scores")
    'heads.1.scores'
    """
    return f"{HEADS}.{head}.{name}"


class Texts(NamedTuple):
    """What a matrix is called, is in one sentence, what its rows and columns are, what it is in few words, and in two
    or three: sentences of the catalogue, said when they are read."""

    title: Later | str
    plain: Later | str
    axes: Later | str
    meaning: Later | str
    short: Later | str

    @classmethod
    def of(cls, key: str, /, **places: object) -> "Texts":
        """Return the texts that stand in the catalogue behind this key."""
        return cls(*(later(f"{key}.{text}", **places) for text in cls._fields))


class _Text:
    """One of a stage's texts, as it's read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, stage: "Stage", _: type) -> str:
        return str(getattr(stage.texts, self._name))


@dataclass(frozen=True)
class Stage:
    """One matrix: its name in the trace and on screen, and what it is made of.

    - `texts`: what is said of it: its `title`, `plain`, `axes`, `meaning` and `short`.
    - `rows`, `columns`: what each stands for: "token", "query", "key", "feature", "distance" (how far a key stands from
      its query), or "entry", one of the `entries` of a vocabulary.
    - `colours`: the family of matrices that share their colour limits; `part`: which of queries, keys and values it
      belongs to.
    - `rule`, `sources`: what makes it, of which matrices; a given one has neither.
    - `entries`: names of keys that are not only the tokens of the sentence; `own_from`: which of them is its first
      token, behind those of a kept sentence; None where they are of a second one.
    - `head`, `first`: of one of several heads, its number, and the column of the whole where its columns begin.
    - `owners`: to which tokens its rows really belong: see :func:`attnviz.core.rules.owner_of`.
    - `hidden_with`: the scores of which a given matrix is shares: what is masked of these can't be read in it.
    - `masked`: which mask it is; `switched`: which switches of :mod:`attnviz.core.what_if` changed it.
    """

    name: str
    symbol: str
    texts: Texts
    rows: Literal["token", "query", "key", "feature", "entry"]
    columns: Literal["key", "feature", "entry", "distance"]
    colours: Literal["inputs", "projections", "vectors", "scores", "mask", "attention"]
    rule: Rule | None = None
    sources: tuple[str, ...] = ()
    is_vector: bool = False  # it has no rows of its own: its one row is added to every row
    part: Literal["", "q", "k", "v"] = ""
    head: int | None = None
    shared_by: int = 1  # of several heads, how many have it in common
    first: int = 0
    entries: tuple[str, ...] = ()
    own_from: int | None = 0
    layer: int = 0  # of several layers, counted from 0
    owners: tuple[int, int] = OWN_ROWS
    hidden_with: str = ""
    masked: Masked | None = None
    switched: tuple[str, ...] = ()

    title, plain, axes, meaning, short = _Text("title"), _Text("plain"), _Text("axes"), _Text("meaning"), _Text("short")

    def retold(self, **texts: Later | str) -> "Stage":
        """Return the same with other texts."""
        return replace(self, texts=self.texts._replace(**texts))

    def numbered(self, of: Literal["head", "layer"], number: int | None) -> "Stage":
        """Return the same with the number of its head or layer in what it's called."""
        return self.retold(title=later(f"stages.{of}.title", title=self.texts.title, number=number))

    def unnumbered(self, of: Literal["head", "layer"]) -> "Stage":
        """Return the same without that number, if it stands last."""
        title = self.texts.title
        if isinstance(title, Later) and title.key == f"stages.{of}.title":
            bare: Any = dict(title.places)["title"]
            return self.retold(title=bare)
        return self

    @cached_property
    def kernel(self) -> Callable[..., Tensor] | None:
        """What computes it from its sources; of a given matrix, nothing does."""
        return None if self.rule is None else self.rule.kernel(len(self.sources))

    @property
    def role(self) -> Literal["x", "q", "k", "a", "v"]:
        """What it is to attention, which its colour tells: what asks, what is asked, how much is read ("a"), what is
        read; and "x", the vectors of tokens, as they come in and as they go on behind attention.

        >>> from attnviz.core.stages import STAGES
        >>> [STAGES[name].role for name in ("x", "w_q", "b_k", "scores", "attention_weights", "context")]
        ['x', 'q', 'k', 'a', 'a', 'v']
        """
        return "a" if self.columns in ("key", "distance") else self.part or "x"

    @property
    def number(self) -> int | None:
        """What it is called by among those of several heads: keys and values that heads share have one number.

        >>> from attnviz.core.stages import layer_table
        >>> table = layer_table(4, n_heads=4, n_kv_heads=2, d_v=4, biases=())
        >>> [table[f"heads.{head}.{name}"].number for head in (2, 3) for name in ("q", "k")]
        [2, 1, 3, 1]
        """
        return None if self.head is None else self.head // self.shared_by

    def at(self, row: int | str, column: int | str) -> str:
        """Write a cell, a row or a column in symbols, counted from 0 as in Python: of several heads' scores
        ``[head, query, key]``, of one head's part of Q, counted as in the whole.

        >>> from attnviz.core.stages import STAGES, layer_table
        >>> STAGES["k"].at(5, ":"), STAGES["b_q"].at(0, 1)
        ('K[5, :]', 'b_q[1]')
        >>> table = layer_table(4, n_heads=2, d_v=4, biases=())
        >>> table["heads.1.scores"].at(0, 5), table["heads.1.q"].at(0, 1), table["heads.1.q"].at(0, ":")
        ('S[1, 0, 5]', 'Q[0, 3]', 'Q₁[0, :]')
        """
        if isinstance(column, int):
            column += self.first
        elif self.number is not None and self.columns == "feature":
            return f"{self.symbol}{lowered(self.number)}[{row}, {column}]"
        if self.head is not None and self.columns == "key":
            row = f"{self.head}, {row}"
        return f"{self.symbol}[{column}]" if self.is_vector else f"{self.symbol}[{row}, {column}]"

    def labels(
        self, axis: Literal["rows", "columns"], tokens: tuple[str, ...], n: int, most: int | None = None
    ) -> tuple[str, ...]:
        """Return what stands at each of its `n` rows or columns, cut to `most` characters: the tokens, the entries of
        its vocabulary, or numbers."""
        kind = self.rows if axis == "rows" else self.columns
        labels = axis_labels(names_on(self, kind, tokens), kind, n, most)
        of_tokens = kind in ("query", "key", "token")
        return tuple(labels[owner_of(self, at, n)] for at in range(n)) if of_tokens else labels

    @property
    def is_of_others(self) -> bool:
        """Whether its rows are tokens that are read, and others than those that read, or more than these."""
        return self.rows == "key" and bool(self.entries)

    @property
    def masked_by(self) -> str | None:
        """The name of the matrix that hides cells of this one, where it holds -∞; None where none does."""
        place = None if self.rule is None else self.rule.masked_by
        return None if place is None or place >= len(self.sources) else self.sources[place]

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


def lowered(number: int) -> str:
    """Write a number as a subscript.

    >>> lowered(12)
    '₁₂'
    """
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


NOTHING = WhatIf()
_AFTER_SCORES = ("scaled_scores", "attention_weights")  # whose rows are those of the scores


def row(
    name: str, symbol: str, *what: Any, told: str = "", symbols: Mapping[str, str] | None = None,
    what_if: WhatIf = NOTHING, **more: Any,
) -> Stage:  # fmt: skip
    """Return a row of a table, as the switches of `what_if` change it: a stage with what the catalogue says of it,
    under its name or under `told`; of what is multiplied, by these `symbols` of its sources."""
    *kinds, rule, sources = (*what, None, ())[:5]
    made, switched = what_if.changed(name, Made(rule, sources, told))
    product = made.rule.formula(*(symbols[source] for source in made.sources)) if symbols and made.rule else ""
    texts = Texts.of(f"stages.{made.told or name}", product=product)
    if what_if.get(SCORES) == "keys-first" and name in _AFTER_SCORES:
        texts = texts._replace(axes=later("stages.scores_keys_first.axes"))
    more |= {"rule": made.rule, "sources": made.sources, "switched": switched}
    return Stage(name, symbol, texts, *kinds, **more)


def table_of(*stages: Stage) -> Table:
    """Return the table of these rows, in their order."""
    return MappingProxyType({stage.name: stage for stage in stages})


def followed_by(first: Table, second: Table) -> Table:
    """Return a table that goes on with another, whose given matrices the first has made."""
    return MappingProxyType({**first, **{name: stage for name, stage in second.items() if name not in first}})


def pictured(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return the matrices in the order of a page, in groups: each that comes in or is computed, behind the learned ones
    that it is made with.

    >>> from attnviz.core.stages import attention_table
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

    >>> from attnviz.core.stages import attention_table
    >>> formula_of("scaled_scores", attention_table(2, temperature=2.0, mask=True))
    'Q Kᵀ / (√d_k · 2) + M'
    >>> formula_of("q", attention_table(2))
    'X W_q + b_q'
    """
    stage = table[name]
    if stage.rule is None:
        return stage.symbol
    spelt_out = stage.rule.spells_sources
    return stage.rule.formula(
        *(formula_of(source, table) if spelt_out else _symbol_in(stage, table[source]) for source in stage.sources)
    )


def _symbol_in(stage: Stage, source: Stage) -> str:
    """Return the symbol of a source; of one of several heads with its number, where the stage is made of them all."""
    return (
        source.symbol if source.number is None or stage.head is not None else f"{source.symbol}{lowered(source.number)}"
    )
