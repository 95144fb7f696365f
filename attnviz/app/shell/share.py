"""What can be shared, taken home and brought back: links, code, data, uploads."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import streamlit as st

from attnviz.app.parts.charts import Offered, take_offered
from attnviz.app.parts.own_share import Beside, Own, take_beside, take_own
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.refusals import told
from attnviz.app.session import state, url_texts
from attnviz.app.session.link_values import picked_query, traced_in_view
from attnviz.app.shell.letters import app_letters
from attnviz.app.text import as_message
from attnviz.core.attention import AttentionTrace
from attnviz.core.changes import change_texts, changes_of, replace_matrix
from attnviz.core.errors import SaidError
from attnviz.core.heads import in_view
from attnviz.core.scenario import Scenario, traced
from attnviz.documents import figure_page, heatmap_page, report
from attnviz.explanation.changes_in_words import symbol_in_words
from attnviz.explanation.summary import described
from attnviz.export import (
    json_file,
    json_size,
    matrix_csv,
    matrix_names,
    notebook,
    pytorch_script,
    read_matrix,
    safetensors_size,
    scenario_from_json,
    scenario_json,
    trace_safetensors,
)
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS, decode_changes, encode_changes
from attnviz.link.parameter_table import HIDE, texts
from attnviz.link.set_up import CHANGES, parameters
from attnviz.scripts import joined
from attnviz.words import plural, say

_HERE = Path(__file__).parent
_LINK, _CODE, _DATA, _PICTURES, _OPEN = "link", "code", "data", "pictures", "open"
_LARGE = 1_000_000  # bytes of a file whose size is said beforehand

_copy_link = st.components.v2.component(
    "attnviz_copy_link",
    html='<div class="copy-link"><input type="text" readonly><button type="button"></button>'
    '<span role="status"></span></div>',
    css=(_HERE / "copy_link.css").read_text(),
    js=joined(_HERE / "copy_link.js"),
)


def show_share(*, own_examples: bool = False) -> None:
    """Draw the button that opens all this; what is in it is made once it is open. A page with examples of its own gives
    what it shows itself, or it's said that what is shared isn't that."""
    offered, own, beside = take_offered(), take_own(), take_beside()
    with st.popover(say("share.button"), key="share", on_change="rerun", help=say("share.help")) as popover:
        if not popover.open:
            return
        chosen = st.segmented_control(
            say("share.what"), (_LINK, _CODE, _DATA, _PICTURES, _OPEN), default=_LINK, required=True,
            format_func=_part_in_words, label_visibility="collapsed", key="share.part",
        )  # fmt: skip
        if chosen == _LINK:
            _show_links(beside)
            return
        scenario = state.current_scenario()
        if own is not None and chosen in (_CODE, _DATA, _PICTURES):
            show_own(own, chosen, offered)
            return
        if own_examples and chosen in (_CODE, _DATA):
            st.info(say("share.of_set_up"), icon=":material/info:")
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


def _part_in_words(part: str) -> str:
    return say(f"share.part.{part}")


def _show_links(beside: Beside | None) -> None:
    st.caption(say("share.link.about" if beside is None else "share.link.short"))
    _show_link("link", url_texts.current(HIDE))
    if beside is not None:
        st.info(as_message(beside.told), icon=":material/attach_file:")
        st.download_button(beside.label, beside.text, beside.file_name, "text/plain", key="share.beside",
                           on_click="ignore")  # fmt: skip
    st.caption(say("share.lesson_link.about"))
    table = parameters()
    hidden = st.multiselect(
        say("share.lesson_link.hide"), list(table), format_func=lambda name: table[name].label, key="share.hide"
    )
    if hidden:
        _show_link("lesson_link", texts()[HIDE].write(hidden))


def _show_link(kind: str, hide: str) -> None:
    data = {
        "hide": hide,
        "label": say(f"share.{kind}.label"),
        "button": say(f"share.{kind}.copy"),
        "copied": say("share.copied"),
        "byHand": say("share.copy_by_hand"),
    }
    _copy_link(key=f"share.{kind}", data=data)


def _show_code(scenario: Scenario) -> None:
    st.caption(say("share.code.about"))
    script = pytorch_script(scenario, state.digits())
    st.code(script, language="python", height=320)
    with st.container(horizontal=True):
        _download("script", "attention.py", "text/x-python", lambda: script)
        make = partial(notebook, scenario, state.digits())
        _download("notebook", "attention.ipynb", "application/x-ipynb+json", make)


def _show_data(scenario: Scenario) -> None:
    show_matrices(traced(scenario), "attention")
    st.caption(say("share.data.scenario"))
    _download("scenario", "scenario.json", "application/json", partial(scenario_json, scenario))


def show_matrices(made: AttentionTrace, file: str) -> None:
    """Draw what takes one matrix of a trace home, and all of them."""
    names = matrix_names(made)
    first = next(at for at, name in enumerate(names) if name.endswith("attention_weights"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("share.data.matrix"), names, index=first,
            format_func=lambda each: made.stages[each].title, key="share.matrix",
        )  # fmt: skip
        _download("csv", f"{name}.csv", "text/csv", partial(matrix_csv, made, name))
    in_json, in_safetensors = json_size(made), safetensors_size(made)
    large = in_json > _LARGE
    st.caption(
        say("share.data.all_large", json=_megabytes(in_json), safetensors=_megabytes(in_safetensors))
        if large
        else say("share.data.all")
    )
    as_json = partial(_download, "json", f"{file}.json", "application/json", partial(json_file, made))
    as_safetensors = partial(
        _download, "safetensors", f"{file}.safetensors", "application/octet-stream", partial(trace_safetensors, made)
    )
    with st.container(horizontal=True):
        for draw in (as_safetensors, as_json) if large else (as_json, as_safetensors):
            draw()


def show_own(own: Own, chosen: str, offered: dict[str, Offered]) -> None:
    """Draw what a page gives to take home: its code, its data, or its pictures."""
    if chosen == _CODE:
        st.caption(own.about)
        script = own.script()
        st.code(script, language="python", height=320)
        _download("script", f"{own.name}.py", "text/x-python", lambda: script)
    elif chosen == _DATA:
        show_matrices(own.trace, own.name)
    else:
        chosen = st.selectbox(say("share.pictures.figure"), list(offered), key="share.picture",
                              format_func=lambda key: offered[key].title)  # fmt: skip
        title, alt, draw = offered[chosen]
        page = figure_page(draw(), title, alt=alt, file_name=chosen.replace(".", "_"), letters=app_letters())
        st.iframe(page, height="content", alt=alt)
        st.caption(say("share.pictures.pages"))
        with st.container(horizontal=True):
            _download("figure", f"{chosen.replace('.', '_')}.html", "text/html", lambda: page)
            _download("report", f"{own.name}.html", "text/html", own.report)
            _download("page", f"{own.name}_heads.html", "text/html", own.page)


def _megabytes(size: int) -> str:
    return f"{max(1, round(size / 1e6)):,}"


def _show_pictures(scenario: Scenario | None, offered: dict[str, Offered]) -> None:
    """Show a figure of the page, or a matrix of the set-up, on a page of its own that saves it.

    Light, on white: it goes onto paper and slides. Nothing typed can run in it: see figures.pages.
    """
    made = None if scenario is None else traced_in_view(scenario)
    stages = {} if made is None else {name: made.stages[name] for name in in_view(made.stages)}
    titles = {key: figure.title for key, figure in offered.items()}
    titles |= {
        name: say("share.pictures.of_set_up", title=stage.title) if offered else stage.title
        for name, stage in stages.items()
    }
    if not titles:
        _ask_for_sentence()
        return
    first = 0 if offered else list(stages).index("attention_weights")
    chosen = st.selectbox(
        say("share.pictures.figure"), list(titles), first, format_func=titles.__getitem__, key="share.picture"
    )
    if chosen in offered:
        title, alt, draw = offered[chosen]
        page = figure_page(draw(), title, alt=alt, file_name=chosen.replace(".", "_"), letters=app_letters())
    elif scenario is not None and made is not None:
        query, digits = picked_query(scenario), state.digits()
        alt = described(made, chosen, query, digits)
        page = heatmap_page(made, chosen, digits=digits, query=query, alt=alt, letters=app_letters())
    st.iframe(page, height="content", alt=alt)
    st.caption(say("share.pictures.pages"))
    with st.container(horizontal=True):
        _download("figure", f"{chosen.replace('.', '_')}.html", "text/html", lambda: page)
        if scenario is not None and made is not None:
            make = partial(report, scenario, traced(scenario), digits=state.digits())
            _download("report", "attention.html", "text/html", make)


def _ask_for_sentence() -> None:
    st.info(say("share.blank"), icon=":material/edit:")


def _download(name: str, file_name: str, mime: str, make: Callable[[], str | bytes | BinaryIO]) -> None:
    """Draw a button; the file is made when it is pressed, and no other run comes of it."""
    label = say(f"share.download.{name}")
    st.download_button(label, make, file_name, mime, key=f"share.download.{name}", on_click="ignore")


def _show_open(scenario: Scenario) -> None:
    upload = st.file_uploader(say("share.open.scenario"), type="json", key=f"share.scenario.{state.revision()}")
    if upload is not None:
        st.button(
            say("share.open.open"), key="share.open", on_click=_open_scenario, args=(upload.getvalue(),), type="primary"
        )
    name = st.selectbox(
        say("share.open.into"),
        scenario.editable,
        format_func=symbol_in_words,
        key="share.into",
    )
    n_rows, n_columns = scenario.shape_of(name)
    upload = st.file_uploader(
        say("share.open.numbers", rows=plural(n_rows, "row"), columns=plural(n_columns, "number")),
        type=["csv", "txt", "tsv", "safetensors"], key=f"share.numbers.{state.revision()}",
    )  # fmt: skip
    if upload is not None:
        st.button(
            say("share.open.use", symbol=symbol_in_words(name)), key="share.use", type="primary",
            on_click=_use_numbers, args=(name, upload.name, upload.getvalue()),
        )  # fmt: skip


def _open_scenario(data: bytes) -> None:
    try:
        scenario = scenario_from_json(data.decode("utf-8"))
        _check_size(scenario)
    except UnicodeDecodeError:
        state.say(say("share.refused.no_text"))
    except ValueError as error:
        state.say(say("share.refused.scenario", why=told(error)))
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
        state.say(say("share.refused.numbers", why=told(error)))
        return
    state.keep(changed)
    state.redraw_editors()


def _check_size(scenario: Scenario) -> None:
    """Raise ``ValueError`` for changes that the link, from which every reload reads them, cannot carry.

    How many numbers fit depends on their digits, so what is said is characters: those needed, and those there are.
    """
    changes = changes_of(scenario)
    encoded, room = encode_changes(changes), url_texts.room(CHANGES)
    if len(encoded) <= room and not decode_changes(encoded)[1]:
        return
    taken = len(encoded)
    if taken <= room:  # packed it would fit, but it would not be unpacked
        taken, room = len("*".join(change_texts(changes))), MAX_CHANGES_CHARACTERS
    cells = {name: len(rows) * len(rows[0]) for name, rows in scenario.replaced.items() if isinstance(rows, tuple)}
    listed = ", ".join(
        say("share.refused.has", symbol=symbol_in_words(name), numbers=plural(count, "number"))
        for name, count in cells.items()
    )
    raise SaidError(say("share.refused.too_much", listed=listed, taken=f"{taken:,}", room=f"{room:,}"))
