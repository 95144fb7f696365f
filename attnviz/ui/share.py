"""What can be shared, taken home and brought back: links, code, data, uploads."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from attnviz.changes import changes_of, replace_matrix
from attnviz.export import (
    matrix_csv,
    matrix_names,
    notebook,
    pytorch_script,
    read_matrix,
    scenario_from_json,
    scenario_json,
    trace_json,
    trace_safetensors,
)
from attnviz.figures import figure_page, heatmap_page, report
from attnviz.limits import MAX_TEXT_TOKENS
from attnviz.link import decode_changes, encode_changes, parameters
from attnviz.scenario import Scenario, traced
from attnviz.stages import STAGES
from attnviz.summary import described
from attnviz.ui import bound, hiding, state
from attnviz.ui.charts import Offered, take_offered
from attnviz.ui.typed import scenario_now

_HERE = Path(__file__).parent
_FRAME_HEIGHT = 480  # of a picture with its buttons; a larger one scrolls in it
_LINK, _CODE, _DATA, _PICTURES, _OPEN = "Link", "Code", "Data", "Pictures", "Open"

_copy_link = st.components.v2.component(
    "attnviz_copy_link",
    html='<div class="copy-link"><input type="text" readonly><button type="button"></button>'
    '<span role="status"></span></div>',
    css=(_HERE / "copy_link.css").read_text(),
    js=(_HERE / "copy_link.js").read_text(),
)


def show_share() -> None:
    """Draw the button that opens all this; what is in it is made once it is open."""
    offered = take_offered()
    with st.popover("Share", key="share", on_change="rerun", help="A link, code, data; open a file") as popover:
        if not popover.open:
            return
        chosen = st.segmented_control(
            "What", (_LINK, _CODE, _DATA, _PICTURES, _OPEN), default=_LINK, required=True, label_visibility="collapsed",
            key="share.part",
        )  # fmt: skip
        if chosen == _LINK:
            _show_links()
            return
        scenario = state.current_scenario()
        if chosen == _PICTURES:
            _show_pictures(scenario, offered)
        elif scenario is None:
            _ask_for_sentence()
        elif chosen == _CODE:
            _show_code(scenario)
        elif chosen == _DATA:
            _show_data(scenario)
        else:
            _show_open(scenario)


def _show_links() -> None:
    st.caption("This link opens the page as it is now: set-up, edits, what is picked.")
    _copy_link(key="share.link", data={"hide": bound.current(bound.HIDE), "label": "Link", "button": "Copy link"})
    st.caption("For a lesson, a link can leave out controls that would only distract.")
    table = parameters()
    hidden = st.multiselect(
        "Hide these controls", list(table), format_func=lambda name: table[name].label, key="share.hide"
    )
    if hidden:
        data = {"hide": hiding.text_of(hidden), "label": "Lesson link", "button": "Copy lesson link"}
        _copy_link(key="share.lesson_link", data=data)


def _show_code(scenario: Scenario) -> None:
    st.caption("Show me this in PyTorch: a script that needs torch alone and prints the same numbers.")
    script = pytorch_script(scenario, state.digits())
    st.code(script, language="python", height=320)
    with st.container(horizontal=True):
        _download("Python script", "attention.py", "text/x-python", lambda: script)
        _download(
            "Notebook", "attention.ipynb", "application/x-ipynb+json", partial(notebook, scenario, state.digits())
        )


def _show_data(scenario: Scenario) -> None:
    made = traced(scenario)
    names = matrix_names(made)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Matrix", names, index=names.index("attention_weights"), format_func=_title_of, key="share.matrix"
        )
        _download("CSV", f"{name}.csv", "text/csv", partial(matrix_csv, made, name))
    st.caption("All matrices in one file:")
    with st.container(horizontal=True):
        _download("JSON", "attention.json", "application/json", partial(trace_json, made))
        _download("safetensors", "attention.safetensors", "application/octet-stream", partial(trace_safetensors, made))
    st.caption("The set-up with its edits, to be opened here again:")
    _download("Scenario", "scenario.json", "application/json", partial(scenario_json, scenario))


def _title_of(name: str) -> str:
    return STAGES[name].title


def _show_pictures(scenario: Scenario | None, offered: dict[str, Offered]) -> None:
    """Show a figure of the page, or a matrix of the set-up, on a page of its own that saves it.

    Light, on white: it goes onto paper and slides. Nothing typed can run in it: see figures.pages.
    """
    made = None if scenario is None else traced(scenario)
    names = () if made is None else matrix_names(made)
    titles = {key: figure.title for key, figure in offered.items()}
    titles |= {name: _title_of(name) + (", of the set-up" if offered else "") for name in names}
    if not titles:
        _ask_for_sentence()
        return
    first = 0 if offered else names.index("attention_weights")
    chosen = st.selectbox("Figure", list(titles), first, format_func=titles.__getitem__, key="share.picture")
    if chosen in offered:
        title, alt, draw = offered[chosen]
        page = figure_page(draw(), title, alt=alt, file_name=chosen.replace(".", "_"))
    elif scenario is not None and made is not None:
        query, digits = state.picked_query(len(scenario.tokens)), state.digits()
        alt = described(made, chosen, query, digits)
        page = heatmap_page(made, chosen, digits=digits, query=query, alt=alt)
    st.iframe(page, height="content", alt=alt)
    st.caption("As web pages that open without a network:")
    with st.container(horizontal=True):
        _download("This figure", f"{chosen.replace('.', '_')}.html", "text/html", lambda: page)
        if scenario is not None and made is not None:
            make = partial(report, scenario, made, digits=state.digits())
            _download("Report of everything", "attention.html", "text/html", make)


def _ask_for_sentence() -> None:
    st.info("Type a sentence first.", icon="✏️")


def _download(label: str, file_name: str, mime: str, make: Callable[[], str | bytes]) -> None:
    """Draw a button; the file is made when it is pressed, and no other run comes of it."""
    st.download_button(label, make, file_name, mime, key=f"share.download.{label}", on_click="ignore")


def _show_open(scenario: Scenario) -> None:
    upload = st.file_uploader(
        "A scenario that was saved here (.json)", type="json", key=f"share.scenario.{state.revision()}"
    )
    if upload is not None:
        st.button("Open it", key="share.open", on_click=_open_scenario, args=(upload.getvalue(),), type="primary")
    names = scenario.editable
    name = st.selectbox(
        "Or the numbers of one matrix", names, format_func=lambda each: STAGES[each].symbol, key="share.into"
    )
    n_rows, n_columns = scenario.shape_of(name)
    upload = st.file_uploader(
        f"{n_rows} rows of {n_columns} numbers (.csv, .txt or .safetensors)", type=["csv", "txt", "tsv", "safetensors"],
        key=f"share.numbers.{state.revision()}",
    )  # fmt: skip
    if upload is not None:
        st.button(
            f"Use these numbers for {STAGES[name].symbol}", key="share.use", type="primary",
            on_click=_use_numbers, args=(name, upload.name, upload.getvalue()),
        )  # fmt: skip


def _open_scenario(data: bytes) -> None:
    try:
        scenario = scenario_from_json(data.decode("utf-8"))
        if len(scenario.tokens) > MAX_TEXT_TOKENS:  # of which the app would cut all but the first
            raise ValueError(f"its sentence has {len(scenario.tokens)} tokens, expected at most {MAX_TEXT_TOKENS}")
        _check_size(scenario)
    except UnicodeDecodeError:
        state.say("The scenario was not opened: the file is no text.")
    except ValueError as error:
        state.say(f"The scenario was not opened: {error}.")
    else:
        state.adopt(scenario)


def _use_numbers(name: str, file_name: str, data: bytes) -> None:
    scenario = scenario_now()
    if scenario is None:
        return
    try:
        matrix = read_matrix(file_name, data, name, scenario.shape_of(name))
        # In as few digits as float32 has, for they travel in the link.
        rows = tuple(tuple(float(str(np.float32(value))) for value in row) for row in matrix.tolist())
        changed = replace_matrix(scenario, name, rows)
        _check_size(changed)
    except ValueError as error:
        state.say(f"The numbers in the file were not taken: {str(error).removesuffix('.')}.")
        return
    state.keep(changed)
    state.redraw_editors()


def _check_size(scenario: Scenario) -> None:
    """Raise ``ValueError`` for changes that the link, from which every reload reads them, cannot carry."""
    encoded = encode_changes(changes_of(scenario))
    if bound.fits(bound.CHANGES, encoded) and not decode_changes(encoded)[1]:
        return
    given = {name: getattr(scenario, name) for name in scenario.editable}
    cells = {name: len(rows) * len(rows[0]) for name, rows in given.items() if isinstance(rows, tuple)}
    listed = ", ".join(f"{name} has {count:,} numbers" for name, count in cells.items())
    raise ValueError(f"{listed}; with all else they are more than a link can carry: about 40,000 random numbers")
