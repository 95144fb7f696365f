"""What every run of a page begins with. A folder of its own: Streamlit looks for modules beside its script."""

from pathlib import Path

SCRIPT = Path(__file__).with_name("main.py")
