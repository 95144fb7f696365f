"""Notes on unusual cells: not finite, or affected by a mask."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from attnviz.core.masks import Masked
from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Factor, Term, in_rows
from attnviz.core.rules.explaining.numbers import as_decimal, in_sum, sign
from attnviz.core.rules.expression import I, J, Parts
from attnviz.words import say

if TYPE_CHECKING:
    from attnviz.core.rules.explaining.cell_text import CellText


def why_hidden(cell: Cell) -> str:
    """Return why the mask, a cell's second source, hides the cell."""
    source = cell.sources[1].stage
    masked = source.masked or Masked()
    hidden = in_rows(cell.matrices[source.name].detach()).cpu().numpy() == -np.inf
    why = masked.why(hidden, cell.row, cell.column, cell.stage.first_own_key)
    return say(f"explanation.hidden.{why.key}", query=cell.label("rows"), key=cell.label("columns"), n=why.n)


class Trouble:
    """Notes on an unusual cell, by its declaration's `trouble`."""

    def __init__(self, said: "CellText", made: CellExplanation) -> None:
        self.cell, self.numbers, self.said, self.explanation = said.cell, said.numbers, said, made
        self.node: Parts = said.piece["value"]
        self.kind: str = said.piece["trouble"]
        self.is_finite = math.isfinite(said.cell.value)

    def notes(self) -> Iterator[str]:
        """Yield the notes as sentences."""
        kinds: dict[str, Callable[[], Iterator[str]]] = {
            "copied": self._copied, "read": self._read, "sum": self._summed, "turned": self._summed,
            "row": self._row, "logits": self._logits, "quotient": self._quotient, "share": self._share,
            "softmax": self._softmax, "direction": self._direction,
        }  # fmt: skip
        return kinds[self.kind]()

    def _broken(self, *blocks: int) -> Factor | None:
        """Return the first non-finite number read, from all or some sources."""
        read = [self.cell.sources[at] for at in blocks] if blocks else self.cell.sources
        return next(
            (each for cells in read for each in self.cell.factors(cells) if not math.isfinite(each.value)), None
        )

    def _on_the_way(self) -> str:
        return say("explanation.trouble.on_the_way", largest=self.cell.largest_float)

    def _undefining(self) -> Factor | None:
        """Return the first score that makes all of its row undefined."""
        row = self.cell.factors(self.cell.sources[0])
        return next((each for each in row if math.isnan(each.value) or each.value == math.inf), None)

    def _read(self) -> Iterator[str]:
        if broken := self._broken(*[0] * self.cell.masked):
            yield self.cell.already(broken)
        elif not self.is_finite and not self.cell.masked:
            yield self._on_the_way()

    def _copied(self) -> Iterator[str]:
        yield from () if self.is_finite else self._read()

    def _row(self) -> Iterator[str]:
        yield from self._copied()
        if not self.is_finite and self._broken():
            yield say("explanation.trouble.undefined_row")

    def _logits(self) -> Iterator[str]:
        if self.explanation.shift and math.isfinite(self.explanation.shift):
            yield say("explanation.surprise.lowered", largest=self.cell.write(self.explanation.shift))
        if not self.is_finite and (broken := self._undefining()):
            yield self.cell.already(broken)
            yield say("explanation.trouble.undefined_row")
        else:
            yield from self._copied()

    def _quotient(self) -> Iterator[str]:
        score, *masks = (self.cell.factors(cells)[0] for cells in self.cell.sources)
        if not math.isfinite(score.value):
            yield self.cell.already(score)
        elif not self.is_finite and not self.cell.masked:
            yield say("explanation.trouble.quotient_beyond", largest=self.cell.largest_float)
        if masks and self.node[0] == "hidden" and not self.cell.masked:
            yield from self._swallowed(self.numbers.value(self.node[1]), masks[0].value)

    def _swallowed(self, score: float, mask: float) -> Iterator[str]:
        """Yield a note if a large mask number swallows the score's digits."""
        if mask and self.cell.value == mask and score and math.isfinite(mask):
            places = {"mask": self.cell.write(mask), "score": self.cell.write(score)}
            yield say("explanation.scale.swallowed", dtype=self.cell.precision.dtype, **places)

    def _share(self) -> Iterator[str]:
        if self.cell.masked:
            yield say("explanation.share.closed", why=why_hidden(self.cell))
        if self.is_finite:
            return
        if broken := self._broken(0):
            yield self.cell.already(broken)
        elif self.explanation.divisor == 0:
            yield self.cell.nothing_left()
        else:
            yield say("explanation.trouble.quotient_beyond", largest=self.cell.largest_float)

    def _softmax(self) -> Iterator[str]:
        before = self.said.piece.get("share")
        share = self.cell.value if before is None else self.numbers.value(before)
        if self.explanation.symbols:
            yield from self.said.asides()
            yield from self._lowered() if self.explanation.shift else ()
            if self.cell.masked and before is None:
                yield say("explanation.softmax.masked")
            yield from () if self.is_finite or math.isfinite(share) else self._undefined()
        if before is None:
            return
        if self.cell.masked:
            yield say("explanation.softmax.closed", why=why_hidden(self.cell))
        if math.isfinite(share) and math.isnan(self.explanation.exact):
            yield self.cell.nothing_left()
        elif math.isfinite(share) and not self.is_finite:
            yield say("explanation.trouble.quotient_beyond", largest=self.cell.largest_float)

    def _lowered(self) -> Iterator[str]:
        """Yield what is subtracted from a line's scores, and this score's result."""
        shift, score = self.explanation.shift, self.numbers.value(["at", 0, I.parts, J.parts])
        before, most, after = map(self.cell.write, (score, shift, score - shift))
        kind = "_to_nothing" if not math.isfinite(shift) else "_sink" if shift == self.said.piece.get("sink") else ""
        line = self.said.sentence(self.said.piece["line"])
        yield say(f"explanation.softmax.lowered{kind}", line=line, largest=most)
        if math.isfinite(shift) and math.isfinite(score):
            kind = "" if sign(as_decimal(before) - as_decimal(most), after) == "=" else "_rounded"
            name = self.said.beside(0, self.cell.row, self.cell.column)
            yield say(f"explanation.softmax.less{kind}", score=name, value=before, less=after)

    def _undefined(self) -> Iterator[str]:
        """Yield which score makes a line undefined, or that none is finite."""
        piece, broken = self.said.piece, self._undefining()
        if broken is None:
            yield say("explanation.trouble.no_score", line=self.said.sentence(piece["line"]))
            yield say("explanation.trouble.quotient")
        else:
            yield self.cell.already(broken, self.said.beside(0, broken.row, broken.column) or "")
            yield from () if math.isnan(broken.value) else [say("explanation.trouble.difference")]
        yield self.said.sentence(piece["undefined"]) or ""

    def _direction(self) -> Iterator[str]:
        yield from self._summed()
        if self.numbers.value(self.node[1][2]) == 0:
            yield say("explanation.product.no_direction")

    def _summed(self) -> Iterator[str]:
        if self.is_finite:
            return
        terms, cell = self._addends(self.node), self.cell
        broken = [factor for term in terms for factor in term.factors if not math.isfinite(factor.value)]
        no_number = [say("explanation.trouble.difference")] if math.isnan(cell.value) and len(terms) > 1 else []
        if broken:
            yield cell.already(broken[0])
            if any(math.isnan(term.value) for term in terms):
                no_number = [say("explanation.trouble.product")]
            yield from [] if any(math.isnan(factor.value) for factor in broken) else no_number
            return
        over = [term for term in terms if abs(term.value) > cell.precision.max]
        if over:
            yield from self._beyond(terms, over)
        elif self.kind == "turned" or any(len(term.factors) > 1 for term in terms):
            yield self._on_the_way()
        else:
            yield self._is_beyond(in_sum([cell.write(term.value) for term in terms]), self.explanation.exact)
        yield from no_number

    def _beyond(self, terms: list[Term], over: list[Term]) -> Iterator[str]:
        worst = max(over, key=lambda term: abs(term.value))
        yield self._is_beyond(" × ".join(self.cell.write_factors(worst)), worst.value)
        if others := len(over) - 1:
            yield say("explanation.trouble.others_beyond", n=others, terms=len(terms))

    def _is_beyond(self, arithmetic: str, value: float) -> str:
        return say(
            "explanation.trouble.beyond",
            arithmetic=f"{arithmetic} = {self.cell.write(value)}",
            largest=self.cell.largest_float,
            infinite=self.cell.write(math.copysign(math.inf, value)),
        )

    def _addends(self, node: Parts) -> list[Term]:
        if node[0] == "at_once":  # for a cosine, the product that the lengths divide
            return self._addends(node[1][1][1])
        if node[0] == "+":
            return [term for each in node[1:] for term in self._addends(each)]
        if node[0] == "sum":
            return [term for term, *_ in self.numbers.terms(node)]
        return [Term(self.numbers.value(node), tuple(self.numbers.factors(node)))]
