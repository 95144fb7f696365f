"""Dot products over the first d coordinates, for every d of a sweep, from one lot of random numbers.

The trials are cut into streams with a generator each, so that two threads draw at the same time (torch lets
go of Python's lock while it draws) and the numbers are the same on any number of threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from attnviz.scaling_sources import BLOCK, Floats, Scores, Source
from attnviz.seeding import generator_for

_STREAM = 512  # trials
THREADS = 2
_CHUNK = 2**16  # numbers drawn at a time: 256 KiB, which stay in the cache
_TASK = 2**21  # numbers drawn, about, between two words of progress: some 5 ms
_DIMS_HELD = BLOCK  # how many dimensions' scores are held at once, at most

Blocks = list[tuple[int, ...]]  # for consecutive blocks of coordinates, the dimensions that end in each


def numbers_needed(source: Source, dims: tuple[int, ...], trials: int) -> int:
    """Return how many random numbers :func:`partial_scores` draws."""
    return trials * source.numbers_per_block * len(_blocks(dims))


def partial_scores(
    source: Source, dims: tuple[int, ...], trials: int, seed: int, counted: Callable[[int], None]
) -> Iterator[tuple[int, Scores]]:
    """Yield, for each d of `dims` (ascending), the scores (trials, n_queries, n_keys) over the first d coordinates.

    `counted` is told, in the caller's thread, how many random numbers were drawn since it was last told; what
    it raises ends the drawing and passes through.
    """
    slices = [slice(first, min(first + _STREAM, trials)) for first in range(0, trials, _STREAM)]
    seeds = np.random.SeedSequence(seed).generate_state(len(slices)).tolist()
    streams = [_Stream(source, part.stop - part.start, each) for part, each in zip(slices, seeds, strict=True)]
    pool = ThreadPoolExecutor(THREADS)
    try:
        for blocks in _spans(_blocks(dims), min(trials, _STREAM) * source.numbers_per_block):
            ending = [d for inside in blocks for d in inside]
            scores: Floats = np.empty((len(ending), trials, source.n_queries, source.n_keys), np.float32)
            tasks = [
                pool.submit(stream.advance, blocks, scores[:, part])
                for stream, part in zip(streams, slices, strict=True)
            ]
            for task in as_completed(tasks):
                counted(task.result())
            for d, of_d in zip(ending, scores, strict=True):
                yield d, of_d.astype(np.float64)
    finally:
        pool.shutdown(cancel_futures=True)


def _blocks(dims: tuple[int, ...]) -> Blocks:
    return [tuple(d for d in dims if end - BLOCK < d <= end) for end in range(BLOCK, dims[-1] + BLOCK, BLOCK)]


def _spans(blocks: Blocks, numbers: int) -> Iterator[Blocks]:
    """Cut the blocks into spans that one task draws; a stream draws this many numbers for a block."""
    span: Blocks = []
    for inside in blocks:
        full = sum(map(len, span)) + len(inside) > _DIMS_HELD
        if span and (full or len(span) * numbers >= _TASK):
            yield span
            span = []
        span.append(inside)
    yield span


class _Stream:
    """Some of the trials: their generator, and their scores over the coordinates drawn so far."""

    def __init__(self, source: Source, trials: int, seed: int) -> None:
        self.source, self.trials, self.start = source, trials, 0
        self.generator = generator_for(seed)
        self.totals: Scores = np.zeros((trials, source.n_queries, source.n_keys))

    def advance(self, blocks: Blocks, scores: Floats) -> int:
        """Draw these blocks, write into `scores` (dimension, trial, query, key), return how many numbers it took."""
        step = max(1, _CHUNK // self.source.numbers_per_block)
        room = self.source.room(min(step, self.trials))
        done = 0
        for inside in blocks:
            for first in range(0, self.trials, step):
                part = slice(first, min(first + step, self.trials))
                q, k = self.source.draw_block(room[: part.stop - first], self.generator)
                whole = _products(q, k)
                for i, d in enumerate(inside, done):
                    width = d - self.start
                    products = whole if width == BLOCK else _products(q[..., :width], k[..., :width])
                    np.add(self.totals[part], products, out=scores[i, part], casting="same_kind")
                self.totals[part] += whole
            self.start += BLOCK
            done += len(inside)
        return len(blocks) * self.trials * self.source.numbers_per_block


def _products(q: Floats, k: Floats) -> Floats:
    # Not matmul: BLAS may add in another order with another number of threads.
    products: Floats = np.einsum("tqc,tkc->tqk", q, k)
    return products
