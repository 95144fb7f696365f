"""The app: page config, navigation and the set-up that all pages share."""

import streamlit as st

from attnviz import ui

PAGES = {
    "Playground": (
        "pages/playground.py",
        "Type a sentence, change any number of W_q, W_k or W_v, and see every step of self-attention.",
    ),
    "Lesson": (
        "pages/lesson.py",
        "Self-attention in nine steps, told with your sentence and your numbers.",
    ),
    "Compare": (
        "pages/compare.py",
        "Pin a set-up as A, change anything, and see A, B and what moved between them.",
    ),
    "Questions": (
        "pages/questions.py",
        "What learners really ask about self-attention, each with a short answer and an example to see it on.",
    ),
    "Scaling": (
        "pages/scaling.py",
        "Sweep the dimension and see why scores are divided by √d_k, and what happens where the reason fails.",
    ),
    "Check my numbers": (
        "pages/check.py",
        "Paste tables computed by hand or in a notebook: which numbers are right, and where does an error enter?",
    ),
}

st.set_page_config(
    page_title="attnviz: self-attention with the real numbers",
    page_icon="🔎",
    layout="wide",
    initial_sidebar_state=272,
)
page = st.navigation([st.Page(file, title=title, default=title == "Playground") for title, (file, _) in PAGES.items()])
headline = ui.show_headline("attnviz", PAGES[page.title][1])
with ui.shared_setup(headline):
    page.run()
