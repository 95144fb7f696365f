"""Random dot products over the first d coordinates, for every d.

The trials are cut into streams with a generator each, so that two threads draw at the same time (torch lets
go of Python's lock while it draws) and the numbers are the same on any number of threads. However many dimensions
are swept, no more scores than SCORES_HELD are held: where more dimensions end in one block of coordinates, the block
is drawn once more for the others.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from functools import lru_cache
from threading import Event
from typing import NamedTuple

import numpy as np
import torch

from attnviz.core.limits import MAX_SEED, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.scaling.sources import BLOCK, Floats, Scores, Source

_STREAM = 512  # trials
THREADS = 2
_CHUNK = 2**16  # numbers drawn at a time: 256 KiB, which stay in the cache
_TASK = 2**21  # numbers drawn, about, between two words of progress: some 5 ms
SCORES_HELD = 2**24  # in float32, 64 MiB: those of at least one dimension, and of all that fit
_PULSE = 0.05  # seconds after which the caller is told that nothing new is done yet, so that it can stop the drawing

# Measured on one core of a machine of two, in nanoseconds.
_NS_NUMBER, _NS_PRODUCT, _NS_SCORE = 3.0, 0.5, 5.0


class Part(NamedTuple):
    """A block of coordinates with its dimensions; redrawn if not `last`."""

    dims: tuple[int, ...]
    last: bool


Span = list[Part]  # what one task draws


def plan(source: Source, dims: tuple[int, ...], trials: int) -> list[Span]:
    """Cut ascending dimensions into spans whose scores fit into memory."""
    most = scores_held(source, dims, trials)
    numbers = min(trials, _STREAM) * source.numbers_per_block
    spans: list[Span] = [[]]
    ended, left = 0, 0  # dimensions in the last span, and where those begin that are in none yet
    for end in range(BLOCK, dims[-1] + BLOCK, BLOCK):
        first, left = left, bisect_right(dims, end, left)
        inside = dims[first:left]
        pieces = [inside[first : first + most] for first in range(0, len(inside), most)] or [()]
        for i, piece in enumerate(pieces):
            if spans[-1] and (ended + len(piece) > most or len(spans[-1]) * numbers >= _TASK):
                spans.append([])
                ended = 0
            spans[-1].append(Part(piece, i == len(pieces) - 1))
            ended += len(piece)
    return spans


def scores_held(source: Source, dims: tuple[int, ...], trials: int) -> int:
    """Return of how many dimensions the scores are held at once."""
    return min(len(dims), max(1, SCORES_HELD // (trials * source.n_queries * source.n_keys)))


def seconds_of(source: Source, span: Span, trials: int) -> float:
    """Return roughly how many seconds one core takes for a span."""
    products = source.products_per_block + source.n_queries * source.n_keys * BLOCK
    drawn = len(span) * (source.numbers_per_block * _NS_NUMBER + products * _NS_PRODUCT)
    ending = sum(len(part.dims) for part in span) * source.n_queries * source.n_keys
    return trials * (drawn + ending * (_NS_SCORE + BLOCK / 2 * _NS_PRODUCT)) * 1e-9


def partial_scores(
    source: Source, dims: tuple[int, ...], trials: int, seed: int, counted: Callable[[float], None]
) -> Iterator[tuple[int, Floats]]:
    """Yield each ascending d with its scores ``(trials, n_queries, n_keys)``.

    They lie in room that is used again: they hold until the next are asked for. `counted` is told, in the caller's
    thread and every few hundredths of a second or so, how much of :func:`seconds_of` is done since it was last told;
    what it raises ends the drawing and passes through.
    """
    slices = [slice(first, min(first + _STREAM, trials)) for first in range(0, trials, _STREAM)]
    seeds = np.random.SeedSequence(seed).generate_state(len(slices)).tolist()
    stopped = Event()
    streams = [_Stream(source, part.stop - part.start, each, stopped) for part, each in zip(slices, seeds, strict=True)]
    held: Floats = np.empty(
        (scores_held(source, dims, trials), trials, source.n_queries, source.n_keys), np.float32
    )  # fmt: skip
    tasks = list(zip(streams, slices, strict=True))
    pool = ThreadPoolExecutor(max(1, THREADS - 1))
    try:
        for span in plan(source, dims, trials):
            helped = [task for i, task in enumerate(tasks) if i % THREADS]
            left = {pool.submit(stream.advance, span, held[:, part]) for stream, part in helped}
            # The caller's thread draws, too: to wait for two others takes longer. It tells of what they have done.
            for stream, part in tasks[::THREADS]:
                trials_done = stream.advance(span, held[:, part])
                done = {task for task in left if task.done()}
                left -= done
                counted(sum(seconds_of(source, span, n) for n in (trials_done, *(task.result() for task in done))))
            while left:
                done, left = wait(left, _PULSE, FIRST_COMPLETED)
                counted(sum(seconds_of(source, span, task.result()) for task in done))
            yield from zip((d for part in span for d in part.dims), held, strict=False)
    finally:
        stopped.set()
        pool.shutdown(cancel_futures=True)


class _Stream:
    """Some trials, with their generator and their scores so far."""

    def __init__(self, source: Source, trials: int, seed: int, stopped: Event) -> None:
        self.source, self.trials, self.start, self.stopped = source, trials, 0, stopped
        self.generator = generator_for(seed)
        self.totals: Scores = np.zeros((trials, source.n_queries, source.n_keys))

    def advance(self, span: Span, scores: Floats) -> int:
        """Draw a span into `scores` (dimension, trial, query, key); return its trials."""
        step = max(1, _CHUNK // self.source.numbers_per_block)
        room = self.source.room(min(step, self.trials))
        done = 0
        for inside, last in span:
            state = None if last else self.generator.get_state()
            for first in range(0, self.trials, step):
                if self.stopped.is_set():
                    return self.trials
                part = slice(first, min(first + step, self.trials))
                q, k = self.source.draw_block(room[: part.stop - first], self.generator)
                whole = _products(q, k)
                for i, d in enumerate(inside, done):
                    width = d - self.start
                    products = whole if width == BLOCK else _products(q[..., :width], k[..., :width])
                    np.add(self.totals[part], products, out=scores[i, part], casting="same_kind")
                if last:
                    self.totals[part] += whole
            done += len(inside)
            if state is None:
                self.start += BLOCK
            else:
                self.generator.set_state(state)
        return self.trials


def _products(q: Floats, k: Floats) -> Floats:
    # Not matmul: BLAS may add in another order with another number of threads.
    products: Floats = np.einsum("tqc,tkc->tqk", q, k)
    return products


D_MODEL = 512  # with 8 heads, the paper's
N_TOKENS = 6
_KEPT = 32  # of what was drawn last, 80 kB each at most
_BLOCK = 256  # numbers of a query that are drawn at a time


def head_scores(n_heads: int, seed: int) -> Scores:
    """Return the first token's scores (N_TOKENS,) in a model's first head.

    The tokens' vectors are standard normal. W_q and W_k, (D_MODEL, D_MODEL) for all heads together, have entries of
    variance 1 / D_MODEL, as a real initialization gives them; a head's own are d_k = D_MODEL / n_heads of their
    columns. So every head reads all numbers of a token.

    Raises ``ValueError`` for a number of heads that does not divide D_MODEL, or a seed out of range.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
    """
    check_whole("seed", seed, 0, MAX_SEED)
    if check_whole("n_heads", n_heads, 1, D_MODEL) and D_MODEL % n_heads:
        raise ValueError(f"n_heads is {n_heads}, expected a divisor of {D_MODEL}")
    generator = generator_for(seed)
    x = torch.randn(N_TOKENS, D_MODEL, generator=generator, **FLOAT32_ON_CPU)
    w_q, w_k = (torch.randn(D_MODEL, D_MODEL, generator=generator, **FLOAT32_ON_CPU) / D_MODEL**0.5 for _ in range(2))
    d_k = D_MODEL // n_heads
    q, k = x[0].double() @ w_q[:, :d_k].double(), x.double() @ w_k[:, :d_k].double()
    scores: Scores = (k @ q).numpy()
    return scores


@lru_cache(_KEPT)
def drawn_scores(d_k: int, size: int, seed: int) -> Scores:
    """Return `size` dot products of standard normal vectors with d_k numbers."""
    generator, scores = generator_for(seed), torch.zeros(size, dtype=torch.float64)
    for first in range(0, d_k, _BLOCK):
        q, k = torch.randn(2, size, min(_BLOCK, d_k - first), generator=generator, **FLOAT32_ON_CPU).double()
        scores += (q * k).sum(-1)
    drawn: Scores = scores.numpy()
    drawn.flags.writeable = False  # for all who ask for it
    return drawn
