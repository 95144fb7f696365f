"""A made-up language, in which nothing is said as in ours."""

import re
from contextvars import Context, copy_context
from pathlib import Path

from attnviz.words import LANGUAGE

ROOT = Path(__file__).parents[1]


def made_up(folder: Path) -> Context:
    """A context of a language that has each sentence of ours in other letters."""

    def other(line: re.Match[str]) -> str:
        parts = re.split(r"(\{\w+\}|\\.)", line[2])
        parts[::2] = (re.sub("[A-Za-z]", lambda letter: chr(ord(letter[0]) + 0x3D0), part) for part in parts[::2])
        return line[1] + "".join(parts) + line[3]

    kernel, *others = (ROOT / "attnviz/words/en", *(ROOT / "attnviz/features").glob("*/words/en"))
    for source, place in ((kernel, folder), *((each, folder / each.parts[-3]) for each in others)):
        place.mkdir(parents=True, exist_ok=True)
        for file in source.glob("**/*.toml"):
            text = re.sub(r'((?<!\nlike )= ")((?:[^"\\]|\\.)*)(")', other, file.read_text(encoding="utf-8"))
            (place / file.name).write_text(text, encoding="utf-8")
    context = copy_context()
    context.run(LANGUAGE.set, str(folder))
    return context
