"""The board's script as a file: what is served is named by what it holds, so that a browser can keep it for good."""

import gzip
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from attnviz.app.scripts import script, shortened
from attnviz.board.script import BOARD_SCRIPT

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


def _board_file() -> ScriptFile:
    text = shortened(BOARD_SCRIPT).encode()
    name = f"board.{blake2s(text, digest_size=10).hexdigest()}.js"
    sent = {"SCRIPT": f"{FOLDER}/{name}"}
    return ScriptFile(name, text, gzip.compress(text, mtime=0), script(Path(__file__).parent / "fetched.js", sent))


BOARD_FILE = _board_file()
