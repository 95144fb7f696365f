"""A first word that looks like a command and is none."""

from collections.abc import Sequence

_LONG = 6  # letters from which on two may be mistyped


def check_first_word(word: str, commands: Sequence[str]) -> None:
    """Raise ``ValueError`` for a word that is nearly a command.

    It may be a sentence, or a slip of the finger.
    """
    for command in commands:
        if word != command and _slips(word.lower(), command) <= 1 + (len(command) >= _LONG):
            raise ValueError(
                f"{word!r} is no command, expected {command}, or for a sentence of this word: attnviz -- {word}"
            )


def _slips(word: str, command: str) -> int:
    """Count letters left out, added or exchanged, and neighbours that changed places."""
    if abs(len(word) - len(command)) > 2:
        return len(command)
    before: list[int] = []
    row = list(range(len(command) + 1))
    for i, letter in enumerate(word, 1):
        older, before, row = before, row, [i]
        for j, other in enumerate(command, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == command[j - 2] and word[i - 2] == other:
                least = min(least, older[j - 2] + 1)
            row.append(least)
    return row[-1]
