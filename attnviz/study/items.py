"""Test questions, drawn from a seed, each with four computed choices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from types import MappingProxyType

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace, attend
from attnviz.core.limits import MAX_SEED, check_choice, check_whole
from attnviz.exercises.exercise import DECIMALS, Exercise
from attnviz.exercises.mistakes import mistakes

FORMS = ("pre", "post", "later")
RECALL, TRANSFER = "recall", "transfer"
SHIFT = "shift"  # the softmax of scores that are all larger by the same number
KINDS = ("projection", "scores", "scaled_scores", "attention_weights", "context", SHIFT)
N_CHOICES, LETTERS = 4, "abcd"
_APART = 0.03  # at least, between two choices: no way to round leads from one to the other
_SENTENCES = (
    ("birds", "sing", "at", "dawn"), ("rain", "fell", "on", "Monday"), ("she", "wrote", "him", "back"),
    ("old", "maps", "show", "rivers"), ("two", "boats", "left", "early"), ("bread", "needs", "more", "salt"),
)  # fmt: skip
_TABLES = MappingProxyType({SHIFT: "attention_weights"})


@dataclass(frozen=True, eq=False)
class Item:
    """A question for one number of a table, with its printed choices."""

    kind: str
    part: str
    trace: AttentionTrace
    table: str
    row: int
    column: int
    choices: tuple[float, ...]
    right: int

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables that are printed with the question."""
        return tuple(name for name in self.trace.stages[self.table].sources if name in _printed(self.trace))

    def numbers(self, name: str) -> np.ndarray:
        """Return a table with the digits that a form prints."""
        return _printed(self.trace)[name]


def items_of(seed: int, form: str) -> tuple[Item, ...]:
    """Return a form's twelve items, six recall, six transfer, or raise ``ValueError``."""
    check_whole("seed", seed, 0, MAX_SEED)
    check_choice("form", form, FORMS)
    return tuple(_items(seed, form))


@lru_cache(maxsize=64)
def _items(seed: int, form: str) -> tuple[Item, ...]:
    random = Random(f"study {seed} {form}")
    # So that no two items share their numbers: what one shows would answer another.
    first = len(FORMS) * 2 * len(KINDS) * random.randrange(1_000_000) + FORMS.index(form) * 2 * len(KINDS)
    parts = [(part, kind) for part in (RECALL, TRANSFER) for kind in KINDS]
    return tuple(
        _drawn(random, kind, part, _trace(random, first + place, part)) for place, (part, kind) in enumerate(parts)
    )


def _trace(random: Random, seed: int, part: str) -> AttentionTrace:
    if part == RECALL:
        return Exercise(seed, fair=True).trace
    inputs = Exercise(seed, n_tokens=4, d_in=2, d_k=4, fair=True).trace
    return attend(inputs.x, inputs.w_q, inputs.w_k, inputs.w_v, causal=True, tokens=random.choice(_SENTENCES))


def _printed(trace: AttentionTrace) -> dict[str, np.ndarray]:
    names = ("x", "w_q", "w_k", "w_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")
    return {name: getattr(trace, name).numpy().round(DECIMALS) + 0.0 for name in names}


def _drawn(random: Random, kind: str, part: str, trace: AttentionTrace) -> Item:
    """Return an item with a random cell to work out, and choices."""
    table = random.choice("qkv") if kind == "projection" else _TABLES.get(kind, kind)
    stage, printed = trace.stages[table], _printed(trace)
    assert stage.rule is not None
    sources = (torch.from_numpy(printed[name]) if name in printed else trace[name] for name in stage.sources)
    right: np.ndarray = stage.rule.compute(*sources).numpy().round(DECIMALS) + 0.0
    cells = [(int(row), int(column)) for row, column in np.argwhere(np.isfinite(right) & (right != 0))]
    # Of attention weights, none of a query that reads one key alone.
    cells = [cell for cell in cells if table != "attention_weights" or right[cell] < 1]
    row, column = random.choice(cells)
    value = float(right[row, column])
    chosen = [value]
    least, most = (0.0, 1.0) if table == "attention_weights" else (-np.inf, np.inf)
    for other in _others(trace, table, kind, right, row, column):
        if not least <= other <= most:
            continue  # no share
        if len(chosen) < N_CHOICES and all(abs(other - each) >= _APART for each in chosen):
            chosen.append(float(other))
    random.shuffle(chosen)
    return Item(kind, part, trace, table, row, column, tuple(chosen), chosen.index(value))


def _others(trace: AttentionTrace, table: str, kind: str, right: np.ndarray, row: int, column: int) -> Iterator[float]:
    """Yield wrong choices: by mistaken rules, other cells, and numbers nearby."""
    if kind == SHIFT:
        yield round(1 / len(trace.tokens), DECIMALS)
    yield from (mistake.values[row, column] for mistake in mistakes(trace, table, DECIMALS))
    yield from (each for each in right[row] if np.isfinite(each))
    yield -right[row, column]
    step = 0.1 if table == "attention_weights" else 1.0
    for n in range(1, 2 * N_CHOICES):
        for near in (right[row, column] + n * step, right[row, column] - n * step):
            yield round(float(near), DECIMALS)


def score(answers: Sequence[str], items: Sequence[Item]) -> float:
    """Return the percentage of right answers, given as letters; missing are wrong.

    >>> items = items_of(7, "pre")
    >>> score([LETTERS[item.right] for item in items], items), score(12 * [""], items)
    (100.0, 0.0)
    """
    right = sum(given.strip().lower() == LETTERS[item.right] for given, item in zip(answers, items, strict=True))
    return 100 * right / len(items)
