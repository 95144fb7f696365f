"""From one page to another, with all of the set-up."""

from urllib.parse import urlencode

import streamlit as st

from attnviz.app.streamlit_internals import RerunData, RerunException, WidgetStates, get_script_run_ctx


def go_to(page: str) -> None:
    """Leave this page for another, given by its file, as a click in the navigation does.

    st.switch_page would empty the URL first. The bound controls then write it anew, one after the other, and
    each stage stays in the browser's history, so that Back does not lead to the page that was left.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    pages = context.pages_manager.get_pages().values()
    (found,) = [each["page_script_hash"] for each in pages if each["script_path"].endswith(page)]
    # What was pressed is among these states, without which the controls of the set-up would hold what they held before
    # its callback: that is called once more, so it has to come to the same again.
    raise RerunException(
        RerunData(
            page_script_hash=found,
            query_string=urlencode({name: st.query_params[name] for name in st.query_params}),
            widget_states=WidgetStates(widgets=context.session_state.get_widget_states()),
        )
    )
