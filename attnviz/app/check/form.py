"""The form for tables of one's own, and their marking.

The typed texts are kept while the session lasts, whatever is wrong with them.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import streamlit as st

from attnviz.app.check import form_in_address
from attnviz.app.check.fields import key_of, show_fields, stages_of, text_of
from attnviz.app.check.reading import read_fields
from attnviz.app.refusals import told
from attnviz.app.session import state
from attnviz.app.streamlit_internals import DeltaGenerator
from attnviz.app.text import as_message, literal
from attnviz.core.limits import MAX_D, MAX_HEADS, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.core.stages import EVERY_STAGE, Table
from attnviz.documents import marking_csv, marking_page
from attnviz.documents.marked_tables import legend, marked_table
from attnviz.link.typed_form import AS_PRINTED, BY_DIGITS, CHOICES, DEFAULTS, EXACT, FOUND, ROUNDED, TABLE_NAMES
from attnviz.marking import CARRIED, Mark, Marking, Results, UnknownDkError, mark_pipeline, verdict
from attnviz.marking.handout import by_fields
from attnviz.marking.heads import base_of, path_of, symbol_of
from attnviz.published import worked_example, worked_examples
from attnviz.tables.handout import may_hold_several, sorted_tables
from attnviz.tables.printed_table import Printed
from attnviz.tables.reading import read_upload, write_table
from attnviz.words import say

HANDOUT = "three-words"
_MASKS = {FOUND: "found", True: "masked", False: "open"}
_ROUNDED_WORDS = {EXACT: "exact_inputs", BY_DIGITS: "by_digits", ROUNDED: "rounded_inputs"}
_ROUNDED_INPUTS = {BY_DIGITS: None, EXACT: False, ROUNDED: True}
_SORTED = "check.sorted"
_FEW_CHARACTERS = 12
_CARRIED: Mapping[str, Results | None] = MappingProxyType({FOUND: None, **{way: way for way in CARRIED}})


def show_check() -> None:
    """Draw the form, the verdict above it, and the marks below each table."""
    form_in_address.take()
    says = st.container()
    settings = _show_settings()
    with st.container(key="check_form"):
        below, settings["activation"] = show_fields(_take_typed)
    if not form_in_address.keep(_form()):
        says.warning(say("check.form.too_long"), icon=":material/warning:")
    if sorted_ones := st.session_state.pop(_SORTED, ""):
        says.info(sorted_ones, icon=":material/sort:")
    tables, unread = read_fields(below)
    marking = _marked(tables, settings, says)
    if marking is None:
        return
    tokens = settings["tokens"]
    with says:
        _show_loaded(marking)
        show_verdict(marking, tokens, unread)
        _show_downloads(marking, tokens)
    for table in marking.tables:
        with below[base_of(table.stage.name)]:
            st.html(marked_table(table, tokens))


def _show_downloads(marking: Marking, tokens: tuple[str, ...]) -> None:
    """Offer the verdict and every mark as files; each is made when it is asked for."""
    if not any(table.n_cells for table in marking.tables):
        return
    with st.container(horizontal=True, key="check_downloads"):
        for kind, make in (("html", marking_page), ("csv", marking_csv)):
            st.download_button(
                say(f"check.form.download.{kind}"), partial(make, marking, tokens), f"attention-marked.{kind}",
                f"text/{kind}", on_click="ignore", key=f"check.download.{kind}",
            )  # fmt: skip


def show_verdict(marking: Marking, tokens: tuple[str, ...], unread: Sequence[str] = ()) -> None:
    """Draw a verdict: the summary, the first error with its arithmetic, and how each table stands; nothing is all right
    while there are tables that can't be read."""
    words = verdict(marking, tokens)
    if words.nothing_yet:
        st.info(f"{words.summary} {words.nothing_yet}", icon=":material/edit:")
        return
    with st.container(border=True, key="verdict"):
        stands = "wrong" if words.first_error else "part" if unread else "doubt" if words.doubt else "right"
        st.text(say(f"check.verdict.summary_{stands}", summary=words.summary))
        if unread:
            names = ", ".join(map(symbol_of, unread))
            st.text(say("check.verdict.unread", names=names))
        if words.doubt:
            settled = say("check.verdict.doubt_settled", more=say("check.form.more"), inputs=say("check.form.inputs"))
            st.text(say("check.verdict.doubt", sentence=" ".join((*words.doubt, settled))))
        for slip in words.slips:
            st.text(say("check.verdict.slip", slip=slip))
        if words.first_error:
            left, right = st.columns(2)
            left.text(words.first_error)
            left.code("\n".join(words.arithmetic), language=None, wrap_lines=True)
            right.text("\n".join(words.tables))
        else:
            st.text("\n".join(words.tables))
        for sentence in words.reading:
            st.text(say("check.verdict.reading", sentence=sentence))
        for sentence in words.rounding:
            st.text(say("check.verdict.rounding", sentence=sentence))
        taken = ", ".join(map(symbol_of, marking.taken))
        st.caption(say("check.verdict.taken", names=taken))
        st.html(legend())


# Settings


def _show_settings() -> dict[str, Any]:
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_settings"):
        about = say("check.form.handout_help", title=worked_example(HANDOUT).title)
        st.button(say("check.form.handout"), on_click=load, args=(HANDOUT,), help=about)
        with st.popover(say("check.form.others")):
            for name, example in worked_examples().items():
                if name != HANDOUT and example.published:
                    st.button(example.title, key=f"check.load.{name}", on_click=load, args=(name,), type="tertiary")
        st.button(say("check.form.clear"), on_click=_clear, help=say("check.form.clear_help"))
        if form_in_address.is_aside():
            st.button(say("check.form.bring_back"), on_click=_bring_back, help=say("check.form.bring_back_help"))
        scale = st.segmented_control(
            say("check.form.scale"), (True, False), default=True, required=True, key="check.scale",
            format_func=lambda scaled: say("check.form.scaled") if scaled else say("check.form.unscaled"),
            persist_state="session",
        )  # fmt: skip
        decimals = st.selectbox(
            say("check.form.decimals"), CHOICES["check.decimals"], key="check.decimals",
            persist_state="session", width=130,
            format_func=lambda n: say("check.form.as_printed") if n == AS_PRINTED else str(n),
            help=say("check.form.decimals_help"),
        )  # fmt: skip
        more = _show_more()
    return {"scale": scale, "decimals": None if decimals == AS_PRINTED else decimals} | more


def _show_more() -> dict[str, Any]:
    with st.popover(say("check.form.more")):
        tokens = st.text_input(
            say("check.form.tokens"), key="check.tokens", persist_state="session", max_chars=500,
            placeholder=say("check.form.tokens_example"), help=say("check.form.tokens_help"),
        )  # fmt: skip
        causal = st.selectbox(
            say("check.form.causal.label"), CHOICES["check.causal"], key="check.causal", persist_state="session",
            format_func=lambda choice: say(f"check.form.causal.{_MASKS[choice]}"), help=say("check.form.causal.help"),
        )  # fmt: skip
        temperature = st.number_input(
            say("check.form.temperature"), MIN_TEMPERATURE, MAX_TEMPERATURE, 1.0, 0.1, key="check.temperature",
            persist_state="session",
        )  # fmt: skip
        d_k = st.number_input(
            say("check.form.d_k"), 1, MAX_D, None, key="check.d_k", persist_state="session",
            placeholder=say("check.form.d_k_example"), help=say("check.form.d_k_help"),
        )  # fmt: skip
        n_heads = st.number_input(
            say("check.form.n_heads"), 1, MAX_HEADS, None, key="check.n_heads", persist_state="session",
            placeholder=say("check.form.n_heads_found"), help=say("check.form.n_heads_help"),
        )  # fmt: skip
        rounded = st.selectbox(
            say("check.form.inputs"), CHOICES["check.rounded"], key="check.rounded",
            persist_state="session",
            format_func=lambda choice: say(f"check.form.{_ROUNDED_WORDS[choice]}"), help=say("check.form.inputs_help"),
        )  # fmt: skip
        carried = st.selectbox(
            say("check.form.carried.label"), CHOICES["check.carried"], key="check.carried", persist_state="session",
            format_func=lambda choice: say(f"check.form.carried.{choice}"), help=say("check.form.carried.help"),
        )  # fmt: skip
        st.selectbox(
            say("check.form.upload_to"), TABLE_NAMES, format_func=lambda name: EVERY_STAGE[name].title,
            key="check.upload_to", persist_state="session",
        )  # fmt: skip
        st.file_uploader(
            say("check.form.upload"), key="check.upload", on_change=_take_upload, max_upload_size=5,
            help=say("check.form.upload_help"),
        )  # fmt: skip
    names = tuple(name.strip() for name in (tokens or "").split(",") if name.strip())
    return {
        "tokens": names, "causal": None if causal == FOUND else causal, "carried": _CARRIED[carried],
        "temperature": temperature, "d_k": d_k, "n_heads": n_heads, "rounded_inputs": _ROUNDED_INPUTS[rounded],
    }  # fmt: skip


def _take_upload() -> None:
    uploaded = st.session_state["check.upload"]
    if uploaded is None:
        return
    name = st.session_state["check.upload_to"]
    try:
        text = read_upload(uploaded.getvalue())
    except ValueError as error:
        state.say(say("check.form.upload_refused", file=literal(uploaded.name), why=told(error)))
        return
    if _sort(text):
        return
    if text_of(name):
        form_in_address.set_aside(_form())
    st.session_state[key_of(name)] = text


def _take_typed(name: str) -> None:
    """Sort several named tables that were pasted into one field; in a callback."""
    text = text_of(name)
    if len(text) < _FEW_CHARACTERS or not may_hold_several(text):
        return
    before = st.session_state[key_of(name)]
    st.session_state[key_of(name)] = ""
    if not _sort(text):
        st.session_state[key_of(name)] = before


def _sort(text: str) -> bool:
    """Put the tables of a text into the fields that they name, if there are several, and say which."""
    found = sorted_tables(text)
    if len(found.tables) < 2:
        return False
    fields = by_fields(found.tables)
    if any(map(text_of, fields)):
        form_in_address.set_aside(_form())
    st.session_state.update({key_of(name): table for name, table in fields.items()})
    said = say("check.form.sorted", names=", ".join(EVERY_STAGE[name].symbol for name in fields))
    if found.twice:
        twice = ", ".join(map(symbol_of, found.twice))
        said += " " + say("check.form.sorted_twice", names=twice)
    st.session_state[_SORTED] = said
    return True


# Marks


def _marked(tables: dict[str, Printed], settings: dict[str, Any], says: DeltaGenerator) -> Marking | None:
    with says:
        if not tables:
            if any(map(text_of, TABLE_NAMES)):
                return None  # what is typed is told to be no table already
            st.info(say("check.form.start"), icon=":material/edit:")
            return None
        decimals, stages = settings["decimals"], stages_of(tuple(tables), settings["activation"])
        given = {
            name: table.with_decimals(decimals) if isinstance(decimals, int) and _is_made(name, stages) else table
            for name, table in tables.items()
        }
        chosen = ("scale", "causal", "temperature", "d_k", "rounded_inputs", "carried", "activation", "n_heads")
        choices = {name: settings[name] for name in chosen}
        try:
            return mark_pipeline(given, **choices)
        except UnknownDkError:
            st.error(as_message(say("check.form.no_d_k")))
            return None
        except ValueError as error:
            st.error(as_message(say("check.form.no_fit", why=told(error))))
            return None


def _is_made(name: str, stages: Table) -> bool:
    return bool(path_of(name) or stages[name].sources)


def _form() -> dict[str, Any]:
    return {key: st.session_state.get(key, default) for key, default in DEFAULTS.items()}


def _clear() -> None:
    form_in_address.set_aside(_form())
    st.session_state.update(DEFAULTS)


def _bring_back() -> None:
    form_in_address.bring_back(_form())


def load(name: str) -> None:
    """Put a published example into the form; in a callback."""
    _clear()
    st.session_state.update(form_of(name))
    form_in_address.was_loaded(_form())


@cache
def form_of(name: str) -> dict[str, Any]:
    """Return a published example as the form holds it; treat it as read-only."""
    example = worked_example(name)
    tables = {each: Printed.of(rows) for each, rows in example.given.items()}
    if not example.from_scores:
        for each in ("w_q", "w_k", "w_v"):  # those that the source draws from a seed and does not print
            tables.setdefault(each, Printed.of(example.scenario.matrix(each), 8))
    tables |= {each: Printed.of(rows, example.decimals) for each, rows in example.published.items()}
    texts = {key_of(each): write_table(table) for each, table in tables.items()}
    more = {"check.tokens": ", ".join(example.tokens), "check.scale": example.scale, "check.d_k": example.d_k}
    return texts | more


def _show_loaded(marking: Marking) -> None:
    """Say whose numbers these are, while they are those of a published example."""
    typed = {key: text for key, text in _form().items() if key.startswith(key_of("")) and text}
    for name, example in worked_examples().items():
        if typed == {key: text for key, text in form_of(name).items() if key.startswith(key_of(""))}:
            wrong = any(table.count(Mark.WRONG, Mark.FOLLOWS) for table in marking.tables)
            st.text(say(f"check.form.loaded_{'wrong' if wrong else 'right'}", title=example.title))
