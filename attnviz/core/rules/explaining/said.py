"""What is said of a cell by its declaration: in symbols, in words, and of what is out of the ordinary."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attnviz.core.rules.explaining.cell import Cell, Made, Term, line_of
from attnviz.core.rules.explaining.numbers import FUNCTIONS, SAME, Numbers
from attnviz.core.rules.explaining.steps import Steps
from attnviz.core.rules.explaining.trouble import Trouble, why_hidden
from attnviz.core.rules.expression import Parts, Text
from attnviz.core.rules.reading import Pieces, holds
from attnviz.core.tokens import visible
from attnviz.words import plural, say


def explained(cell: Cell, pieces: Pieces) -> Made:
    """Say how a cell is made, by the piece of the declaration that holds for it."""
    numbers = Numbers(cell)
    piece = next(
        each for each in pieces
        if holds(each, cell.row, cell.column)
        and all(numbers.value(node) > 0 for node in each["where"] if isinstance(node[0], str))
    )  # fmt: skip
    return Said(cell, numbers, piece).all()


def in_words(cell: Cell, sentence: Sequence[Any] | str) -> str:
    """Say a sentence of a declaration: of this cell, or of what it's made of."""
    return sentence if isinstance(sentence, str) else Said(cell, Numbers(cell), {}).sentence(sentence) or ""


class Said:
    """What is said of a cell."""

    def __init__(self, cell: Cell, numbers: Numbers, piece: Mapping[str, Any]) -> None:
        self.cell, self.numbers, self.piece = cell, numbers, piece

    def all(self) -> Made:
        """Put it together, as a mask leaves it where there is one."""
        node: Parts = self.piece["value"]
        is_masked = node[0] in ("hidden", "weighed")
        inner, steps = node[1] if is_masked else node, Steps(self.cell, self.numbers).of(node, self.cell.value)
        words = next(filter(None, map(self.sentence, self.piece["words"])), "")
        exact = self.numbers.value(inner)
        made = Made(
            self.text(self.piece["symbols"]), steps, words, self._terms(inner), exact,
            self._around(self.numbers.size(self.piece["size"] or inner), self.piece["roundings"]),
            self._divisor(inner), self._shift(inner), self.cell.masked,
        )  # fmt: skip
        made = self._under_mask(made, node) if is_masked else made
        return made._replace(notes=tuple(Trouble(self.cell, self.numbers, self.piece, made).notes()))

    def _around(self, size: float, roundings: float) -> float:
        return self.cell.tolerance(size, roundings) if roundings else 0.0

    def _under_mask(self, made: Made, node: Parts) -> Made:
        op, _, mask, roundings = node
        by, cell = self.numbers.factor(mask), self.cell
        if cell.masked:
            return made._replace(
                symbols=f"−∞ {say('explanation.step.masked')}", exact=-math.inf, tolerance=0.0,
                words=say("explanation.scale.masked", why=why_hidden(cell), words=made.words),
            )  # fmt: skip
        if by.value == 0:
            return made
        if op == "weighed":
            factor = FUNCTIONS["exp"](by.value)
            exact = made.exact * factor
            return made._replace(
                symbols=f"{made.symbols} × exp({by.symbols})", exact=exact,
                words=say("explanation.scale.times", words=made.words, mask=by.symbols, factor=cell.write(factor)),
                terms=(Term(exact, (*made.terms[0].factors, by)),),
                tolerance=cell.tolerance(abs(exact), self.piece["roundings"] + roundings),
            )  # fmt: skip
        kind = "biased" if by.matrix.endswith("distance_bias") else "added"
        return made._replace(
            symbols=f"{made.symbols} + {by.symbols}", exact=made.exact + by.value,
            words=say(f"explanation.scale.{kind}", words=made.words, mask=by.symbols),
            terms=(*made.terms, Term(by.value, (by,))),
            tolerance=cell.tolerance(abs(made.exact) + abs(by.value), self.piece["roundings"] + roundings),
        )  # fmt: skip

    def _terms(self, node: Parts) -> tuple[Term, ...]:
        node = _inside(node)
        if node[0] == "sum":
            return Steps(self.cell, self.numbers).terms(node)
        if node[0] == "+":
            return tuple(term for each in node[1:] for term in self._terms(each))
        if node[0] in ("/", "-") and (sums := [each for each in node[1:] if _inside(each)[0] == "sum"]):
            return self._terms(sums[0])
        return (Term(self.numbers.value(node), tuple(self.numbers.factors(node))),)

    def _divisor(self, node: Parts) -> float:
        while node[0] in ("at_once", "-", "ln"):
            node = node[1]
        if node[0] == "sum" and self.piece["trouble"] == "logits":
            return self.numbers.value(node)
        return self.numbers.value(node[2]) if node[0] == "/" else 1.0

    def _shift(self, node: Parts) -> float:
        return next((self.numbers.value(each) for each in _levels(node)), 0.0)

    def sentence(self, sentence: Sequence[Any]) -> str | None:
        """Say a sentence; None where nothing is known for one of its places."""
        _, key, places = sentence
        filled = {name: self.node(each) if isinstance(each, list) else each for name, each in places.items()}
        return None if any(each is None for each in filled.values()) else say(f"explanation.{key}", **filled)

    def text(self, parts: Text) -> str:
        """Write a text."""
        return "".join(str(self.node(each)) if isinstance(each, list) else str(each) for each in parts)

    def node(self, node: Parts) -> Any:
        """Write a node of a text; None where there is nothing of it."""
        kind, *rest = node
        if kind == "say":
            return self.sentence(node)
        if kind == "text":
            return self.text(rest)
        if kind == "written":
            return self.cell.write(self.numbers.value(rest[0]))
        if kind == "head":
            return self.cell.stage.head
        if kind in ("place", "tokens"):
            at = self.numbers.index(rest[0])
            return at if kind == "place" else plural(at, "token")
        return self._of_source(kind, *rest)

    def _of_source(self, kind: str, source: int, *at: Any) -> Any:
        stage, numbers = self.numbers.stage(source), self.numbers
        if kind in ("symbol", "title"):
            return getattr(stage, kind)
        if kind in ("row_of", "token_at"):
            row, _ = numbers.place(source, [0, 0, 0, 0], at[0])
            return row if kind == "row_of" else self.cell.token_of(stage, row)
        if kind in ("name", "named"):
            row, column = self._line(source, *at)
            name = stage.at(row, column)
            token = self.cell.token_of(stage, row) if kind == "named" else None
            return name if token is None else say("explanation.of_token", number=name, token=token)
        index = numbers.index(at[0])
        if kind == "column":
            return line_of("column", index + stage.first)
        if kind == "entry_of":
            return visible(stage.entries[index]) if index < len(stage.entries) else None
        token = self.cell.token_of(stage, index)
        if kind == "line" and token is None:
            return line_of("row", index)
        return say("explanation.line.of_token", token=token) if kind == "line" else token

    def _line(self, source: int, *places: Any) -> tuple[Any, Any]:
        row, column = (self.numbers.index(each) if isinstance(each, list) else each for each in places)
        if isinstance(row, str) or isinstance(column, str):
            return row, column
        return self.numbers.place(source, [row, 0, 0, 0], [column, 0, 0, 0])


def _inside(node: Parts) -> Parts:
    """Return what a node is made of, where it says no more than how that is written."""
    while node[0] in (*SAME, "ln", "rounded"):
        node = node[1]
    return node


def _levels(node: Any) -> Any:
    if isinstance(node, list) and node:
        yield from [node] if node[0] == "level" else ()
        for each in node[1:]:
            yield from _levels(each)
