"""Files that Streamlit's own page brings along: its letters, and the scripts that draw components."""

import re
from functools import cache
from pathlib import Path

from streamlit.file_util import get_static_dir

_FONT = "SourceSansVF-Up*.woff2"
_IMPORTED = re.compile(r'(?:from|import) ?"\./([\w.-]+\.js)"')


@cache
def letters_file() -> Path | None:
    """Return the font's file; None where Streamlit has it no longer."""
    return next(iter(sorted(Path(get_static_dir(), "static", "media").glob(_FONT))), None)


def app_letters() -> bytes | None:
    """Return the font as a WOFF2 file; None where Streamlit has it no longer, which a test would tell."""
    found = letters_file()
    return found.read_bytes() if found else None


def scripts_of_components() -> list[str]:
    """Return the scripts that draw components and that Streamlit's page doesn't name: it asks for them late."""
    static = Path(get_static_dir())
    named = (static / "index.html").read_text(encoding="utf-8")
    found = sorted(file.name for file in (static / "static/js").glob("BidiComponent.*.js"))
    for name in found:  # and what each imports
        imported = _IMPORTED.findall((static / "static/js" / name).read_text(encoding="utf-8"))
        found += [each for each in imported if each not in found and each not in named]
    return [f"static/js/{name}" for name in found]
