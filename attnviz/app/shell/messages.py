"""Messages at the foot of a page, and the app's version.

Also the text in place of a page that can't be drawn, and the style that hides controls for a lesson link.
"""

from html import escape
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from attnviz.app.operations import metrics
from attnviz.app.operations.run_queue import RunTooLongError
from attnviz.app.session import state, url_texts
from attnviz.app.session.url_texts import take
from attnviz.app.text import as_message
from attnviz.core.carry_over import bring_back
from attnviz.core.matrix_input import example_of
from attnviz.core.scenario import Scenario
from attnviz.feature import features, pages
from attnviz.link.parameter_table import HIDE
from attnviz.link.set_up import EXAMPLE, PUBLISHED
from attnviz.words import say


def show(values: dict[str, Any], scenario: Scenario | None, *, offers: bool) -> None:
    """Draw this run's messages, and the dropped changes to bring back.

    `values` are those of all controls. With `offers`, the page uses the set-up, so that changes can be brought back.
    """
    said = state.current_messages(values)
    for message in said:
        st.warning(message, icon=":material/warning:")
    if said:
        st.button(say("messages.close"), key="messages.close", on_click=state.forget_messages, type="tertiary")
    if offers:
        _show_offer(scenario)


def _show_offer(scenario: Scenario | None) -> None:
    dropped = state.offered_here()
    if scenario is None or not (dropped.edits or any(not example_of(by) for _, by in dropped.replaced)):
        return  # the matrices of an example aren't the reader's changes
    count = len(dropped.edits) + len(dropped.replaced)
    with st.container(horizontal=True, vertical_alignment="center", key="offer"):
        st.text(say("editor.dropped", n=count))
        if bring_back(scenario, dropped)[1] != dropped:
            st.button(say("editor.bring_back"), on_click=state.take_back, key="playground.bring_back", type="tertiary")
        st.button(say("editor.forget"), on_click=state.forget_offer, key="playground.forget", type="tertiary")


def show_foot() -> None:
    """Draw the versions of the app and of torch."""
    with st.container(key="foot"):
        st.caption(say("app.foot", version=metrics.version(), torch=metrics.torch_version()))


_KEPT = ("text", *(name for each in features() for name in each.keeps))


def tell(error: Exception) -> bool:
    """Say that a run failed; Streamlit calls this as `on_script_error`, after logging."""
    st.error(as_message(say("app.too_long" if isinstance(error, RunTooLongError) else "app.trouble")))
    # st.link_button would leave this page open beside the new one.
    query, label = escape(_anew(st.query_params.to_dict())), escape(say("app.start_anew"))
    st.html(f'<p><a href="?{query}" target="_self">{label}</a></p>')
    return True


def _anew(now: dict[str, str]) -> str:
    """Return a query that starts over, with only the current sentences.

    If the page has nothing else, the sentences go, too.
    """
    kept = {name: now[name] for name in _KEPT if name in now} or {EXAMPLE: PUBLISHED}
    return "" if kept == now else urlencode(kept, errors="surrogatepass")


_CONTAINERS = {"text": "sentence"}  # control -> the container that is hidden in its place


def hide() -> None:
    """Hide the controls that the link hides, with a way back."""
    names = take(HIDE)
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(say("setup.hidden", n=len(names)), width="content")
        st.button(
            say("setup.show_hidden"), on_click=url_texts.send, args=(HIDE, ""), type="tertiary", key="hiding.show"
        )
    # The names come from the table of parameters, never from the address, so nothing else can get into the style.
    # A page's own view of a control has the key "PAGE.NAME", which Streamlit writes as "PAGE-NAME".
    views = [page.name for page in pages()]
    keys = [
        key
        for name in names
        for key in (
            _CONTAINERS.get(name, name),
            f"setup-{name}",
            f"setup_meaning_{name}",
            *(f"{view}-{name}" for view in views),
        )
    ]
    selectors = ", ".join(f".st-key-{key}" for key in keys)
    st.html(f"<style>{selectors} {{ display: none; }}</style>")
