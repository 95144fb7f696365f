"""The numbers of a figure of the scaling page, as a table."""

import pandas as pd
import streamlit as st

from attnviz.words import say


def show_numbers(label: str, table: pd.DataFrame, name: str) -> None:
    """Show a table, folded away, with its CSV."""
    with st.expander(label):
        st.dataframe(table, hide_index=True, width="stretch")
        st.download_button(
            say("scaling.numbers.csv"), lambda: table.to_csv(index=False), f"{name}.csv", "text/csv", on_click="ignore",
            key=f"scaling.csv.{name}",
        )  # fmt: skip
