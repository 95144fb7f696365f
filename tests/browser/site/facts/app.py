"""A minimal app that shows what Streamlit does with the address, its controls and components."""

import json

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_part = st.components.v2.component(
    "part",
    html="<i></i>",
    js="""export default ({ setStateValue }) => {
      window.say = (value) => setStateValue("said", value);
      window.calls = (window.calls ?? 0) + 1;
    }""",
)


def nothing() -> None:
    """Draw nothing: the entry point draws everything."""


pages = [st.Page(nothing, title="Home", default=True), st.Page(nothing, title="Other", url_path="other")]
page = st.navigation(pages, position="top")
said = _part(key="part", data={"same": True}, on_said_change=lambda: None).get("said")
st.slider("seed", 0, 100, 3, key="seed", bind="query-params")
st.text_input("sentence", "the cat", key="text", bind="query-params")
st.checkbox("quiet", key="quiet", bind="query-params", on_change="ignore")
st.session_state["runs"] = st.session_state.get("runs", 0) + 1
context = get_script_run_ctx()
told = {
    "runs": st.session_state["runs"],
    "seed": st.session_state["seed"],
    "text": st.session_state["text"],
    "quiet": st.session_state["quiet"],
    "said": said,
    "query": context.query_string if context else "",
    "history": bool(context and context.is_history_navigation),
    "page": page.title,
}
st.html(f"<pre id='told'>{json.dumps(told)}</pre>")
page.run()
