"""The address in the browser: what it should say, and how a page is opened as if it had said something else.

Streamlit writes into the address what a reader changes. It can be wrong all the same: as it came with a link of which
not all was taken, or after a run that a click ended early. So the browser compares it after each run (connection.js)
and asks for it where it is wrong.
"""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attnviz.app.session import url_texts
from attnviz.app.session.reconnecting import run_again
from attnviz.app.streamlit_internals import ForwardMsg, get_script_run_ctx, read_query_again, states_of
from attnviz.link.example_name import EXAMPLE, PUBLISHED
from attnviz.link.parameter_table import once, texts
from attnviz.link.set_up import parameters

_OPENED = "address.opened"
_FORGOTTEN = "address.forgotten"
_LED = "address.led"
_TAIL = 200  # characters at the end of a text that tell it from another of its length


def open_as(query: Mapping[str, str]) -> None:
    """Run again as if the address had come with these parameters; on the first run, before what is bound to them is
    drawn.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    opened = urlencode(query, errors="surrogatepass")
    first, _ = st.session_state.get(_OPENED, (context.query_string, ""))
    st.session_state[_OPENED] = first, opened
    context.query_string = opened
    run_again()


def came_bare() -> bool:
    """Whether the page was opened without parameters, as far as the server was told: of too many, it is told none."""
    context = get_script_run_ctx()
    came, _ = st.session_state.get(_OPENED, ("" if context is None else context.query_string, ""))
    return not came


def correct() -> None:
    """Read the address as the page was opened, where the browser still sends it as it came; before any control.

    Streamlit would set controls by it once more: d_out to 5, where the link said 5.5.
    """
    context = get_script_run_ctx()
    came, opened = st.session_state.get(_OPENED, (None, ""))
    if context is None or context.query_string != came or context.is_history_navigation:
        return
    read_query_again(context, opened)


def forget(names: Collection[str]) -> None:
    """Take parameters out of the address that the app has none of."""
    st.session_state[_FORGOTTEN] = [*st.session_state.get(_FORGOTTEN, []), *names]


def note_history() -> None:
    """Note where Back or Forward led, in a run that answers it; at its start, before the address is written."""
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation:
        times, _ = st.session_state.get(_LED, (0, ""))
        st.session_state[_LED] = times + 1, _mark(context.query_string)


def led() -> dict[str, Any]:
    """Return how often Back and Forward have been answered, and a mark of the address to which they led last."""
    times, mark = st.session_state.get(_LED, (0, ""))
    return {"times": times, "mark": mark}


def expected() -> dict[str, Any]:
    """Return by what the browser can tell whether the address is right: which parameters it has, and marks of texts."""
    return _expected(_controls())


def expected_after_a_part() -> dict[str, Any]:
    """Return the same where a part of the page has run, with the published example named as at the end of a whole run:
    after an edit it's another one."""
    controls = _controls()
    url_texts.send(EXAMPLE, _published(controls))
    return _expected(controls)


def _expected(controls: Mapping[str, str]) -> dict[str, Any]:
    return {
        "there": {name: name in controls for name in parameters()} | dict.fromkeys(_gone(), False),
        "marks": {name: _mark(text) for name, text in url_texts.texts().items()},
    }


def _mark(text: str) -> str:
    """Return what tells a text from others, as steps.js has it."""
    return f"{len(text)} {text[-_TAIL:]}"


def write() -> str:
    """Send the browser what the address should say, and return it. No entry is added to its history: see steps.js."""
    context = get_script_run_ctx()
    if context is None:
        return ""
    message = ForwardMsg()
    message.page_info_changed.query_string = _query()
    context.enqueue(message)
    return message.page_info_changed.query_string


def _query() -> str:
    ours = {*parameters(), *texts(), *_gone()}
    others = {name: text for name, text in st.query_params.to_dict().items() if name not in ours}
    controls = _controls()
    now = url_texts.texts() | {EXAMPLE: _published(controls)}
    return urlencode(others | controls | {name: text for name, text in now.items() if text}, safe="*")


def name_published() -> None:
    """Name the published example in the address while it would say nothing: bare, it would open another example."""
    url_texts.send(EXAMPLE, _published(_controls()))


def _published(controls: Mapping[str, str]) -> str:
    others = (text for name, text in url_texts.texts().items() if name != EXAMPLE)
    return "" if controls or any(others) else PUBLISHED


def _gone() -> tuple[str, ...]:
    return (*once(), *st.session_state.get(_FORGOTTEN, ()))


def _controls() -> dict[str, str]:
    """Return the controls whose values are not their defaults, as the address has them."""
    values = states_of({name: row.default for name, row in parameters().items()})
    return {name: row.write(values[name]) for name, row in parameters().items() if values[name] != row.default}
