"""The stages behind attention: the output projection, what a block adds, and the feed-forward step."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from attnviz.core.kinds import Kinds
from attnviz.core.rules import GELU, Add, Product, ReLU, Rule
from attnviz.core.stages.projecting import layer_norm
from attnviz.core.stages.stage import Stage, Table, followed_by, lowered, row, table_of


@dataclass(frozen=True)
class Block:
    """What a layer adds around attention and the feed-forward step, and where its layer norms stand.

    - `adds`: whether what goes in is added to what comes out.
    - `before`, `after`: whether a layer norm stands before each of the two, or after each sum.
    - `comment`: what an exported script says of it.
    """

    name: str
    adds: bool = True
    before: bool = False
    after: bool = False
    comment: str = ": a block with residual sums and layer norms"


# Before is GPT-2's way, after that of Vaswani et al. 2017, section 5.4.
BLOCKS: Kinds[Block] = Kinds("norm", (
    Block("none", adds=False, comment=""),
    Block("sums", comment=": a block with residual sums"),
    Block("pre", before=True),
    Block("post", after=True),
))  # fmt: skip
ACTIVATIONS: Mapping[str, Rule] = MappingProxyType({"relu": ReLU(), "gelu": GELU()})


def projected_again(b_o: bool) -> tuple[Stage, ...]:
    """Return the output projection, with its bias or without."""
    bias = row("b_o", "b_o", "feature", "feature", "projections", is_vector=True)
    return (
        row("w_o", "W_o", "feature", "feature", "projections"),
        *[bias] * b_o,
        row("output", "O", "token", "feature", "vectors", Product(), ("context", "w_o", "b_o")[: 2 + b_o]),
    )


def gone_on(table: Table, made: str, norm: str, activation: str | None) -> Table:
    """Return a table whose attention makes what is called `made`, and with it what follows: the sums and layer norms of
    a block, and a feed-forward step between them where there is an `activation`."""
    goes_in, block = made, BLOCKS[norm]
    if block.adds:
        is_normed = block.after or (block.before and activation is not None)
        goes_in = "residual_1_norm" if is_normed else "residual_1"
        normed = layer_norm("residual_1", "R₁′", 2 if block.before else 1) if is_normed else ()
        table = followed_by(table, table_of(_residual(1, "x", made), *normed))
    if activation is None:
        return table
    table = followed_by(table, feed_forward_table(activation=activation, source=goes_in))
    if not block.adds:
        return table
    added = _residual(2, goes_in if block.after else "residual_1", "feed_forward")
    return followed_by(table, table_of(added, *(layer_norm("residual_2", "R₂′", 2) if block.after else ())))


def _residual(number: int, before: str, made: str) -> Stage:
    name, symbol = f"residual_{number}", f"R{lowered(number)}"
    return row(name, symbol, "token", "feature", "vectors", Add(), (before, made))


@lru_cache(maxsize=2)
def residual_table(source: str = "output") -> Table:
    """Return the sum of X and what attention makes of it, "output" or "context", without any layer norm."""
    return table_of(_residual(1, "x", source))


@lru_cache(maxsize=16)
def feed_forward_table(
    *, b_1: bool = True, b_2: bool = True, activation: str = "relu", source: str = "context"
) -> Table:
    """Return the stages of the step after attention: two layers, for each token alone; `source` is what goes in.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.3; "gelu" is Hendrycks and Gimpel 2016.
    """
    layers = [("w_1", False), *[("b_1", True)] * b_1, ("w_2", False), *[("b_2", True)] * b_2]
    curve = ACTIVATIONS[activation]
    known = {"context": ("C", "query"), "output": ("O", "token"), "residual_1": ("R₁", "token"),
             "residual_1_norm": ("R₁′", "token")}  # fmt: skip
    symbol, rows = known[source]
    return table_of(
        row(source, symbol, rows, "feature", "vectors", part="v" if source == "context" else ""),
        *(
            row(name, name.capitalize() if not vector else name, "feature", "feature", "projections",
                is_vector=vector)
            for name, vector in layers
        ),
        row("preactivations", "Z", "token", "feature", "vectors", Product(), (source, "w_1", "b_1")[: 2 + b_1],
            told=f"preactivations_{activation}"),
        row("hidden", "H", "token", "feature", "vectors", curve, ("preactivations",), told=f"hidden_{activation}"),
        row("feed_forward", "F", "token", "feature", "vectors", Product(), ("hidden", "w_2", "b_2")[: 2 + b_2]),
    )  # fmt: skip
