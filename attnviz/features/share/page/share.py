"""Share and open: links, code, data, saved scenarios and matrix files."""

from io import BytesIO
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import segno
import streamlit as st

from attnviz.app.parts.charts import download
from attnviz.app.parts.typed_cells import scenario_now
from attnviz.app.session import page_record, state, url_texts
from attnviz.app.session.component import component
from attnviz.app.session.session import Attachment, this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message, message_of
from attnviz.core.carry_over import replace_matrix
from attnviz.core.changes import change_texts, changes_of
from attnviz.core.limits import ReaderError
from attnviz.core.scenario import Scenario
from attnviz.explanation.origins import symbol_in_words
from attnviz.export import scenario_from_json
from attnviz.feature import filled
from attnviz.features.share.page.files import (
    CODE,
    DATA,
    KINDS,
    PICTURES,
    ask_for_sentence,
    show_code,
    show_data,
    show_own,
    show_pictures,
    show_question_page,
)
from attnviz.features.share.page.playlist import show_playlist
from attnviz.features.tables.matrices import read_matrix
from attnviz.link.changes_text import MAX_CHANGES_CHARACTERS, decode_changes, encode_changes
from attnviz.link.parameter_table import HIDE, OFF, PREDICTIONS, PRESENT, PRESENTED, texts
from attnviz.link.set_up import CHANGES, parameters
from attnviz.predicting.asks import asked_here, drawn_of
from attnviz.words import plural, say, thousands


def show_open(scenario: Scenario) -> None:
    """Draw the controls that open a scenario or a matrix file."""
    upload = st.file_uploader(say("share.open.scenario"), type="json", key=f"share.scenario.{this_session().revision}")
    if upload is not None:
        st.button(
            say("share.open.open"), key="share.open", on_click=_open_scenario, args=(upload.getvalue(),), type="primary"
        )
    name = st.selectbox(say("share.open.into"), scenario.editable, format_func=symbol_in_words, key="share.into")
    n_rows, n_columns = scenario.shape_of(name)
    upload = st.file_uploader(
        say("share.open.numbers", rows=plural(n_rows, "row"), columns=plural(n_columns, "number")),
        type=["csv", "txt", "tsv", "safetensors"],
        key=f"share.numbers.{this_session().revision}",
    )
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
        state.add_message(say("share.refused.no_text"))
    except ValueError as error:
        state.add_message(say("share.refused.scenario", why=message_of(error)))
    else:
        state.adopt(scenario)


def _use_numbers(name: str, file_name: str, data: bytes) -> None:
    scenario = scenario_now()
    if scenario is None:
        return
    try:
        matrix = read_matrix(file_name, data, name, scenario.shape_of(name))
        # The link carries these numbers, so they get only as many digits as float32 has.
        rows = tuple(tuple(float(str(np.float32(value))) for value in row) for row in matrix.tolist())
        changed = replace_matrix(scenario, name, rows)
        _check_size(changed)
    except ValueError as error:
        state.add_message(say("share.refused.numbers", why=message_of(error)))
        return
    state.keep(changed)
    state.redraw_editors()


def _check_size(scenario: Scenario) -> None:
    """Raise ``ValueError`` for changes that don't fit the link.

    How many numbers fit depends on their digits, so the message counts characters: those needed, and those available.
    """
    changes = changes_of(scenario)
    encoded, room = encode_changes(changes), url_texts.room(CHANGES)
    if len(encoded) <= room and not decode_changes(encoded)[1]:
        return
    taken = len(encoded)
    if taken <= room:  # packed, the changes fit, but they exceed the limit of unpacking
        taken, room = len("*".join(change_texts(changes))), MAX_CHANGES_CHARACTERS
    cells = {name: len(rows) * len(rows[0]) for name, rows in scenario.replaced.items() if isinstance(rows, tuple)}
    listed = ", ".join(
        say("share.refused.has", symbol=symbol_in_words(name), numbers=plural(count, "number"))
        for name, count in cells.items()
    )
    raise ReaderError(say("share.refused.too_much", listed=listed, taken=thousands(taken), room=thousands(room)))


_QR_PIXELS = 520

_copy_link = component(
    "copy_link",
    '<div class="copy-link"><input type="text" readonly><button type="button"></button>'
    '<span role="status"></span></div>',
    Path(__file__).parent / "copy_link.js",
)


def show_links(beside: Attachment | None) -> None:
    """Draw the links, and a file for what they can't hold."""
    st.caption(say("share.link.about" if beside is None else "share.link.short"))
    hides = url_texts.current(HIDE)
    _show_link("link", {HIDE: hides} if hides else {})
    if st.button(say("share.qr.label"), key="share.qr", icon=":material/qr_code_2:", type="tertiary"):
        st.dialog(say("share.qr.label"), width="medium")(_show_qr_code)()
    if beside is not None:
        st.info(as_message(beside.notice), icon=":material/attach_file:")
        download(beside.label, beside.text, beside.file_name, "share.beside")
    if about := _asked_here():
        for show in filled("shared_here").values():
            show(about)
    st.button(say("share.present.button"), key="share.present", help=say("share.present.about"), on_click=_present)
    show_playlist()
    st.caption(say("share.lesson_link.about"))
    table = parameters()
    hidden = st.multiselect(  # Enter takes options that contain the typed text, not all similar ones
        say("share.lesson_link.hide"), list(table), format_func=lambda name: table[name].label, key="share.hide",
        filter_mode="contains", select_all=False,
    )  # fmt: skip
    without = st.checkbox(say("share.lesson_link.without"), key="share.without")
    if hidden or without:
        adds = {HIDE: texts()[HIDE].write(hidden)} if hidden else {}
        _show_link("lesson_link", adds | ({PREDICTIONS: OFF} if without else {}))


def _asked_here() -> str:
    """Return the name of the question this page asks, or blank."""
    return asked_here(page_record.current_place()[0].strip("/"), take)


def _present() -> None:
    this_session().put("share", False)  # closes the panel
    url_texts.put(PRESENT, PRESENTED)


def _show_qr_code() -> None:
    """Draw the link as a large QR code, or say why not."""
    place = urlsplit(st.context.url or "")
    if place.hostname == "localhost" or (place.hostname or "").startswith(("127.", "::1")):
        st.info(say("share.qr.here_alone"))
    try:
        link = urlunsplit(place._replace(path=place.path or "/", query=page_record.current_place()[1]))
        code = segno.make(link, error="l", micro=False)
    except segno.DataOverflowError:
        st.info(say("share.qr.too_long"))
        return
    drawn = BytesIO()
    code.save(drawn, kind="svg", light="#fff", omitsize=True, xmldecl=False)
    st.image(drawn.getvalue().decode(), width=_QR_PIXELS)


def _show_link(kind: str, adds: dict[str, str]) -> None:
    data = {
        "adds": adds,
        "label": say(f"share.{kind}.label"),
        "button": say(f"share.{kind}.copy"),
        "copied": say("share.copied"),
        "byHand": say("share.copy_by_hand"),
    }
    _copy_link(key=f"share.{kind}", data=data)


LINK, OPEN = "link", "open"


def show_share(scenario: Scenario | None, *, own_examples: bool = False) -> None:
    """Draw the Share button; its content is made when it opens."""
    shared = this_session().shared
    offered, own = shared.figures, shared.computation
    with st.popover(say("share.button"), key="share", on_change="rerun") as popover:
        if not popover.open:
            return
        chosen = st.segmented_control(
            say("share.what"), (LINK, *KINDS, OPEN), default=LINK, required=True,
            format_func=lambda part: say(f"share.part.{part}"), label_visibility="collapsed", key="share.part",
        )  # fmt: skip
        if chosen == LINK:
            show_links(shared.attachment)
            return
        if own is not None and chosen in KINDS:
            show_own(own, chosen, offered)
            return
        if own_examples and chosen in (CODE, DATA):
            st.info(say("share.of_set_up"), icon=":material/info:")
        if chosen == PICTURES:
            show_pictures(scenario, offered)
            if (drawn := drawn_of(about := _asked_here())) is not None:
                show_question_page(drawn, about)
        elif scenario is None:
            ask_for_sentence()
        elif chosen == CODE:
            show_code(scenario)
        elif chosen == DATA:
            show_data(scenario)
        else:
            show_open(scenario)
