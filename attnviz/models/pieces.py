"""Tokens of a model on the text as it was typed: what each was cut from, and the word that this is a piece of."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """What was typed of one token, and the `word` that it stands in, which begins at character `at` of the text; both
    are blank for what the model put there."""

    typed: str
    word: str
    at: int = 0


def pieces_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Return for each token what was typed, by where its tokenizer says that it stands in the text.

    >>> pieces_of("Unfold it.", ((0, 0), (0, 2), (2, 6), (6, 9), (9, 10)))[1:3]
    (Piece(typed='Un', word='Unfold', at=0), Piece(typed='fold', word='Unfold', at=0))
    """
    words = tuple(_words(text))
    pieces = []
    for start, end in spans:
        typed = text[start:end].strip()
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end = start + len(typed)
        first, last = next((each for each in words if each[0] <= start and end <= each[1]), (start, end))
        pieces.append(Piece(typed, text[first:last] if typed else "", first))
    return tuple(pieces)


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each run of letters and numbers begins and ends, and each other sign."""
    first, before = 0, " "
    for at, character in enumerate(text):
        category = unicodedata.category(character)
        # Accents, vowel signs and joiners belong to what they follow.
        kind = " " if character.isspace() else before if category[0] == "M" or category == "Cf" else (
            "sign" if category[0] in "PS" else "word")  # fmt: skip
        joined = character.isspace() or category[0] == "M" or category == "Cf"
        if kind != before or (kind == "sign" and not joined):
            if before != " ":
                yield first, at
            first, before = at, kind
    if before != " ":
        yield first, len(text)
