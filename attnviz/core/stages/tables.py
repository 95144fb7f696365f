"""The tables: those of self-attention alone, of a whole layer, and of all that any of them may have."""

from functools import lru_cache

from attnviz.core.masks import ADDED
from attnviz.core.stages.attending import Attending
from attnviz.core.stages.behind import feed_forward_table, gone_on, projected_again, residual_table
from attnviz.core.stages.heads import Heads
from attnviz.core.stages.names import (
    BIASES,
    E_KEPT_SCALED,
    E_SCALED,
    ITSELF,
    JOINED,
    KEPT,
    OF_KEPT,
    SECOND,
    Y,
)
from attnviz.core.stages.projecting import projected
from attnviz.core.stages.stage import Table, followed_by, table_of
from attnviz.core.what_if import WhatIf


@lru_cache(maxsize=512)
def attention_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool = False,
    positions: bool = False,
) -> Table:
    """Return the stages of self-attention with keys of `d_k` numbers and these `biases`; with a `mask`, that is added
    to the scores, and with `positions`, X is made of the vectors of the tokens and those of their places.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; section 3.5 for positions.

    >>> list(attention_table(2, biases=()))[4:]
    ['q', 'k', 'v', 'scores', 'scaled_scores', 'attention_weights', 'context']
    """
    how = Attending(scale, temperature, mask)
    return table_of(*projected(biases, positions), *how.stages(d_k))


@lru_cache(maxsize=512)
def layer_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool = False,
    mask_use: str = ADDED,
    positions: bool = False,
    n_heads: int = 1,
    n_kv_heads: int = 1,
    d_v: int = 1,
    output: bool = False,
    b_o: bool = True,
    rotary: bool = False,
    norm: str = "none",
    activation: str | None = None,
    distances: str = "",
    factor: bool = False,
    what_if: str = "",
    linear: bool = False,
    reads: str = ITSELF,
    n_kept: int = 0,
) -> Table:
    """Return the stages of self-attention as :func:`attention_table` does: with `n_heads` over 1 those of each head,
    which share `d_k` and `d_v` columns, with `rotary` those of queries and keys turned by their places, with `output`
    those of W_o, and with an `activation` those of a feed-forward step after it. A `norm` "sums", "pre" or "post" makes
    a block of these: what goes in is added to what comes out, and with "pre" or "post" layer norms stand before or
    after. With `distances` "alibi" or "relative" a number for each distance of two tokens is added to their scores.
    With a `factor` the vectors of the tokens are multiplied by √d_in first.
    `what_if` are switches of :mod:`attnviz.core.what_if`.
    Where it's `linear`, a feature map stands in place of the softmax. Where a "second" sentence is read, keys and
    values are made of Y, as the output of an encoder is: no layer norm of this layer goes over it. Where the `n_kept`
    tokens of a "kept" one are read, too, they are made of Y with X below it, and Y as X is, where that is made of
    others.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, and 3.2.3 for a second sentence; for
    `n_kv_heads` below `n_heads`, Ainslie et al. 2023, GQA, section 2.2.

    >>> list(layer_table(2, activation="gelu"))[-3:]
    ['preactivations', 'hidden', 'feed_forward']
    """
    on = WhatIf.read(what_if)
    how = Attending(scale, temperature, mask, mask_use, rotary, distances, on, linear, n_kept)
    table = table_of(
        *projected(biases, positions, norm == "pre", factor, on, reads),
        *Heads(n_heads, n_kv_heads, d_k, d_v).stages(how),
        *(projected_again(b_o) if output else ()),
    )
    return gone_on(table, "output" if output else "context", norm, activation)


STAGES: Table = attention_table()
EVERY_STAGE: Table = followed_by(
    layer_table(positions=True, output=True, mask=True), followed_by(residual_table(), feed_forward_table())
)
# What any computation of one head may have, to name it: not all of these go together.
ALL_STAGES: Table = followed_by(
    EVERY_STAGE,
    {
        **layer_table(rotary=True, norm="pre", activation="relu", distances="relative"),
        **layer_table(norm="post", activation="relu"),
        **{name: stage for name, stage in layer_table(positions=True, factor=True).items() if name == E_SCALED},
        **{name: stage for name, stage in layer_table(linear=True).items() if name.startswith("phi_")},
        Y: layer_table(reads=SECOND)[Y],
        **{
            name: stage
            for name, stage in layer_table(reads=KEPT, norm="pre", positions=True, factor=True).items()
            if name in (*OF_KEPT, E_KEPT_SCALED, JOINED, f"{Y}_norm")
        },
    },
)
VECTORS = tuple(name for name, stage in ALL_STAGES.items() if stage.is_vector)
