"""What a handout states: its settings, its heads, and how it's read."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from attnviz.core.limits import MAX_HEADS, RefusedError, check_whole
from attnviz.core.masks import Masked
from attnviz.core.stages import (
    BIASES,
    EVERY_STAGE,
    HEADS,
    MASK,
    Scoring,
    Table,
    feed_forward_table,
    followed_by,
    head_name,
    layer_table,
    lowered,
    residual_table,
)
from attnviz.core.tokens import visible
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.stage_names import OF_A_HEAD

_WIDE = {"q": ("w_q", "b_q", "q"), "k": ("w_k", "b_k", "k"), "v": ("w_v", "b_v", "v"), "context": ("context",)}


class Shared(NamedTuple):
    """How heads share columns.

    There are `n` heads, whose queries share the keys and values of `n_kv` heads. `d_k` and `d_v` are the widths of Q
    and of the context vectors, all heads together.
    """

    n: int = 1
    n_kv: int = 1
    d_k: int | None = None
    d_v: int | None = None


def base_of(name: str) -> str:
    """Return the name of a matrix without the path of its head."""
    return name.rpartition(".")[2]


def path_of(name: str) -> str:
    """Return the path of a matrix's head with its dot, or empty."""
    return name.removesuffix(base_of(name))


def symbol_of(name: str) -> str:
    """Return the symbol of a matrix, with the number of its head.

    >>> symbol_of("heads.1.scores"), symbol_of("w_q")
    ('S₁', 'W_q')
    """
    head = _head_of(name)
    symbol = EVERY_STAGE[base_of(name)].symbol
    return symbol if head is None else symbol + lowered(head)


def shown_token(tokens: Sequence[str], place: int) -> str:
    """Return a row's token as sentences show it; empty without one."""
    return visible(tokens[place]).replace("␣", " ") if place < len(tokens) else ""


def apart(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables with stacks ``(n_heads, rows, columns)`` split by head.

    >>> list(apart({"scores": np.zeros((2, 3, 3)), "q": [[1, 2]]}))
    ['heads.0.scores', 'heads.1.scores', 'q']
    """
    found: dict[str, Any] = {}
    for name, table in tables.items():
        stacked = name in OF_A_HEAD and not isinstance(table, Printed) and _axes_of(table) == 3
        found |= {head_name(head, name): each for head, each in enumerate(table)} if stacked else {name: table}
    return found


def _axes_of(table: Any) -> int:
    try:
        return np.ndim(table.detach().cpu() if hasattr(table, "detach") else table)
    except ValueError:  # rows of different lengths, which are no table
        return 0


def _head_of(name: str) -> int | None:
    parts = name.split(".")
    return int(parts[1]) if len(parts) == 3 and parts[0] == HEADS and parts[1].isdecimal() else None


def is_known(name: str) -> bool:
    """Whether a name is a matrix of a computation, perhaps one head's."""
    return name in EVERY_STAGE or (_head_of(name) is not None and base_of(name) in OF_A_HEAD)


def shared_out(shapes: Mapping[str, tuple[int, ...]], stated: int | None, d_k: int | None) -> Shared:
    """Return how heads share columns, by stated numbers or by the tables.

    `d_k` is that of one head, used where no table shows it.

    Raises ``ValueError`` for tables of more heads than stated, and for columns that can't be divided among the heads.
    """
    shown = 1 + max((head for name in shapes if (head := _head_of(name)) is not None), default=0)
    n = shown if stated is None else stated
    check_whole("n_heads", n, 1, MAX_HEADS)
    if shown > n:
        raise RefusedError("heads_more", heads=shown, n=n)
    if n == 1:
        return Shared()
    wide = {part: next((shapes[each][1] for each in of if each in shapes), None) for part, of in _WIDE.items()}
    own = dict.fromkeys(_WIDE) | {
        base_of(name): shape[1] for name, shape in reversed([*shapes.items()]) if path_of(name)
    }
    d_q = wide["q"] or n * (own["q"] or own["k"] or d_k or 0) or wide["k"] or 0
    n_kv = n
    if wide["q"] and wide["k"]:
        n_kv = n * wide["k"] // wide["q"]
    elif wide["v"] and wide["context"]:
        n_kv = n * wide["v"] // wide["context"]
    if not 1 <= n_kv <= n or n % n_kv:
        n_kv = n
    d_v = wide["context"] or (wide["v"] or 0) * n // n_kv or n * (own["v"] or own["context"] or 0)
    expected = {"q": d_q, "k": d_q * n_kv // n, "v": d_v * n_kv // n, "context": d_v}
    for part, heads in (("q", n), ("k", n_kv), ("v", n_kv), ("context", n)):
        width = wide[part]
        if width and (width % heads or width != expected[part]):
            table = next(name for name in _WIDE[part] if name in shapes)
            raise RefusedError("heads_apart", table=table, columns=width, heads=heads)
    for part, of in (("q", "q"), ("k", "q"), ("v", "context"), ("context", "context")):
        whole, each = wide[of], own[part]
        if whole and each and whole != n * each:
            other = next(name for name in _WIDE[of] if name in shapes)
            raise RefusedError("heads_wide", heads=n, table=part, counted=(each, "column"), other=other,
                               other_counted=(whole, "column"))  # fmt: skip
    return Shared(n, n_kv, d_q or None, d_v or None)


def of_one_head(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Return a single head's tables without its path.

    Raises ``ValueError`` if two tables would have the same name then.
    """
    found: dict[str, Any] = {}
    for name, table in tables.items():
        if base_of(name) in found:
            raise ValueError(f"there are two tables of {base_of(name)}, one as that of head 0, expected one")
        found[base_of(name)] = table
    return found


def in_order(printed: Mapping[str, Printed], table: Table) -> dict[str, Printed]:
    """Return tables in the order of the computation."""
    places = {name: place for place, name in enumerate((*EVERY_STAGE, *table))}
    return dict(sorted(printed.items(), key=lambda each: places[each[0]]))


ROUNDED_FROM = 4  # decimals: numbers with fewer are mostly exact and typed by hand; others were printed, and rounded
ALL_DIGITS = 8  # decimals: any further digits are smaller than floating-point errors

Inputs = Literal["exact", "long", "rounded"]
Results = Literal["either", "rounded", "full", "cut"]
_OF_INPUTS: Mapping[str, float] = MappingProxyType({"exact": 0.0, "long": 2.0, "rounded": 6.0})
_OF_RESULTS: Mapping[str, float] = MappingProxyType({"either": 0.0, "rounded": 0.0, "full": 2.0, "cut": 12.0})


@dataclass(frozen=True)
class Settings:
    """How scores become attention weights; `d_k` counts all heads, if known."""

    scale: bool
    masked: Masked | None
    temperature: float
    d_k: int | None
    activation: str = "relu"
    heads: Shared = Shared()  # noqa: RUF009  frozen

    @property
    def d_head(self) -> int | None:
        """The length of one head's query."""
        return self.d_k // self.heads.n if self.d_k is not None else None

    def table(self, tables: Container[str]) -> Table:
        """Return the stages, with the biases and summands of X among `tables`."""
        attention = layer_table(
            self.d_k or self.heads.n, biases=tuple(name for name in BIASES if name in tables),
            scoring=Scoring(scale=self.scale, temperature=self.temperature), mask=self.masked or MASK in tables,
            positions="e" in tables or "p" in tables,
            output=has_output(tables), b_o="b_o" in tables, n_heads=self.heads.n, n_kv_heads=self.heads.n_kv,
            d_v=self.heads.d_v or self.heads.n,
        )  # fmt: skip
        return gone_on_with(attention, tables, self.activation, b_1="b_1" in tables, b_2="b_2" in tables)


def has_output(tables: Container[str]) -> bool:
    """Whether context vectors go through W_o in a handout of these tables."""
    return "w_o" in tables or "output" in tables


def gone_on_with(
    attention: Table, tables: Container[str], activation: str = "relu", *, b_1: bool = True, b_2: bool = True
) -> Table:
    """Return the stages with the residual sum, if shown, and feed-forward step."""
    made = "output" if has_output(tables) else "context"
    residual = residual_table(made) if "residual_1" in tables else {}
    layers = feed_forward_table(b_1=b_1, b_2=b_2, activation=activation, source="residual_1" if residual else made)
    return followed_by(attention, followed_by(residual, layers))


@dataclass(frozen=True)
class Reading:
    """A way to read a handout.

    Its `inputs` are "exact" as printed, or "rounded", so that they hide digits, or "long": then only inputs with four
    decimals or more hide digits. Its `results` were used by later steps "rounded", as they are printed, or in "full",
    or "either" way, cell by cell; or they were printed with digits "cut" off.
    """

    inputs: Inputs = "exact"
    results: Results = "either"

    @property
    def unlikeliness(self) -> float:
        """How unlikely the reading is before numbers are seen, as a logarithm."""
        return _OF_INPUTS[self.inputs] + _OF_RESULTS[self.results]

    @property
    def in_full(self) -> bool:
        """Whether later results use unprinted digits, those of wrong numbers too."""
        return self.results == "full" or self.inputs != "exact"

    def hides(self, decimals: int) -> bool:
        """Whether inputs with this many decimals hide digits that matter."""
        if not 0 < decimals < ALL_DIGITS:
            return False
        return self.inputs == "rounded" or (self.inputs == "long" and decimals >= ROUNDED_FROM)
