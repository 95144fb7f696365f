"""A small handout with one slip, and its marks."""

from functools import cache

import streamlit as st

from attnviz.features.check.marking import Marking, handout, mark_fitting, verdict
from attnviz.features.check.marking_page import in_pairs, legend, marked_table
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.printed_table import Printed
from attnviz.words import say

# S[1, 1] is 1·0 + 2·3 = 6. What follows is computed rightly from 7, to two decimals.
HANDOUT = """\
Q  = [[1, 0], [1, 2]]
K  = [[2, 1], [0, 3]]
V  = [[1, 0], [0, 2]]
S  = [[2, 0], [4, 7]]
S' = [[1.41, 0.00], [2.83, 4.95]]
A  = [[0.80, 0.20], [0.11, 0.89]]
C  = [[0.80, 0.39], [0.11, 1.79]]"""
TOKENS = ("the", "cat")


def show_sample() -> None:
    """Draw the handout beside its verdict and marks."""
    marking = sample_marking()
    words = verdict(marking, TOKENS)
    with st.container(key="check_sample"):
        pasted, marked = st.columns([25, 75], gap="medium")
        with pasted:
            st.markdown(f"## {say('check.sample.title')}")
            st.code(HANDOUT, language=None)
        with marked:
            st.markdown(f"## {say('check.sample.marked')}")
            with st.container(gap="xxsmall"):
                st.text(say("check.verdict.summary_wrong", summary=words.summary))
                st.text(words.first_error)
            st.html(in_pairs([(marked_table(table, TOKENS), "") for table in marking.tables if table.n_cells]))
            st.html(legend())


@cache
def sample_marking() -> Marking:
    """Return the handout's marks; treat them as read-only."""
    tables = handout.tables_in(handout.by_fields(sorted_tables(HANDOUT).tables))
    return mark_fitting({name: table for name, table in tables.items() if isinstance(table, Printed)})[0]
