"""The four parts of one score where positions are added: word·word, word·place, place·word and place·place."""

from attnviz.core.rules.explaining.cell import Cell, Matrix, in_rows
from attnviz.words import say


def four_parts(cell: Cell) -> str | None:
    """Say what words and places have in a score of queries and keys that are made of a sum E + P, without biases; None
    of any other cell.

    Source: Ke et al. 2021, Rethinking Positional Encoding in Language Pre-training, equation 5.
    """
    sides = [_made_of(cell, cells.stage) for cells in cell.sources[:2]]
    if len(cell.sources) != 2 or None in sides:
        return None
    (q_summands, w_q), (k_summands, w_k) = (side for side in sides if side is not None)
    if q_summands != k_summands:
        return None
    first = [_row(cell, each, cell.row, w_q) for each in q_summands]
    second = [_row(cell, each, cell.column, w_k) for each in k_summands]
    numbers = [cell.write(sum(a * b for a, b in zip(one, other, strict=True))) for one in first for other in second]
    return say("explanation.product.parts", **dict(zip(("ww", "wp", "pw", "pp"), numbers, strict=True)))


def _made_of(cell: Cell, stage: Matrix) -> tuple[tuple[str, ...], tuple[str, bool]] | None:
    """Return what the X that queries or keys are made of is the sum of, and the W that they are made with, and whether
    that is turned over."""
    if stage.rule is None or stage.rule.name != "product" or len(stage.sources) != 2:
        return None
    x = cell.table.get(stage.sources[0])
    is_sum = x is not None and x.rule is not None and x.rule.name == "add" and "p" in x.sources
    w = (stage.sources[1], bool(stage.rule.settings["transposed"]))
    return (x.sources, w) if x is not None and is_sum else None


def _row(cell: Cell, name: str, row: int, w: tuple[str, bool]) -> list[float]:
    by, transposed = w
    vector, matrix = (in_rows(cell.matrices[each].detach()).cpu().double() for each in (name, by))
    made: list[float] = (vector[row] @ (matrix.T if transposed else matrix)).tolist()
    return made
