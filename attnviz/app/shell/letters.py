"""The app's own letters, for pictures that are taken home: the font that Streamlit brings along."""

from functools import cache
from pathlib import Path

from streamlit import file_util

_FILE = "SourceSansVF-Up*.woff2"


@cache
def letters_file() -> Path | None:
    """Return the font's file; None where Streamlit has it no longer."""
    return next(iter(sorted(Path(file_util.get_static_dir(), "static", "media").glob(_FILE))), None)


def app_letters() -> bytes | None:
    """Return the font as a WOFF2 file; None where Streamlit has it no longer, which a test would tell."""
    found = letters_file()
    return found.read_bytes() if found else None
