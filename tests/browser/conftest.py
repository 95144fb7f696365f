"""What no browser test is made of; their fixtures stand in tests/conftest.py, for features' tests have them, too."""

collect_ignore = ["site/facts"]  # an app of its own, which only Streamlit can run
