"""What a handout says of its computation, and in which way its numbers are read."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from attnviz.core.stages import BIASES, MASK, Table, feed_forward_table, followed_by, layer_table, residual_table
from attnviz.marking.heads import Shared

ROUNDED_FROM = 4  # decimals: fewer are typed by hand as a rule, and exact; so many are a print-out, which was rounded
ALL_DIGITS = 8  # decimals: digits after so many tell nothing beside the error of a machine's arithmetic

Inputs = Literal["exact", "long", "rounded"]
Results = Literal["either", "rounded", "full", "cut"]
_OF_INPUTS: Mapping[str, float] = MappingProxyType({"exact": 0.0, "long": 2.0, "rounded": 6.0})
_OF_RESULTS: Mapping[str, float] = MappingProxyType({"either": 0.0, "rounded": 0.0, "full": 2.0, "cut": 12.0})


@dataclass(frozen=True)
class Settings:
    """How the scores become attention weights; `d_k` is that of all heads together, None where no score is scaled."""

    scale: bool
    causal: bool
    temperature: float
    d_k: int | None
    activation: str = "relu"
    heads: Shared = Shared()  # noqa: RUF009  frozen

    @property
    def d_head(self) -> int | None:
        """The length of a query of one head."""
        return self.d_k // self.heads.n if self.d_k is not None else None

    def table(self, tables: Container[str]) -> Table:
        """Return the stages of a computation with these settings; a bias that is not among the tables is not added,
        and X is a sum where one of its summands is."""
        attention = layer_table(
            self.d_k or self.heads.n, biases=tuple(name for name in BIASES if name in tables), scale=self.scale,
            temperature=self.temperature, mask=self.causal or MASK in tables,
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
    """Return the stages of attention with those after it: the residual sum, where a handout of these tables has it,
    and the feed-forward step, into which it goes then."""
    made = "output" if has_output(tables) else "context"
    residual = residual_table(made) if "residual_1" in tables else {}
    layers = feed_forward_table(b_1=b_1, b_2=b_2, activation=activation, source="residual_1" if residual else made)
    return followed_by(attention, followed_by(residual, layers))


@dataclass(frozen=True)
class Reading:
    """A way to read a handout.

    Its inputs are `exact` as printed, or `rounded`, so that they hide digits, or they do so only where they are `long`,
    with four decimals or more. Its results were carried on `rounded`, as printed, or in `full`, or `either` (each cell
    may be what the one or the other gives); or their digits were `cut` off.
    """

    inputs: Inputs = "exact"
    results: Results = "either"

    @property
    def unlikeliness(self) -> float:
        """How much less likely the reading is than the plainest one before any number is looked at, as a logarithm."""
        return _OF_INPUTS[self.inputs] + _OF_RESULTS[self.results]

    @property
    def in_full(self) -> bool:
        """Whether later results come from digits that are not printed, those of a wrong number too."""
        return self.results == "full" or self.inputs != "exact"

    def hides(self, decimals: int) -> bool:
        """Whether an input with so many decimals hides digits that tell; one with all those of float32 doesn't."""
        if not 0 < decimals < ALL_DIGITS:
            return False
        return self.inputs == "rounded" or (self.inputs == "long" and decimals >= ROUNDED_FROM)
