"""The page My numbers: a verdict, a place to paste, marked tables."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from attnviz.app.parts.charts import download
from attnviz.app.session.session import this_session
from attnviz.app.text import as_message, message_of
from attnviz.core.limits import MAX_D, MAX_HEADS, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.stages import ACTIVATIONS, BIASES, EVERY_STAGE, MASK, Table, formula_of, layer_table
from attnviz.features.check.marking import Mark, Marking, Misfit, UnknownDkError, handout, mark_fitting
from attnviz.features.check.marking.settings import gone_on_with, path_of, symbol_of
from attnviz.features.check.marking_page import in_pairs, marked_table, marking_csv, marking_page
from attnviz.features.check.page import typed
from attnviz.features.check.page.sample import show_sample
from attnviz.features.check.page.typed import form_of, form_record, key_of, text_of
from attnviz.features.check.page.verdict_panel import show_verdict
from attnviz.features.check.parameters import (
    AS_PRINTED,
    BY_DIGITS,
    CHOICES,
    DEFAULTS,
    EXACT,
    FOUND,
    ROUNDED,
    TABLE_NAMES,
)
from attnviz.features.tables.printed_table import Printed
from attnviz.published import worked_example, worked_examples
from attnviz.words import LANGUAGE, say

MOST_MARKED = 64  # rows and columns that a page shows with their marks
_HANDOUT = "three-words"
_IN_A_ROW = 4
_EXAMPLES = ("x", "w_q", "e", "p", "b_q", "w_1", "b_1")  # tables whose blank fields show an example of what to type
# A control's choice -> the argument of mark_pipeline
_MASKS = {FOUND: None, True: True, False: False}
_ROUNDED_INPUTS: Mapping[str, bool | None] = MappingProxyType({BY_DIGITS: None, EXACT: False, ROUNDED: True})


def show_check() -> None:
    """Draw the place to paste, the settings, the verdict and the tables.

    Once there are tables, the place to paste is collapsed, so that verdict and marks stand right below the settings.
    """
    typed.take_from_address()
    typed.take_pasted()
    holds_tables = any(map(text_of, TABLE_NAMES))
    if not holds_tables:
        st.text(say("check.form.start"))
        _show_paste()
    with st.container(key="check_marked" if holds_tables else "check_empty"):
        settings = _show_settings(folded=holds_tables)
        if typed.waits():
            st.rerun()
        says, marks = st.container(), st.container()
    settings["activation"] = _show_fields()
    if not typed.keep_in_address():
        says.warning(say("check.form.too_long"), icon=":material/warning:")
    if said := form_record().said:
        says.caption(said)
        form_record().said = ""
    with says:
        tables, unread = _read()
        marked = _marked(tables, settings)
        if marked is None:
            if not holds_tables:
                show_sample()
            return
        marking, misfits = marked
        for misfit in misfits:
            why = f"{message_of(misfit.error)} {misfit.cause and say('check.form.taken', cause=misfit.cause)}".strip()
            st.error(as_message(say("check.form.table_refused", symbol=symbol_of(misfit.name), why=why)))
        _show_loaded(marking)
        show_verdict(marking, settings["tokens"], (*unread, *(misfit.name for misfit in misfits)))
    with marks:
        st.html(in_pairs([(marked_table(table, settings["tokens"]), "") for table in marking.tables if table.n_cells]))
        _show_downloads(marking, settings["tokens"])


def _show_paste() -> None:
    # No max_chars: the browser would drop a longer paste silently.
    st.text_area(
        say("check.form.paste"), key=typed.PASTE, **typed.KEPT, height=104,
        placeholder=say("check.form.paste_example"), help=say("check.form.paste_help"),
    )  # fmt: skip
    if (this_session().get(typed.PASTE) or "").strip():
        st.selectbox(
            say("check.form.name"), TABLE_NAMES, None, key=typed.NAME, on_change=typed.take_typed,
            format_func=lambda name: EVERY_STAGE[name].title, help=say("check.form.name_help"),
        )  # fmt: skip


# Settings


def _show_settings(*, folded: bool) -> dict[str, Any]:
    """Draw the form's settings and buttons; return the settings by name."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_settings"):
        if folded:
            with st.popover(say("check.form.paste_others")):
                _show_paste()
        about = say("check.form.handout_help", title=worked_example(_HANDOUT).title)
        st.button(say("check.form.handout"), on_click=typed.load, args=(_HANDOUT,), help=about)
        with st.popover(say("check.form.others")):
            for name, example in worked_examples().items():
                if name != _HANDOUT and example.published:
                    st.button(
                        example.title, key=f"check.load.{name}", on_click=typed.load, args=(name,), type="tertiary"
                    )
        st.button(say("check.form.clear"), on_click=typed.clear, help=say("check.form.clear_help"))
        if form_record().aside:
            st.button(say("check.form.bring_back"), on_click=typed.bring_back, help=say("check.form.bring_back_help"))
        scale = st.segmented_control(
            say("check.form.scale"), (True, False), default=True, required=True, key="check.scale",
            format_func=lambda scaled: say("check.form.scaled") if scaled else say("check.form.unscaled"),
            **typed.KEPT,
        )  # fmt: skip
        decimals = st.selectbox(
            say("check.form.decimals"), CHOICES["check.decimals"], key="check.decimals",
            **typed.KEPT, width=130,
            format_func=lambda n: say("check.form.as_printed") if n == AS_PRINTED else str(n),
            help=say("check.form.decimals_help"),
        )  # fmt: skip
        with st.popover(say("check.form.more")):
            more = _show_more()
    return {"scale": scale, "decimals": None if decimals == AS_PRINTED else decimals} | more


def _show_more() -> dict[str, Any]:
    tokens = st.text_input(
        say("check.form.tokens"), key="check.tokens", **typed.KEPT, max_chars=500,
        placeholder=say("check.form.tokens_example"), help=say("check.form.tokens_help"),
    )  # fmt: skip
    causal = _choice("causal", "causal", ("found", "masked", "open"))
    temperature = st.number_input(
        say("check.form.temperature"), MIN_TEMPERATURE, MAX_TEMPERATURE, 1.0, 0.1, key="check.temperature",
        **typed.KEPT,
    )  # fmt: skip
    d_k = st.number_input(
        say("check.form.d_k"), 1, MAX_D, None, key="check.d_k", **typed.KEPT,
        placeholder=say("check.form.d_k_example"), help=say("check.form.d_k_help"),
    )  # fmt: skip
    n_heads = st.number_input(
        say("check.form.n_heads"), 1, MAX_HEADS, None, key="check.n_heads", **typed.KEPT,
        placeholder=say("check.form.n_heads_found"), help=say("check.form.n_heads_help"),
    )  # fmt: skip
    rounded = _choice("rounded", "inputs", ("by_digits", "exact", "rounded"))
    carried = _choice("carried", "carried", CHOICES["check.carried"])
    st.file_uploader(
        say("check.form.upload"), key=typed.UPLOAD, on_change=typed.take_upload, max_upload_size=5,
        help=say("check.form.upload_help"),
    )  # fmt: skip
    names = tuple(name.strip() for name in (tokens or "").split(",") if name.strip())
    return {
        "tokens": names, "causal": _MASKS[causal], "carried": None if carried == FOUND else carried,
        "temperature": temperature, "d_k": d_k, "n_heads": n_heads, "rounded_inputs": _ROUNDED_INPUTS[rounded],
    }  # fmt: skip


def _choice(name: str, key: str, words: tuple[str, ...]) -> Any:
    """Draw a select box; return what is chosen."""
    choices = dict(zip(CHOICES[f"check.{name}"], words, strict=True))
    return st.selectbox(
        say(f"check.form.{key}.label"), list(choices), key=f"check.{name}", **typed.KEPT,
        format_func=lambda choice: say(f"check.form.{key}.{choices[choice]}"),
        help=say(f"check.form.{key}.help"),
    )  # fmt: skip


# A field for each table


def _stages_of(tables: Mapping[str, Any], activation: str) -> Table:
    """Return the stages of a computation with these tables."""
    attention = layer_table(
        biases=tuple(name for name in BIASES if name in tables),
        positions="e" in tables or "p" in tables,
        mask=MASK in tables,
        output=True,
    )
    return gone_on_with(attention, tables, activation)


def _show_fields() -> str:
    """Draw a field for each matrix; return the feed-forward step's activation."""
    with st.expander(say("check.form.fields")), st.container(key="check_form"):
        activation: str = st.segmented_control(
            say("check.form.activation.label"), tuple(ACTIVATIONS), default=DEFAULTS["check.activation"],
            required=True, key="check.activation", **typed.KEPT,
            format_func=lambda choice: say(f"check.form.activation.{choice}"),
        )  # fmt: skip
        there = {name: text_of(name) for name in TABLE_NAMES if text_of(name)}
        for first in range(0, len(TABLE_NAMES), _IN_A_ROW):
            names = TABLE_NAMES[first : first + _IN_A_ROW]
            for column, name in zip(st.columns(_IN_A_ROW), names, strict=False):
                with column:
                    _show_field(name, _stages_of({**there, name: ""}, activation))
    return activation


def _show_field(name: str, stages: Table) -> None:
    stage = stages[name]
    title = stage.title
    if stage.rule is not None:
        title = say("check.form.made", title=title, formula=formula_of(name, stages))
    st.text_area(
        title, key=key_of(name), **typed.KEPT, height=104,
        placeholder=say(f"check.form.example.{name}") if name in _EXAMPLES else "",
        help=say("check.form.table_help", plain=stage.plain),
    )  # fmt: skip


def _read() -> tuple[dict[str, Printed], tuple[str, ...]]:
    """Return the readable tables and the unreadable ones' names; say why."""
    texts = {name: text_of(name) for name in TABLE_NAMES if text_of(name).strip()}
    tables, unread = {}, []
    for name, table in tables_in(texts).items():
        if isinstance(table, str):
            st.error(as_message(say("check.form.table_refused", symbol=symbol_of(name), why=table)))
            unread.append(name)
            continue
        for sentence in table.remarks:
            st.caption(as_message(say("check.form.table_refused", symbol=symbol_of(name), why=sentence)))
        tables[name] = table
    return tables, tuple(unread)


def tables_in(texts: Mapping[str, str]) -> dict[str, Printed | str]:
    """Return each text's table, or why it can't be marked."""
    return handout.tables_in(texts, partial(_table_or_why_not, LANGUAGE.get()))


@st.cache_data(max_entries=200, show_spinner=False)  # parsing a large paste again would slow every click
def _table_or_why_not(language: str, text: str, masked: bool, columns: int | None, rows: int | None) -> Printed | str:
    table = handout.table_or_why_not(text, masked, columns, rows)
    if isinstance(table, Printed) and max(table.shape) > MOST_MARKED:
        n_rows, n_columns = table.shape
        return say("check.form.too_large", rows=n_rows, columns=n_columns, most=MOST_MARKED)
    return table


# Marks


def _marked(tables: dict[str, Printed], settings: dict[str, Any]) -> tuple[Marking, tuple[Misfit, ...]] | None:
    if not tables:  # the page already says why the text is no table
        return None
    decimals, stages = settings["decimals"], _stages_of(tables, settings["activation"])
    given = {
        name: table.with_decimals(decimals)
        if isinstance(decimals, int) and (path_of(name) or stages[name].sources)
        else table
        for name, table in tables.items()
    }
    choices = {name: value for name, value in settings.items() if name not in ("tokens", "decimals")}
    try:
        return mark_fitting(given, **choices)
    except UnknownDkError:
        st.error(as_message(say("check.form.no_d_k")))
    except ValueError as error:
        st.error(as_message(say("check.form.no_fit", why=message_of(error))))
    return None


def _show_loaded(marking: Marking) -> None:
    """Say which published example the numbers are from, if any."""
    tables = _tables_of(typed.form_now())
    for name, example in worked_examples().items():
        if tables == _tables_of(form_of(name)):
            wrong = any(table.count(Mark.WRONG, Mark.FOLLOWS) for table in marking.tables)
            st.text(say(f"check.form.loaded_{'wrong' if wrong else 'right'}", title=example.title))


def _tables_of(form: Mapping[str, Any]) -> dict[str, str]:
    return {key: text for key, text in form.items() if key.startswith(key_of("")) and text}


def _show_downloads(marking: Marking, tokens: tuple[str, ...]) -> None:
    """Offer the verdict and the marks as files, made when asked for."""
    if not any(table.n_cells for table in marking.tables):
        return
    with st.container(horizontal=True, key="check_downloads"):
        made: Mapping[str, Any] = {"html": marking_page, "csv": marking_csv}
        for kind, make in made.items():
            label, file = say(f"check.form.download.{kind}"), f"attention-marked.{kind}"
            download(label, partial(make, marking, tokens), file, f"check.download.{kind}")
