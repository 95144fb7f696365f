"""What a page says where it can't be drawn, whatever the reason: in a sentence, with a way to start anew."""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from attnviz.app.keeper.clock import RunTooLongError
from attnviz.app.text import as_message
from attnviz.link.parameter_table import SENTENCE
from attnviz.link.set_up import EXAMPLE, PUBLISHED
from attnviz.words import say

_KEPT = ("text", SENTENCE)


def tell(error: Exception) -> bool:
    """Say that a run, or a part of one, has failed, in place of Streamlit's own box; as its `on_script_error`, which
    logs the error."""
    st.error(as_message(say("app.too_long" if isinstance(error, RunTooLongError) else "app.trouble")))
    # Not st.link_button, which would leave this page open beside the new one.
    query, label = escape(_anew(st.query_params.to_dict())), escape(say("app.start_anew"))
    st.html(f'<p><a href="?{query}" target="_self">{label}</a></p>')
    return True


def _anew(now: dict[str, str]) -> str:
    """Return the query of a start with the sentences that stand here, and no more; where no more is here, without
    them."""
    kept = {name: now[name] for name in _KEPT if name in now} or {EXAMPLE: PUBLISHED}
    return "" if kept == now else urlencode(kept, errors="surrogatepass")
