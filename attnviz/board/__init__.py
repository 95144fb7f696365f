"""The board: what the page is sent, and the page's own script; nothing of Streamlit."""
