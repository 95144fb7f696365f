"""Small examples to compute by hand, from a seed, with hints."""

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count, islice
from types import MappingProxyType

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace, attend
from attnviz.core.limits import MAX_SEED, check_choice, check_whole
from attnviz.core.stages import STAGES, attention_table
from attnviz.explanation import explain
from attnviz.features.check.exercises.mistakes import are_inputs_apart, do_rows_differ, is_fair, marks_of
from attnviz.features.check.marking import Marking, mark_pipeline
from attnviz.features.tables.printed_table import Printed
from attnviz.words import say

DECIMALS = 2
MOST_TOKENS, MOST_D = 5, 4
_TABLE = attention_table(biases=())  # exercises have no biases
_LETTERS = {  # letters in links for the tables that can be left blank; never change them, as old links have them
    "q": "q", "k": "k", "v": "v", "s": "scores", "d": "scaled_scores", "a": "attention_weights", "c": "context",
}  # fmt: skip
RESULTS = tuple(_LETTERS.values())
# The steps of the ladder: on rung k, the results of the last k steps are left out.
STEPS = (("q", "k", "v"), ("scores", "scaled_scores"), ("attention_weights",), ("context",))
RUNGS = range(len(STEPS) + 1)
_INPUTS = tuple(name for name, stage in _TABLE.items() if not stage.sources)
_WORDS = ("the", "cat", "sees", "a", "mouse")
_TRIES, _DRAWS, _AT_ONCE = 200, 4000, 80  # about one in _AT_ONCE draws passes are_inputs_apart
MOST_HINTS = 3
_FAIR, _DISTINCT, _TO_HAND_IN = ".f", ".d", ".h"  # endings of an exercise's text in a link; never change them
_DIGITS = "0123456789abcdefghijklmnopqrstu"  # inputs of a sheet to hand in, from −15 on: never change them
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"
_WORD = re.compile(f"(?:[{_CONSONANTS}][{_VOWELS}]){{3}}")


@dataclass(frozen=True)
class Exercise:
    """An example to compute by hand; equal fields give equal numbers.

    With `integers`, X and the W's are small whole numbers, and so is everything before the softmax, apart from the
    division by √d_k; else they have one decimal. `blank` are the results that are left out.

    In a `fair` exercise, all rows of X differ, W_q, W_k and W_v differ, the scores aren't symmetric, no row of
    attention weights is flat, and no two mistaken rules give the same table. A `distinct` exercise is fair, and all
    rows of its attention weights differ as they are printed. Both hold where the sizes leave room for it. Exercises
    that are neither keep the numbers that they had before there were fair ones.

    For a sheet to hand in, `numbers` has the inputs, a character each, and `word` is its check word; `seed` is then
    only the number of the sheet. `gradebook.py` makes such sheets.

    Raises ``ValueError`` for a value outside of its limits, and for a blank table that isn't a result.
    """

    seed: int = 1
    n_tokens: int = 3
    d_in: int = 2
    d_k: int = 2
    integers: bool = True
    scale: bool = True
    blank: tuple[str, ...] = ("q", "k", "scores", "scaled_scores", "attention_weights", "context")
    fair: bool = False
    distinct: bool = False
    word: str = ""
    numbers: str = ""

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("n_tokens", self.n_tokens, 2, MOST_TOKENS)
        check_whole("d_in", self.d_in, 1, MOST_D)
        check_whole("d_k", self.d_k, 1, MOST_D)
        for name in self.blank:
            check_choice("blank", name, RESULTS)
        if self.distinct and not self.fair:
            raise ValueError("a distinct exercise isn't fair, expected fair=True with distinct=True")
        n = sum(rows * columns for rows, columns in self._shapes)
        if self.to_hand_in and not (
            _WORD.fullmatch(self.word) and len(self.numbers) == n and set(self.numbers) <= set(_DIGITS)
        ):
            raise ValueError(f"a sheet to hand in has {self.word!r}, {self.numbers!r}, expected a word, {n} numbers")

    @property
    def to_hand_in(self) -> bool:
        """Whether the exercise's page gives no marks and never reveals an answer."""
        return bool(self.word or self.numbers)

    @property
    def check_word(self) -> str:
        """The word that shows which sheet a file belongs to."""
        return self.word or word_of(self.encoded())

    @property
    def name(self) -> str:
        """The name that is printed on a sheet."""
        return f"{self.seed} {self.word}" if self.to_hand_in else self.encoded()

    @property
    def tokens(self) -> tuple[str, ...]:
        """The names of the rows."""
        return _WORDS[: self.n_tokens]

    @cached_property
    def trace(self) -> AttentionTrace:
        """The computation, float64."""
        return _computed(replace(self, blank=()))

    def draws(self, generator: torch.Generator) -> Iterator[list[torch.Tensor]]:
        """Yield drawn inputs without end; for a fair exercise, distinguishable ones."""
        for n in count(step=_AT_ONCE if self.fair else 1):
            drawn = self._drawn(generator, _AT_ONCE if self.fair else 1)
            apart = are_inputs_apart(*drawn) if self.fair and n < _DRAWS else np.ones(len(drawn[0]), bool)
            for at in np.flatnonzero(apart):
                yield [torch.from_numpy(each[at]) for each in drawn]

    @property
    def _shapes(self) -> list[tuple[int, int]]:
        return [(self.n_tokens, self.d_in)] + 3 * [(self.d_in, self.d_k)]

    def with_inputs(self, inputs: Sequence[torch.Tensor], word: str) -> "Exercise":
        """Return the sheet to hand in that has these inputs."""
        times = 1 if self.integers else 10
        digits = (_DIGITS[round(value * times) + 15] for each in inputs for value in each.flatten().tolist())
        return replace(self, fair=False, distinct=False, word=word, numbers="".join(digits))

    @property
    def inputs(self) -> list[torch.Tensor]:
        """X and the W's of a sheet to hand in."""
        values = (np.array([_DIGITS.index(each) for each in self.numbers]) - 15) / (1 if self.integers else 10)
        ends = np.cumsum([rows * columns for rows, columns in self._shapes])[:-1]
        parts = zip(np.split(values, ends), self._shapes, strict=True)
        return [torch.from_numpy(part.reshape(shape)) for part, shape in parts]

    def _drawn(self, generator: torch.Generator, times: int) -> list[np.ndarray]:
        """Return inputs drawn several times, as tables of ``(times, rows, columns)``."""
        shapes = self._shapes
        sizes = [rows * columns for rows, columns in shapes]
        low, high = (0, 3) if self.integers else (-15, 16)
        drawn = torch.randint(low, high, (times, sum(sizes)), generator=generator).double().numpy()
        parts = np.split(drawn, np.cumsum(sizes)[:-1], axis=1)
        # Whole numbers: X from 0 to 2, the W's from -1 to 1. Decimals: all from -1.5 to 1.5.
        made = [parts[0], *(part - 1 for part in parts[1:])] if self.integers else [part / 10 for part in parts]
        return [part.reshape(times, *shape) for part, shape in zip(made, shapes, strict=True)]

    def table(self, name: str) -> np.ndarray:
        """Return a table rounded, as a sheet prints it."""
        table: np.ndarray = getattr(self.trace, name).numpy()
        return table.round(DECIMALS) + 0.0

    @cached_property
    def carried(self) -> Mapping[str, np.ndarray]:
        """The tables if each is computed from rounded ones, then rounded."""
        tables: dict[str, np.ndarray] = {}
        for name, stage in self.trace.stages.items():
            if stage.rule is None or name in self.printed:
                tables[name] = self.table(name)
                continue
            made = stage.rule.compute(*(torch.from_numpy(tables[source]) for source in stage.sources))
            tables[name] = made.numpy().round(DECIMALS) + 0.0
        return MappingProxyType(tables)

    @property
    def printed(self) -> tuple[str, ...]:
        """The tables that are printed: the inputs, and results not blank."""
        shown = tuple(name for name in RESULTS if name not in self.blank)
        return (*_INPUTS, *shown)

    def mark(self, answers: Mapping[str, np.ndarray]) -> Marking:
        """Mark answers ``(rows, columns)`` by table name; blank cells are NaN."""
        tables: dict[str, Printed] = {name: Printed.of(self.table(name), DECIMALS) for name in self.printed}
        for name in self.blank:
            if name in answers:
                tables[name] = Printed(tuple(map(tuple, answers[name].tolist())), DECIMALS)
        marking = mark_pipeline(tables, scale=self.scale, causal=False, d_k=self.d_k, rounded_inputs=False)
        return replace(marking, tables=tuple(table for table in marking.tables if table.stage.name in self.blank))

    def hints(self, name: str, row: int, column: int) -> tuple[str, ...]:
        """Return a cell's hints: where to look, the rule, the worked result.

        >>> Exercise().hints("q", 0, 1)[1].endswith(". Q[0, 1] = X[0, :] · W_q[:, 1]")
        True
        """
        made = explain(self.trace, name, row, column, digits=DECIMALS)
        nudge = say(f"exercises.nudge.{name}", cell=STAGES[name].at(row, column))
        return nudge, f"{made.words}. {made.symbols}", " ".join(made.steps)

    def encoded(self) -> str:
        """Write the exercise as the text that a link carries."""
        letters = "".join(letter for letter, name in _LETTERS.items() if name in self.blank)
        kind, scaled = "i" if self.integers else "d", "s" if self.scale else "u"
        numbers = f"{self.seed}.{self.n_tokens}.{self.d_in}.{self.d_k}"
        of_kind = _DISTINCT if self.distinct else _FAIR if self.fair else ""
        last = f"{_TO_HAND_IN}{self.word}{self.numbers}" if self.to_hand_in else of_kind
        return f"{numbers}.{kind}.{scaled}.{letters}{last}"

    @property
    def rung(self) -> int | None:
        """The number of last steps left out; None for other blanks."""
        return next((k for k in RUNGS if left_out(k) == self.blank), None)


@lru_cache(maxsize=256)
def _computed(exercise: Exercise) -> AttentionTrace:
    """Return the first drawn computation that meets the most criteria."""
    if exercise.to_hand_in:
        x, w_q, w_k, w_v = exercise.inputs
        return attend(x, w_q, w_k, w_v, scale=exercise.scale, tokens=exercise.tokens)
    best, found = -1, None
    for x, w_q, w_k, w_v in islice(exercise.draws(torch.Generator().manual_seed(exercise.seed)), _TRIES):
        drawn = attend(x, w_q, w_k, w_v, scale=exercise.scale, tokens=exercise.tokens)
        marks = marks_of(drawn)
        if exercise.fair:
            marks += (all(marks) and is_fair(drawn, RESULTS, DECIMALS),)
        if exercise.distinct:
            marks += (all(marks) and do_rows_differ(drawn, DECIMALS),)
        if found is None or sum(marks) > best:
            best, found = sum(marks), drawn
        if all(marks):
            break
    assert found is not None
    return found


def word_of(text: str, secret: bytes = b"") -> str:
    """Return a sheet's check word, which can't be made without the secret.

    >>> word_of("7"), word_of("7", b"secret") == word_of("7")
    ('baholo', False)
    """
    made = hmac.digest(secret, text.encode(), hashlib.sha256)
    letters = zip(made[:6:2], made[1:6:2], strict=True)
    return "".join(_CONSONANTS[one % len(_CONSONANTS)] + _VOWELS[two % len(_VOWELS)] for one, two in letters)


def is_good(trace: AttentionTrace) -> bool:
    """Whether a computation meets all criteria of a good, fair exercise."""
    return all(marks_of(trace)) and is_fair(trace, RESULTS, DECIMALS)


def left_out(rung: int) -> tuple[str, ...]:
    """Return the results left out on a rung: the last steps'."""
    return tuple(name for step in STEPS[len(STEPS) - rung :] for name in step)


def decoded(text: str) -> Exercise:
    """Return the exercise in a link; unreadable parts become the default."""
    exercise = Exercise()
    parts = text.split(".")
    for field, part in zip(("seed", "n_tokens", "d_in", "d_k"), parts, strict=False):
        if part.isascii() and part.isdigit() and len(part) < 12:
            try:
                exercise = replace(exercise, **{field: int(part)})  # type: ignore[arg-type]
            except ValueError:
                continue
    flags, letters = parts[4:6], parts[6] if len(parts) > 6 else None
    if len(flags) == 2:
        exercise = replace(exercise, integers=flags[0] != "d", scale=flags[1] != "u")
    if letters is not None:
        exercise = replace(exercise, blank=tuple(name for letter, name in _LETTERS.items() if letter in letters))
    last = ".".join(["", *parts[7:]])
    if last.startswith(_TO_HAND_IN):
        with suppress(ValueError):
            return replace(exercise, word=last[2:8], numbers=last[8:])
    return replace(exercise, fair=last in (_FAIR, _DISTINCT), distinct=last == _DISTINCT)


def is_exercise(text: str) -> bool:
    """Whether a link's text is readable as an exercise or its start."""
    return not text or f"{decoded(text).encoded()}.".startswith(f"{text}.")
