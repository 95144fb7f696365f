"""Exercises in the board's colours: cells, names and blanks by role."""

from functools import lru_cache

import numpy as np

from attnviz.colours.palette import ROLES
from attnviz.colours.shading import all_limits, shades, takes_black
from attnviz.core.stages import STAGES
from attnviz.features.check.exercises.answer_sheet import table_of
from attnviz.features.check.exercises.exercise import RESULTS, Exercise

_OF_ROLES = "\n".join(
    f".inked.{role} caption {{ color: light-dark({tone.light}, {tone.dark}); }}" for role, tone in ROLES.items()
)


def _of_blank(name: str) -> str:
    """Return the CSS of a table of boxes, in its role's colour."""
    tone = ROLES[STAGES[name].role]
    key, colour = f".st-key-check_blank_{name}", f"light-dark({tone.light}, {tone.dark})"
    boxes = f'{key} [data-testid="stTextInputRootElement"]'
    return f"{key} p > strong {{ color: {colour}; }}\n{boxes} {{ border-color: {colour}; }}"


# Cells are as large as the board's.
STYLE = f"""<style>
.inked .marked table {{ font-size: 14px; }}
.inked .marked td:not(.corner) {{ min-width: 40px; height: 28px; padding: 0 4px; border: 0; text-align: center;
  vertical-align: middle; forced-color-adjust: none; }}
.inked .marked thead th {{ text-align: center; }}
.st-key-check_blanks input {{ padding: 0 4px; text-align: center; font-size: 14px; }}
.st-key-check_blanks input::placeholder {{ font-size: 12px; }} /* so that two long tokens fit */
.st-key-check_blanks [data-testid="stTextInputRootElement"] {{ border-radius: 2px; }}
.st-key-check_blanks [class*="st-key-check_blank_"] {{ gap: 6px; }}
.st-key-check_blanks [class*="st-key-check_blank_"] > [data-testid="stLayoutWrapper"]:has(input)
  + [data-testid="stLayoutWrapper"]:has(input) {{ margin-top: -4px; }} /* rows stand as close as columns */
{_OF_ROLES}
{chr(10).join(map(_of_blank, RESULTS))}
</style>"""


def inked_table(exercise: Exercise, name: str) -> str:
    """Return a table and its rule as HTML in the board's colours."""
    table = table_of(exercise, name, ruled=True, styles=cell_styles(exercise, name))
    return f'<div class="inked {STAGES[name].role}">{table}</div>'


@lru_cache(maxsize=64)
def cell_styles(exercise: Exercise, name: str) -> tuple[tuple[str, ...], ...]:
    """Return each cell's colours as CSS, light and dark.

    The colour scale leaves out the numbers of blank tables, because it would show how large they are.
    """
    values, role = exercise.table(name), STAGES[name].role
    limits = all_limits(exercise.trace, exercise.blank)[name]
    both = [shades(values, limits, role, dark) for dark in (False, True)]
    inks = [takes_black(rgb) for rgb in both]
    rows, columns = values.shape
    return tuple(
        tuple(
            f"background:light-dark({', '.join(_rgb(rgb[row, column]) for rgb in both)});"
            f"color:light-dark({', '.join('#000' if ink[row, column] else '#fff' for ink in inks)})"
            for column in range(columns)
        )
        for row in range(rows)
    )


def _rgb(channels: np.ndarray) -> str:
    return f"rgb({' '.join(map(str, channels.tolist()))})"
