"""Your own text: the next character or word."""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from attnviz.core.limits import RefusedError
from attnviz.core.tokens import tokenize
from attnviz.features.learn.training.settings import MAX_VOCABULARY, TrainingSettings
from attnviz.features.learn.training.tasks.base import Batch, Task, Weights

RARE = "<rare>"  # stands for all rarer tokens, if there are too many different ones
LEAST_TOKENS = 8


@dataclass(frozen=True)
class OwnText(Task):
    """The task of predicting a text, whose law nobody knows."""

    vocabulary: tuple[str, ...]
    length: int
    corpus: bytes = b""  # the ids of its tokens, of which at most 200 are different
    joined_by: str = ""

    name = "text"
    defaults = {  # noqa: RUF012
        "seed": 0, "steps": 600, "learning_rate": 0.01, "batch_size": 32, "n_layers": 2, "d_model": 32, "d_k": 32,
    }  # fmt: skip
    figures = ("previous",)

    @classmethod
    def of(cls, settings: TrainingSettings) -> "OwnText":
        """Return the task for a text; ``ValueError`` for fewer than eight tokens."""
        tokens = _cut(settings.text, settings.cut)
        if len(tokens) < LEAST_TOKENS:
            raise RefusedError("short_text", tokens=len(tokens), least=LEAST_TOKENS)
        counts = Counter(tokens)
        kept = sorted(counts, key=lambda token: (-counts[token], token))
        if len(kept) > MAX_VOCABULARY:
            kept = [*kept[: MAX_VOCABULARY - 1], RARE]
        vocabulary = tuple(sorted(kept))
        places = {token: i for i, token in enumerate(vocabulary)}
        corpus = bytes(places.get(token, places.get(RARE, 0)) for token in tokens)
        length = min(settings.length, len(tokens) - 1 - len(tokens) // 10)
        task = cls(vocabulary, length, corpus, " " if settings.cut == "words" else "")
        if not task._starts[0]:
            raise RefusedError("same_text", tokens=length)
        return task

    def draw(self, n: int, generator: torch.Generator) -> Batch:
        """Return pieces of the first nine tenths, none of them held out."""
        return self._pieces(n, generator, self._starts[0])

    def held_out(self) -> Batch:
        """Return pieces never learned from, of the last tenth if possible."""
        return self._pieces(32, torch.Generator().manual_seed(0), self._starts[1])

    @cached_property
    def _starts(self) -> tuple[Sequence[int], Sequence[int]]:
        """The starts of pieces: those to learn from, those held out."""
        pieces = [self.corpus[at : at + self.length] for at in range(len(self.corpus) - self.length + 1)]
        learned = range(self._n_learned - self.length + 1)
        first = {piece: at for at, piece in reversed([*enumerate(pieces)])}
        new = [
            at for at in range(min(self._n_learned, len(pieces) - 1), len(pieces)) if first[pieces[at]] not in learned
        ]
        if new:
            return learned, new
        last = max(first.values())
        return array("H", [at for at in learned if pieces[at] != pieces[last]]), [last]

    @property
    def n_bytes(self) -> int:
        """The memory it takes: a byte per token, two per piece."""
        return 3 * len(self.corpus)

    @property
    def n_in_both(self) -> int:
        """The number of tokens of the held-out piece that are learned, too."""
        rest = len(self.corpus) - self._n_learned
        return self.length - rest if rest < self.length else 0

    @property
    def repeats(self) -> bool:
        """Whether the text's end only repeats earlier pieces."""
        return self._starts[1][0] < min(self._n_learned, len(self.corpus) - self.length)

    @property
    def _n_learned(self) -> int:
        return max(self.length, len(self.corpus) - len(self.corpus) // 10)

    def _pieces(self, n: int, generator: torch.Generator, starts: Sequence[int]) -> Batch:
        chosen = torch.randint(len(starts), (n, 1), generator=generator).flatten().tolist()
        counted = torch.ones(n, self.length - 1, dtype=torch.bool)
        pieces = [list(self.corpus[starts[i] : starts[i] + self.length]) for i in chosen]
        return Batch(torch.tensor(pieces), counted, counted)

    def right(self, guessed: Tensor, following: Tensor) -> Tensor:
        """Return which guesses are right; the token for rare ones never is."""
        right = super().right(guessed, following)
        return right & (following != self.vocabulary.index(RARE)) if RARE in self.vocabulary else right

    def law(self, tokens: Sequence[str]) -> str | None:
        """Return None, because nobody knows its law."""
        return None

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the attention to the token just before."""
        before = torch.diag(torch.ones(self.length - 1), -1)
        given = [(each * before).sum(-1)[:, 1:].mean().item() for each in weights.values()]
        return {"previous": max(given)}

    def code(self) -> str:
        """Return code with the text's ids, which draws its pieces."""
        learned, (held_out, *_) = self._starts
        unlike = list(self.corpus[held_out : held_out + self.length])
        but = f" if TEXT[at : at + {self.length}].tolist() != {unlike}" if self.repeats else ""
        return (
            f"VOCABULARY = {self.vocabulary!r}\nTEXT = torch.tensor({list(self.corpus[: self._n_learned])})\n"
            f"STARTS = torch.tensor([at for at in range({learned[-1] + 1}){but}])\n\n\n"
            f"def draw(n, generator):\n"
            f"    starts = STARTS[torch.randint(len(STARTS), (n, 1), generator=generator)]\n"
            f"    return TEXT[starts + torch.arange({self.length})], "
            f"torch.ones(n, {self.length - 1}, dtype=torch.bool)\n"
        )

    def _cut(self, text: str) -> Sequence[str]:
        cut = "words" if self.joined_by else "characters"
        if RARE not in self.vocabulary:
            return _cut(text, cut)
        tokens: list[str] = []
        for at, part in enumerate(text.split(RARE)):  # "<rare>" isn't cut, as examples and generated texts have it
            tokens += [RARE] if at else []
            tokens += (token if token in self.vocabulary else RARE for token in _cut(part, cut))
        return tokens

    @property
    def between(self) -> str:
        """A space between words, nothing between characters."""
        return self.joined_by

    @property
    def example(self) -> str:
        """The beginning of the text."""
        return self.joined_by.join(self.vocabulary[i] for i in self.corpus[: min(12, self.length)])


def n_different(settings: TrainingSettings) -> int:
    """Return how many different tokens a text has, kept or rare."""
    return len(set(_cut(settings.text, settings.cut)))


def _cut(text: str, cut: str) -> Sequence[str]:
    return list(text) if cut == "characters" else tokenize(text)
