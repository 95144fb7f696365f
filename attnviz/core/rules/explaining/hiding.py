"""Why a mask hides a cell: the kinds of mask say it."""

import numpy as np

from attnviz.core.masks import Masked
from attnviz.core.rules.explaining.cell import Cell, in_rows
from attnviz.words import say


def why_hidden(cell: Cell) -> str:
    """Say why the mask, which is a cell's second source, hides it; or is in what is added to it."""
    source = cell.sources[1].stage
    masked = source.masked or Masked()
    hidden = in_rows(cell.matrices[source.name].detach()).cpu().numpy() == -np.inf
    why = masked.why(hidden, cell.row, cell.column, cell.stage.own_from)
    return say(f"explanation.hidden.{why.key}", query=cell.label("rows"), key=cell.label("columns"), n=why.n)
