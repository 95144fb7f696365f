"""Component scripts as files, named by content so that browsers cache them."""

import re
import zlib
from contextvars import copy_context
from dataclasses import dataclass
from functools import cache
from hashlib import blake2s
from pathlib import Path

from streamlit.file_util import get_static_dir

from attnviz.board.script import board_script, plane_script
from attnviz.feature import filled
from attnviz.figures import FIGURES
from attnviz.scripts import joined, script, shortened
from attnviz.words import LANGUAGE, by_language, languages

FOLDER = "scripts"


@dataclass(frozen=True)
class ScriptFile:
    """A script that the server serves, plain and gzipped, and its loader."""

    name: str
    text: bytes
    packed: bytes
    fetched: str

    @property
    def address(self) -> str:
        """The file's address, relative to the server."""
        return f"{FOLDER}/{self.name}"


def packed(text: bytes) -> bytes:
    """Return a text gzipped at the highest compression."""
    whole = zlib.compressobj(9, wbits=31, memLevel=9)
    return whole.compress(text) + whole.flush()


def file_of(part: str, joined_script: str) -> ScriptFile:
    """Return the script of the component with the HTML class `part`."""
    text = shortened(joined_script).encode()
    name = f"{part}.{blake2s(text, digest_size=10).hexdigest()}.js"
    sent = {"FETCHED": {"script": f"{FOLDER}/{name}", "part": f".{part}"}}
    return ScriptFile(name, text, packed(text), script(Path(__file__).parent / "cached_script.js", sent))


@by_language()
def board_file() -> ScriptFile:
    """Return the board's script, in the session's language."""
    return file_of("board", board_script(f"./{plane_file().name}"))


@by_language()
def plane_file() -> ScriptFile:
    """Return the script of the board's plane, in the session's language."""
    return file_of("plane", plane_script())


@by_language()
def pictures_file() -> ScriptFile:
    """Return the script of pictures, in the session's language."""
    return file_of("pictures", joined(Path(__file__).parent / "pictures" / "pictures.js", {"FIGURES": FIGURES}))


@cache
def script_files() -> dict[str, ScriptFile]:
    """Return the files in all languages, by their names."""
    makers = (board_file, plane_file, pictures_file, *filled("script").values())
    by_name: dict[str, ScriptFile] = {}
    for language in languages():
        context = copy_context()
        context.run(LANGUAGE.set, language)
        by_name |= {file.name: file for file in map(context.run, makers)}
    return by_name


_FONT = "SourceSansVF-Up*.woff2"
_IMPORTED = re.compile(r'(?:from|import) ?"\./([\w.-]+\.js)"')


@cache
def letters_file() -> Path | None:
    """Return the font's file; None if Streamlit no longer has it."""
    return next(iter(sorted(Path(get_static_dir(), "static", "media").glob(_FONT))), None)


def app_letters() -> bytes | None:
    """Return Streamlit's font as WOFF2; None if it is missing."""
    file = letters_file()
    return file.read_bytes() if file else None


def scripts_of_components() -> list[str]:
    """Return Streamlit's scripts for components, which its page loads late."""
    static = Path(get_static_dir())
    named = (static / "index.html").read_text(encoding="utf-8")
    names = sorted(file.name for file in (static / "static/js").glob("BidiComponent.*.js"))
    for name in names:  # the list grows by the scripts that each of them imports
        imported = _IMPORTED.findall((static / "static/js" / name).read_text(encoding="utf-8"))
        names += [each for each in imported if each not in names and each not in named]
    return [f"static/js/{name}" for name in names]
