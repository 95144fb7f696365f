"""What attention keeps of each token, and multiplies for the next one."""

from dataclasses import dataclass, field
from typing import Protocol

BYTES = 2  # of a number in 16 bit


class Layer(Protocol):
    """One attention layer.

    `weights` are the multiplications by its matrices for one token, one for each of their numbers. Only products of
    matrices are counted: no norm, no rotation, no softmax.
    """

    @property
    def weights(self) -> int: ...

    def cached(self, n: int) -> int:
        """Return how many numbers are kept of n tokens."""

    def multiplications(self, n: int) -> int:
        """Return the multiplications for token n; the others are cached."""


@dataclass(frozen=True)
class Grouped:
    """Softmax attention; several heads may share keys and values.

    `width` is that of X, `d_k` and `d_v` are one head's, and `out` is that of W_o's result, 0 without W_o. With a
    `window`, a token reads itself and the tokens before it, that many together. `gates` are the columns of an output
    gate's matrix. `beside` are keys of other tokens, which are kept, too; if `alone`, these are all that is read, as in
    cross-attention.

    Source: Ainslie et al. 2023, GQA, section 2.2; Beltagy et al. 2020, Longformer, section 3.1.
    """

    width: int
    heads: int
    kv_heads: int
    d_k: int
    d_v: int
    out: int
    window: int | None = None
    gates: int = 0
    beside: int = 0
    alone: bool = False

    @property
    def weights(self) -> int:
        """The multiplications by W_q, W_k, W_v, a gate's matrix and W_o.

        In cross-attention, keys and values are made once, of the other tokens.
        """
        of_keys = 0 if self.alone else self.kv_heads * (self.d_k + self.d_v)
        columns = self.heads * self.d_k + of_keys + self.gates
        return self.width * columns + self.heads * self.d_v * self.out

    def _read(self, n: int) -> int:
        own = 0 if self.alone else n if self.window is None else min(n, self.window)
        return own + self.beside

    def cached(self, n: int) -> int:
        """Return the numbers of K and V that are still read."""
        return self._read(n) * self.kv_heads * (self.d_k + self.d_v)

    def multiplications(self, n: int) -> int:
        """Return those by the matrices, of scores, and of values."""
        return self.weights + self._read(n) * self.heads * (self.d_k + self.d_v)


@dataclass(frozen=True)
class Indexer:
    """A small attention that chooses `k` keys for the real one.

    Source: DeepSeek-V3.2-Exp report 2025, equations 1 and 2.
    """

    heads: int
    d: int
    k: int

    def weights(self, width: int, from_width: int) -> int:
        """Return the multiplications for its queries, its key and its heads' factors."""
        return from_width * self.heads * self.d + width * self.d + width * self.heads

    def multiplications(self, n: int) -> int:
        """Return those of n scores, each a sum over heads."""
        return n * self.heads * (self.d + 1)


@dataclass(frozen=True)
class Latent:
    """Multi-head latent attention.

    K and V of all heads are made of one latent. `rank` numbers are the latent's, `rotary` those of the key's rotated
    part, which all heads share; a head's key has `d_content` further numbers, its value `d_v`. Queries are made of a
    latent of their own with `query_rank` numbers, or of X. The products with the latent are counted in the order that
    needs no K and V ("absorbed").

    Source: DeepSeek-AI 2024, DeepSeek-V2, section 2.1, equations 9 to 19.
    """

    width: int
    heads: int
    rank: int
    rotary: int
    d_content: int
    d_v: int
    query_rank: int | None = None
    indexer: Indexer | None = None

    @property
    def weights(self) -> int:
        """The multiplications by all matrices."""
        queries = self.heads * (self.d_content + self.rotary)
        of_queries = (
            self.width * queries
            if self.query_rank is None
            else self.width * self.query_rank + self.query_rank * queries
        )
        of_latent = self.width * (self.rank + self.rotary) + self.rank * self.heads * (self.d_content + self.d_v)
        chosen = self.indexer.weights(self.width, self.query_rank or self.width) if self.indexer else 0
        return of_queries + of_latent + self.heads * self.d_v * self.width + chosen

    def cached(self, n: int) -> int:
        """Return the numbers of latents, rotated parts, and indexer keys."""
        return n * (self.rank + self.rotary + (self.indexer.d if self.indexer else 0))

    def multiplications(self, n: int) -> int:
        """Return those by the matrices, and with each latent that is read."""
        read = min(n, self.indexer.k) if self.indexer else n
        index = self.indexer.multiplications(n) if self.indexer else 0
        return self.weights + index + read * self.heads * (2 * self.rank + self.rotary)


@dataclass(frozen=True)
class Compressed:
    """Attention to a window of tokens, and to pooled blocks.

    K and V are the same `d` numbers, shared by all heads. A block of `block` tokens is pooled out of `parts`
    projections of its tokens, each with a gate. An `indexer` chooses the blocks that are read. W_o has two steps, the
    first in `groups` of heads with `group_rank` numbers each. Without blocks (`block` None), only the window is read.

    Source: DeepSeek-AI 2026, DeepSeek-V4 report, sections 2.3.1 and 2.3.2.
    """

    width: int
    heads: int
    d: int
    query_rank: int
    groups: int
    group_rank: int
    window: int
    block: int | None = None
    parts: int = 1
    indexer: Indexer | None = None

    @property
    def weights(self) -> int:
        """The multiplications by all matrices."""
        context = self.heads * self.d
        attention = self.width * self.query_rank + self.query_rank * context + self.width * self.d
        attention += context * self.group_rank + self.groups * self.group_rank * self.width
        if self.block:
            attention += 2 * self.parts * self.width * self.d
        if self.indexer:
            # Its key is pooled, too.
            attention += self.indexer.weights(self.width, self.query_rank) - self.width * self.indexer.d
            attention += 2 * self.parts * self.width * self.indexer.d
        return attention

    def _blocks(self, n: int) -> int:
        return n // self.block if self.block else 0

    def cached(self, n: int) -> int:
        """Return the numbers of the window's tokens and of all blocks."""
        of_block = self.d + (self.indexer.d if self.indexer else 0)
        return min(n, self.window) * self.d + self._blocks(n) * of_block

    def multiplications(self, n: int) -> int:
        """Return those by the matrices, and with each key that is read."""
        blocks = self._blocks(n)
        index = self.indexer.multiplications(blocks) if self.indexer else 0
        read = min(n, self.window) + (min(blocks, self.indexer.k) if self.indexer else blocks)
        return self.weights + index + 2 * read * self.heads * self.d


@dataclass(frozen=True)
class State:
    """Linear attention, which keeps a table for each head.

    `kept` are the numbers of all heads' tables, and others of the same number for any text, such as the last tokens
    before a convolution. Each token changes the tables and asks them, with `multiplied` multiplications.

    Source: Katharopoulos et al. 2020, Transformers are RNNs, section 3.4; Yang et al. 2024, Gated Delta Networks,
    equation 10.
    """

    weights: int
    kept: int
    multiplied: int

    def cached(self, n: int) -> int:
        """Return the numbers of the tables, however many tokens there were."""
        return self.kept

    def multiplications(self, n: int) -> int:
        """Return those by the matrices, and with the tables."""
        return self.weights + self.multiplied


@dataclass(frozen=True)
class Costs:
    """The attention layers of a model or set-up, with their numbers."""

    name: str
    layers: tuple[tuple[int, Layer], ...] = field(repr=False)

    def cached(self, n: int) -> int:
        """Return how many numbers all layers keep of n tokens."""
        return sum(count * layer.cached(n) for count, layer in self.layers)

    def cached_bytes(self, n: int) -> int:
        """Return how many bytes these numbers take in 16 bit."""
        return BYTES * self.cached(n)

    def multiplications(self, n: int) -> int:
        """Return the multiplications of all layers for the last of n tokens."""
        return sum(count * layer.multiplications(n) for count, layer in self.layers)
