"""No link of the documents opens random numbers of another sentence than the app's own, unless it says so."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.written_links import names_its_sentence

ROOT = Path(__file__).parents[3]
DOCUMENTS = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "attnviz").rglob("words/**/*.toml"))
QUERY = re.compile(r"\?((?:[a-z_]+=[^\s`\"')\]&<>]+&?)+)")


def written() -> Iterator[tuple[str, str]]:
    for document in DOCUMENTS:
        for found in QUERY.finditer(document.read_text(encoding="utf-8")):
            yield document.name, found[1]


def test_every_link_of_the_documents_names_its_sentence_or_opens_the_example() -> None:
    links = [*written()]
    assert len(links) > 2, "they are found"
    assert [each for each in links if not names_its_sentence(each[1])] == []
