"""Scripts of components as files: what is served is named by what it holds, so that a browser can keep it for good."""

import zlib
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from attnviz.app.scripts import script
from attnviz.board.script import BOARD_SCRIPT
from attnviz.figures import FIGURES
from attnviz.scripts import joined, shortened

FOLDER = "scripts"


@dataclass(frozen=True)
class ScriptFile:
    """A script as the server has it: its name, its text, the same packed, and the script that fetches it."""

    name: str
    text: bytes
    packed: bytes
    fetched: str

    @property
    def address(self) -> str:
        """Where it is, seen from the server."""
        return f"{FOLDER}/{self.name}"


def packed(text: bytes) -> bytes:
    """Return a text gzipped, as well as it goes: with more memory than by default."""
    whole = zlib.compressobj(9, wbits=31, memLevel=9)
    return whole.compress(text) + whole.flush()


def _file(part: str, joined_script: str) -> ScriptFile:
    """Return the script of a component whose HTML is an element of the class `part`."""
    text = shortened(joined_script).encode()
    name = f"{part}.{blake2s(text, digest_size=10).hexdigest()}.js"
    sent = {"FETCHED": {"script": f"{FOLDER}/{name}", "part": f".{part}"}}
    return ScriptFile(name, text, packed(text), script(Path(__file__).parent / "fetched.js", sent))


BOARD_FILE = _file("board", BOARD_SCRIPT)
HEATMAPS_FILE = _file("heatmaps", joined(Path(__file__).parent / "heatmaps" / "heatmaps.js", {"FIGURES": FIGURES}))
FILES = {file.name: file for file in (BOARD_FILE, HEATMAPS_FILE)}
