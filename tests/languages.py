"""A made-up language, in which every sentence differs from ours."""

import re
from collections.abc import Mapping
from contextvars import Context, copy_context
from pathlib import Path

from attnviz.words import LANGUAGE, catalogue

ROOT = Path(__file__).parents[1]


def made_up(folder: Path) -> Context:
    """Return a context with a language that has each of our sentences in other letters."""

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


def assert_all_is_said_otherwise(english: Mapping[str, str], other: Mapping[str, str]) -> None:
    """Check texts by name, in English and in another language: those in the other one have none of our sentences."""
    chunks = [
        chunk
        for template in catalogue().values()
        for text in ([template] if isinstance(template, str) else template.values())
        for chunk in re.split(r"\{\w+\}", text)
        if len(re.findall("[A-Za-z]{2,}", chunk)) > 1
    ]
    for name, text in other.items():
        assert [chunk for chunk in chunks if chunk in text] == [], name
        assert not re.findall("# .*[a-z]{3} [a-z]{3}", text if name.endswith("script") else ""), name
        assert any(chunk in english[name] for chunk in chunks), name
