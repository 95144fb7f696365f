"""All matrices of a computation as heatmaps: their script and style."""

from pathlib import Path

from attnviz.app.components.pictures import STYLE as PICTURES_STYLE
from attnviz.app.components.script_file import ScriptFile, file_of, pictures_file
from attnviz.features.explore.parameters import HEATMAPS, VIEW
from attnviz.figures import FIGURES
from attnviz.scripts import joined
from attnviz.words import by_language

_HERE = Path(__file__).parent
STYLE = PICTURES_STYLE + (_HERE / "heatmaps.css").read_text(encoding="utf-8")


@by_language()
def heatmaps_file() -> ScriptFile:
    """Return the heatmaps' script, in the session's language."""
    return file_of("heatmaps", joined(_HERE / "heatmaps.js", {"FIGURES": FIGURES}))


def drawn_by(page: str, query: bytes) -> ScriptFile | None:
    """Return the script that draws a page, if that isn't the board's."""
    if page == "compare":
        return pictures_file()
    return heatmaps_file() if page in ("", "playground") and f"{VIEW}={HEATMAPS}".encode() in query else None
