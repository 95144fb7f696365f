"""The tables: attention alone, a whole layer, and all possible stages."""

from collections.abc import Mapping
from functools import lru_cache

from attnviz.core.given import GIVEN
from attnviz.core.masks import Masked
from attnviz.core.rules.stage import Table
from attnviz.core.seeding import POSITIONS
from attnviz.core.stages.attending import Attending, Heads, Scoring, each_scoring
from attnviz.core.stages.names import (
    BIASES,
    E_MEMORY_SCALED,
    E_SCALED,
    ITSELF,
    JOINED,
    KEPT,
    OF_MEMORY,
    SECOND,
    Y,
    followed_by,
    head_name,
    table_of,
)
from attnviz.core.stages.projecting import (
    BLOCKS,
    feed_forward_table,
    gone_on,
    projected,
    projected_again,
    residual_table,
)
from attnviz.core.what_if import WhatIf


@lru_cache(maxsize=512)
def attention_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scale: bool = True,
    temperature: float = 1.0,
    mask: bool | Masked = False,
) -> Table:
    """Return the stages of self-attention with keys of `d_k` numbers.

    A `mask` is added to the scores.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.1.
    """
    how = Attending(Scoring(scale=scale, temperature=temperature), as_masked(mask))
    return table_of(*projected(biases, False), *how.stages(d_k))


@lru_cache(maxsize=512)
def layer_table(
    d_k: int = 1,
    *,
    biases: tuple[str, ...] = BIASES,
    scoring: Scoring | None = None,
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
    reads: str = ITSELF,
    n_memory: int = 0,
) -> Table:
    """Return the stages of a layer: attention, and what surrounds it.

    - `n_heads`, `n_kv_heads`: how many heads share the `d_k` and `d_v` columns, and how many have keys and values.
    - `scoring`: the settings of attention itself; None for their defaults.
    - `mask`: the mask; True for one that is given by its numbers.
    - `positions`: the kind, one of :data:`attnviz.core.seeding.POSITIONS`; True for any that adds vectors.
    - `factor`: whether the tokens' vectors are multiplied by √d_in first.
    - `output`, `b_o`: whether W_o follows, and whether it has a bias.
    - `activation`: what stands between the two layers of a feed-forward step; None without such a step.
    - `norm`: the block around attention, one of :data:`attnviz.core.stages.BLOCKS`.
    - `reads`: with a "second" sentence, keys and values are made from Y, which is like an encoder's output: this layer
      doesn't norm it; with a "kept" one of `n_memory` tokens, they are made from Y with X below it; Y is made as X is.
    - `what_if`: switches of :mod:`attnviz.core.what_if`.

    Source: Vaswani et al. 2017, Attention Is All You Need, section 3.2.2, and 3.2.3 for a second sentence; for
    `n_kv_heads` below `n_heads`, Ainslie et al. 2023, GQA, section 2.2.

    >>> list(layer_table(2, activation="gelu"))[-3:]
    ['preactivations', 'hidden', 'feed_forward']
    """
    on = WhatIf.read(what_if)
    place = POSITIONS[positions if isinstance(positions, str) else "learned" if positions else "none"]
    how = Attending(scoring or Scoring(), as_masked(mask), place, on, n_memory)
    table = table_of(
        *projected(biases, place.adds, BLOCKS[norm].before, factor, on, reads),
        *Heads(n_heads, n_kv_heads, d_k, d_v).stages(how),
        *(projected_again(b_o) if output else ()),
    )
    return gone_on(table, "output" if output else "context", norm, activation)


def as_masked(mask: bool | Masked) -> Masked | None:
    """Return a table's mask; True means a mask of any numbers."""
    return mask if isinstance(mask, Masked) else Masked() if mask else None


STAGES: Table = attention_table()
EVERY_STAGE: Table = followed_by(
    layer_table(positions=True, output=True, mask=True), followed_by(residual_table(), feed_forward_table())
)
# All stages that a computation with one head may have, to look up their names; no table has all of them.
ALL_STAGES: Table = followed_by(
    EVERY_STAGE,
    {
        **layer_table(positions="rotary", norm="pre", activation="relu"),
        **layer_table(positions="relative"),
        **layer_table(norm="post", activation="relu"),
        **{name: stage for name, stage in layer_table(positions=True, factor=True).items() if name == E_SCALED},
        **{
            name: stage
            for scoring in each_scoring()
            for name, stage in layer_table(scoring=scoring).items()
            if name not in EVERY_STAGE
        },
        Y: layer_table(reads=SECOND)[Y],
        **{
            name: stage
            for name, stage in layer_table(reads=KEPT, norm="pre", positions=True, factor=True).items()
            if name in (*OF_MEMORY, E_MEMORY_SCALED, JOINED, f"{Y}_norm")
        },
    },
)
VECTORS = tuple(name for name, given in GIVEN.items() if given.is_vector)


# The named widths; the rules tell which of these every other matrix's width equals.
_WIDTHS = {
    "x": "d_in",
    "q": "d_k",
    "v": "d_v",
    "preactivations": "d_ff",
    "output": "d_model",
    "feed_forward": "d_model",
}
_OF_HEADS = {
    head_name(0, "q"): "d_k", head_name(0, "v"): "d_v", "q": "n_heads * d_k", "k": "n_kv_heads * d_k",
    "v": "n_kv_heads * d_v", "context": "n_heads * d_v",
}  # fmt: skip
_ROWS = {"token": "tokens", "query": "queries", "key": "keys"}


class _Size:
    """A number of rows or columns; rules find which are equal."""

    def __init__(self) -> None:
        self._same: _Size | None = None
        self.is_one = False

    @property
    def first(self) -> "_Size":
        """The size that stands for all that equal this one."""
        return self if self._same is None else self._same.first

    def meets(self, other: object) -> bool:
        """Record that this size equals another one, or a number."""
        if isinstance(other, _Size):
            if other.first is not self.first:
                other.first._same = self.first
        else:
            self.first.is_one = other == 1
        return True

    def __add__(self, other: "_Size") -> "_Size":
        return _Size()  # nothing is known about a sum of widths


def sizes_of(table: Table, *, one_sequence: bool = True) -> Mapping[str, tuple[str, str]]:
    """Return what each matrix's rows and columns count: "tokens", "d_k" ...

    A bias has "1" row.

    Without `one_sequence`, there may be more or fewer queries than keys, so each have a name of their own; so have the
    keys of another sentence.

    >>> from attnviz.core.stages import STAGES
    >>> sizes = sizes_of(STAGES)
    >>> sizes["w_v"], sizes["b_v"], sizes["context"]
    (('d_in', 'd_v'), ('1', 'd_v'), ('tokens', 'd_v'))
    >>> sizes_of(STAGES, one_sequence=False)["scores"]
    ('queries', 'keys')
    """
    sizes: dict[str, tuple[_Size, _Size]] = {}
    for name, stage in table.items():
        if stage.rule is None:
            sizes[name] = _Size(), _Size()
        else:
            # Where sequences may differ, each stage that reads X reads one of its own.
            alone = () if one_sequence else ("x",)
            sizes[name] = stage.rule.shape(
                *((_Size(), sizes[source][1]) if source in alone else sizes[source] for source in stage.sources)
            )
    named: list[tuple[_Size, str]] = [(sizes[Y][0], "kept")] if JOINED in table else []
    apart = not one_sequence or any(stage.is_of_others for stage in table.values())
    for kinds in (("query", "key"), ("token",)):  # "queries" and "keys" say more than "tokens", so they come first
        named += [
            (sizes[name][0], _ROWS[stage.rows if apart else "token"])
            for name, stage in table.items()
            if stage.rows in kinds
        ]
    widths = _WIDTHS if head_name(0, "q") not in table else _WIDTHS | _OF_HEADS
    named += [(sizes[name][1], width) for name, width in widths.items() if name in sizes]
    named += [(sizes[name][1], f"d_{name}") for name in sizes]  # for widths without a name
    named += [(sizes[name][0], f"d_{name}") for name in sizes]
    return {name: (_name(rows, named), _name(columns, named)) for name, (rows, columns) in sizes.items()}


def _name(size: _Size, named: list[tuple[_Size, str]]) -> str:
    if size.first.is_one:
        return "1"
    return next(name for each, name in named if each.first is size.first)
