"""Files that aren't browser tests. Their fixtures are in tests/conftest.py, because features' tests use them, too."""

collect_ignore = ["site/facts"]  # a separate app, which only Streamlit can run
