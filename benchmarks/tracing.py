"""Speed of the core: `attnviz.trace` next to the least that gives the same context vectors."""

import ctypes
import time
from collections.abc import Callable
from functools import partial
from statistics import median

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attnviz import Scenario, attend, trace
from benchmarks.rows import Row

D = 64
TARGETS = {6: "", 64: "<= 1.3", 512: "<= 1.3", 1024: ""}
ROUNDS = 101
ROUND_SECONDS = 0.004  # each side repeats for about so long in each round
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # as malloc.h of glibc names them
_KEPT_BYTES = 2**25
MOST_SECONDS = 10  # for all rounds of one size; a busy machine gets fewer of them


def run() -> list[Row]:
    """Measure with one thread of torch, as the app computes, which shares its cores among readers."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    _keep_freed_memory()
    try:
        return _rows()
    finally:
        torch.set_num_threads(threads)


def _keep_freed_memory() -> None:
    """Have what is freed between two calls stay with the process, where its allocator can be told so.

    Else the numbers of the last call go back to the system, and the next one is timed at getting zeroed pages: three
    quarters of it at 512 tokens.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for setting in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(setting, _KEPT_BYTES)


def _rows() -> list[Row]:
    """Return ratios first; each is the median over rounds that time both sides in turn."""
    ratios, details = [], []
    for n_tokens, target in TARGETS.items():
        x, w_q, w_k, w_v = _matrices(n_tokens)
        sides = partial(trace, _scenario(n_tokens)), _fused(n_tokens), partial(attend, x, w_q, w_k, w_v)
        ours, theirs, plain = _in_turn(*sides)
        for name, side, aim in (("projections and fused attention", theirs, target), ("the plain lines", plain, "")):
            ratio = median(a / b for a, b in zip(ours, side, strict=True))
            ratios.append(Row(f"trace / {name}, {n_tokens} tokens", f"{ratio:.2f}", aim))
        details.append(
            Row(
                f"trace, {n_tokens} tokens; projections and fused attention {_microseconds(theirs)}; "
                f"the plain lines of attend {_microseconds(plain)}; "
                f"building the scenario and its first trace {_milliseconds_to_first_trace(n_tokens)}",
                _microseconds(ours),
            )
        )
    return ratios + details


def _matrices(n_tokens: int) -> tuple[Tensor, ...]:
    generator = torch.Generator().manual_seed(0)
    shapes = [(n_tokens, D), (D, D), (D, D), (D, D)]
    return tuple(torch.randn(*shape, generator=generator) / D**0.5 for shape in shapes)


def _scenario(n_tokens: int) -> Scenario:
    x, w_q, w_k, w_v = _matrices(n_tokens)
    text = " ".join(f"t{i}" for i in range(n_tokens))
    return Scenario(text=text, tokenizer="whitespace", d_in=D, d_out=D, x=x, w_q=w_q, w_k=w_k, w_v=w_v)


def _fused(n_tokens: int) -> Callable[[], Tensor]:
    x, w_q, w_k, w_v = _matrices(n_tokens)
    x = x[None, None]  # with 3-D input, PyTorch takes a slower way

    def projections_and_attention() -> Tensor:
        return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)

    return projections_and_attention


def _in_turn(*sides: Callable[[], object]) -> tuple[list[float], ...]:
    """Return the seconds that one call of each side takes, in each of the rounds."""
    repeats = [max(1, int(ROUND_SECONDS / min(_seconds(side, 1) for _ in range(20)))) for side in sides]
    rounds: list[list[float]] = []
    end = time.perf_counter() + MOST_SECONDS
    while len(rounds) < ROUNDS and (len(rounds) < 3 or time.perf_counter() < end):
        rounds.append([_seconds(side, times) for side, times in zip(sides, repeats, strict=True)])
    return tuple(map(list, zip(*rounds, strict=True)))


def _seconds(side: Callable[[], object], times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        side()
    return (time.perf_counter() - start) / times


def _milliseconds_to_first_trace(n_tokens: int) -> str:
    return f"{median(_seconds(lambda: trace(_scenario(n_tokens)), 1) for _ in range(9)) * 1000:.1f} ms"


def _microseconds(seconds: list[float]) -> str:
    return f"{median(seconds) * 1e6:.0f} µs"
