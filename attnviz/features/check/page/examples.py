"""The published examples: what their sources print beside what is computed."""

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import streamlit as st

from attnviz.app.parts import examples
from attnviz.app.parts.charts import show_offered
from attnviz.app.parts.ways import follow
from attnviz.app.session import url_texts
from attnviz.app.session.session import this_session
from attnviz.app.text import as_message
from attnviz.core.scenario import trace
from attnviz.core.stages import EVERY_STAGE, feed_forward_table, pictured
from attnviz.core.trace import Trace
from attnviz.explanation import explain
from attnviz.explanation.numbers_from import chosen_in_words
from attnviz.features.check.marking import MarkedTable, Marking, mark, mark_pipeline
from attnviz.features.check.marking_page import in_pairs, marked_table, plain_table
from attnviz.features.check.page.typed import load
from attnviz.features.check.page.verdict_panel import checked, show_verdict
from attnviz.features.check.parameters import CHECK, EXAMPLES, Checked, published_names
from attnviz.features.tables.printed_table import Printed, as_printed
from attnviz.figures import heatmap_spec
from attnviz.link.ways import Way, way_to
from attnviz.published import VARIANCES, PublishedFeedForward, WorkedExample, published_variances, worked_example
from attnviz.words import say

_STEP = feed_forward_table()


def show_examples() -> None:
    """Draw the choice of an example, and the example."""
    chosen = checked().example
    held = this_session().held("check.example", chosen, lambda name: url_texts.put(CHECK, Checked(EXAMPLES, name)))
    st.selectbox(say("check.examples.choose"), published_names(), format_func=_title, **held)
    if chosen == VARIANCES:
        _show_variances()
        return
    example = worked_example(chosen)
    st.text(" ".join(filter(None, (example.note, chosen_in_words(example.scenario)))))
    _show_ways_on(example)
    marking = marking_of(example)
    tokens = example.tokens
    if marking.tables:
        show_verdict(marking, tokens)
    else:
        st.text(say("check.examples.no_results"))
    _show_side_by_side(example, marking)
    if example.feed_forward is not None:
        _show_feed_forward(example, example.feed_forward)


def _title(name: str) -> str:
    return say("check.examples.variances") if name == VARIANCES else worked_example(name).title


def _show_ways_on(example: WorkedExample) -> None:
    with st.container(horizontal=True):
        for feature in ("explore", "lesson"):
            if way := way_to(feature):
                title = say(f"check.examples.{way.page}")
                st.button(title, on_click=_open, args=(example.id, way), key=f"check.open.{way.page}")
        if example.published:
            st.button(say("check.examples.load"), on_click=_load, args=(example.id,), key="check.load_into")


def _open(name: str, way: Way) -> None:
    examples.set_up(name)
    follow(way)


def _load(name: str) -> None:
    load(name)
    url_texts.put(CHECK, Checked())


def marking_of(example: WorkedExample) -> Marking:
    """Mark an example's printed numbers against its scenario's, with all digits."""
    tables: dict[str, Any] = {name: Printed.of(rows) for name, rows in example.inputs.items()}
    if not example.from_scores:
        tables |= {name: example.scenario.matrix(name) for name in example.scenario.editable}
    results = {name: rows for name, rows in example.published.items() if EVERY_STAGE[name].rule is not None}
    tables |= {name: Printed.of(rows, example.decimals, shown=True) for name, rows in results.items()}
    if example.feed_forward is not None:
        step = example.feed_forward
        tables |= {"w_1": step.w_1, "b_1": step.b_1, "w_2": step.w_2, "b_2": step.b_2}
        tables["feed_forward"] = Printed.of(step.output, example.decimals, shown=True)
    return mark_pipeline(tables, scale=example.scale, d_k=example.d_k)


def _show_side_by_side(example: WorkedExample, marking: Marking) -> None:
    """Draw each table twice: as printed, with its marks, and as computed."""
    marked = {table.stage.name: table for table in marking.tables} | _printed_inputs(example, marking)
    pairs = []
    # Sources print only the result of the feed-forward step; a picture below shows how it is made.
    for name in (*example.scenario.table, *(name for name in marked if name not in example.scenario.table)):
        computed = marked[name].exact if name in marked else marking.before.get(name)
        stage = EVERY_STAGE[name]
        if computed is None:
            continue
        if name in example.inputs and name not in marked:
            decimals = Printed.of(example.inputs[name]).decimals
            title = say("check.examples.given", title=stage.title)
            pairs.append((plain_table(title, stage, computed, decimals, example.tokens), ""))
            continue
        printed = marked_table(marked[name], example.tokens) if name in marked else ""
        key = "computed" if printed else "not_printed"
        title = say(f"check.examples.{key}", title=stage.title)
        pairs.append((printed, plain_table(title, stage, computed, example.decimals + 1, example.tokens)))
    st.html(in_pairs(pairs))


def _printed_inputs(example: WorkedExample, marking: Marking) -> dict[str, MarkedTable]:
    """Mark the matrices that a source draws from a seed and prints."""
    marked = {}
    for name in (name for name in example.published if EVERY_STAGE[name].rule is None):
        printed, computed = np.array(example.published[name]), marking.before[name]
        marks = mark(printed, computed, example.decimals)
        marked[name] = MarkedTable(EVERY_STAGE[name], example.decimals, printed, computed, computed, marks)
    return marked


# The feed-forward step


def _show_feed_forward(example: WorkedExample, step: PublishedFeedForward) -> None:
    made = trace(replace(example.scenario, d_ff=len(step.b_1), w_1=step.w_1, b_1=step.b_1, w_2=step.w_2, b_2=step.b_2))
    st.markdown(f"## {as_message(say('check.examples.feed_forward'))}")
    with st.container(horizontal=True, gap="small", key="check_feed_forward"):
        for name in chain.from_iterable(pictured(_STEP)):
            draw = partial(heatmap_spec, made, name, digits=example.decimals)
            stage = EVERY_STAGE[name]
            alt = say("check.examples.alt", title=stage.title, meaning=stage.meaning)
            show_offered(draw, f"check.{name}", say("check.examples.of_example", title=stage.title), alt)
    _show_cell(made, example)


def _show_cell(made: Trace, example: WorkedExample) -> None:
    left, middle, right, wide = st.columns([3, 2, 2, 8], vertical_alignment="top")
    name = left.selectbox(
        say("check.examples.cell"),
        [name for name, stage in _STEP.items() if stage.rule is not None],
        format_func=lambda n: EVERY_STAGE[n].title,
        key="check.ff_table",
    )
    shape = getattr(made, name).shape
    row = middle.number_input(say("check.examples.row"), 0, shape[0] - 1, 0, key="check.ff_row")
    column = right.number_input(say("check.examples.column"), 0, shape[1] - 1, 0, key="check.ff_column")
    explanation = explain(made, name, int(row), int(column), digits=example.decimals)
    with wide:
        st.text(say("check.examples.cell_words", words=explanation.words))
        st.code("\n".join([explanation.symbols, *explanation.steps]), language=None, wrap_lines=True)


# The variances


def _show_variances() -> None:
    st.text(say("check.variances.intro"))
    lines = [say("check.variances.head")]
    lines.append("|---:|---:|---:|---:|---:|---:|---:|")
    for row in published_variances():
        off = row.raw / row.d - 1
        lines.append(
            f"| {row.d} | {as_printed(row.raw, 2)} | {row.d} | {as_printed(row.scaled, 3)} | 1 "
            f"| {as_printed(100 * off, 1)} % | {as_printed(off / row.standard_error, 1)} |"
        )
    st.markdown("\n".join(lines))
    if way := way_to("scaling"):
        st.button(say("check.variances.to_scaling"), key="check.to_scaling", on_click=follow, args=(way,))
