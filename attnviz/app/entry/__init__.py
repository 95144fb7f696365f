"""The start of every run, kept apart: Streamlit imports modules beside it."""

from pathlib import Path

SCRIPT = Path(__file__).with_name("main.py")
