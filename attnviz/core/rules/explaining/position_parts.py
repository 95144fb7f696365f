"""The four parts of one score where positions are added: word·word, word·place, place·word and place·place."""

from torch import Tensor

from attnviz.core.rules.explaining.cell import Cell, Matrix, in_rows
from attnviz.words import say


def four_parts(cell: Cell) -> str | None:
    """Say what words and places have in a score of queries and keys that are made of a sum E + P, without biases; None
    of any other cell. Where a sentence was kept, the first keys are made of a sum of its own.

    Source: Ke et al. 2021, Rethinking Positional Encoding in Language Pre-training, equation 5.
    """
    if len(cell.sources) != 2:
        return None
    rows = (cell.row, cell.column)
    first, second = (_parts(cell, cells.stage, row) for cells, row in zip(cell.sources, rows, strict=True))
    if first is None or second is None:
        return None
    numbers = [cell.write(sum(a * b for a, b in zip(one, other, strict=True))) for one in first for other in second]
    return say("explanation.product.parts", **dict(zip(("ww", "wp", "pw", "pp"), numbers, strict=True)))


def _parts(cell: Cell, stage: Matrix, row: int) -> list[list[float]] | None:
    """Return what the word and the place of a row have in a query or a key; None where it isn't made of their sum."""
    if stage.rule is None or stage.rule.name != "product" or len(stage.sources) != 2:
        return None
    x, w = stage.sources
    summands = _summands(cell, x, row)
    if summands is None or w not in cell.matrices:
        return None  # or a handout doesn't have them all
    turned = _matrix(cell, w).T if stage.rule.settings["transposed"] else _matrix(cell, w)
    return [(_matrix(cell, name)[at] @ turned).tolist() for name, at in summands]


def _summands(cell: Cell, name: str, row: int) -> list[tuple[str, int]] | None:
    """Return the rows whose sum a row of this matrix is, of a word and of its place; None where it is no such sum."""
    stage = cell.table.get(name)
    if stage is None or stage.rule is None or any(source not in cell.matrices for source in stage.sources):
        return None
    if stage.rule.name == "add":
        return [(source, row) for source in stage.sources] if {"p", "p_y"} & {*stage.sources} else None
    if stage.rule.name == "concatenate":
        for source in stage.sources:
            n_rows = _matrix(cell, source).shape[0]
            if row < n_rows:
                return _summands(cell, source, row)
            row -= n_rows
    return None


def _matrix(cell: Cell, name: str) -> Tensor:
    return in_rows(cell.matrices[name].detach()).cpu().double()
