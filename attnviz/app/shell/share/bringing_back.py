"""What Share brings back: a saved scenario, the numbers of a matrix from a file."""

import numpy as np
import streamlit as st

from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import state, url_texts
from attnviz.app.session.session import this_session
from attnviz.app.text import told
from attnviz.core.carried import replace_matrix
from attnviz.core.changes import change_texts, changes_of
from attnviz.core.limits import SaidError
from attnviz.core.scenario import Scenario
from attnviz.explanation.origins import symbol_in_words
from attnviz.export import read_matrix, scenario_from_json
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS, decode_changes, encode_changes
from attnviz.link.set_up import CHANGES
from attnviz.words import plural, say


def show_open(scenario: Scenario) -> None:
    """Draw where a scenario is opened, and where the numbers of a matrix are."""
    upload = st.file_uploader(say("share.open.scenario"), type="json", key=f"share.scenario.{this_session().revision}")
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
        type=["csv", "txt", "tsv", "safetensors"], key=f"share.numbers.{this_session().revision}",
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
