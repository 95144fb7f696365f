"""Scores divided, and masked: a mask is added to them, which holds -∞ where a key is hidden from its query."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnviz.core.rules.base import Bounded, EachCell
from attnviz.core.rules.explaining.cell import Cell, Factor, Made, Term
from attnviz.core.rules.explaining.displayed import DECIMALS, as_decimal, exp, in_sum, quotient, sign
from attnviz.core.rules.explaining.hiding import why_hidden
from attnviz.words import say
from attnviz.words.numbers import significant


def later(n_queries: int, n_keys: int, device: torch.device | str = "cpu", n_kept: int = 0) -> Tensor:
    """Return where a key comes after its query, which a causal mask hides: ``(n_queries, n_keys)`` of bool. So many
    keys were kept, which come before all queries.

    >>> later(2, 2)
    tensor([[False,  True],
            [False, False]])
    """
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).triu(n_kept + 1)


@dataclass(frozen=True)
class Scale(EachCell):
    """A score over √d_k (where `d_k` is not None) and the temperature; with a second source, plus the mask, and -∞
    where the mask holds that, whatever the score is. With `factor` the mask is none that attention has: a hidden score
    is multiplied by 0, which is the exponential of -∞, in place of it. With `own`, the temperature is none: a model has
    a number of its `own` in place of √d_k.

    Source: Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.3.

    >>> Scale(d_k=4, temperature=2.0).divisor
    4.0
    """

    d_k: int | None = None
    temperature: float = 1.0
    factor: bool = False
    own: bool = False

    name = "scale"
    n_sources = (1, 2)
    spells_sources = True

    @property
    def masked_by(self) -> int | None:
        """The mask, unless it is a factor: what is multiplied by 0 is read as any other score."""
        return None if self.factor else 1

    @property
    def settings(self) -> dict[str, Any]:
        """Its fields, and the temperature as formulas write it."""
        return super().settings | {"temperature_text": significant(self.temperature)}

    @cached_property
    def divisor(self) -> float:
        """What the scores are divided by."""
        return (1.0 if self.d_k is None else math.sqrt(self.d_k)) * self.temperature

    def compute(self, *sources: Tensor) -> Tensor:
        """Divide, then mask."""
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        """With a mask or without."""
        return self._divided if n_sources == 1 else self._masked

    def _divided(self, scores: Tensor) -> Tensor:
        return scores / self.divisor

    def _masked(self, scores: Tensor, mask: Tensor) -> Tensor:
        scaled = self._divided(scores)
        if self.factor:
            return scaled * mask.exp()
        return (scaled + mask).masked_fill(mask == -math.inf, -math.inf)  # a score of ∞ is hidden, too

    def bounded(self, *tables: Bounded) -> Bounded:
        """What is masked is exact."""
        value, error = tables[0]
        with np.errstate(all="ignore"):
            if len(tables) == 1:
                return Bounded(value / self.divisor, error / self.divisor)
            mask, of_mask = tables[1]
            if self.factor:
                most = np.exp(np.where(np.isfinite(mask), mask + of_mask, mask))
                spread = (np.abs(value) + error) / self.divisor * (most - np.exp(mask)) + error / self.divisor * most
                return Bounded(value / self.divisor * np.exp(mask), spread)
            hidden = mask == -np.inf
            return Bounded(
                np.where(hidden, -np.inf, value / self.divisor + mask),
                np.where(hidden, 0.0, error / self.divisor + of_mask),
            )

    def kept(self, made: Bounded, *tables: Bounded) -> np.ndarray:
        """The quotient, and the sum where there is a mask."""
        quotients = np.abs(tables[0].value / self.divisor)
        if self.factor and len(tables) > 1:
            return np.abs(made.value) * 4
        return quotients if len(tables) == 1 else quotients + np.abs(made.value)

    def formula(self, *symbols: str) -> str:
        """The score over its divisors, plus the mask."""
        if len(symbols) == 1 and not self.in_symbols:
            return say("stages.formula.undivided")
        divided = quotient(symbols[0], self.in_symbols)
        if self.factor and len(symbols) > 1:
            return f"{divided} ⊙ exp({symbols[1]})"
        return " + ".join((divided, *symbols[1:]))

    def code(self, made: str, *names: str) -> list[str]:
        """A quotient, and the mask added to it."""
        divided = quotient(names[0], self._divisors("d_k**0.5", repr(self.temperature)), " * ")
        if self.factor and len(names) > 1:
            return [f"{made} = {divided} * {names[1]}.exp()"]
        return [f"{made} = {' + '.join((divided, *names[1:]))}"]

    def explain(self, cell: Cell) -> Made:
        """A quotient, then the mask."""
        (score,) = cell.factors(cell.sources[0])
        (mask,) = cell.factors(cell.sources[1]) if len(cell.sources) > 1 else (None,)
        is_last = mask is None or mask.value == 0
        divided = score.value / self.divisor
        symbols = quotient(score.symbols, self.in_symbols)
        steps = self._steps(cell, score.value, cell.value if is_last else divided)
        by = self.in_words(cell)
        words = say("explanation.scale.divided", score=score.symbols, divisor=by)
        if not by:
            words = say(f"explanation.scale.undivided{'_own' if self.own else ''}", score=score.symbols)
        made = Made(
            symbols, steps, words, (Term(divided, (score,)),), divided, cell.tolerance(abs(divided), 4), self.divisor,
            notes=_trouble(cell, score),
        )  # fmt: skip
        if cell.masked:
            return _hidden(cell, made)
        if is_last or mask is None:
            return made
        return _times(cell, made, mask) if self.factor else _added(cell, made, mask)

    def _steps(self, cell: Cell, score: float, quotient_: float) -> list[str]:
        numerator, value, cooled = map(cell.write, (score, quotient_, self.temperature))
        steps = [quotient(numerator, self._divisors(f"√{self.d_k}", cooled), " × ")]
        denominator = cell.write(self.divisor) if self.in_symbols else "1"
        if self.d_k is not None:
            displayed = Decimal(self.d_k).sqrt() * (as_decimal(cooled) if self.temperature != 1 else 1)
            steps.append(f"{sign(displayed, denominator)} {numerator} / {denominator}")
        return [*steps, f"{sign(as_decimal(numerator) / as_decimal(denominator), value)} {value}"]

    @property
    def in_symbols(self) -> list[str]:
        """What scores are divided by, in symbols."""
        return self._divisors("√d_k", self.settings["temperature_text"])

    def in_words(self, cell: Cell) -> str:
        """Say what scores are divided by; empty where by nothing."""
        kind = "own" if self.own else "temperature"
        temperature = say(f"explanation.scale.{kind}", temperature=significant(self.temperature))
        if self.d_k is None:
            return temperature if self.temperature != 1 else ""
        root = say("explanation.scale.root", n=self.d_k, root=cell.write(math.sqrt(self.d_k)))
        if self.temperature == 1:
            return root
        return say("explanation.scale.both", root=root, temperature=temperature)

    def _divisors(self, root: str, temperature: str) -> list[str]:
        return [root] * (self.d_k is not None) + [temperature] * (self.temperature != 1)


def _hidden(cell: Cell, made: Made) -> Made:
    """Return what is said of a cell that the mask hides: what its score would be, and why it isn't."""
    masked = say("explanation.step.masked")
    return made._replace(
        symbols=f"−∞ {masked}",
        steps=[*made.steps, f"→ −∞ {masked}"],
        words=say("explanation.scale.masked", why=why_hidden(cell), words=made.words),
        exact=-math.inf,
        tolerance=0.0,
        masked=True,
    )


def _added(cell: Cell, made: Made, mask: Factor) -> Made:
    """Return what is said of a cell to which the mask adds a number."""
    exact, added, value = made.exact + mask.value, cell.write(mask.value), cell.write(cell.value)
    displayed = as_decimal(cell.write(made.exact)) + as_decimal(added)
    kind = "biased" if mask.stage.name.endswith("distance_bias") else "added"
    return made._replace(
        symbols=f"{made.symbols} + {mask.symbols}",
        steps=[*(in_sum([step, added]) for step in made.steps), f"{sign(displayed, value)} {value}"],
        words=say(f"explanation.scale.{kind}", words=made.words, mask=mask.symbols),
        terms=(*made.terms, Term(mask.value, (mask,))),
        exact=exact,
        tolerance=cell.tolerance(abs(made.exact) + abs(mask.value), 5),
        notes=(*made.notes, *_swallowed(cell, made.exact, mask.value)),
    )


def _swallowed(cell: Cell, score: float, mask: float) -> tuple[str, ...]:
    """Say that nothing is left of a score beside a number so large that its precision has no digits for both."""
    if cell.value != mask or score == 0 or not math.isfinite(mask):
        return ()
    places = {"mask": cell.write(mask), "score": cell.write(score), "dtype": cell.precision.dtype}
    return (say("explanation.scale.swallowed", **places),)


def _times(cell: Cell, made: Made, mask: Factor) -> Made:
    """Return what is said of a cell that is multiplied by the exponential of the mask: by 0, where that is -∞."""
    factor = exp(mask.value)
    exact, times, value = made.exact * factor, cell.write(factor), cell.write(cell.value)
    displayed = DECIMALS.multiply(as_decimal(cell.write(made.exact)), as_decimal(times))
    return made._replace(
        symbols=f"{made.symbols} × exp({mask.symbols})",
        steps=[f"{cell.write(made.exact)} × {times}", f"{sign(displayed, value)} {value}"],
        words=say("explanation.scale.times", words=made.words, mask=mask.symbols, factor=times),
        terms=(Term(exact, (*made.terms[0].factors, mask)),),
        exact=exact,
        tolerance=cell.tolerance(abs(exact), 6),
    )


def _trouble(cell: Cell, score: Factor) -> tuple[str, ...]:
    if not math.isfinite(score.value):
        return (cell.already(score),)
    if not math.isfinite(cell.value) and not cell.masked:
        return (say("explanation.trouble.quotient_beyond", largest=cell.largest_float),)
    return ()
