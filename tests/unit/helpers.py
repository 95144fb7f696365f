"""Helpers of several test modules: hostile texts, a float64 referee, random scenarios."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Barrier, Lock
from typing import Any

import numpy as np
import torch
from hypothesis import strategies as st

from attnviz import AttentionTrace, Edit, Scenario
from attnviz.core.changes import Changes, with_changes
from attnviz.core.scenario import SETTINGS, traced
from attnviz.core.settings import CHOICES, NUMBERS

WORDS = ("the", "cat", "sat", "on", "mat", "journey", "Your", "été", "猫", "👩‍💻", "!", "don't")
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<b>x</b>",
    "$\\frac12$",
    "`a`",
    "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽",
    "שלום עולם مرحبا",
    "我爱人工智能",
    "a\0b",
    "a\u200bb \ufeff \u00ad",
    "e\u0301 \u0301 \ud800 \u202e",
)


def softmax(scores: np.ndarray, axis: int | None = 1) -> np.ndarray:
    """Return the softmax in plain numpy, with `axis` None over all numbers."""
    exponentials = np.exp(scores - np.max(scores, axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def under_torch_seed(seed: int, draw: Callable[[], Any]) -> Any:
    """Draw what PyTorch draws after torch.manual_seed(seed), without changing its generator."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        return draw()


def random_inputs(n_tokens: int, d_in: int, d_k: int, d_v: int, *, bias: bool = False) -> dict[str, Any]:
    """Return inputs of attend, drawn from their own generator."""
    generator = torch.Generator().manual_seed(n_tokens * 1000 + d_in * 100 + d_k * 10 + d_v)
    shapes: dict[str, tuple[int, ...]] = {
        "x": (n_tokens, d_in), "w_q": (d_in, d_k), "w_k": (d_in, d_k), "w_v": (d_in, d_v),
    }  # fmt: skip
    if bias:
        shapes |= {"b_q": (d_k,), "b_k": (d_k,), "b_v": (d_v,)}
    scale = 1 / math.sqrt(d_in)
    return {
        name: torch.randn(*shape, generator=generator) * (1 if name == "x" else scale) for name, shape in shapes.items()
    }


def in_float64(trace: AttentionTrace) -> dict[str, np.ndarray]:
    """Compute all stages of a trace again from its inputs, in numpy and float64."""

    def given(name: str) -> Any:
        value = getattr(trace, name)
        return 0.0 if value is None else value.detach().cpu().double().numpy()

    x = given("x")
    q, k, v = (x @ given(f"w_{letter}") + given(f"b_{letter}") for letter in "qkv")
    scores = q @ np.swapaxes(k, -2, -1)
    scaled = scores / ((math.sqrt(q.shape[-1]) if trace.scale else 1) * trace.temperature)
    if trace.causal:
        scaled = np.where(np.tri(scaled.shape[-1], dtype=bool), scaled, -np.inf)
    exponentials = np.exp(scaled - scaled.max(-1, keepdims=True))
    weights = exponentials / exponentials.sum(-1, keepdims=True)
    return {
        "q": q, "k": k, "v": v, "scores": scores, "scaled_scores": scaled,
        "attention_weights": weights, "context": weights @ v,
    }  # fmt: skip


# Huge and tiny numbers, and numbers at the edges of a way of writing.
EXTREMES = (1e30, -1e30, 3.4e38, -3.4e38, 1e20, 1e4, -9999.99995, 30.0, -30.0, 1e-20, -1e-38, 1e-45, 0.25, 0.0, -0.0)


def cell_values() -> st.SearchStrategy[float]:
    return st.floats(-10, 10, allow_nan=False).map(lambda value: round(value, 4))


@st.composite
def edits_of(draw: st.DrawFn, scenario: Scenario, most: int = 6, extremes: bool = False) -> tuple[Edit, ...]:
    """Draw edits that fit a scenario, at most one for each cell."""
    cells = {}
    for _ in range(draw(st.integers(0, most))):
        name = draw(st.sampled_from(scenario.editable))
        n_rows, n_columns = scenario.shape_of(name)
        row, column = draw(st.integers(0, n_rows - 1)), draw(st.integers(0, n_columns - 1))
        value = draw(st.sampled_from(EXTREMES) | cell_values() if extremes else cell_values())
        cells[name, row, column] = Edit(name, row, column, value)
    return tuple(cells.values())


def edited(
    scenarios: st.SearchStrategy[Scenario], most: int = 6, extremes: bool = False
) -> st.SearchStrategy[Scenario]:
    """Return a strategy of these scenarios with random edits."""
    return scenarios.flatmap(
        lambda plain: edits_of(plain, most, extremes).map(lambda edits: replace(plain, edits=(*plain.edits, *edits)))
    )


def with_replaced(setup: Scenario, replaced: Mapping[str, Any], edits: Iterable[Edit] = ()) -> Scenario:
    """Return a scenario with these edits, and with these matrices of any layers in place of its own."""
    return with_changes(
        setup, Changes(tuple(edits), tuple((name, by) for name, by in replaced.items() if by is not None))
    )


@st.composite
def setups(draw: st.DrawFn, max_tokens: int = 8, max_d: int = 5, whole: bool = False, heads: bool = False) -> Scenario:
    """Draw scenarios without changes.

    With `whole`, they may have positions, W_o and a feed-forward step; with `heads`, several heads, which may share
    keys and values; with both, norms and several layers.
    """
    n_heads = draw(st.sampled_from((1, 1, 2, 3, 4))) if heads else 1
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=max_tokens))
    d_k = draw(st.integers(1, max_d))
    positions = ["none", "sinusoidal", "learned", *(["rotary"] if heads and d_k % 2 == 0 else [])]
    norm = draw(st.sampled_from(("none", "none", "sums", "pre", "post"))) if heads and whole else "none"
    d_in, d_v = draw(st.integers(1, max_d)), draw(st.none() | st.integers(1, max_d).map(lambda n: n * n_heads))
    if norm != "none":  # a block adds its output to its input, which needs equal widths
        d_in, d_v = n_heads * d_k, None
    n_layers = draw(st.sampled_from((1, 2, 3))) if heads and whole and d_in == (d_v or n_heads * d_k) else 1
    return Scenario(
        text=" ".join(words),
        tokenizer=draw(st.sampled_from(("words", "whitespace", "characters"))),
        embedding=draw(st.sampled_from(("stable", "table", "published"))),
        d_in=d_in,
        d_out=n_heads * d_k,
        d_v=d_v,
        norm=norm,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=draw(st.sampled_from([None, *(n for n in range(1, n_heads + 1) if n_heads % n == 0)])),
        output=draw(st.booleans()) if whole else False,
        init=draw(st.sampled_from(("uniform", "linear", "normal"))),
        seed=draw(st.integers(0, 2**32 - 1)),
        bias=draw(st.booleans()),
        causal=draw(st.booleans()),
        scale=draw(st.booleans()),
        temperature=draw(st.sampled_from((0.5, 1.0, 3.0))),
        positions=draw(st.sampled_from(positions)) if whole else "none",
        d_ff=draw(st.none() | st.integers(1, max_d)) if whole else None,
        activation=draw(st.sampled_from(("relu", "gelu"))),
    )


# OF_SETUPS are settings that `setups` draws; _VALUES has values for settings whose limits don't tell which to try.
OF_SETUPS = ("text", "second", "tokenizer", "d_in", "d_out", "d_v", "init", "seed", "device", "bias", "scale",
              "temperature", "activation")  # fmt: skip
_VALUES: dict[str, tuple[Any, ...]] = {
    "mask_size": (1, 2),
    "what_if": (*("",) * 5, "projections:exchanged", "projections:transposed", "cut:view", "scores:keys-first",
                "scores:cosine", "typed:0:0:5", "softmax:sums", "softmax:columns", "softmax:whole"),
    "word_classes": ("", "cat:verb"),
    "n_layers": (1, 1, 2),
    "n_heads": (1, 1, 2),
    "n_kv_heads": (None, 1),
    "d_ff": (None, None, 3),
}  # fmt: skip


def _values(name: str) -> tuple[Any, ...]:
    """Return values of a setting: the default one, and its choices, or numbers within its limits."""
    usual = Scenario.__dataclass_fields__[name].default
    if name in _VALUES:
        return _VALUES[name]
    if name in NUMBERS:
        low, high = NUMBERS[name]
        return usual, usual, low, math.sqrt(low * high)
    choices = CHOICES.get(name, (False, True))
    return (*(usual,) * max(1, len(choices) // 2), *choices)


# Made from the tables of settings, so that laws try a new setting without anybody adding it here.
WAYS: dict[str, tuple[Any, ...]] = {name: _values(name) for name in SETTINGS if name not in OF_SETUPS}


@st.composite
def every_way(draw: st.DrawFn, /, **fixed: Any) -> Scenario:
    """Draw scenarios with any mask, masking, What-if switch, positions, second sentence, norm, heads and layers."""
    plain, width = draw(setups(max_tokens=4, max_d=3)), draw(st.sampled_from((2, 3, 4)))
    fields = {name: getattr(plain, name) for name in Scenario.__dataclass_fields__}
    fields |= {"d_in": width, "d_out": width, "d_v": None, "causal": False} | fixed
    fields |= {"second": draw(st.sampled_from(("der Hund schlief", "so")))}
    mask = {"edits": draw(st.sampled_from(((), (Edit("mask", 0, 0, 0.5),))))}
    ways = (
        {name: draw(st.sampled_from(WAYS[name]))} for name in draw(st.permutations(list(WAYS))) if name not in fixed
    )
    for given in (*ways, mask):
        try:
            traced(Scenario(**fields | given))
        except ValueError:  # settings that can't be combined
            continue
        fields |= given
    return Scenario(**fields)


@st.composite
def anything(draw: st.DrawFn) -> Scenario:
    """Draw scenarios of :func:`every_way`, with given matrices, and edits in any layer."""
    scenario = draw(every_way())
    if draw(st.booleans()):
        name = draw(st.sampled_from([each for each in scenario.editable if each != "mask"]))
        (rows, columns), cell = scenario.shape_of(name), st.floats(-2, 2, width=32)
        numbers = st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=rows, max_size=rows)
        scenario = with_replaced(scenario, {name: draw(numbers | st.sampled_from(("identity", "zeros", "random:7")))})
    edits = [edit._replace(value=edit.value / 4) for edit in draw(edits_of(scenario, most=4))]
    return replace(scenario, edits=(*scenario.edits, *edits))


@st.composite
def overflowing(draw: st.DrawFn) -> Scenario:
    """Draw scenarios of :func:`anything`, with numbers so large that most overflow somewhere."""
    scenario = draw(anything())
    names = [each for each in scenario.editable if each != "mask"]
    edits = []
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=4)):
        row, column = (draw(st.integers(0, size - 1)) for size in scenario.shape_of(name))
        edits.append(Edit(name, row, column, draw(st.sampled_from((1e20, 1e30, -1e30, 2e38, 3.4e38, -3.4e38)))))
    return replace(scenario, edits=(*scenario.edits, *edits))


def most_at_once(place: Callable[[], AbstractContextManager[Any]], runs: int, run: Callable[[], object]) -> int:
    """Start so many runs at once, and return the most that had a place at the same time."""
    start, lock, now, most = Barrier(runs), Lock(), [0], [0]

    def one(_: int) -> None:
        start.wait()
        with place():
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            run()
            with lock:
                now[0] -= 1

    with ThreadPoolExecutor(runs) as pool:
        list(pool.map(one, range(runs)))
    assert now == [0]
    return most[0]


def until(condition: Callable[[], bool]) -> None:
    """Wait until this holds, at most a minute, as a machine may be busy."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)
