"""The app's own letters, for pictures that are taken home: the font that Streamlit brings along."""

from functools import cache
from pathlib import Path

from streamlit import file_util

_FILE = "SourceSansVF-Up*.woff2"


@cache
def app_letters() -> bytes | None:
    """Return the font as a WOFF2 file; None where Streamlit has it no longer, which a test would tell."""
    found = sorted(Path(file_util.get_static_dir(), "static", "media").glob(_FILE))
    return found[0].read_bytes() if found else None
