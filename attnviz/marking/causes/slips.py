"""Known slips, each as a hypothesis: what a table becomes by it. One row of `SLIPS` for each."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from attnviz.core.rules import GELU, Bounded, ReLU, Scale, Softmax, later
from attnviz.marking.causes.numbers import misread, written_wrongly
from attnviz.marking.causes.step import Candidate, Candidates, Step, pairs

_PROJECTED = {"q": "w_q", "k": "w_k", "v": "w_v"}


class Slip(NamedTuple):
    """A known slip: its name, which is also that of its sentence; the kinds of stages where it can be made; and what a
    table becomes by it, in each of the ways that there are.
    """

    name: str
    kinds: frozenset[str]
    ways: Callable[[Step], Candidates]


# Lines of a table


def _columns_swapped(step: Step) -> Candidates:
    for i, j in pairs(step.right.shape[1]):
        order = _exchanged(step.right.shape[1], i, j)
        yield Candidate(step.right[:, order], {"of": step.stage.symbol, "first": i, "second": j})
    if step.stage.kind != "product":
        return
    for n, (name, source) in enumerate(zip(step.stage.sources[:2], step.sources, strict=False)):
        if n == 1 and step.stage.name != "scores":
            continue  # columns of the second factor are those of the product
        for i, j in pairs(source.shape[1]):
            moved = list(step.sources)
            moved[n] = source[:, _exchanged(source.shape[1], i, j)]
            yield Candidate(step.made(*moved), {"of": step.symbol(name), "first": i, "second": j})


def _exchanged(n: int, i: int, j: int) -> list[int]:
    order = list(range(n))
    order[i], order[j] = j, i
    return order


def _rows_swapped(step: Step) -> Candidates:
    if step.right.shape[0] == 2:
        return  # two rows that are swapped are shifted
    for i, j in pairs(step.right.shape[0]):
        order = _exchanged(step.right.shape[0], i, j)
        yield Candidate(step.right[order], {"first": i, "second": j})


def _rows_shifted(step: Step) -> Candidates:
    for by in (1, -1):
        yield Candidate(np.roll(step.right, by, axis=0))


def _columns_shifted(step: Step) -> Candidates:
    if step.right.shape[1] > 2:
        for by in (1, -1):
            yield Candidate(np.roll(step.right, by, axis=1))


def _row_of_another(step: Step) -> Candidates:
    n = step.right.shape[0]
    for row in range(n):
        for other in range(n):
            if row != other:
                values = step.right.copy()
                values[row] = step.right[other]
                yield Candidate(values, {"row": row, "other": other})


def _turned(step: Step) -> Candidates:
    if step.stage.name == "scores":
        yield Candidate(step.right.T, {"q": step.symbol("q"), "k": step.symbol("k")}, named="exchanged")
    else:
        yield Candidate(step.right.T)


# Products


def _not_transposed(step: Step) -> Candidates:
    if step.stage.name == "scores" and step.sources[0].shape[1] == step.sources[1].shape[0]:
        yield Candidate(step.sources[0] @ step.sources[1])


def _w_transposed(step: Step) -> Candidates:
    if step.stage.name != "scores" and step.sources[0].shape[1] == step.sources[1].shape[1]:
        values = step.sources[0] @ step.sources[1].T + sum(step.sources[2:])
        yield Candidate(values, {"of": step.symbol(step.stage.sources[1])})


def _from_the_left(step: Step) -> Candidates:
    if step.stage.name != "scores" and step.sources[1].shape[1] == step.sources[0].shape[0]:
        first, second = map(step.symbol, step.stage.sources[:2])
        yield Candidate(step.sources[1] @ step.sources[0], {"first": first, "second": second})


def _other_factor(step: Step) -> Candidates:
    """One of the factors is another table: the wrong W, the wrong weights, K in place of Q."""
    first, second = step.stage.sources[:2]
    of_stage = {"scores": ("q", "k", "v", "x"), "context": ("v", "k", "q", "x")}
    others: tuple[str, ...] = of_stage.get(step.stage.name, tuple(_PROJECTED.values()))
    weights = ("scores", "scaled_scores") if step.stage.name == "context" else ()
    for n, taken in ((0, first), (1, second)):
        of_it: tuple[str, ...] = weights if n == 0 and step.stage.name == "context" else others
        if n == 0 and step.stage.name not in ("scores", "context"):
            of_it = ("e",)
        for other in of_it:
            if other != taken and step.has(other) and step.tables[other].shape == step.tables[taken].shape:
                sources = list(step.sources)
                sources[n] = step.tables[other]
                yield Candidate(step.made(*sources), {"taken": step.symbol(other), "due": step.symbol(taken)})


def _scaled_early(step: Step) -> Candidates:
    d_k = step.settings.d_k or step.sources[0].shape[1]
    if step.stage.name == "scores" and d_k > 1:
        root = math.sqrt(d_k)
        yield Candidate(step.right / root, {"root": root}, named="divided_early")
        yield Candidate(step.right * root, {"root": root}, named="multiplied_early")


def _weights_turned(step: Step) -> Candidates:
    if step.stage.name == "context" and step.sources[0].shape[0] == step.sources[0].shape[1]:
        yield Candidate(step.made(step.sources[0].T, step.sources[1]))


def _bias_forgotten(step: Step) -> Candidates:
    if len(step.sources) == 3:
        without = step.right - step.sources[2]
        yield Candidate(without, {"bias": step.symbol(step.stage.sources[2])})


def _summand_forgotten(step: Step) -> Candidates:
    for kept, left in ((0, 1), (1, 0)):
        yield Candidate(step.sources[kept], {"bias": step.symbol(step.stage.sources[left])}, named="bias_forgotten")


def _residual_added(step: Step) -> Candidates:
    if step.stage.name == "context" and step.has("x") and step.tables["x"].shape == step.right.shape:
        yield Candidate(step.right + step.tables["x"])


def _left_as_it_was(step: Step) -> Candidates:
    for name in step.stage.sources[:2] if step.stage.name in ("q", "k", "v") else step.stage.sources[-1:]:
        if name != "scores" or step.stage.name != "scaled_scores":
            yield Candidate(step.tables[name], {"of": step.symbol(name)})


# Scores and their softmax


def _divided_otherwise(step: Step) -> Candidates:
    rule, settings = step.rule, step.settings
    assert isinstance(rule, Scale)
    scores = step.sources[0] / rule.temperature
    hidden = rule.hidden(*scores.shape)
    for name, divisor, places in _divisors(step, settings.d_k if settings.scale else None):
        values = scores / divisor
        yield Candidate(values if hidden is None else np.where(hidden, -np.inf, values), places, named=name)


def _divisors(step: Step, d_k: int | None) -> list[tuple[str, float, dict[str, object]]]:
    shown = step.tables["q"].shape[1] if step.has("q") else step.settings.d_k or 1
    if d_k is None:
        return [("divided", math.sqrt(shown), {"root": math.sqrt(shown)})]
    divisors: list[tuple[str, float, dict[str, object]]] = [
        ("root_forgotten", 1.0, {"root": math.sqrt(d_k)}),
        ("d_k_for_root", float(d_k), {"d_k": d_k}),
        ("multiplied", 1 / math.sqrt(d_k), {"root": math.sqrt(d_k)}),
    ]
    d_in = step.tables["x"].shape[1] if step.has("x") else d_k
    if d_in != d_k:
        divisors.append(("root_d_in", math.sqrt(d_in), {"d_in": d_in}))
        divisors.append(("d_in_for_root", float(d_in), {"d_in": d_in}))
    return divisors


def _mask_forgotten(step: Step) -> Candidates:
    rule = step.rule
    assert isinstance(rule, Scale)
    if rule.causal:
        yield Candidate(step.sources[0] / rule.divisor)


def _exponentials(step: Step) -> tuple[np.ndarray, np.ndarray]:
    scores = step.sources[0]
    with np.errstate(all="ignore"):
        return np.exp(scores), np.exp(scores - scores.max(axis=1, keepdims=True))


def _mask_after(step: Step) -> Candidates:
    unmasked = _unmasked(step)
    if unmasked is not None:
        hidden = later(*unmasked.shape).numpy()
        yield Candidate(np.where(hidden, 0.0, _softmax(unmasked)))
        yield Candidate(np.where(hidden, 1 / unmasked.shape[1], step.right), named="mask_as_zero")
        zeros = np.where(hidden, 0.0, unmasked)
        yield Candidate(_softmax(zeros), named="mask_as_zero")


def _mask_ignored(step: Step) -> Candidates:
    unmasked = _unmasked(step)
    if unmasked is not None and "scaled_scores" in step.decimals:
        yield Candidate(_softmax(unmasked), named="mask_forgotten")


def _unmasked(step: Step) -> np.ndarray | None:
    rule = step.stages["scaled_scores"].rule
    if isinstance(rule, Scale) and rule.causal and step.has("scores"):
        return step.tables["scores"] / rule.divisor
    return None


def _softmax(scores: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return Softmax().bounded(Bounded.exactly(scores)).value


def _over_columns(step: Step) -> Candidates:
    yield Candidate(_softmax(step.sources[0].T).T)


def _over_all(step: Step) -> Candidates:
    exponentials = np.exp(step.sources[0] - np.max(step.sources[0]))
    yield Candidate(exponentials / exponentials.sum())


def _not_normalized(step: Step) -> Candidates:
    plain, lowered = _exponentials(step)
    yield Candidate(plain)
    yield Candidate(lowered)


def _largest_from_some(step: Step) -> Candidates:
    plain, lowered = _exponentials(step)
    with np.errstate(all="ignore"):
        yield Candidate(lowered / plain.sum(axis=1, keepdims=True))
        yield Candidate(plain / lowered.sum(axis=1, keepdims=True))


def _shares_of_scores(step: Step) -> Candidates:
    with np.errstate(all="ignore"):
        yield Candidate(step.sources[0] / step.sources[0].sum(axis=1, keepdims=True))


def _from_unscaled(step: Step) -> Candidates:
    if "scaled_scores" in step.decimals and step.has("scores") and step.settings.scale and (step.settings.d_k or 1) > 1:
        scores = step.tables["scores"]
        rule = step.stages["scaled_scores"].rule
        hidden = rule.hidden(*scores.shape) if rule is not None else None
        yield Candidate(_softmax(scores if hidden is None else np.where(hidden, -np.inf, scores)))


def _scaled_again(step: Step) -> Candidates:
    d_k = step.settings.d_k or 1
    if "scaled_scores" in step.decimals and step.settings.scale and d_k > 1:
        yield Candidate(_softmax(step.sources[0] / math.sqrt(d_k)), {"root": math.sqrt(d_k)})


# Numbers


def _power_of_ten(step: Step) -> Candidates:
    for n in (1, 2, 3):
        yield Candidate(step.right * 10.0**n, {"n": n}, named="times_ten")
        yield Candidate(step.right / 10.0**n, {"n": n}, named="tenth")


def _sign_of_all(step: Step) -> Candidates:
    yield Candidate(-step.right)


def _rounded_early(step: Step) -> Candidates:
    for n, name in enumerate(step.stage.sources):
        shown = step.decimals.get(name, max(step.decimals.values(), default=0))
        for decimals in range(shown):
            sources = list(step.sources)
            sources[n] = sources[n].round(decimals)
            yield Candidate(step.made(*sources), {"of": step.symbol(name), "n": decimals})
    for decimals in range(max(step.decimals.get(step.stage.name, 0), 0)):
        yield Candidate(step.right.round(decimals), {"of": step.stage.symbol, "n": decimals})


def _other_activation(step: Step) -> Candidates:
    other = GELU() if isinstance(step.rule, ReLU) else ReLU()
    yield Candidate(other.bounded(Bounded.exactly(step.sources[0])).value)


_ANY = frozenset({"product", "scale", "softmax", "add", "relu", "gelu"})
_PRODUCT, _SCALE, _SOFTMAX = (frozenset({kind}) for kind in ("product", "scale", "softmax"))

SLIPS: tuple[Slip, ...] = (
    Slip("not_transposed", _PRODUCT, _not_transposed),
    Slip("w_transposed", _PRODUCT, _w_transposed),
    Slip("other_factor", _PRODUCT, _other_factor),
    Slip("from_the_left", _PRODUCT, _from_the_left),
    Slip("weights_turned", _PRODUCT, _weights_turned),
    Slip("scaled_early", _PRODUCT, _scaled_early),
    Slip("bias_forgotten", _PRODUCT, _bias_forgotten),
    Slip("bias_forgotten", frozenset({"add"}), _summand_forgotten),
    Slip("residual_added", _PRODUCT, _residual_added),
    Slip("divided_otherwise", _SCALE, _divided_otherwise),
    Slip("mask_forgotten", _SCALE, _mask_forgotten),
    Slip("mask_forgotten", _SOFTMAX, _mask_ignored),
    Slip("mask_after", _SOFTMAX, _mask_after),
    Slip("unscaled", _SOFTMAX, _from_unscaled),
    Slip("scaled_again", _SOFTMAX, _scaled_again),
    Slip("over_columns", _SOFTMAX, _over_columns),
    Slip("over_all", _SOFTMAX, _over_all),
    Slip("not_normalized", _SOFTMAX, _not_normalized),
    Slip("largest_from_some", _SOFTMAX, _largest_from_some),
    Slip("shares_of_scores", _SOFTMAX, _shares_of_scores),
    Slip("other_activation", frozenset({"relu", "gelu"}), _other_activation),
    Slip("left_as_it_was", _ANY, _left_as_it_was),
    Slip("turned", _ANY, _turned),
    Slip("rows_shifted", _ANY, _rows_shifted),
    Slip("columns_shifted", _ANY, _columns_shifted),
    Slip("columns_swapped", _ANY, _columns_swapped),
    Slip("rows_swapped", _ANY, _rows_swapped),
    Slip("row_of_another", _ANY, _row_of_another),
    Slip("power_of_ten", _ANY, _power_of_ten),
    Slip("sign_of_all", _ANY, _sign_of_all),
    Slip("written_wrongly", _ANY, written_wrongly),
    Slip("misread", _PRODUCT, misread),
    Slip("rounded_early", _ANY, _rounded_early),
)
