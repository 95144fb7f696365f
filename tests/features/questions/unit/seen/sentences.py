"""Which sentence of the catalogue is said, what stands in its places, and who judges it."""

import re
from collections.abc import Callable
from functools import cache
from string import Formatter

from attnviz.words import catalogue


@cache
def _patterns() -> list[tuple[str, re.Pattern[str], int]]:
    patterns = []
    for key, template in catalogue().items():
        if key.startswith("seen."):
            for form in [template] if isinstance(template, str) else template.values():
                patterns.append((key, *_pattern(form)))
    return patterns


def _pattern(form: str) -> tuple[re.Pattern[str], int]:
    pattern, literal, seen = "", 0, set()
    for text, name, _, _ in Formatter().parse(form):
        pattern += re.escape(text)
        literal += len(text)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return re.compile(pattern), literal


def said(sentence: str) -> tuple[str, dict[str, str]]:
    """Return the key of a sentence, and what stands in its places."""
    matches = [
        (literal, key, match.groupdict())
        for key, pattern, literal in _patterns()
        if key not in PARTS and (match := pattern.fullmatch(sentence))
    ]
    assert matches, f"not of the catalogue: {sentence}"
    _, key, places = max(matches, key=lambda each: each[0])
    return key, places


def number(text: str) -> float:
    return float(text.replace("−", "-").replace("∞", "inf").replace("%", ""))


def named(text: str) -> dict[str, float]:
    """Read "0.5 for “the”, −1.0 for “cat”"."""
    return {token: number(value) for token, value in written_for(text).items()}


def written_for(text: str) -> dict[str, str]:
    parts = [re.fullmatch("(.+?) for “(.+)”", part) for part in text.split(", ")]
    return {part[2]: part[1] for part in parts if part}


def about(text: str, value: float, size: float = 1.0) -> bool:
    """Whether a number as it stands there is this one, to its last digit and to what float32 holds of it."""
    digits, _, power = text.partition("e")
    unit = 10.0 ** (-len(digits.partition(".")[2]) + int(power.replace("−", "-") or 0))
    return abs(number(text) - value) <= 0.51 * unit + 1e-5 * max(abs(value), size)


Referee = Callable[..., None]
REFEREES: dict[str, Referee] = {}
# Words and titles that stand in sentences or over pictures.
PARTS = {
    "seen.and", "seen.for", "seen.biases.table", "seen.sizes.table", "seen.root.raw", "seen.root.divided",
    "seen.root.largest", "seen.root.spread", "seen.which_d.same", "seen.which_d.flatter", "seen.which_d.sharper",
    "seen.axis.table", "seen.symmetry.scores", "seen.symmetry.attention_weights",
    "seen.order.table", "seen.heads.table", "seen.one_matrix.table",
    "seen.multiply.q", "seen.multiply.v", "seen.multiply.scores",
    "seen.packed.w", "seen.packed.made", "seen.averaged.rows", "seen.slope.share", "seen.slope.slope",
}  # fmt: skip


def referee(key: str) -> Callable[[Referee], Referee]:
    def add(judge: Referee) -> Referee:
        REFEREES[f"seen.{key}"] = judge
        return judge

    return add
