"""A trace as lines of text, for a terminal and a notebook."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from attnviz.core.attention import AttentionTrace
from attnviz.core.rules import in_rows
from attnviz.core.stages import formula_of
from attnviz.export import matrix_names
from attnviz.words.numbers import written

_MOST_COLUMNS, _MOST_ROWS = 16, 32  # printed; the rest is what --csv and --json are for


def tables(computed: AttentionTrace, digits: int, names: Iterable[str] | None = None) -> list[str]:
    """Return each matrix of a trace, or these, as lines of text: its title and formula, then its rows by their names.

    >>> from attnviz.core.scenario import Scenario, traced
    >>> print(tables(traced(Scenario("a b", x="identity", d_in=2)), 2)[0])
    X
          0     1
    a  1.00  0.00
    b  0.00  1.00
    """
    return [_table(computed, name, digits) for name in names or matrix_names(computed)]


def _table(computed: AttentionTrace, name: str, digits: int) -> str:
    stage, matrix = computed.stages[name], in_rows(computed[name].cpu())
    formula = formula_of(name, computed.stages)
    rows = stage.labels("rows", computed.tokens, matrix.shape[0])
    columns = stage.labels("columns", computed.tokens, matrix.shape[1])
    texts = [[written(value, digits) for value in row] for row in matrix.tolist()]
    hidden = computed.masked_in(name)
    if hidden is not None and stage.kind in ("softmax", "share"):  # masked, which is not a number of 0
        texts = np.where(hidden, "–", texts).tolist()
    cells = pd.DataFrame(texts, index=rows, columns=columns)
    title = stage.title if formula == stage.title else f"{stage.title} = {formula}"
    return f"{title}\n{cells.to_string(max_rows=_MOST_ROWS, max_cols=_MOST_COLUMNS)}"
