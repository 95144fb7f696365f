"""Exercises on paper: sheets with blanks, and keys, as HTML to print.

A QR code opens the exercise on a phone. The library segno draws it; it has no dependencies.
"""

import html
from collections.abc import Callable, Iterable

import numpy as np

from attnviz.core.stages import STAGES
from attnviz.documents.page import page_of
from attnviz.features.check.exercises.exercise import DECIMALS, RESULTS, Exercise
from attnviz.features.check.exercises.mistakes import rule_of
from attnviz.features.check.marking_page import CellStyles, in_pairs, plain_table
from attnviz.typed_numbers import decimals_of
from attnviz.words import say

LinkOf = Callable[[Exercise], str]

_STYLE = """
body { font: 1rem sans-serif; color: #111; background: #fff; margin: 2rem; }
h1 { font-size: 1.25rem; margin: 0 0 0.5rem; }
table { border-collapse: collapse; margin: 0 0 0.5rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; white-space: nowrap; }
th { font-weight: 400; color: #555; padding: 0 0.5rem; text-align: right; }
td { border: 1px solid #888; padding: 0.25rem 0.6rem; text-align: right; min-width: 2.2rem; height: 1.2rem; }
.corner { border: 0; }
td small { display: block; color: #444; font-size: 0.8em; }
.pairs { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; }
.marked, .room, .link { break-inside: avoid; }
section + section { break-before: page; }
.name { display: flex; gap: 2rem; margin: 0 0 1rem; }
.name span { flex: 1; border-bottom: 1px solid #555; padding: 0 0 0.2rem; color: #555; }
.name span + span { flex: 0 0 10rem; }
.room { margin: 1rem 0; height: 70mm; border: 1px solid #bbb; padding: 0.3rem 0.6rem; color: #555; }
.link { display: flex; align-items: center; gap: 1rem; overflow-wrap: anywhere; }
.link svg { flex: none; }
@page { margin: 14mm; }
@media print {
  html { font-size: 13px; }
  body { margin: 0; }
  .pairs { gap: 0.4rem 2rem; }
  .room { height: 62mm; margin: 0.4rem 0; }
}
"""


def answer_sheet(exercise: Exercise, link: str = "") -> str:
    """Return the exercise as HTML, its answers on a separate sheet."""
    title = say("exercises.sheet_title", name=exercise.name)
    return page_of(title, _STYLE, _sheet(exercise, link) + _key(exercise))


def class_sheets(exercises: Iterable[Exercise], link_of: LinkOf = lambda exercise: "") -> tuple[str, str]:
    """Return the sheets and keys of a class as HTML pages."""
    exercises = tuple(exercises)
    sheets = "".join(_sheet(exercise, link_of(exercise)) for exercise in exercises)
    keys = "".join(map(_key, exercises))
    return (page_of(say("exercises.class_sheets"), _STYLE, sheets), page_of(say("exercises.class_keys"), _STYLE, keys))


def _sheet(exercise: Exercise, link: str) -> str:
    title = say("exercises.sheet_title", name=exercise.name)
    rules = "; ".join(
        say("exercises.sheet_rule", title=STAGES[each].title, formula=rule_of(exercise.trace, each)) for each in RESULTS
    )
    key = f"exercises.sheet_{'scaled' if exercise.scale else 'unscaled'}"
    about = say(key, d_k=exercise.d_k, decimals=DECIMALS, rules=rules)
    bound = say("exercises.sheet_bound", number=exercise.seed, word=exercise.check_word)
    names = "".join(f"<span>{html.escape(say(f'exercises.sheet_{each}'))}</span>" for each in ("name", "date"))
    return (
        f'<section><div class="name">{names}</div><h1>{html.escape(title)}</h1><p>{html.escape(bound)}</p>'
        f"<p>{html.escape(about)}</p>"
        f"{_tables(exercise, blank=True)}"
        f'<div class="room">{html.escape(say("exercises.sheet_room"))}</div>'
        f"{_link(link, to_hand_in=exercise.to_hand_in)}</section>"
    )


def _key(exercise: Exercise) -> str:
    title = say("exercises.sheet_answers", name=exercise.name)
    two = f"<p>{html.escape(say('exercises.sheet_two'))}</p>" if _differs(exercise) else ""
    return f"<section><h1>{html.escape(title)}</h1>{two}{_tables(exercise, blank=False)}</section>"


def _differs(exercise: Exercise) -> bool:
    """Whether computing with rounded numbers gives other digits than computing exactly."""
    return any(not np.array_equal(exercise.carried[name], exercise.table(name)) for name in exercise.blank)


def _link(link: str, *, to_hand_in: bool) -> str:
    if not link:
        return ""
    says = say(f"exercises.sheet_link{'_to_hand_in' if to_hand_in else ''}")
    said = "".join(f"<p>{html.escape(text)}</p>" for text in (says, link))
    return f'<div class="link">{_qr_code(link)}<div>{said}</div></div>'


def _qr_code(link: str) -> str:
    """Return a link's QR code as SVG; blank without its package."""
    try:
        import segno
    except ModuleNotFoundError:
        return ""
    return str(segno.make(link, error="m", micro=False).svg_inline(scale=3, omitsize=False))


def _tables(exercise: Exercise, *, blank: bool) -> str:
    names = ("x", "w_q", "w_k", "w_v", *RESULTS)
    return in_pairs(
        [(table_of(exercise, name, blank=blank and name in exercise.blank, both=not blank), "") for name in names]
    )


def table_of(
    exercise: Exercise,
    name: str,
    *,
    blank: bool = False,
    both: bool = False,
    ruled: bool = False,
    styles: CellStyles | None = None,
) -> str:
    """Return a table of an exercise as HTML.

    With `blank`, its cells are empty. With `both`, it also shows the numbers computed from rounded tables, where they
    differ. With `ruled`, its title has the rule. `styles` gives each cell its CSS.
    """
    values = exercise.table(name)
    stage = STAGES[name]
    carried = exercise.carried[name] if both else values
    decimals = max(decimals_of(value) for value in [*values.flatten().tolist(), *carried.flatten().tolist()])
    shown = np.full_like(values, np.nan) if blank else values
    title = stage.title
    if ruled and stage.sources:
        title = say("exercises.sheet_rule", title=title, formula=rule_of(exercise.trace, name))
    return plain_table(title, stage, shown, decimals, exercise.tokens, carried=carried if both else None, styles=styles)
