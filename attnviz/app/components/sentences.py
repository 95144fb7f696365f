"""The catalogue's sentences for the page's scripts, which fill them as Python does."""

import json
from pathlib import Path

from attnviz.words import catalogue

_FILL = (Path(__file__).parent / "sentences.js").read_text()


def with_sentences(script: str, *starts: str) -> str:
    """Return a script with what it says before it: the sentences whose keys begin so, and the functions to fill them.

    >>> with_sentences("", "count.token").splitlines()[0]
    'const SENTENCES = {"count.token": {"one": "{n} token", "other": "{n} tokens"}};'
    """
    said = {key: template for key, template in catalogue().items() if key.startswith(starts)}
    return f"const SENTENCES = {json.dumps(said, ensure_ascii=False)};\n{_FILL}{script}"
