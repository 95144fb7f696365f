"""Mistaken rules of a step, and the numbers that each would give."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import Rule
from attnviz.core.stages import STAGES, attention_table, formula_of
from attnviz.features.check.marking import Marking
from attnviz.features.check.marking.causes import SLIPS
from attnviz.features.check.marking.settings import Settings
from attnviz.features.check.marking.step import Candidate, Slip, Step
from attnviz.features.tables.printed_table import as_printed
from attnviz.words import say

_OF_PROJECTIONS = ("w_transposed", "other_factor")
# Stage -> the slips that amount to another rule, the commonest first.
_MISTAKEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "q": _OF_PROJECTIONS, "k": _OF_PROJECTIONS, "v": _OF_PROJECTIONS,
        "scores": ("exchanged", "not_transposed", "other_factor"),
        "scaled_scores": ("root_forgotten", "d_k_for_root", "multiplied", "divided"),
        "attention_weights": (
            "mask_forgotten", "mask_as_zero", "over_columns", "shares_of_scores", "over_all", "not_normalized",
        ),
        "context": ("weights_turned", "other_factor"),
    }
)  # fmt: skip
_NAMING = ("turned", "divided_otherwise", "mask_after")  # slips whose candidates have other names (Candidate.named)
_MOST_CHOICES = 3  # mistaken rules offered beside the right one


@dataclass(frozen=True, eq=False)
class Mistake:
    """A mistaken rule: its slip, its values, and its table.

    `of` is a trace and the name of one of its tables.
    """

    slip: str
    values: np.ndarray
    places: Mapping[str, Any]
    of: tuple[AttentionTrace, str]

    @property
    def symbols(self) -> str:
        """The rule in symbols."""
        trace, name = self.of
        if self.slip == "other_factor":
            return rule_of(trace, name).replace(self.due, self.places["taken"], 1)
        return say(f"exercises.rule.{self.slip}", **self.places)

    @property
    def said(self) -> str:
        """What marking says about this slip."""
        return say(f"marking.slip.{self.slip}", **self.places)

    @property
    def due(self) -> str:
        """The factor that another one wrongly replaces, or empty."""
        return str(self.places.get("due", ""))

    def gives(self, name: str, right: np.ndarray, decimals: int) -> str:
        """Say what the rule gives in the cell where it differs most."""
        row, column = np.unravel_index(np.argmax(np.abs(self.values - right)), right.shape)
        value = as_printed(float(self.values[row, column]), decimals)
        cell = STAGES[name].at(int(row), int(column))
        return say("exercises.rule.gives", rule=self.symbols, cell=cell, value=value, why=self.said)


def rule_of(trace: AttentionTrace, name: str) -> str:
    """Return the right rule of a step in symbols."""
    if name == "attention_weights" or (name == "scaled_scores" and trace.scale):
        return say(f"exercises.rule.{name}")
    return formula_of(name, attention_table(biases=(), scale=trace.scale))


@np.errstate(all="ignore")  # a rule whose numbers overflow isn't offered
def mistakes(trace: AttentionTrace, name: str, decimals: int) -> list[Mistake]:
    """Return the mistaken rules of a step, rounded, the commonest first."""
    tables = {each: getattr(trace, each).numpy().astype(np.float64) for each in trace.stages}
    settings = Settings(trace.scale, None, 1.0, tables["q"].shape[1])
    marking = Marking(settings, trace.stages, (), (), (), tables, dict.fromkeys(tables, decimals))
    same = np.array_equal(tables["scores"], tables["scaled_scores"])
    if same and trace.scale and name == "scaled_scores":
        return []  # √d_k is 1, so that scaling changes nothing
    step = Step(marking, trace.stages[name], tables)
    found = [
        Mistake(slip, made.values.round(decimals) + 0.0, made.places, (trace, name))
        for slip, made in _made(step)
        if not (same and made.places.get("taken") == STAGES["scaled_scores"].symbol)
        if slip in _MISTAKEN[name] and made.values.shape == step.right.shape and np.isfinite(made.values).all()
    ]
    return sorted(found, key=lambda each: _MISTAKEN[name].index(each.slip))


def _made(step: Step) -> Iterator[tuple[str, Candidate]]:
    for slip in _tried(step.rule, step.stage.name):
        for made in slip.candidates(step):
            yield made.named or slip.name, made
            if slip.name == "not_normalized":
                break  # the next candidate differs only by a factor


@lru_cache(maxsize=16)
def _tried(rule: Rule, name: str) -> tuple[Slip, ...]:
    """Return the slips that may amount to another rule for a stage."""
    may_be = {*_MISTAKEN[name], *_NAMING}
    return tuple(slip for slip in SLIPS if slip.name in may_be and slip.may_be(rule, name))


def are_apart(right: np.ndarray, others: Sequence[Mistake]) -> bool:
    """Whether all these tables differ from each other and the right one."""
    tables = [right, *(each.values for each in others)]
    return len({table.tobytes() for table in tables}) == len(tables)


def choices(trace: AttentionTrace, name: str, decimals: int) -> list[Mistake]:
    """Return up to three distinct mistaken rules to offer as choices."""
    right = getattr(trace, name).numpy().round(decimals) + 0.0
    chosen: list[Mistake] = []
    for each in mistakes(trace, name, decimals):
        another = all((each.slip, each.due) != (other.slip, other.due) for other in chosen)
        if another and len(chosen) < _MOST_CHOICES and are_apart(right, [*chosen, each]):
            chosen.append(each)
    return chosen


# If scaled scores were further apart, attention weights would be 0 or 1, with nothing to compute.
_WIDEST = 4.0
_FLAT = 0.05  # a row is flat if its largest and its least attention weight differ by less


def marks_of(trace: AttentionTrace) -> tuple[bool, ...]:
    """Return which criteria of a good exercise a computation meets."""
    scaled = trace.scaled_scores.numpy()
    apart = float((scaled.max(-1) - scaled.min(-1)).max())
    projections = [each.numpy() for each in (trace.w_q, trace.w_k, trace.w_v)]
    return (
        bool(trace.x.numpy().any(-1).all()),
        all(bool(w.any(0).all() and w.any(1).all()) for w in projections),
        apart <= _WIDEST,
        apart > 0,
    )


def are_inputs_apart(x: np.ndarray, *ws: np.ndarray) -> np.ndarray:
    """Return which draws have inputs that can be told apart.

    X and the W's are ``(draws, rows, columns)``. In such a draw, all rows of X differ, the W's differ and aren't
    symmetric, and no row of X and no row or column of a W is all zeros.
    """
    rows = (x[:, :, None] == x[:, None]).all(-1).sum((1, 2)) == x.shape[1]  # each row equals only itself
    found: np.ndarray = rows & x.any(-1).all(-1)
    for n, w in enumerate(ws):
        found &= w.any(1).all(-1) & w.any(2).all(-1)
        if w.shape[1] == w.shape[2]:
            found &= (w != w.swapaxes(1, 2)).any((1, 2))
        for other in ws[:n]:
            found &= (w != other).any((1, 2))
    return found


def is_fair(trace: AttentionTrace, results: Sequence[str], decimals: int) -> bool:
    """Whether mistaken rules give tables unlike each other and the right one.

    A fair exercise's scores aren't symmetric either, and no row of its attention weights is flat.
    """
    most, least = trace.attention_weights.max(-1).values, trace.attention_weights.min(-1).values
    if torch.equal(trace.scores, trace.scores.T) or bool((most - least < _FLAT).any()):
        return False
    tables = ((name, getattr(trace, name).numpy().round(decimals) + 0.0) for name in results)
    return all(are_apart(right, mistakes(trace, name, decimals)) for name, right in tables)


def do_rows_differ(trace: AttentionTrace, decimals: int) -> bool:
    """Whether all rows of attention weights differ when printed."""
    rows = trace.attention_weights.numpy().round(decimals)
    return len({row.tobytes() for row in rows}) == len(rows)


def work_of(trace: AttentionTrace) -> float:
    """Return the share of nonzero products in Q, K, V and S.

    The softmax and the context are as much work in every exercise of a size.
    """
    pairs = [(trace.x, trace.w_q), (trace.x, trace.w_k), (trace.x, trace.w_v), (trace.q, trace.k.T)]
    made = sum(float(((a != 0).double() @ (b != 0).double()).sum()) for a, b in pairs)
    return made / sum(a.shape[0] * a.shape[1] * b.shape[1] for a, b in pairs)
