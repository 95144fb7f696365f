"""Scores divided and masked; a mask is -∞ where keys are hidden."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from attnviz.core.rules.base import Rule
from attnviz.core.rules.explaining.numbers import quotient
from attnviz.core.rules.expression import I, J, Piece, Sentence, number, sentence, sources
from attnviz.core.rules.reading import Shape
from attnviz.words import say
from attnviz.words.numbers import significant


def causal_mask(n_queries: int, n_keys: int, device: torch.device | str = "cpu", n_memory: int = 0) -> Tensor:
    """Return where keys come after their queries: ``(n_queries, n_keys)`` of bool.

    The first `n_memory` keys come before all queries.

    >>> causal_mask(2, 2)
    tensor([[False,  True],
            [False, False]])
    """
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).triu(n_memory + 1)


@dataclass(frozen=True)
class Scale(Rule):
    """Scores divided by √d_k and the temperature, plus a mask if given.

    Where the mask is -∞, so is the result. With `factor`, the mask's exponential multiplies the score, which isn't
    attention. With `own`, the temperature is a model's own number in place of √d_k.

    Source: Vaswani et al. 2017, Attention Is All You Need, sections 3.2.1 and 3.2.3.
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
        """The mask's index; None with `factor`.

        A factor makes hidden scores 0, and softmax still gives these a weight.
        """
        return None if self.factor else 1

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | {"temperature_text": self._temperature}

    @cached_property
    def divisor(self) -> float:
        """The number that divides the scores."""
        return (1.0 if self.d_k is None else math.sqrt(self.d_k)) * self.temperature

    def compute(self, *sources: Tensor) -> Tensor:
        return self.kernel(len(sources))(*sources)

    def kernel(self, n_sources: int) -> Callable[..., Tensor]:
        return self._divided if n_sources == 1 else self._masked

    def _divided(self, scores: Tensor) -> Tensor:
        return scores / self.divisor

    def _masked(self, scores: Tensor, mask: Tensor) -> Tensor:
        scaled = self._divided(scores)
        if self.factor:
            return scaled * mask.exp()
        return (scaled + mask).masked_fill(mask == -math.inf, -math.inf)  # a score of ∞ is hidden, too

    def declared(self, *shapes: Shape) -> tuple[Piece, ...]:
        score, mask = sources(2)
        divisors = [number(self.d_k or 1, str(self.d_k)).root] * (self.d_k is not None)
        own = number(self._under_root, str(self._under_root)).root if self._under_root else number(self.temperature)
        divisors += [own] * (self.temperature != 1)
        divided = score[I, J].at_once
        if divisors:
            divided = score[I, J] / (divisors[0] if len(divisors) == 1 else (divisors[0] * divisors[1]).at_once)
        words = sentence(f"explanation.scale.undivided{'_own' if self.own else ''}", score=score.name())
        if divisors:
            words = sentence("explanation.scale.divided", score=score.name(), divisor=self.in_words)
        symbols = (score.name(), quotient("", self.in_symbols))
        with_mask = "" if len(shapes) == 1 else "_factor" if self.factor else "_added"
        aside = sentence(
            f"explanation.softmax.divided{with_mask}",
            score=score.name(),
            divisor=self.in_words,
            **({"mask": mask.name()} if with_mask else {}),
        )
        value = divided
        if with_mask:
            value = divided.weighed(mask[I, J], 2) if self.factor else divided.hidden(mask[I, J], 1)
        asides = (aside,) if divisors else ()
        return (Piece(value, symbols, (words,), roundings=4, trouble="quotient", asides=asides),)

    def formula(self, *symbols: str) -> str:
        if len(symbols) == 1 and not self.in_symbols:
            return say("stages.formula.undivided")
        divided = quotient(symbols[0], self.in_symbols)
        if self.factor and len(symbols) > 1:
            return f"{divided} ⊙ exp({symbols[1]})"
        return " + ".join((divided, *symbols[1:]))

    @property
    def in_symbols(self) -> list[str]:
        """The divisors of scores, in symbols."""
        return self._divisors("√d_k", self._temperature)

    @property
    def _under_root(self) -> int:
        """The whole number whose root is the temperature, or 0.

        It's 0, too, if the temperature itself has at most six digits.
        """
        whole = round(self.temperature**2)
        is_root = self.temperature == math.sqrt(whole) and float(f"{self.temperature:.6g}") != self.temperature
        return whole if is_root else 0

    @property
    def _temperature(self) -> str:
        return f"√{self._under_root}" if self._under_root else significant(self.temperature)

    def _divisors(self, root: str, temperature: str) -> list[str]:
        return [root] * (self.d_k is not None) + [temperature] * (self.temperature != 1)

    @property
    def in_words(self) -> Sentence | str:
        """The divisors of scores as a sentence; empty if there are none."""
        kind = "explanation.scale.own" if self.own else "explanation.scale.temperature"
        temperature = sentence(kind, temperature=self._temperature)
        if self.d_k is None:
            return temperature if self.temperature != 1 else ""
        by = sentence("explanation.scale.root", n=self.d_k, root=number(self.d_k).root.written)
        return by if self.temperature == 1 else sentence("explanation.scale.both", root=by, temperature=temperature)


def scaling_of(rule: Rule | None) -> Scale | None:
    """Return a rule that is a :class:`Scale`; None for any other.

    >>> scaling_of(Scale(d_k=4)).divisor, scaling_of(None)
    (2.0, None)
    """
    return rule if isinstance(rule, Scale) else None
