"""The contents of the form My numbers, by control.

One text in the URL carries them, so that reload, Back and a copied link restore them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any

from attnviz.app.session import state, url_texts
from attnviz.app.session.page_record import came_back
from attnviz.app.session.session import this_session
from attnviz.app.session.url_texts import take
from attnviz.app.text import literal, message_of
from attnviz.core.stages import EVERY_STAGE
from attnviz.features.check.marking.handout import by_fields
from attnviz.features.check.marking.settings import symbol_of
from attnviz.features.check.parameters import DEFAULTS, MOST_OF_TABLES, TABLE_NAMES, TABLES
from attnviz.features.tables.handout import Sorted, may_hold_several, sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.features.tables.reading import read_upload, told_of_broken, write_table
from attnviz.link.parameter_table import texts
from attnviz.published import worked_example
from attnviz.words import say

PASTE, NAME, UPLOAD = "check.paste", "check.name", "check.upload"
MOST_ASIDE = 5
_KEPT = "check.kept"
Form = dict[str, Any]


@dataclass
class FormRecord:
    """A session's record of the form, besides the values of its controls."""

    # (hash of the form, whether the form fits into the URL, its text in the URL)
    packed: tuple[int, bool, str] = field(default_factory=lambda: (_mark(DEFAULTS), True, ""))
    aside: list[Form] = field(default_factory=list)
    loaded: Form | None = None  # the form as an example filled it, to see whether the reader has changed it
    said: str = ""  # a message about the fields that a paste filled, shown once


def form_record() -> FormRecord:
    """Return what the session keeps of the form."""
    session = this_session()
    if _KEPT not in session:
        session.put(_KEPT, FormRecord())
    found: FormRecord = session.get(_KEPT)
    return found


def key_of(name: str) -> str:
    """Return the key of the field of a matrix."""
    return f"check.table.{name}"


def text_of(name: str) -> str:
    """Return what is typed into the field of a matrix."""
    return this_session().get(key_of(name)) or ""


def form_now() -> Form:
    """Return what the form holds, by the keys of its controls."""
    return {key: this_session().get(key, default) for key, default in DEFAULTS.items()}


def _mark(form: Mapping[str, Any]) -> int:
    return hash(tuple(form.items()))


def fill(typed: Mapping[str, Any]) -> None:
    """Fill the form with what was typed."""
    for key, value in {**DEFAULTS, **typed}.items():
        this_session().put(key, value)


def take_from_address() -> None:
    """Fill the form from the URL if that has changed; before drawing.

    An older URL doesn't replace a form that is too long for any URL, nor what a page kept while its server was gone.
    """
    now = form_record()
    form, fits, wrote = now.packed
    if fits:
        typed = take(TABLES)
        text = url_texts.current(TABLES)
        if text != wrote and form == _mark(form_now()) and not came_back():
            fill(typed)
            # Stored at once, because another run may end this one at any line.
            now.packed = _mark({**DEFAULTS, **typed}), True, text


def keep_in_address() -> bool:
    """Write the form into the URL; return whether it fits there."""
    form, now = form_now(), form_record()
    mark = _mark(form)
    if mark != now.packed[0]:
        packed = texts()[TABLES].codec.encode(form)
        fits = form == DEFAULTS or 0 < len(packed) <= MOST_OF_TABLES
        now.packed = mark, fits, packed if fits else ""
    url_texts.send(TABLES, now.packed[2])
    return now.packed[1]


def _is_typed(form: Form) -> bool:
    return form not in (DEFAULTS, form_record().loaded)


def _set_aside() -> None:
    """Save the form before it's filled anew, if something was typed."""
    if _is_typed(form_now()):
        form_record().aside = [*form_record().aside, form_now()][-MOST_ASIDE:]


def clear() -> None:
    """Empty the form, and save what was in it; in a callback."""
    _set_aside()
    fill(DEFAULTS)


def bring_back() -> None:
    """Swap the form with the one set aside last; in a callback."""
    *others, last = form_record().aside
    form_record().aside = [form_now(), *others] if _is_typed(form_now()) else others
    fill(last)


def load(name: str) -> None:
    """Put a published example into the form; in a callback."""
    clear()
    fill(form_of(name))
    form_record().loaded = form_now()


@cache
def form_of(name: str) -> Form:
    """Return a published example as a form; treat it as read-only."""
    example = worked_example(name)
    tables = {each: Printed.of(rows) for each, rows in example.inputs.items()}
    if not example.from_scores:
        for each in ("w_q", "w_k", "w_v"):  # W's that the source draws from a seed and doesn't print
            tables.setdefault(each, Printed.of(example.scenario.matrix(each), 8))
    tables |= {each: Printed.of(rows, example.decimals) for each, rows in example.published.items()}
    more = {"check.tokens": ", ".join(example.tokens), "check.scale": example.scale, "check.d_k": example.d_k}
    return {key_of(each): write_table(table) for each, table in tables.items()} | more


# The field in which any number of tables is pasted at once


def take_pasted() -> None:
    """Put pasted tables into named fields before drawing; unnamed ones wait."""
    session = this_session()
    text, name = session.get(PASTE) or "", session.pop(NAME)
    if not text.strip():
        return
    found = sorted_tables(text) if may_hold_several(text) else Sorted({})
    fields = by_fields(found.tables) or ({name: text} if name else {})
    if not fields:
        return
    # A paste of several tables is a whole handout; tables that were in the form before don't belong to it.
    left = [each for each in TABLE_NAMES if each not in fields and text_of(each)] if len(fields) > 1 else []
    if left or any(map(text_of, fields)):
        _set_aside()
    for each, table in {**dict.fromkeys(left, ""), **fields}.items():
        session.put(key_of(each), table)
    session.put(PASTE, "")
    form_record().said = say("check.form.sorted", names=", ".join(EVERY_STAGE[each].symbol for each in fields))
    if left:
        form_record().said += " " + say("check.form.sorted_left", names=", ".join(map(symbol_of, left)))
    if found.twice:
        form_record().said += " " + say("check.form.sorted_twice", names=", ".join(map(symbol_of, found.twice)))


def take_typed() -> None:
    """Store what was typed, which Streamlit forgets when a run is interrupted."""
    take_pasted()
    keep_in_address()


KEPT: Mapping[str, Any] = MappingProxyType(
    {"persist_state": "session", "on_change": take_typed}
)  # keyword arguments of each control


def waits() -> bool:
    """Whether tables pasted during this run are still to be sorted."""
    text = this_session().get(PASTE) or ""
    return may_hold_several(text) and bool(by_fields(sorted_tables(text).tables))


def take_upload() -> None:
    """Take an uploaded file as if it were pasted; in a callback."""
    session = this_session()
    uploaded = session.get(UPLOAD)
    if not hasattr(uploaded, "getvalue"):  # no file, or one that the server no longer has
        return
    try:
        text = read_upload(uploaded.getvalue())
        session.put(PASTE, text)
        if broken := told_of_broken(text):
            state.add_message(broken)
    except ValueError as error:
        state.add_message(say("check.form.upload_refused", file=literal(uploaded.name), why=message_of(error)))
