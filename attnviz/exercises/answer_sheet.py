"""An exercise on paper: one page with its blanks, and one with the answers, as a single HTML file to print."""

import html

import numpy as np

from attnviz.core.stages import STAGES
from attnviz.documents.marked_tables import in_pairs, plain_table
from attnviz.exercises.exercise import DECIMALS, RESULTS, Exercise, formula
from attnviz.tables.printed_table import decimals_of
from attnviz.words import say

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font-family: sans-serif; color: #111; background: #fff; margin: 2rem; }}
table {{ border-collapse: collapse; margin: 0 0 0.5rem; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; font-weight: 600; white-space: nowrap; }}
th {{ font-weight: 400; color: #555; padding: 0 0.5rem; text-align: right; }}
td {{ border: 1px solid #888; padding: 0.25rem 0.6rem; text-align: right; min-width: 2.2rem; height: 1.2rem; }}
.pairs {{ display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; }}
section + section {{ break-before: page; }}
</style></head><body>{body}</body></html>
"""


def answer_sheet(exercise: Exercise) -> str:
    """Return the exercise and its answers as an HTML page: the answers begin on a sheet of their own.

    >>> answer_sheet(Exercise(seed=7)).count("<section>")
    2
    """
    name = exercise.encoded()
    title, answers = say("exercises.sheet_title", name=name), say("exercises.sheet_answers", name=name)
    rules = "; ".join(
        say("exercises.sheet_rule", title=STAGES[each].title, formula=formula(exercise, each)) for each in RESULTS
    )
    key = f"exercises.sheet_{'scaled' if exercise.scale else 'unscaled'}"
    about = say(key, d_k=exercise.d_k, decimals=DECIMALS, rules=rules)
    body = (
        f"<section><h1>{html.escape(title)}</h1><p>{html.escape(about)}</p>{_tables(exercise, blank=True)}</section>"
        f"<section><h1>{html.escape(answers)}</h1>"
        f"{_tables(exercise, blank=False)}</section>"
    )
    return _PAGE.format(title=html.escape(title), body=body)


def _tables(exercise: Exercise, *, blank: bool) -> str:
    names = ("x", "w_q", "w_k", "w_v", *RESULTS)
    return in_pairs([(table_of(exercise, name, blank=blank and name in exercise.blank), "") for name in names])


def table_of(exercise: Exercise, name: str, *, blank: bool = False) -> str:
    """Return a table of an exercise as HTML, with its numbers or without."""
    values = exercise.table(name)
    stage = STAGES[name]
    decimals = max(decimals_of(value) for value in values.flatten().tolist())
    shown = np.full_like(values, np.nan) if blank else values
    return plain_table(stage.title, stage, shown, decimals, exercise.tokens)
