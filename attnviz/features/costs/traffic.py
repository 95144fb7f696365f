"""The numbers that attention moves, with or without tiles."""

import math
from typing import NamedTuple

TOKENS, HEAD_WIDTH, TILE = 8192, 64, 128  # the example's tokens, numbers of a query, and rows and keys of a tile


class Work(NamedTuple):
    """The work of one head, counted in numbers.

    `multiplications` are all that are computed, `moved` all numbers that are read from memory or written to it, and
    `held` the scores that exist at the same time.
    """

    multiplications: int
    moved: int
    held: int


def whole(n: int, width: int) -> Work:
    """Return the work by way of all scores.

    Q and K are read and the scores written; these are read for the softmax, and the attention weights written; then
    weights and V are read, and the context vectors written.

    Source: Dao et al. 2022, FlashAttention, algorithm 0.

    >>> whole(4, 2)
    Work(multiplications=64, moved=96, held=16)
    """
    return Work(2 * n * n * width, 4 * n * width + 4 * n * n, n * n)


def in_tiles(n: int, width: int, rows: int, columns: int) -> Work:
    """Return the work in tiles of `rows` queries and `columns` keys.

    Each block of queries is read once, and its outputs are written once; meanwhile all keys and values are read. The
    factors that a larger score brings are counted for every tile, for l and for each number of O.

    Source: Dao 2023, FlashAttention-2, algorithm 1.

    >>> in_tiles(4, 2, 2, 2)
    Work(multiplications=88, moved=48, held=4)
    """
    blocks, tiles = math.ceil(n / rows), math.ceil(n / columns)
    rescaling = n * tiles * (width + 1)
    return Work(2 * n * n * width + rescaling, 2 * n * width + blocks * 2 * n * width, min(rows, n) * min(columns, n))
