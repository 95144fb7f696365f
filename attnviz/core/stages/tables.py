"""The tables: those of self-attention alone, of a whole layer, and of all that any of them may have."""

from functools import lru_cache

from attnviz.core.masks import Masked
from attnviz.core.seeding import POSITIONS
from attnviz.core.stages.attending import Attending
from attnviz.core.stages.behind import BLOCKS, feed_forward_table, gone_on, projected_again, residual_table
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
    mask: bool | Masked = False,
    positions: bool = False,
) -> Table:
    """Return the stages of self-attention with keys of `d_k` numbers and these `biases`; with a `mask`, that is added
    to the scores, and with `positions`, X is made of the vectors of the tokens and those of their places.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1; section 3.5 for positions.

    >>> list(attention_table(2, biases=()))[4:]
    ['q', 'k', 'v', 'scores', 'scaled_scores', 'attention_weights', 'context']
    """
    how = Attending(scale, temperature, as_masked(mask))
    return table_of(*projected(biases, positions), *how.stages(d_k))


@lru_cache(maxsize=512)
def layer_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool | Masked = False,
    positions: bool | str = False,
    n_heads: int = 1,
    n_kv_heads: int = 1,
    d_v: int = 1,
    output: bool = False,
    b_o: bool = True,
    norm: str = "none",
    activation: str | None = None,
    factor: bool = False,
    what_if: str = "",
    linear: bool = False,
    reads: str = ITSELF,
    n_kept: int = 0,
) -> Table:
    """Return the stages of a layer, as :func:`attention_table` does those of attention.

    - `n_heads`, `n_kv_heads`: so many heads, and of keys and values; they share `d_k` and `d_v` columns.
    - `mask`: what is masked; True for a mask that is given by its numbers.
    - `positions`: what tells places, one of :data:`attnviz.core.seeding.POSITIONS`; True for any that adds vectors.
    - `factor`: the vectors of the tokens are multiplied by √d_in first.
    - `output`, `b_o`: W_o follows, with its bias.
    - `activation`: a feed-forward step follows, with this between its layers.
    - `norm`: the block that is made of it, one of :data:`attnviz.core.stages.BLOCKS`.
    - `linear`: a feature map stands in place of the softmax.
    - `reads`: where a "second" sentence is read, keys and values are made of Y, as the output of an encoder is: no
      layer norm of this layer goes over it; where the `n_kept` tokens of a "kept" one are read, too, of Y with X below
      it, and Y is made as X is.
    - `what_if`: switches of :mod:`attnviz.core.what_if`.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, and 3.2.3 for a second sentence; for
    `n_kv_heads` below `n_heads`, Ainslie et al. 2023, GQA, section 2.2.

    >>> list(layer_table(2, activation="gelu"))[-3:]
    ['preactivations', 'hidden', 'feed_forward']
    """
    on = WhatIf.read(what_if)
    place = POSITIONS[positions if isinstance(positions, str) else "learned" if positions else "none"]
    how = Attending(scale, temperature, as_masked(mask), place, on, linear, n_kept)
    table = table_of(
        *projected(biases, place.adds, BLOCKS[norm].before, factor, on, reads),
        *Heads(n_heads, n_kv_heads, d_k, d_v).stages(how),
        *(projected_again(b_o) if output else ()),
    )
    return gone_on(table, "output" if output else "context", norm, activation)


def as_masked(mask: bool | Masked) -> Masked | None:
    """Return what a table says of its mask; of one that is given by its numbers, True, no more than that."""
    return mask if isinstance(mask, Masked) else Masked() if mask else None


STAGES: Table = attention_table()
EVERY_STAGE: Table = followed_by(
    layer_table(positions=True, output=True, mask=True), followed_by(residual_table(), feed_forward_table())
)
# What any computation of one head may have, to name it: not all of these go together.
ALL_STAGES: Table = followed_by(
    EVERY_STAGE,
    {
        **layer_table(positions="rotary", norm="pre", activation="relu"),
        **layer_table(positions="relative"),
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
