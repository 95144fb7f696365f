"""Handouts with a planted slip, made by plain numpy, without any code of marking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attnviz.features.tables.printed_table import Printed
from tests.unit.helpers import softmax

Array = np.ndarray
Numbers = dict[str, Array]
ORDER = ("q", "k", "v", "scores", "scaled_scores", "attention_weights", "context")
WAYS = ("rounded", "full", "spreadsheet", "float32")
PEN = ("sign", "digits", "comma", "point")  # slips in writing one number


@dataclass(frozen=True, eq=False)
class Handout:
    """Printed tables, how they were made, and the planted slip: its table, that table in full, and as it would be
    printed without the slip.
    """

    tables: Mapping[str, Printed]
    settings: Mapping[str, Any]
    way: str
    decimals: int
    slip: str = ""
    stage: str = ""
    made: Array | None = None
    right: Array | None = None

    @property
    def traces(self) -> Array:
        """Return by how many units of the last place the slip moved each cell."""
        if self.right is None:
            return np.zeros(0)
        given = self.tables[self.stage].array
        with np.errstate(all="ignore"):
            off = np.abs(given - self.right) * 10.0**self.decimals
        return np.where(given == self.right, 0.0, np.where(np.isfinite(off), off, np.inf))


def step(name: str, on: Numbers, *, causal: bool = False, scale: bool = True) -> Array:
    """Compute one table from those before it."""
    if name in ("q", "k", "v"):
        return on["x"] @ on[f"w_{name}"]
    if name == "scores":
        return on["q"] @ on["k"].T
    if name == "scaled_scores":
        later = np.triu(np.ones_like(on["scores"], dtype=bool), 1) & causal
        return np.where(later, -np.inf, on["scores"] / (np.sqrt(on["q"].shape[1]) if scale else 1.0))
    if name == "attention_weights":
        return softmax(on["scaled_scores"])
    return on["attention_weights"] @ on["v"]


class _Maker:
    """The maker of one handout."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n, self.d_in, self.d = (int(rng.integers(2, 9)), int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        if rng.random() < 0.4:
            self.d = self.d_in
        if rng.random() < 0.2:
            self.n = self.d = self.d_in = int(rng.integers(2, 6))
        self.causal, self.scale = bool(rng.random() < 0.25), bool(rng.random() < 0.85)
        self.way = str(rng.choice(WAYS, p=(0.4, 0.3, 0.15, 0.15)))
        self.decimals = 6 if self.way == "float32" else int(rng.integers(2, 5))
        shapes = {"x": (self.n, self.d_in)} | {f"w_{letter}": (self.d_in, self.d) for letter in "qkv"}
        size = 1.5 / max(self.d_in, self.d) ** 0.25
        digits = 12 if self.way in ("spreadsheet", "float32") else int(rng.integers(1, 3))
        self.inputs = {name: rng.uniform(-size, size, shape).round(digits) for name, shape in shapes.items()}
        left_out = rng.random() < 0.5
        self.printed = tuple(name for name in ORDER if not (left_out and name == "scaled_scores"))
        self.hidden = np.triu(np.ones((self.n, self.n), dtype=bool), 1) & self.causal

    def shown(self, values: Array) -> Array:
        """Return numbers as they are printed."""
        return values.astype(np.float32).astype(np.float64) if self.way == "float32" else values.round(self.decimals)

    def step(self, name: str, on: Numbers) -> Array:
        """Compute one table from those before it."""
        return step(name, on, causal=self.causal, scale=self.scale)

    def tables(self, planted: Callable[[str, Numbers], Array | None]) -> tuple[Numbers, Numbers, Numbers]:
        """Return the tables as printed, in full, and as they would be printed without a slip; `planted` may return
        a table that replaces the right one."""
        on, printed, made, due = dict(self.inputs), {}, {}, {}
        for name in ORDER:
            right = self.step(name, on)
            other = planted(name, on)
            made[name] = right if other is None else other
            printed[name], due[name] = self.shown(made[name]), self.shown(right)
            on[name] = printed[name] if self.way == "rounded" and name in self.printed else made[name]
        return printed, made, due

    def handout(self, printed: Numbers, **more: Any) -> Handout:
        shown = {name: self.shown(values) for name, values in self.inputs.items()}
        shown |= {name: printed[name] for name in self.printed}
        whole = () if self.way == "spreadsheet" else self.inputs
        tables = {
            name: Printed.of(values, None if self.way == "float32" or name in whole else self.decimals)
            for name, values in shown.items()
        }
        settings = {"scale": self.scale, "causal": self.causal}
        return Handout(tables, settings, self.way, self.decimals, **more)


def right_handout(seed: int) -> Handout:
    """Return a handout without any slip."""
    maker = _Maker(np.random.default_rng([seed, 0]))
    return maker.handout(maker.tables(lambda name, on: None)[0])


def wrong_handout(slip: str, seed: int) -> Handout | None:
    """Return a handout with one slip; None if it can't be made at these sizes."""
    maker = _Maker(np.random.default_rng([seed, 1 + SLIPS.index(slip)]))
    stage, planted = _plan(slip, maker)
    if stage not in ORDER:
        return None

    def at_stage(name: str, on: Numbers) -> Array | None:
        return planted(on) if name == stage else None

    with np.errstate(all="ignore"):
        printed, made, due = maker.tables(at_stage)
    where = next((name for name in ORDER[ORDER.index(stage) :] if name in maker.printed), stage)
    if printed[where].shape != due[where].shape:
        return None
    if not maker.causal and not np.isfinite(printed[where]).all():
        return None
    if where != stage:  # the slip's own table isn't printed, so that the next one shows it
        right = maker.tables(lambda name, on: None)[0]
        due[where] = right[where]
    return maker.handout(printed, slip=slip, stage=where, made=made[where], right=due[where])


def _plan(slip: str, maker: _Maker) -> tuple[str, Callable[[Numbers], Array]]:
    """Return the table in which a slip is made ("" if it can't be made), and how."""
    rng, n, d_in, d = maker.rng, maker.n, maker.d_in, maker.d
    letter = str(rng.choice(["q", "k", "v"]))
    of_x = str(rng.choice(["q", "k", "v", "scores", "context"]))
    root = np.sqrt(d)
    scaled, divisor = maker.scale and d > 1, root if maker.scale else 1.0

    def over(divisor: float) -> Callable[[Numbers], Array]:
        return lambda on: np.where(maker.hidden, -np.inf, on["scores"] / divisor)

    if slip in PEN:
        return of_x, _written(slip, maker, of_x)
    if slip == "cut":
        scale = 10.0**maker.decimals
        return of_x, lambda on: np.trunc(maker.step(of_x, on) * scale) / scale
    i, j = (int(each) for each in rng.choice(n, 2, replace=False))
    columns = [int(each) for each in rng.choice(max(d, 2), 2, replace=False)]
    other = str(rng.choice([each for each in ("w_q", "w_k", "w_v") if each != f"w_{letter}"]))
    plans: dict[str, tuple[str, Callable[[Numbers], Array]]] = {
        "columns_swapped": (of_x if of_x != "scores" and d > 1 else "", lambda on: _swapped(
            maker.step(of_x, on), columns)),
        "rows_shifted": (of_x, lambda on: np.roll(maker.step(of_x, on), 1, axis=0)),
        "row_of_another": (of_x, lambda on: _row_taken(maker.step(of_x, on), i, j)),
        "not_transposed": ("scores" if n == d else "", lambda on: on["q"] @ on["k"]),
        "w_transposed": (letter if d_in == d > 1 else "", lambda on: on["x"] @ on[f"w_{letter}"].T),
        "other_factor": (letter, lambda on: on["x"] @ on[other]),
        "exchanged": ("scores", lambda on: on["k"] @ on["q"].T),
        "from_the_left": (letter if n == d_in == d > 1 else "", lambda on: on[f"w_{letter}"] @ on["x"]),
        "misread": (of_x, lambda on: _misread(maker, of_x, on, rng)),
        "root_forgotten": ("scaled_scores" if scaled else "", over(1.0)),
        "d_k_for_root": ("scaled_scores" if scaled else "", over(float(d))),
        "root_d_in": ("scaled_scores" if scaled and d != d_in > 1 else "", over(float(np.sqrt(d_in)))),
        "multiplied": ("scaled_scores" if scaled else "", over(1 / root)),
        "mask_forgotten": ("scaled_scores" if maker.causal else "", lambda on: on["scores"] / divisor),
        "mask_after": ("attention_weights" if maker.causal else "", lambda on: np.where(
            maker.hidden, 0.0, softmax(on["scores"] / divisor))),
        "base_two": ("attention_weights", lambda on: softmax(on["scaled_scores"] * np.log(2))),
        "dropped_out": ("attention_weights", lambda on: np.where(
            rng.random((n, n)) < 0.8, softmax(on["scaled_scores"]) / 0.8, 0.0)),
        "cells_exchanged": (of_x, lambda on: _cells_swapped(maker.step(of_x, on), i, j, rng)),
        "over_columns": ("attention_weights" if not maker.causal else "", lambda on: softmax(on["scaled_scores"], 0)),
        "over_all": ("attention_weights", lambda on: softmax(on["scaled_scores"], None)),
        "not_normalized": ("attention_weights", lambda on: np.exp(on["scaled_scores"])),
        "largest_from_some": ("attention_weights", lambda on: _half_lowered(on["scaled_scores"])),
        "unscaled": ("attention_weights" if scaled else "", lambda on: softmax(over(1.0)(on))),
        "weights_turned": ("context", lambda on: on["attention_weights"].T @ on["v"]),
        "wrong_values": ("context", lambda on: on["attention_weights"] @ on["k"]),
        "scores_as_weights": ("context" if not maker.causal else "", lambda on: on["scaled_scores"] @ on["v"]),
        "left_as_it_was": (letter if d == d_in else "", lambda on: on["x"]),
        "sign_of_all": (of_x, lambda on: -maker.step(of_x, on)),
        "times_ten": (of_x, lambda on: 10 * maker.step(of_x, on)),
        "rounded_early": ("context", lambda on: on["attention_weights"].round(1) @ on["v"]),
    }  # fmt: skip
    return plans[slip]


SLIPS = (
    "columns_swapped", "rows_shifted", "row_of_another", "not_transposed", "w_transposed", "other_factor",
    "exchanged", "from_the_left", "misread", "root_forgotten", "d_k_for_root", "root_d_in", "multiplied",
    "mask_forgotten", "mask_after", "base_two", "dropped_out", "cells_exchanged", "over_columns", "over_all",
    "not_normalized", "largest_from_some", "unscaled", "weights_turned", "wrong_values", "scores_as_weights",
    "left_as_it_was", "sign_of_all", "times_ten", "rounded_early", *PEN, "cut",
)  # fmt: skip


def _swapped(table: Array, columns: list[int]) -> Array:
    swapped = table.copy()
    swapped[:, columns] = table[:, columns[::-1]]
    return swapped


def _cells_swapped(table: Array, row: int, other: int, rng: np.random.Generator) -> Array:
    """Exchange a number of one row with one of another."""
    swapped = table.copy()
    a, b = (row, int(rng.integers(table.shape[1]))), (other, int(rng.integers(table.shape[1])))
    swapped[a], swapped[b] = table[b], table[a]
    return swapped


def _row_taken(table: Array, row: int, other: int) -> Array:
    taken = table.copy()
    taken[row] = table[other]
    return taken


def _half_lowered(scores: Array) -> Array:
    lowered = np.exp(scores - scores.max(axis=1, keepdims=True))
    return lowered / np.exp(scores).sum(axis=1, keepdims=True)


def _misread(maker: _Maker, name: str, on: Numbers, rng: np.random.Generator) -> Array:
    source = {"scores": "q", "context": "v"}.get(name, str(rng.choice(["x", f"w_{name}"])))
    wrong = on[source].copy()
    place = tuple(int(rng.integers(0, size)) for size in wrong.shape)
    wrong[place] = round(float(wrong[place] + rng.choice([-1, 1]) * rng.uniform(0.2, 1.0)), 2)
    return maker.step(name, on | {source: wrong})


def _written(slip: str, maker: _Maker, name: str) -> Callable[[Numbers], Array]:
    def planted(on: Numbers) -> Array:
        table = maker.shown(maker.step(name, on))
        row, column = (int(maker.rng.integers(0, size)) for size in table.shape)
        value = float(table[row, column])
        if slip == "sign":
            table[row, column] = -value
        elif slip == "point":
            table[row, column] = round(value / 10, maker.decimals)
        elif slip == "comma":
            table[row, column] = value * 10.0 ** min(maker.decimals, 3)
        else:
            text = f"{abs(value):.{maker.decimals}f}"
            places = [i for i in range(len(text) - 1) if text[i] != text[i + 1] and "." not in text[i : i + 2]]
            if places:
                i = int(maker.rng.choice(places))
                text = text[:i] + text[i + 1] + text[i] + text[i + 2 :]
            table[row, column] = float(np.copysign(float(text), value))
        return table

    return planted
