"""The board's data and its script, without Streamlit."""
