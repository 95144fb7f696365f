"""What a class is asked, its votes and exports; independent of Streamlit.

A class is a code for the people, a secret for the teacher, and ends by itself after a day. What is kept of a person is
a hash of what their browser drew at random, until the class ends; then only counts are, and some days later nothing.
"""

from attnviz.classes.questions import as_csv, as_xapi, asked_of, subjects
from attnviz.classes.store import AwayError, Counts, FullError, LateError, Phase, State, Store, Vote, who_of

__all__ = [
    "AwayError", "Counts", "FullError", "LateError", "Phase", "State", "Store", "Vote", "as_csv", "as_xapi", "asked_of",
    "subjects", "who_of",
]  # fmt: skip
