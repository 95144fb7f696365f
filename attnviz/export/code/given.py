"""Numbers that an exported script is given: matrices in place of drawn ones, and edited cells."""

import math
from collections.abc import Sequence

import numpy as np

from attnviz.core.layers import placed
from attnviz.core.matrix_input import FILLS, RANDOM_FILL
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ALL_STAGES, BY_DISTANCE, MASK, P_KEPT, VECTORS
from attnviz.export.code.drawing import drawn_lines
from attnviz.export.code.layers import place_of

_LISTED = 8  # edits written line by line


def replaced(scenario: Scenario, name: str) -> list[str]:
    """Return the lines that make what stands in place of a drawn matrix."""
    own, target = placed(name)[1], place_of(scenario, name)
    lines = _given(scenario, name, own)
    return [f"{target}{line.removeprefix(own)}" if line.startswith(f"{own} = ") else line for line in lines]


def _given(scenario: Scenario, called: str, name: str) -> list[str]:
    """Return the same lines for a matrix of a layer, under its name there."""
    by = scenario.replacement(called)
    n_rows, n_columns = scenario.shape_of(name)
    size = f"{n_columns}" if name in VECTORS else f"{n_rows}, {n_columns}"
    if by in FILLS and not (by == "identity" and name in VECTORS):
        return [f"{name} = torch.{'eye' if by == 'identity' else 'zeros'}({size})"]
    if isinstance(by, str) and by.startswith(RANDOM_FILL) and name not in VECTORS:
        seed = f"torch.manual_seed({by.removeprefix(RANDOM_FILL)})"
        if name in (scenario.token_matrix, scenario.read_matrix, "p", P_KEPT, MASK, BY_DISTANCE):
            return [seed, f"{name} = torch.randn({size})"]
        if scenario.drawn_d_v == scenario.shape_of("w_v")[1]:
            return [f"{seed}  # for {ALL_STAGES[name].symbol} alone", *drawn_lines(scenario, name)]
    rows = scenario.unedited(called).tolist()
    if name in VECTORS:
        return [f"{name} = torch.tensor({numbers(rows[0])})"]
    return [f"{name} = torch.tensor([", *(f"    {numbers(row)}," for row in rows), "])"]


def numbers(row: Sequence[float]) -> str:
    """Write float32 numbers in as few digits as tell them apart."""
    return f"[{', '.join(map(number, row))}]"


def number(value: float) -> str:
    """Write a float32 number in as few digits as tell it apart, or as a float of a text where it isn't finite."""
    return str(np.float32(value)) if math.isfinite(value) else f'float("{value}")'


def _in_full(value: float) -> str:
    return repr(value) if math.isfinite(value) else number(value)


def edited(scenario: Scenario) -> list[str]:
    """Return the lines that write edited cells over their matrices: one for each, or a loop where there are many."""
    called = {edit.matrix: place_of(scenario, edit.matrix) for edit in scenario.edits}
    vectors = {name for name in called if placed(name)[1] in VECTORS}
    cells = [
        (f"{called[name]}[{column if name in vectors else f'{row}, {column}'}]", value)
        for name, row, column, value in scenario.edits
    ]
    if len(cells) <= _LISTED:
        return [f"{cell} = {_in_full(value)}" for cell, value in cells]
    lines = []
    for name in dict.fromkeys(edit.matrix for edit in scenario.edits):
        edits = [edit for edit in scenario.edits if edit.matrix == name]
        place = "column" if name in vectors else "row, column"
        listed = f"{name.replace('.', '_')}edited"
        cells_of = [f"    ({edit.row}, {edit.column}, {_in_full(edit.value)})," for edit in edits]
        lines += [f"{listed} = [", *cells_of, "]"]
        lines += [f"for row, column, value in {listed}:", f"    {called[name]}[{place}] = value"]
    return lines
