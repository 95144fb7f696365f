"""Handouts of several heads and W_o with a planted slip, made by plain numpy like the others."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attnviz.features.tables.printed_table import Printed
from tests.features.check.unit.handouts.one_head import Array, Handout, Numbers
from tests.unit.helpers import softmax

SLIPS_OF_HEADS = (
    "heads_cut", "of_another_head", "root_of_all_heads", "mask_after", "mask_forgotten", "unscaled", "over_columns",
    "heads_joined", "output_forgotten", "residual_added", "sign", "row_of_another",
    "residual_forgotten",
)  # fmt: skip
_EACH = ("scores", "scaled_scores", "attention_weights", "context")
Planted = Callable[[str, Array], Array]


class _Maker:
    """The maker of one handout; its heads share the keys and values of `n_kv` heads."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.n, self.width = int(rng.integers(2, 6)), int(rng.integers(2, 4))
        self.heads = int(rng.choice((2, 3, 4)))
        self.n_kv = self.heads if rng.random() < 0.7 else 1
        self.causal = bool(rng.random() < 0.5)
        self.way = str(rng.choice(("rounded", "full")))
        self.decimals = int(rng.integers(2, 5))
        d, d_in = self.heads * self.width, int(rng.integers(2, 6))
        self.d_in = d if rng.random() < 0.5 else d_in
        kv = self.n_kv * self.width
        shapes = {"x": (self.n, self.d_in), "w_q": (self.d_in, d), "w_k": (self.d_in, kv), "w_v": (self.d_in, kv),
                  "w_o": (d, d)}  # fmt: skip
        self.inputs = {name: rng.uniform(-1.2, 1.2, shape).round(1) for name, shape in shapes.items()}
        self.hidden = np.triu(np.ones((self.n, self.n), dtype=bool), 1) & self.causal
        self.on: Numbers = {}

    def of_head(self, name: str, head: int) -> Array:
        """Return the columns of Q, K or V that a head has."""
        i = head if name == "q" else head * self.n_kv // self.heads
        columns: Array = self.on[name][:, i * self.width : (i + 1) * self.width]
        return columns

    def step(self, name: str, head: int) -> Array:
        """Compute one table of a head from those before it."""
        before = {each: self.on.get(f"heads.{head}.{each}", np.zeros(0)) for each in _EACH}
        if name == "scores":
            return self.of_head("q", head) @ self.of_head("k", head).T
        if name == "scaled_scores":
            return np.where(self.hidden, -np.inf, before["scores"] / np.sqrt(self.width))
        if name == "attention_weights":
            return softmax(before["scaled_scores"])
        return before["attention_weights"] @ self.of_head("v", head)

    def handout(self, slip: str, stage: str, planted: Planted) -> Handout | None:
        self.on, due, made, printed = dict(self.inputs), {}, {}, {}

        def keep(name: str, right: Array) -> None:
            made[name] = planted(name, right) if name == stage else right
            due[name], printed[name] = right.round(self.decimals), made[name].round(self.decimals)
            self.on[name] = printed[name] if self.way == "rounded" else made[name]

        for letter in "qkv":
            keep(letter, self.on["x"] @ self.on[f"w_{letter}"])
        for head in range(self.heads):
            for name in _EACH:
                keep(f"heads.{head}.{name}", self.step(name, head))
        keep("context", np.concatenate([self.on[f"heads.{head}.context"] for head in range(self.heads)], axis=1))
        keep("output", self.on["context"] @ self.on["w_o"])
        if self.d_in == self.heads * self.width:
            keep("residual_1", self.on["x"] + self.on["output"])
        if stage and printed[stage].shape != due[stage].shape:
            return None
        tables: Mapping[str, Printed] = {name: Printed.of(table) for name, table in self.inputs.items()} | {
            name: Printed.of(table, self.decimals) for name, table in printed.items()
        }
        settings: Mapping[str, Any] = {"causal": self.causal}
        return Handout(tables, settings, self.way, self.decimals, slip, stage, made.get(stage), due.get(stage))


def right_handout_of_heads(seed: int) -> Handout:
    """Return a handout without any slip."""
    handout = _Maker(np.random.default_rng([seed, 100])).handout("", "", lambda _, right: right)
    assert handout is not None
    return handout


def wrong_handout_of_heads(slip: str, seed: int) -> Handout | None:
    """Return a handout with one slip; None if it can't be made at these sizes."""
    maker = _Maker(np.random.default_rng([seed, 101 + SLIPS_OF_HEADS.index(slip)]))
    stage, planted = _plan(slip, maker)
    return maker.handout(slip, stage, planted) if stage else None


def _plan(slip: str, maker: _Maker) -> tuple[str, Planted]:
    """Return the table in which a slip is made ("" if it can't be made), and how."""
    rng, n, width, heads = maker.rng, maker.n, maker.width, maker.heads
    head = int(rng.integers(0, heads))
    path = f"heads.{head}."
    i, j = (int(each) for each in rng.choice(n, 2, replace=False))
    any_of = str(rng.choice([f"{path}scores", f"{path}context", "output"]))

    def cut(name: str) -> Array:
        whole = maker.on[name]
        k = heads if name == "q" else maker.n_kv
        rows: Array = whole.reshape(k, n, width)[head * k // heads]
        return rows

    def unmasked() -> Array:
        scaled: Array = maker.on[f"{path}scores"] / np.sqrt(width)
        return scaled

    def signed(_: str, right: Array) -> Array:
        table = right.copy()
        table[i, 0] = -table[i, 0]
        return table

    def row_taken(_: str, right: Array) -> Array:
        table = right.copy()
        table[i] = right[j]
        return table

    d = heads * width
    plans: dict[str, tuple[str, Planted]] = {
        "heads_cut": (f"{path}scores", lambda *_: cut("q") @ cut("k").T),
        "of_another_head": (f"{path}scores", lambda *_: maker.step("scores", (head + 1) % heads)),
        "root_of_all_heads": (f"{path}scaled_scores", lambda *_: np.where(
            maker.hidden, -np.inf, maker.on[f"{path}scores"] / np.sqrt(d))),
        "mask_after": (f"{path}attention_weights" if maker.causal else "", lambda *_: np.where(
            maker.hidden, 0.0, softmax(unmasked()))),
        "mask_forgotten": (f"{path}scaled_scores" if maker.causal else "", lambda *_: unmasked()),
        "unscaled": (f"{path}attention_weights", lambda *_: softmax(np.where(
            maker.hidden, -np.inf, maker.on[f"{path}scores"]))),
        "over_columns": (f"{path}attention_weights" if not maker.causal else "", lambda *_: softmax(
            maker.on[f"{path}scaled_scores"], 0)),
        "heads_joined": ("context", lambda *_: np.stack([
            maker.on[f"heads.{h}.context"] for h in range(heads)]).reshape(n, d)),
        "output_forgotten": ("output", lambda *_: maker.on["context"]),
        "residual_added": ("output" if maker.d_in == d else "", lambda _, right: right + maker.on["x"]),
        "residual_forgotten": ("residual_1" if maker.d_in == d else "", lambda *_: maker.on["output"]),
        "sign": (any_of, signed),
        "row_of_another": (any_of, row_taken),
    }  # fmt: skip
    return plans[slip]
