"""Handouts made at random by plain numpy, with a known slip or none, written in any of the forms people paste.

No code of marking is used here: the wrong cells are known because they were planted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.features.check.unit.written_forms import FORMS, Form

Array = np.ndarray
Tables = dict[str, Array]
OF_A_HEAD = ("scores", "scaled_scores", "attention_weights", "context")
HEADINGS: Mapping[str, tuple[str, ...]] = {
    "x": ("X", "Input X", "embeddings"), "w_q": ("W_q", "W_Q"), "w_k": ("W_k",), "w_v": ("W_v", "Wv"),
    "b_q": ("b_q",), "b_k": ("b_k",), "b_v": ("b_v",), "q": ("Q", "Queries"), "k": ("K", "Keys"), "v": ("V", "Values"),
    "scores": ("Scores", "S", "Q K^T"), "scaled_scores": ("Scaled scores", "scaled_scores", "S'"),
    "attention_weights": ("Attention weights", "A", "weights"), "context": ("Context", "C"), "w_o": ("W_o",),
    "output": ("Output",),
}  # fmt: skip
FROM = 2.5  # units of the last place: a cell that the slip moves by less may look like rounding
ROOM = 40.0  # a cell that the slip moves by this many spreads of rounding is wrong without doubt


@dataclass(frozen=True, eq=False)
class Handout:
    """A handout's text and settings, and the planted slip: its table, and which of its cells are surely wrong.

    `touched` are all cells of that table that the slip moves, also those that it moves by less than rounding may.
    `without` are the tables as they would be printed without the slip. `hides_digits` says that later tables were
    computed with digits of the inputs that aren't printed.
    """

    text: str
    settings: Mapping[str, Any]
    printed: Tables
    told: str
    slip: str = ""
    stage: str = ""
    touched: Array = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    sure: Array = field(default_factory=lambda: np.zeros((0, 0), dtype=bool))
    without: Tables = field(default_factory=dict)
    hides_digits: bool = False


def base(name: str) -> str:
    return name.rpartition(".")[2]


def softmax(scores: Array, axis: int = 1, base: float = np.e) -> Array:
    powers = base ** (scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


class _Maker:
    """The maker of one handout."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.n, self.d_in, self.d = (int(rng.integers(2, 7)), int(rng.integers(2, 6)), int(rng.integers(2, 5)))
        self.heads = int(rng.choice((1, 1, 1, 2, 3)))
        self.mask = str(rng.choice(("none", "none", "causal", "causal", "window")))
        self.size = int(rng.integers(2, max(3, self.n)))
        self.temperature = float(rng.choice((1.0, 1.0, 0.5, 2.0)))
        self.biases = [f"b_{letter}" for letter in "qkv" if rng.random() < 0.25]
        self.output = self.heads > 1 or rng.random() < 0.2
        self.way = str(rng.choice(("rounded", "full")))
        self.form: Form = FORMS[str(rng.choice(sorted(FORMS)))]
        self.decimals = self.form.decimals or int(rng.choice((2, 2, 3, 3, 4, 5, 6, 8, 15)))
        self.typed = bool(rng.random() < 0.6)  # inputs have few digits, and are exact
        self.left_out = {"scaled_scores"} if rng.random() < 0.2 else set()
        before = np.subtract.outer(np.arange(self.n), np.arange(self.n))
        self.hidden = {"none": before > self.n, "causal": before < 0,
                       "window": (before < 0) | (before >= self.size)}[self.mask]  # fmt: skip
        width = self.heads * self.d
        shapes = {"x": (self.n, self.d_in), "w_q": (self.d_in, width), "w_k": (self.d_in, width),
                  "w_v": (self.d_in, width)}  # fmt: skip
        shapes |= dict.fromkeys(self.biases, (1, width))
        shapes |= {"w_o": (width, self.d_in)} if self.output else {}
        digits = int(rng.integers(1, 3)) if self.typed else 12
        size = float(rng.choice((0.8, 1.5, 2.0)))
        self.inputs = {name: rng.uniform(-size, size, shape).round(digits) for name, shape in shapes.items()}

    @property
    def order(self) -> list[str]:
        """The results, in the order in which they are computed."""
        each = [f"heads.{h}.{name}" for h in range(self.heads) for name in OF_A_HEAD]
        names = ["q", "k", "v", *(each if self.heads > 1 else OF_A_HEAD)]
        return [*names, *(["context"] if self.heads > 1 else []), *(["output"] if self.output else [])]

    def columns(self, name: str, table: Array, on: Tables) -> Array:
        """Return the columns of Q, K or V that a table's head has."""
        head = int(name.split(".")[1]) if name.startswith("heads.") else 0
        return table[:, head * self.d : (head + 1) * self.d]

    def step(self, name: str, on: Tables) -> Array:
        """Compute one table from those before it."""
        path, _, kind = name.rpartition(".")
        of = {each: on.get(f"{path}.{each}" if path else each, np.zeros(0)) for each in OF_A_HEAD}
        if kind in ("q", "k", "v"):
            return on["x"] @ on[f"w_{kind}"] + on.get(f"b_{kind}", 0.0)
        if kind == "scores":
            return self.columns(name, on["q"], on) @ self.columns(name, on["k"], on).T
        if kind == "scaled_scores":
            return np.where(self.hidden, -np.inf, of["scores"] / np.sqrt(self.d) / self.temperature)
        if kind == "attention_weights":
            return softmax(of["scaled_scores"])
        if kind == "output":
            return on["context"] @ on["w_o"]
        if self.heads > 1 and not path:
            return np.concatenate([on[f"heads.{head}.context"] for head in range(self.heads)], axis=1)
        return of["attention_weights"] @ self.columns(name, on["v"], on)

    def all(self, stage: str = "", planted: Callable[[Tables, Array], Array] | None = None) -> tuple[Tables, Tables]:
        """Return all tables as printed, and as they would be printed without the slip in that stage."""
        on, printed, due = dict(self.inputs), {}, {}
        for name, values in self.inputs.items():
            printed[name] = values if self.typed else values.round(self.decimals)
            # Whoever computes with printed results takes the inputs as printed, too.
            on[name] = printed[name] if self.way == "rounded" else values
        for name in self.order:
            right = self.step(name, on)
            made = planted(on, right) if planted and name == stage else right
            due[name] = right.round(self.decimals)
            printed[name] = made.round(self.decimals) + 0.0
            on[name] = printed[name] if self.way == "rounded" and base(name) not in self.left_out else made
        return printed, due


def handout(seed: int) -> Handout | None:
    """Return a handout; None if the drawn slip can't be made with its numbers."""
    maker = _Maker(seed)
    slip = str(maker.rng.choice(sorted(SLIPS))) if maker.rng.random() < 0.7 else ""
    of, plant = SLIPS[slip] if slip else ("", None)
    stage = ""
    if plant is not None:
        names = [name for name in maker.order if base(name) in of.split() and base(name) not in maker.left_out]
        stage = str(maker.rng.choice(names)) if names else ""
        if not stage or ("mask" in slip and maker.mask == "none"):
            return None
        made: list[Array | None] = []

        def planted(on: Tables, right: Array) -> Array:
            made.append(plant(maker, stage, on, right))
            return right if made[-1] is None else made[-1]

        with np.errstate(all="ignore"):
            printed, due = maker.all(stage, planted)
        if made[0] is None:
            return None
    else:
        printed, due = maker.all()
    tell = maker.rng.random() < 0.5 or "mask" in slip
    settings: dict[str, Any] = {"temperature": maker.temperature}
    if tell and maker.mask != "none":
        settings["mask"] = "causal" if maker.mask == "causal" else f"window:{maker.size}"
    if maker.heads > 1:
        settings["n_heads"] = maker.heads
    tables = {name: table for name, table in printed.items() if base(name) not in maker.left_out}
    text = written(maker, tables)
    told = f"{maker.form.name}, {maker.decimals} decimals, {maker.way}, typed={maker.typed}, mask={maker.mask}, " + (
        f"heads={maker.heads}, {slip or 'right'} at {stage}")  # fmt: skip
    if not slip:
        return Handout(text, settings, tables, told)
    with np.errstate(all="ignore"):
        off = np.abs(printed[stage] - due[stage]) * 10.0**maker.decimals
    off = np.where(printed[stage] == due[stage], 0.0, np.where(np.isfinite(off), off, np.inf))
    return Handout(text, settings, tables, told, slip, stage, off > 0, off >= FROM, maker.all()[0],
                   hides_digits=maker.way == "full" and not maker.typed)  # fmt: skip


def written(maker: _Maker, tables: Tables) -> str:
    """Return all tables as text, each below its name."""
    rng, parts = maker.rng, []
    hidden = str(rng.choice(maker.form.hidden))
    blank = "\n\n" if rng.random() < 0.8 else "\n"
    for name, table in tables.items():
        heading = str(rng.choice(HEADINGS[base(name)]))
        if "." in name:
            heading += f", head {name.split('.')[1]}"
        own = 12 if name in maker.inputs and maker.typed else maker.decimals
        decimals = min(own, max(_needed(table), 1)) if name in maker.inputs and maker.typed else maker.decimals
        parts.append(maker.form.write(heading, table, decimals, hidden))
    return blank.join(parts) + "\n"


def _needed(table: Array) -> int:
    """Return how many decimals a table's numbers need."""
    return next((n for n in range(12) if np.allclose(table.round(n), table, rtol=0, atol=1e-13)), 12)


# Slips: the tables in which they can be made, and a table with the slip; None if it can't be made


def _one_cell(change: Callable[[float, "_Maker"], float]) -> Callable[..., Array | None]:
    def plant(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
        cells = np.argwhere(np.isfinite(right) & (np.abs(right) > 50 * 10.0**-maker.decimals))
        if not len(cells):
            return None
        i, j = cells[maker.rng.integers(len(cells))]
        table = right.copy()
        table[i, j] = change(float(right[i, j]), maker)
        return table

    return plant


def _two_exchanged(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
    cells = np.argwhere(np.isfinite(right))
    (a, b), (c, d) = cells[maker.rng.choice(len(cells), 2, replace=False)]
    table = right.copy()
    table[a, b], table[c, d] = right[c, d], right[a, b]
    return table


def _dropout(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
    p = float(maker.rng.choice((0.1, 0.2, 0.5)))
    kept = maker.rng.random(right.shape) >= p
    seen = right > 0
    return np.where(kept, right / (1 - p), 0.0) if (kept & seen).any() and (~kept & seen).any() else None


def _row_of_another(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
    i, j = maker.rng.choice(len(right), 2, replace=False)
    table = right.copy()
    table[i] = right[j]
    return table


def _unmasked(maker: _Maker, stage: str, on: Tables) -> Array:
    scores: Array = on[stage.replace("scaled_scores", "scores").replace("attention_weights", "scores")]
    return scores / np.sqrt(maker.d) / maker.temperature


def _mask_forgotten(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
    """Return scores without the mask; None if the weights would be printed alike, so that nothing is wrong."""
    scores = _unmasked(maker, stage, on)
    told = softmax(scores).round(maker.decimals) != softmax(right).round(maker.decimals)
    return scores if told.any() else None


def _scaled(stage: str, on: Tables) -> Array:
    return on[stage.replace("attention_weights", "scaled_scores")]


def _bias_forgotten(maker: _Maker, stage: str, on: Tables, right: Array) -> Array | None:
    return right - on[f"b_{stage}"] if f"b_{stage}" in on else None


_PRODUCTS = "q k v scores context output"
_ANY = "q k v scores attention_weights context output"
SLIPS: Mapping[str, tuple[str, Callable[..., Array | None]]] = {
    "sign": (_PRODUCTS, _one_cell(lambda value, maker: -value)),
    "another number": (_ANY, _one_cell(lambda value, maker: value + float(maker.rng.choice((-1, 1, 0.4))))),
    "point": (_ANY, _one_cell(lambda value, maker: value * 10.0 ** int(maker.rng.choice((-1, 1, 2))))),
    "exchanged": (_ANY, _two_exchanged),
    "bias": ("q k v", _bias_forgotten),
    "other w": ("q k v", lambda maker, stage, on, right: on["x"] @ on["w_k" if stage != "k" else "w_q"]),
    "turned": ("scores", lambda maker, stage, on, right: right.T),
    "root": ("scaled_scores", lambda maker, stage, on, right: right * np.sqrt(maker.d)),
    "d_k": ("scaled_scores", lambda maker, stage, on, right: right / np.sqrt(maker.d)),
    "mask": ("scaled_scores", _mask_forgotten),
    "mask after": ("attention_weights", lambda maker, stage, on, right: np.where(
        maker.hidden, 0.0, softmax(_unmasked(maker, stage, on)))),
    "columns": ("attention_weights", lambda maker, stage, on, right: (
        softmax(_scaled(stage, on), 0) if maker.mask == "none" else None)),
    "base 2": ("attention_weights", lambda maker, stage, on, right: softmax(_scaled(stage, on), base=2.0)),
    "dropout": ("attention_weights", _dropout),
    "row": (_ANY, _row_of_another),
}  # fmt: skip
