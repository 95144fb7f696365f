"""Downloads of Share: code, data and pictures."""

from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import streamlit as st

from attnviz.app.components.script_file import app_letters
from attnviz.app.parts.charts import download
from attnviz.app.session import state
from attnviz.app.session.session import Computation, Figure
from attnviz.app.session.url_texts import picked_query, traced_in_view
from attnviz.board.data import fits_board
from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import in_view
from attnviz.core.scenario import Scenario, traced
from attnviz.documents import board_page, board_svg, figure_page, heatmap_page, report
from attnviz.explanation.summary import described
from attnviz.export import (
    json_file,
    json_size,
    matrix_csv,
    matrix_names,
    notebook,
    pytorch_script,
    safetensors_size,
    scenario_json,
    trace_safetensors,
)
from attnviz.figures import IN_CELL
from attnviz.link.set_up import query_of
from attnviz.words import say, thousands

CODE, DATA, PICTURES = KINDS = ("code", "data", "pictures")
_LARGE = 1_000_000  # bytes above which a file's size is stated


def show_code(scenario: Scenario) -> None:
    """Draw a script of the scenario, and its downloads."""
    st.caption(say("share.code.about"))
    script = pytorch_script(scenario, state.digits())
    st.code(script, language="python", height=320)
    with st.container(horizontal=True):
        _download("script", "attention.py", lambda: script)
        make = partial(notebook, scenario, state.digits())
        _download("notebook", "attention.ipynb", make)


def show_data(scenario: Scenario) -> None:
    """Draw the downloads of a scenario's matrices and settings."""
    show_matrices(traced(scenario), "attention")
    st.caption(say("share.data.scenario"))
    _download("scenario", "scenario.json", partial(scenario_json, scenario))


def show_matrices(trace: AttentionTrace, file: str) -> None:
    """Draw the downloads of one matrix, and of the whole trace."""
    names = matrix_names(trace)
    first = next(at for at, name in enumerate(names) if name.endswith("attention_weights"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            say("share.data.matrix"), names, index=first,
            format_func=lambda each: trace.stages[each].title, key="share.matrix",
        )  # fmt: skip
        _download("csv", f"{name}.csv", partial(matrix_csv, trace, name))
    in_json, in_safetensors = json_size(trace), safetensors_size(trace)
    large = in_json > _LARGE
    st.caption(
        say("share.data.all_large", json=_megabytes(in_json), safetensors=_megabytes(in_safetensors))
        if large
        else say("share.data.all")
    )
    as_json = partial(_download, "json", f"{file}.json", partial(json_file, trace))
    as_safetensors = partial(_download, "safetensors", f"{file}.safetensors", partial(trace_safetensors, trace))
    with st.container(horizontal=True):
        for draw in (as_safetensors, as_json) if large else (as_json, as_safetensors):
            draw()


def show_own(own: Computation, chosen: str, offered: dict[str, Figure]) -> None:
    """Draw the downloads of a page's own code, data or pictures."""
    if chosen == CODE:
        st.caption(own.about)
        script = own.script()
        st.code(script, language="python", height=320)
        _download("script", f"{own.name}.py", lambda: script)
    elif chosen == DATA:
        show_matrices(own.trace, own.name)
    else:
        chosen = st.selectbox(
            say("share.pictures.figure"), list(offered), key="share.picture", format_func=lambda key: offered[key].title
        )
        title, alt, draw = offered[chosen]
        page = figure_page(draw(), title, alt=alt, file_name=chosen.replace(".", "_"), letters=app_letters())
        st.iframe(page, height="content", alt=alt)
        st.caption(say("share.pictures.pages"))
        with st.container(horizontal=True):
            _download("figure", f"{chosen.replace('.', '_')}.html", lambda: page)
            _download("report", f"{own.name}.html", own.report)
            _download("page", f"{own.name}_heads.html", own.page)
            _download("board_page", f"{own.name}_board.html", partial(board_page, own.trace))


def _megabytes(size: int) -> str:
    return thousands(max(1, round(size / 1e6)))


def show_pictures(scenario: Scenario | None, offered: dict[str, Figure]) -> None:
    """Show a figure or matrix on a light page that saves it.

    The page is light, for paper and slides. No typed text can run in it: see `page_of` in documents/page.py.
    """
    trace = None if scenario is None else traced_in_view(scenario)
    stages = {} if trace is None else {name: trace.stages[name] for name in in_view(trace.stages)}
    titles = {key: figure.title for key, figure in offered.items()}
    titles |= {
        name: say("share.pictures.of_set_up", title=stage.title) if offered else stage.title
        for name, stage in stages.items()
    }
    if not titles:
        ask_for_sentence()
        return
    first = 0 if offered else list(stages).index("attention_weights")
    chosen = st.selectbox(
        say("share.pictures.figure"), list(titles), first, format_func=titles.__getitem__, key="share.picture"
    )
    if chosen in offered:
        title, alt, draw = offered[chosen]
        page = figure_page(draw(), title, alt=alt, file_name=chosen.replace(".", "_"), letters=app_letters())
    elif scenario is not None and trace is not None:
        query, digits = picked_query(scenario), state.digits()
        alt = described(trace, chosen, query, digits)
        page = heatmap_page(trace, chosen, digits=digits, query=query, alt=alt, letters=app_letters())
    st.iframe(page, height="content", alt=alt)
    st.caption(say("share.pictures.pages"))
    with st.container(horizontal=True):
        _download("figure", f"{chosen.replace('.', '_')}.html", lambda: page)
        if scenario is not None and trace is not None:
            make = partial(report, scenario, traced(scenario), digits=state.digits())
            _download("report", "attention.html", make)
    if scenario is not None and trace is not None:
        _show_board(trace, picked_query(scenario))
        if fits_board(scenario):
            st.caption(say("share.pictures.board_page"))
            _download("board_page", "board.html", partial(_board_page, scenario, picked_query(scenario)))


def show_question_page(drawn: Any, about: str) -> None:
    """Draw the download of the open question."""
    st.caption(say("share.pictures.question_page"))
    _download("question_page", f"{about}.html", partial(board_page, drawn, digits=state.digits()))


def _board_page(scenario: Scenario, query: int) -> str:
    home = (st.context.url or "").partition("?")[0]
    link = f"{home}?{query_of(scenario, query=str(query))}" if home else ""
    return board_page(scenario, query=query, digits=state.digits(), link=link)


def _show_board(trace: AttentionTrace, query: int) -> None:
    """Draw the download of the board as one picture, if it fits."""
    if max(max(trace[name].shape) for name in in_view(trace.stages)) > IN_CELL:
        st.caption(say("share.pictures.board_no_room", most=IN_CELL))
        return
    st.caption(say("share.pictures.board"))
    _download("board", "board.svg", partial(board_svg, trace, query=query))


def ask_for_sentence() -> None:
    """Say that there is nothing to share without a sentence."""
    st.info(say("share.blank"), icon=":material/edit:")


def _download(name: str, file_name: str, make: Callable[[], str | bytes | BinaryIO]) -> None:
    download(say(f"share.download.{name}"), make, file_name, f"share.download.{name}")
