"""The script that starts every run, in a folder without other modules."""

from pathlib import Path

SCRIPT = Path(__file__).with_name("main.py")
