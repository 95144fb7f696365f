"""The explanation of a cell by its declaration, in symbols and words."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from attnviz.core.rules.explaining.cell import Cell, CellExplanation, Cells, Term, line_of
from attnviz.core.rules.explaining.numbers import FUNCTIONS, SAME, Numbers
from attnviz.core.rules.explaining.steps import Steps
from attnviz.core.rules.explaining.unusual_cells import Trouble, why_hidden
from attnviz.core.rules.expression import Parts, Text
from attnviz.core.rules.reading import Pieces, holds
from attnviz.core.tokens import visible
from attnviz.words import plural, say


def explained(cell: Cell, pieces: Pieces) -> CellExplanation:
    """Return how a cell is computed, by the piece that applies."""
    numbers = Numbers(cell)
    piece = next(
        each
        for each in pieces
        if holds(each, cell.row, cell.column)
        and all(numbers.value(node) > 0 for node in each["where"] if isinstance(node[0], str))
    )
    return CellText(cell, numbers, piece).all()


def seen(cell: Cell, pieces: Pieces) -> tuple[Cells, ...]:
    """Return the sources that an explanation names, replacing scores not shown."""
    said, first = CellText(cell, Numbers(cell), pieces[0]), cell.sources[0]
    if "line" not in pieces[0] or said.is_shown(first.stage.name):
        return cell.sources
    other = said.other(0)
    return () if other is None else (first._replace(stage=other.cell.sources[0].stage), *cell.sources[1:])


class CellText:
    """The wording of one cell's explanation."""

    def __init__(self, cell: Cell, numbers: Numbers, piece: Mapping[str, Any]) -> None:
        self.cell, self.numbers, self.piece = cell, numbers, piece

    def all(self) -> CellExplanation:
        """Return the whole explanation, including the mask if there is one."""
        node: Parts = self.piece["value"]
        is_masked = node[0] in ("hidden", "weighed")
        inner, symbols = node[1] if is_masked else node, self.text(self.piece["symbols"]) or ""
        steps = (
            Steps(self.cell, self.numbers).of(node, self.cell.value) if symbols else [self.cell.write(self.cell.value)]
        )
        words = next(filter(None, map(self.sentence, self.piece["words"])), "")
        exact, told = self.numbers.value(inner), self.piece.get("share", inner)
        made = CellExplanation(
            symbols, steps, words, self._terms(told), exact, self._around(self.piece.get("size", inner)),
            self._divisor(told), self._shift(told), self.cell.masked,
        )  # fmt: skip
        made = self._under_mask(made, node) if is_masked else made
        return made._replace(notes=tuple(Trouble(self, made).notes()))

    def _around(self, size: Parts) -> float:
        most = self.piece["roundings"]
        roundings = self.numbers.value(most) if isinstance(most, list) else most
        return self.cell.tolerance(self.numbers.size(size), roundings) if roundings else 0.0

    def _under_mask(self, plain: CellExplanation, node: Parts) -> CellExplanation:
        op, _, mask, roundings = node
        by, cell = self.numbers.factor(mask), self.cell
        if cell.masked:
            return plain._replace(
                symbols=f"−∞ {say('explanation.step.masked')}",
                exact=-math.inf,
                tolerance=0.0,
                words=say("explanation.scale.masked", why=why_hidden(cell), words=plain.words),
            )
        if by.value == 0:
            return plain
        if op == "weighed":
            factor = FUNCTIONS["exp"](by.value)
            exact = plain.exact * factor
            return plain._replace(
                symbols=f"{plain.symbols} × exp({by.symbols})",
                exact=exact,
                words=say("explanation.scale.times", words=plain.words, mask=by.symbols, factor=cell.write(factor)),
                terms=(Term(exact, (*plain.terms[0].factors, by)),),
                tolerance=cell.tolerance(abs(exact), self.piece["roundings"] + roundings),
            )
        kind = "biased" if by.matrix.endswith("distance_bias") else "added"
        return plain._replace(
            symbols=f"{plain.symbols} + {by.symbols}",
            exact=plain.exact + by.value,
            words=say(f"explanation.scale.{kind}", words=plain.words, mask=by.symbols),
            terms=(*plain.terms, Term(by.value, (by,))),
            tolerance=cell.tolerance(abs(plain.exact) + abs(by.value), self.piece["roundings"] + roundings),
        )

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
        """Return a sentence; None if one of its places can't be filled."""
        _, key, places = sentence
        filled = {name: self.node(each) if isinstance(each, list) else each for name, each in places.items()}
        return None if any(each is None for each in filled.values()) else say(f"explanation.{key}", **filled)

    def text(self, parts: Text) -> str | None:
        """Return a text; None if a part of it is unknown."""
        texts = [self.node(each) if isinstance(each, list) else each for each in parts]
        return None if None in texts else "".join(map(str, texts))

    def is_shown(self, matrix: str) -> bool:
        """Whether a matrix is displayed with the cell."""
        return self.cell.shown is None or matrix in self.cell.shown

    def other(self, source: int, row: Any = 0, column: Any = 0) -> "CellText | None":
        """Return the explanation of a source not shown; None if that's impossible."""
        cell, stage = self.cell, self.numbers.stage(source)
        if stage.rule is None or self.is_shown(stage.name) or not self.is_shown(stage.sources[0]):
            return None
        of = tuple(Cells(cell.table[name], range(0), range(0)) for name in stage.sources)
        shapes = [(1, *cell.matrices[name].shape)[-2:] for name in stage.sources]
        piece = stage.rule.declared(*((rows, columns) for rows, columns in shapes))[0].as_json()
        cell = replace(cell, stage=stage, row=row, column=column, sources=of)
        return CellText(cell, Numbers(cell), piece) if "asides" in piece else None

    def beside(self, source: int, row: Any, column: Any) -> str | None:
        """Return a source cell's name or formula; None if neither is shown."""
        stage = self.numbers.stage(source)
        if self.is_shown(stage.name):
            return stage.at(row, column)
        if (other := self.other(source, row, column)) is None:
            return None
        mask = other.cell.sources[-1].stage.at(row, column)
        with_mask = {"hidden": f" + {mask}", "weighed": f" × exp({mask})"}.get(other.piece["value"][0], "")
        return f"{other.text(other.piece['symbols'])}{with_mask}"

    def asides(self) -> Iterator[str]:
        """Yield the extra sentences about a first source that isn't shown."""
        if other := self.other(0, self.cell.row, self.cell.column):
            yield from filter(None, map(other.sentence, other.piece["asides"]))

    def node(self, node: Parts) -> Any:
        """Return what a text node stands for; None if there's nothing."""
        kind, *rest = node
        if kind == "say":
            return self.sentence(node)
        if kind == "text":
            return self.text(rest)
        if kind == "lowered":
            return " − m" if self._shift(self.piece["value"]) else ""
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
        if kind == "beside":
            return self.beside(source, *numbers.line(source, *at))
        if kind == "spelled":
            other = self.other(source)
            is_named = other is None or self.beside(source, 0, 0) == other.numbers.stage(0).at(0, 0)
            return self.node(at[is_named])
        if kind in ("symbol", "title"):
            return getattr(stage, kind)
        if kind in ("row_of", "token_at"):
            row, _ = numbers.place(source, [0, 0, 0, 0], at[0])
            return row if kind == "row_of" else self.cell.token_of(stage, row)
        if kind in ("name", "named"):
            row, column = numbers.line(source, *at)
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


def _inside(node: Parts) -> Parts:
    """Return a node without wrappers around it, such as rounding or ln."""
    while node[0] in (*SAME, "ln", "rounded"):
        node = node[1]
    return node


def _levels(node: Any) -> Any:
    if isinstance(node, list) and node:
        yield from [node] if node[0] == "level" else ()
        for each in node[1:]:
            yield from _levels(each)
