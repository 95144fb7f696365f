"""A stage: one matrix of a table, its name, rule and sources."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from torch import Tensor

from attnviz.core.masks import Masked
from attnviz.core.tokens import axis_labels
from attnviz.words import Later, later

if TYPE_CHECKING:
    from attnviz.core.rules.base import Rule

OWN_ROWS = (1, 0)  # (parts, part): the rows aren't cut, so that each belongs to its own token


class Texts(NamedTuple):
    """The texts about a matrix, looked up in the catalogue when read.

    `plain` is one sentence, `axes` says what rows and columns are, `meaning` has a few words and `short` two or three.
    """

    title: Later | str
    plain: Later | str
    axes: Later | str
    meaning: Later | str
    short: Later | str

    @classmethod
    def of(cls, key: str, /, **places: object) -> "Texts":
        """Return the texts below a key of the catalogue; `places` fill them."""
        return cls(*(later(f"{key}.{text}", **places) for text in cls._fields))


class _Text:
    """An attribute that looks up one of a stage's texts."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, stage: "Stage", _: type) -> str:
        return str(getattr(stage.texts, self._name))


@dataclass(frozen=True)
class Stage:
    """One matrix: its name, its symbol and what it is computed from.

    - `texts`: its `title`, `plain`, `axes`, `meaning` and `short`; each is also an attribute of its own.
    - `rows`, `columns`: what each stands for: "token", "query", "key", "feature", "distance" (how far a key stands from
      its query), or "entry", one of the `entries` of a vocabulary.
    - `colours`: the family of matrices that share their colour limits; `part`: whether it belongs to queries, keys or
      values.
    - `rule`, `sources`: the rule that computes it, and the names of the matrices that the rule reads; a given matrix
      has neither.
    - `entries`: the names of keys, if these aren't just the tokens of the sentence; `first_own_key`: the index among
      them of the sentence's first token, which follows the tokens of a kept sentence; None if keys are of a second
      sentence.
    - `head`, `first`: in one of several heads, the head's number, and the column where its columns begin in the matrix
      of all heads.
    - `owners`: the tokens to which its rows really belong, see :func:`attnviz.core.rules.owner_of`.
    - `hidden_with`: for given weights, the name of the scores whose mask hides cells of the weights, too.
    - `masked`: for a mask, which mask it is; `switched`: the switches of :mod:`attnviz.core.what_if` that changed it.
    """

    name: str
    symbol: str
    texts: Texts
    rows: Literal["token", "query", "key", "feature", "entry"]
    columns: Literal["key", "feature", "entry", "distance"]
    colours: Literal["inputs", "projections", "vectors", "scores", "mask", "attention"]
    rule: "Rule | None" = None
    sources: tuple[str, ...] = ()
    is_vector: bool = False  # a single row, which applies to every row of another matrix
    part: Literal["", "q", "k", "v"] = ""
    head: int | None = None
    shared_by: int = 1  # the number of heads that share it
    first: int = 0
    entries: tuple[str, ...] = ()
    first_own_key: int | None = 0
    layer: int = 0  # counted from 0
    owners: tuple[int, int] = OWN_ROWS
    hidden_with: str = ""
    masked: Masked | None = None
    switched: tuple[str, ...] = ()

    title, plain, axes, meaning, short = _Text("title"), _Text("plain"), _Text("axes"), _Text("meaning"), _Text("short")

    def with_texts(self, **texts: Later | str) -> "Stage":
        """Return the stage with other texts."""
        return replace(self, texts=self.texts._replace(**texts))

    def numbered(self, of: Literal["head", "layer"], number: int | None) -> "Stage":
        """Return the stage with its head's or layer's number in the title."""
        return self.with_texts(title=later(f"stages.{of}.title", title=self.texts.title, number=number))

    def unnumbered(self, of: Literal["head", "layer"]) -> "Stage":
        """Return the stage without the number that :meth:`numbered` added last."""
        title = self.texts.title
        if isinstance(title, Later) and title.key == f"stages.{of}.title":
            bare: Any = dict(title.places)["title"]
            return self.with_texts(title=bare)
        return self

    @cached_property
    def kernel(self) -> Callable[..., Tensor] | None:
        """The function that computes the matrix; None for a given matrix."""
        return None if self.rule is None else self.rule.kernel(len(self.sources))

    @property
    def role(self) -> Literal["x", "q", "k", "a", "v"]:
        """Its role in attention, which decides its colour.

        Queries "q", keys "k", attention "a", values "v"; "x" for tokens' vectors before and after attention.

        >>> from attnviz.core.stages import STAGES
        >>> [STAGES[name].role for name in ("x", "w_q", "b_k", "scores", "attention_weights", "context")]
        ['x', 'q', 'k', 'a', 'a', 'v']
        """
        return "a" if self.columns in ("key", "distance") else self.part or "x"

    @property
    def number(self) -> int | None:
        """The number shown for its head; heads that share keys share it.

        >>> from attnviz.core.stages import layer_table
        >>> table = layer_table(4, n_heads=4, n_kv_heads=2, d_v=4, biases=())
        >>> [table[f"heads.{head}.{name}"].number for head in (2, 3) for name in ("q", "k")]
        [2, 1, 3, 1]
        """
        return None if self.head is None else self.head // self.shared_by

    def at(self, row: int | str, column: int | str) -> str:
        """Return a cell, row or column in symbols, counted from 0.

        Several heads' scores are ``[head, query, key]``; columns of one head's part of Q count as in the whole.

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
        """Return the labels of `n` rows or columns, cut to `most` characters."""
        kind = self.rows if axis == "rows" else self.columns
        labels = axis_labels(names_on(self, kind, tokens), kind, n, most)
        of_tokens = kind in ("query", "key", "token")
        return tuple(labels[owner_of(self, at, n)] for at in range(n)) if of_tokens else labels

    @property
    def is_of_others(self) -> bool:
        """Whether rows are keys of more than the sentence's own tokens."""
        return self.rows == "key" and bool(self.entries)

    @property
    def masked_by(self) -> str | None:
        """The name of the source whose -∞ hides cells, or None."""
        place = None if self.rule is None else self.rule.masked_by
        return None if place is None or place >= len(self.sources) else self.sources[place]

    @property
    def makes_shares(self) -> bool:
        """Whether the stage's rule makes shares."""
        return self.rule is not None and self.rule.makes_shares

    @property
    def kind(self) -> str:
        """The name of the stage's rule, or "given"."""
        return "given" if self.rule is None else self.rule.name

    @property
    def origin(self) -> Literal["input", "learned", "computed"]:
        """Whether the matrix is an input, learned, or computed for each sentence."""
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


def names_on(stage: Stage, kind: str, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names along an axis: its entries, or the tokens."""
    return stage.entries if kind == "entry" or (kind == "key" and stage.entries) else tokens


def owner_of(stage: Stage, row: int, n_rows: int) -> int:
    """Return the row whose token a row or key really belongs to.

    It's another row only if heads are cut without a transpose, see :class:`attnviz.core.rules.Recut`.
    """
    parts, part = stage.owners
    return (part * n_rows + row) // parts
