"""The kit's pages to print, and the CSV to fill in."""

import html
from collections.abc import Iterable, Mapping

from attnviz.core.stages import STAGES
from attnviz.documents.marking_page import STYLE, in_pairs, plain_table
from attnviz.documents.page import paragraphs, printed_page
from attnviz.exercises.exercise import DECIMALS
from attnviz.export.data import csv_of
from attnviz.study.items import FORMS, LETTERS, Item, items_of
from attnviz.study.results import N_SUS, columns, smallest_effect, smallest_effect_between
from attnviz.tables.printed_table import as_printed, decimals_of
from attnviz.words import say

CLASS = 30
_STYLE = """
.item { break-inside: avoid; margin: 0 0 14px; }
.item p, .item ol { margin: 2px 0; }
ol.choices { list-style: lower-alpha; display: flex; flex-wrap: wrap; gap: 2px 48px; }
table.sus { border-collapse: collapse; width: 100%; }
table.sus td, table.sus th { border: 1px solid #888; padding: 6px; text-align: center; }
table.sus td:first-child { text-align: left; }
@page { margin: 14mm; }
@media print { body { font-size: 12px; } }
"""


def kit(seed: int) -> Mapping[str, str]:
    """Return a study's files by name; a seed always gives the same.

    >>> list(kit(7))
    ['pre.html', 'post.html', 'later.html', 'key.html', 'sus.html', 'protocol.html', 'results.csv']
    """
    files = {f"{form}.html": _form(seed, form) for form in FORMS}
    files["key.html"] = _page("key", seed, _key(seed))
    files["sus.html"] = _page("sus", seed, _sus())
    files["protocol.html"] = _page("protocol", seed, paragraphs(_protocol(seed)))
    blank = ([n, *[""] * (len(columns()) - 1)] for n in range(1, CLASS + 1))
    return files | {"results.csv": csv_of([columns(), *blank])}


def _page(name: str, seed: int, body: str) -> str:
    return printed_page(say(f"study.title.{name}", seed=seed), _STYLE, body)


def _form(seed: int, form: str) -> str:
    items = "".join(_item(number, item) for number, item in enumerate(items_of(seed, form), 1))
    about = paragraphs([say("study.person"), say("study.instructions", decimals=DECIMALS)])
    return _page(form, seed, about + STYLE + items)


def _item(number: int, item: Item) -> str:
    tables = in_pairs([(_table(item, name), "") for name in item.shown])
    choices = "".join(f"<li>{as_printed(each, DECIMALS)}</li>" for each in item.choices)
    asked = html.escape(say("study.item", number=number, question=question_of(item)))
    return f'<div class="item"><p><b>{asked}</b></p>{tables}<ol class="choices">{choices}</ol></div>'


def _table(item: Item, name: str) -> str:
    values = item.numbers(name)
    decimals = max(decimals_of(value) for value in values.flatten().tolist())
    return plain_table(STAGES[name].title, STAGES[name], values, decimals, item.trace.tokens)


def question_of(item: Item) -> str:
    """Return the question of an item in words."""
    places = {"cell": STAGES[item.table].at(item.row, item.column), "d_k": item.trace.q.shape[1]}
    asked = say(f"study.question.{item.kind}", **places)
    softmax = item.table == "attention_weights"
    return say("study.masked", question=asked) if item.trace.causal and softmax else asked


def _key(seed: int) -> str:
    lines = []
    for form in FORMS:
        letters = ", ".join(f"{n} {LETTERS[item.right]}" for n, item in enumerate(items_of(seed, form), 1))
        lines.append(say("study.key", form=say(f"study.title.{form}", seed=seed), letters=letters))
    return paragraphs(lines)


def _sus() -> str:
    head = "".join(f"<th>{n}</th>" for n in range(1, 6))
    rows = "".join(
        f"<tr><td>{n}. {html.escape(say(f'study.sus.{n}'))}</td>{5 * '<td></td>'}</tr>" for n in range(1, N_SUS + 1)
    )
    return (
        paragraphs([say("study.person"), say("study.sus.instructions")])
        + f'<table class="sus"><tr><th></th>{head}</tr>{rows}</table>'
        + paragraphs([say("study.sus.source")])
    )


def _protocol(seed: int) -> Iterable[str]:
    steps = (say(f"study.protocol.{n}", seed=seed, n=CLASS) for n in range(1, 8))
    half = CLASS // 2
    worth = say(
        "study.protocol.worth", n=CLASS, d=f"{smallest_effect(CLASS):.2f}", half=half,
        between=f"{smallest_effect_between(half):.2f}",
    )  # fmt: skip
    return (*steps, worth)
