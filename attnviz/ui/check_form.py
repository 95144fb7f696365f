"""The form for tables of one's own, and their marking.

The typed texts are kept as they are while the session lasts, whatever is wrong with them.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from attnviz.limits import MAX_D, MAX_TEMPERATURE, MIN_TEMPERATURE
from attnviz.marked_html import legend, marked_table
from attnviz.marking import Marking, UnknownDkError, mark_pipeline, verdict
from attnviz.printed import Printed
from attnviz.stages import EVERY_STAGE, STAGES
from attnviz.tables import read_table, read_upload, write_table
from attnviz.ui import check_link, state
from attnviz.ui.text import literal
from attnviz.worked_examples import worked_example, worked_examples

ROWS = (
    ("x", "w_q", "w_k", "w_v"),
    ("q", "k", "v", "scores"),
    ("scaled_scores", "attention_weights", "context"),
)
NAMES = tuple(name for row in ROWS for name in row)
HANDOUT = "three-words"
MOST_MARKED = 64  # rows and columns that a page shows with their marks
AS_PRINTED = "as printed"
_PLACEHOLDERS = {"x": "0.43  0.15  0.89\n0.55  0.87  0.66", "w_q": "[[0.2961, 0.5166],\n [0.2517, 0.6886]]"}
_EXACT, _BY_DIGITS, _ROUNDED = "exact as printed", "rounded from 4 decimals on", "rounded"
_ROUNDED_INPUTS = {_BY_DIGITS: None, _EXACT: False, _ROUNDED: True}
_DECIMALS = (AS_PRINTED, *range(7))
_DEFAULTS: dict[str, Any] = {f"check.table.{name}": "" for name in NAMES} | {
    "check.scale": True,
    "check.decimals": AS_PRINTED,
    "check.tokens": "",
    "check.causal": False,
    "check.temperature": 1.0,
    "check.d_k": None,
    "check.rounded": _BY_DIGITS,
}
_CHOICES = {
    "check.scale": (True, False), "check.causal": (True, False), "check.decimals": _DECIMALS,
    "check.rounded": tuple(_ROUNDED_INPUTS),
}  # fmt: skip


def show_check() -> None:
    """Draw the form, the verdict above it, and the marks below each table."""
    take_from_url()
    says = st.container()
    settings = _show_settings()
    below: dict[str, st.delta_generator.DeltaGenerator] = {}
    with st.container(key="check_form"):
        for row in ROWS:
            for column, name in zip(st.columns(len(ROWS[0])), row, strict=False):
                with column:
                    _show_text(name)
                    below[name] = st.container()
    if not check_link.keep(_form(), _DEFAULTS):
        says.warning(
            "What is typed here is too long for a link. It stays while attnviz is open, on the other pages too, but a "
            "reload or a copied link brings an empty form: keep a copy.",
            icon="⚠️",
        )
    tables = _read(below)
    marking = _marked(tables, settings, says)
    if marking is None:
        return
    tokens = settings["tokens"]
    with says:
        show_verdict(marking, tokens)
    for table in marking.tables:
        with below[table.stage.name]:
            st.html(marked_table(table, tokens))


def take_from_url() -> None:
    """Fill the form with what the URL holds, where it has just been opened or gone back to."""
    check_link.take(_DEFAULTS, _CHOICES)


def show_verdict(marking: Marking, tokens: tuple[str, ...]) -> None:
    """Draw a verdict: the summary, the first error with its arithmetic, and how each table stands."""
    words = verdict(marking, tokens)
    if words.nothing_yet:
        st.info(f"There is nothing to mark yet. {words.nothing_yet}", icon="✏️")
        return
    with st.container(border=True, key="verdict"):
        st.text(f"{'✗' if words.first_error else '✓'} {words.summary}")
        for slip in words.slips:
            st.text(f"⚠ {slip}")
        if words.first_error:
            left, right = st.columns(2)
            left.text(words.first_error)
            left.code("\n".join(words.arithmetic), language=None, wrap_lines=True)
            right.text("\n".join(words.tables))
        else:
            st.text("\n".join(words.tables))
        for sentence in words.rounding:
            st.text(f"≈ {sentence}")
        taken = ", ".join(EVERY_STAGE[name].symbol for name in marking.taken)
        st.caption(f"Taken as given: {taken}. A number is right if it is what exact arithmetic on these rounds to.")
        st.html(legend())


# Settings


def _show_settings() -> dict[str, Any]:
    with st.container(horizontal=True, vertical_alignment="bottom", key="check_settings"):
        st.button("Load the handout", on_click=load, args=(HANDOUT,), help=worked_example(HANDOUT).title)
        with st.popover("Other examples"):
            for name, example in worked_examples().items():
                if name != HANDOUT and example.published:
                    st.button(example.title, key=f"check.load.{name}", on_click=load, args=(name,), type="tertiary")
        st.button("Clear", on_click=_clear, help="Empties all tables.")
        if check_link.is_aside():
            st.button("Bring back", on_click=_bring_back, help="Fills in again what was typed before.")
        scale = st.segmented_control(
            "Scores before softmax", (True, False), default=True, required=True, key="check.scale",
            format_func=lambda scaled: "divided by √d_k" if scaled else "not scaled", persist_state="session",
        )  # fmt: skip
        decimals = st.selectbox(
            "Decimals", _DECIMALS, key="check.decimals", persist_state="session", width=130,
            help="How many decimals count. As printed: as many as each table shows.",
        )  # fmt: skip
        more = _show_more()
    return {"scale": scale, "decimals": None if decimals == AS_PRINTED else decimals} | more


def _show_more() -> dict[str, Any]:
    with st.popover("More"):
        tokens = st.text_input(
            "Names of the rows", key="check.tokens", persist_state="session", max_chars=500,
            placeholder="Your, journey, starts", help="The tokens, parted by commas.",
        )  # fmt: skip
        causal = st.toggle("Causal mask", key="check.causal", persist_state="session")
        temperature = st.number_input(
            "Temperature", MIN_TEMPERATURE, MAX_TEMPERATURE, 1.0, 0.1, key="check.temperature",
            persist_state="session",
        )  # fmt: skip
        d_k = st.number_input(
            "d_k", 1, MAX_D, None, key="check.d_k", persist_state="session",
            placeholder="as the tables show", help="Needed only where neither W_q, W_k, Q nor K is given.",
        )  # fmt: skip
        rounded = st.selectbox(
            "Inputs are", tuple(_ROUNDED_INPUTS), key="check.rounded", persist_state="session",
            help="A print-out of 4 decimals hides the digits after them, and these move what follows by a little. "
            "Numbers typed by hand hide nothing.",
        )  # fmt: skip
        st.selectbox(
            "A file fills", NAMES, format_func=lambda name: STAGES[name].title, key="check.upload_to",
            persist_state="session",
        )  # fmt: skip
        st.file_uploader(
            "Upload a text file", key="check.upload", on_change=_take_upload, max_upload_size=5,
            help="A CSV file, a print-out, a LaTeX or Markdown table.",
        )  # fmt: skip
    names = tuple(name.strip() for name in (tokens or "").split(",") if name.strip())
    return {
        "tokens": names, "causal": causal, "temperature": temperature, "d_k": d_k,
        "rounded_inputs": _ROUNDED_INPUTS[rounded],
    }  # fmt: skip


def _take_upload() -> None:
    uploaded = st.session_state["check.upload"]
    if uploaded is None:
        return
    name = st.session_state["check.upload_to"]
    try:
        text = read_upload(uploaded.getvalue())
    except ValueError as error:
        state.say(f"{literal(uploaded.name)} was not taken: {literal(str(error), most=200)}.")
        return
    if st.session_state.get(_key(name)):
        check_link.set_aside(_form(), _DEFAULTS)
    st.session_state[_key(name)] = text


# Tables


def _key(name: str) -> str:
    return f"check.table.{name}"


def _show_text(name: str) -> None:
    stage = STAGES[name]
    made = "" if stage.rule == "given" else f" = {stage.formula}"
    st.text_area(
        f"{stage.title}{made}", key=_key(name), persist_state="session", height=104,
        placeholder=_PLACEHOLDERS.get(name, ""),  # without max_chars: a paste over it would vanish without a word
        help=f"{stage.meaning[0].upper()}{stage.meaning[1:]}. Leave it out if you have not got it. Numbers from a "
        "spreadsheet, CSV, LaTeX, numpy, torch, Python or Markdown.",
    )  # fmt: skip


def _read(below: Mapping[str, "st.delta_generator.DeltaGenerator"]) -> dict[str, Printed]:
    """Read the typed tables; what is none is told below it."""
    tables = {}
    for name in NAMES:
        text = st.session_state.get(_key(name)) or ""
        if not text.strip():
            continue
        table = _table_or_why_not(text, infinite=name == "scaled_scores")
        if isinstance(table, str):
            with below[name]:
                st.error(literal(f"{STAGES[name].symbol}: {table}.", most=240))
        else:
            tables[name] = table
    return tables


@st.cache_data(max_entries=200, show_spinner=False)  # to read millions of characters again would slow every click
def _table_or_why_not(text: str, *, infinite: bool) -> Printed | str:
    """Return the table in a text, or why there is none that can be marked."""
    try:
        table = read_table(text, infinite=infinite)
    except ValueError as error:
        return str(error)
    if max(table.shape) > MOST_MARKED:
        rows, columns = table.shape
        return f"{rows} rows and {columns} columns, expected at most {MOST_MARKED} of each"
    return table


def _marked(
    tables: dict[str, Printed], settings: dict[str, Any], says: "st.delta_generator.DeltaGenerator"
) -> Marking | None:
    with says:
        if not tables:
            if any(st.session_state.get(_key(name)) for name in NAMES):
                return None  # what is typed is told to be no table already
            st.info(
                "Paste the tables that you have, X and the W's or any later ones, and leave out the others. Each "
                "number is marked: right, wrong, or right given what came before it.",
                icon="✏️",
            )
            return None
        decimals = settings["decimals"]
        given = {
            name: table.with_decimals(decimals) if isinstance(decimals, int) and STAGES[name].sources else table
            for name, table in tables.items()
        }
        choices = {name: settings[name] for name in ("scale", "causal", "temperature", "d_k", "rounded_inputs")}
        try:
            return mark_pipeline(given, **choices)
        except UnknownDkError as error:
            st.error(f"{literal(str(error), most=240)}. Type it under “More”, or choose “not scaled”.")
            return None
        except ValueError as error:
            st.error(f"These tables do not fit together: {literal(str(error), most=240)}.")
            return None


def _form() -> dict[str, Any]:
    return {key: st.session_state.get(key, default) for key, default in _DEFAULTS.items()}


def _clear() -> None:
    check_link.set_aside(_form(), _DEFAULTS)
    st.session_state.update(_DEFAULTS)


def _bring_back() -> None:
    check_link.bring_back(_form(), _DEFAULTS)


def load(name: str) -> None:
    """Put a published example into the form; in a callback."""
    _clear()
    example = worked_example(name)
    tables = {each: Printed.of(rows) for each, rows in example.given.items()}
    if not example.from_scores:
        for each in ("w_q", "w_k", "w_v"):  # those that the source draws from a seed and does not print
            tables.setdefault(each, Printed.of(example.scenario.matrix(each), 8))
    tables |= {each: Printed.of(rows, example.decimals) for each, rows in example.published.items()}
    for each, table in tables.items():
        st.session_state[_key(each)] = write_table(table)
    st.session_state["check.tokens"] = ", ".join(example.tokens)
    st.session_state["check.scale"] = example.scale
    st.session_state["check.d_k"] = example.d_k
    check_link.was_loaded(_form())
