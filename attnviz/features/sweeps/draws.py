"""Random dot products over the first d coordinates, for every d.

The trials are divided into streams, each with its own generator. So two threads can draw and measure at the same time
(torch and NumPy release Python's lock meanwhile), and the numbers are the same with any number of threads.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import groupby

import numpy as np
import torch

from attnviz.core.limits import MAX_SEED, check_whole
from attnviz.core.seeding import FLOAT32_ON_CPU, generator_for
from attnviz.explanation.row_statistics import Floats, Scores
from attnviz.features.sweeps.sources import BLOCK, Source

_STREAM = 512  # trials in a stream
THREADS = 2
_CHUNK = 2**16  # numbers drawn at a time: 256 KiB, which stay in the cache
_HELD = 2**21  # measured numbers that wait for those of the other trials: 16 MiB, or all of one dimension
_PULSE = 0.01  # seconds between two reports of progress to the caller, who can stop the drawing then

# Nanoseconds for a random number, a product and a score, measured on one of a machine's two cores.
_NS_NUMBER, _NS_PRODUCT, _NS_SCORE = 3.0, 0.5, 5.0

Told = Callable[[float], object]  # called with the seconds of a core that were done since the last call
Measure = Callable[[int, Floats, Told], list[Scores]]


def _rounds(dims: tuple[int, ...], most: int) -> list[tuple[tuple[int, ...], bool]]:
    """Return rounds of dimensions, with whether their block has further rounds."""
    rounds = []
    for _, of_block in groupby(dims, lambda d: (d - 1) // BLOCK):
        inside = tuple(of_block)
        rounds += [(inside[at : at + most], at + most < len(inside)) for at in range(0, len(inside), most)]
    return rounds


def _at_once(source: Source, trials: int, n_made: int) -> int:
    return max(1, _HELD // (trials * source.n_queries * n_made))


def seconds_of(source: Source, dims: tuple[int, ...], trials: int, n_made: int) -> float:
    """Return roughly how many seconds one core takes for ascending dimensions.

    `n_made` is how many numbers are measured for each row of scores.
    """
    again = sum(more for _, more in _rounds(dims, _at_once(source, trials, n_made)))
    blocks = -(-dims[-1] // BLOCK) + again
    return trials * (blocks * _seconds_of_block(source) + len(dims) * _seconds_of_scores(source))


def _seconds_of_block(source: Source) -> float:
    products = source.products_per_block + source.n_queries * source.n_keys * BLOCK
    return (source.numbers_per_block * _NS_NUMBER + products * _NS_PRODUCT) * 1e-9


def _seconds_of_scores(source: Source) -> float:
    return source.n_queries * source.n_keys * (_NS_SCORE + BLOCK / 2 * _NS_PRODUCT) * 1e-9


def measured(
    source: Source, dims: tuple[int, ...], trials: int, seed: int, n_made: int, measure: Measure, told: Told
) -> Iterator[tuple[int, list[Scores]]]:
    """Yield each ascending d with what `measure` makes of its scores.

    `measure` gets d and some trials' scores ``(trials, n_queries, n_keys)``, and returns arrays (n, trials, ...) with
    `n_made` numbers for each row; the arrays of all trials are joined and yielded. `told` is called in the caller's
    thread every few hundredths of a second; if it raises, the drawing ends, and the exception is passed on.
    """
    sizes = [min(_STREAM, trials - first) for first in range(0, trials, _STREAM)]
    seeds = np.random.SeedSequence(seed).generate_state(len(sizes)).tolist()
    done: deque[float] = deque()  # seconds of work, from all threads
    stopped = False

    def count(seconds: float) -> None:
        if stopped:
            raise CancelledError
        done.append(seconds)

    streams = [_Stream(source, size, each, measure, count) for size, each in zip(sizes, seeds, strict=True)]
    pool = ThreadPoolExecutor(THREADS)
    try:
        for inside, more in _rounds(dims, _at_once(source, trials, n_made)):
            tasks = [pool.submit(stream.advance, inside, more) for stream in streams]
            left = set(tasks)
            while left:
                _, left = wait(left, _PULSE, FIRST_COMPLETED)
                told(sum(done.popleft() for _ in range(len(done))))
            for d, *parts in zip(inside, *(task.result() for task in tasks), strict=True):
                yield d, [np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True)]
    finally:
        stopped = True
        pool.shutdown(cancel_futures=True)


class _Stream:
    """Some trials, with their generator and their scores so far."""

    def __init__(self, source: Source, trials: int, seed: int, measure: Measure, count: Told) -> None:
        self.source, self.trials, self.measure, self.count = source, trials, measure, count
        self.generator, self.start = generator_for(seed), 0
        self.totals: Scores = np.zeros((trials, source.n_queries, source.n_keys))

    def advance(self, inside: tuple[int, ...], more: bool) -> list[list[Scores]]:
        """Draw the block of these dimensions; return the measured arrays.

        If `more` rounds of this block follow, they draw it again, because the drawn numbers take more memory than
        scores.
        """
        while inside[0] > self.start + BLOCK:
            self._add(*self._draw_block())
        found, state = [], self.generator.get_state()
        q, k = self._draw_block()
        for d in inside:
            width = d - self.start
            scores = (self.totals + _products(q[..., :width], k[..., :width])).astype(np.float32)
            self.count(self.trials * _seconds_of_scores(self.source))
            found.append(self.measure(d, scores, self.count))
        if more:
            self.generator.set_state(state)
        else:
            self._add(q, k)
        return found

    def _add(self, q: Floats, k: Floats) -> None:
        self.totals += _products(q, k)
        self.start += BLOCK

    def _draw_block(self) -> tuple[Floats, Floats]:
        source = self.source
        q, k = (np.empty((self.trials, n, BLOCK), np.float32) for n in (source.n_queries, source.n_keys))
        step = max(1, _CHUNK // source.numbers_per_block)
        room = source.room(min(step, self.trials))
        for first in range(0, self.trials, step):
            n = min(step, self.trials - first)
            q[first : first + n], k[first : first + n] = source.draw_block(room[:n], self.generator)
            self.count(n * _seconds_of_block(source))
        return q, k


def _products(q: Floats, k: Floats) -> Floats:
    # Not matmul, because BLAS may add in another order with another number of threads.
    products: Floats = np.einsum("tqc,tkc->tqk", q, k)
    return products


D_MODEL = 512  # as in the paper, whose model has 8 heads
N_TOKENS = 6
_KEPT = 32  # cached draws, of 80 kB each at most
_BLOCK = 256  # numbers of a query that are drawn at a time


def head_scores(n_heads: int, seed: int) -> Scores:
    """Return the first token's scores (N_TOKENS,) in a model's first head.

    The tokens' vectors are standard normal. W_q and W_k, (D_MODEL, D_MODEL) for all heads together, have entries of
    variance 1 / D_MODEL, as in a real initialization; each head has d_k = D_MODEL / n_heads of their columns. So every
    head reads all numbers of a token.

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
    drawn.flags.writeable = False  # all callers share the cached array
    return drawn
