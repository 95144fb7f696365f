"""A check for a mistyped command as the first word."""

from collections.abc import Sequence

_LONG = 6  # letters; a command of so many may have two slips


def check_first_word(word: str, commands: Sequence[str]) -> None:
    """Raise ``ValueError`` for a word that is nearly a command.

    The word may be a sentence, or a command with a typing mistake.
    """
    for command in commands:
        if word != command and _slips(word.lower(), command) <= 1 + (len(command) >= _LONG):
            raise ValueError(
                f"{word!r} is no command, expected {command}, or for a sentence of this word: attnviz -- {word}"
            )


def _slips(word: str, command: str) -> int:
    """Count letters left out, added or replaced, and neighbours that were swapped."""
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
