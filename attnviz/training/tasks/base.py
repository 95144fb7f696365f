"""What a task is: its words, its examples, the law that they follow, and how a head is judged by it."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from attnviz.core.limits import RefusedError
from attnviz.training.settings import TrainingSettings

START = "<s>"  # what stands before the first word of a sentence


class Batch(NamedTuple):
    """Texts as numbers ``(texts, tokens)``; which places' next token counts in the loss, and which of these the law
    tells, both ``(texts, tokens - 1)``."""

    ids: Tensor
    counted: Tensor
    asked: Tensor


Weights = Mapping[tuple[int, int], Tensor]  # by layer and head, (texts, queries, keys)


@dataclass(frozen=True)
class Task(ABC):
    """Something to learn, whose texts are all `length` tokens of the `vocabulary` long."""

    name: ClassVar[str]
    defaults: ClassVar[Mapping[str, Any]]  # the settings that learn it, its seed among them
    figures: ClassVar[tuple[str, ...]]  # of heads: the first is the one that its text speaks of
    joined: ClassVar[str] = " "  # what stands between the tokens of a text
    functions: ClassVar[tuple[Callable[..., Any], ...]] = ()  # by which its texts are drawn: by the last, of the others

    vocabulary: tuple[str, ...]
    length: int

    def draw(self, n: int, generator: torch.Generator) -> Batch:
        """Return `n` texts to learn from."""
        return self.batch(*self.functions[-1](n, generator))

    def batch(self, ids: Tensor, counted: Tensor) -> Batch:
        """Return texts as a batch, where all places ask that count."""
        return Batch(ids, counted, counted)

    @abstractmethod
    def held_out(self) -> Batch:
        """Return texts that are never learned from, always the same."""

    @abstractmethod
    def law(self, tokens: Sequence[str]) -> str | None:
        """Return what must come next after these tokens; None where the law says nothing."""

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """Whether what comes after a place counts in the loss: without another word, wherever it stands."""
        return True

    def right(self, guessed: Tensor, following: Tensor) -> Tensor:
        """Return which guesses of the next token are right."""
        return guessed == following

    @abstractmethod
    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the figures of the heads over a batch: of several heads, that of the one that does it most."""

    def code(self) -> str:
        """Return the lines of Python that draw its texts: `draw(n, generator)` and `VOCABULARY`."""
        written = (inspect.getsource(each).rstrip() for each in self.functions)
        return "\n\n\n".join([f"VOCABULARY = {self.vocabulary!r}", *written])

    @property
    def example(self) -> str:
        """A text to look at first, one of those that are held out."""
        return self.joined.join(self.vocabulary[i] for i in self.held_out().ids[0].tolist())

    def tokens_of(self, text: str) -> tuple[str, ...]:
        """Cut a text into tokens of the vocabulary; where every text begins with a sign of its own, it may be left out;
        ``ValueError`` for none, too many, or one that isn't in the vocabulary."""
        tokens = tuple(self._cut(text))
        if START in self.vocabulary and tokens[:1] != (START,):
            tokens = (START, *tokens)
        if not tokens or tokens == (START,):
            raise RefusedError("no_token")
        if len(tokens) > self.length:
            raise RefusedError("tokens_many", tokens=len(tokens), most=self.length)
        unknown = [token for token in tokens if token not in self.vocabulary]
        if unknown:
            raise RefusedError("unknown_token", value=unknown[0])
        return tokens

    def _cut(self, text: str) -> Sequence[str]:
        return text.split()

    @property
    def n_bytes(self) -> int:
        """How much memory its own data take."""
        return 0

    @property
    def between(self) -> str:
        """What stands between its tokens where they are written as a text."""
        return self.joined

    def ids_of(self, tokens: Sequence[str]) -> tuple[int, ...]:
        """Return the numbers of tokens, their rows in the token table."""
        places = {token: i for i, token in enumerate(self.vocabulary)}
        return tuple(places[token] for token in tokens)


def most(weights: Weights, read: Tensor, asked: Tensor) -> float:
    """Return the attention weight that goes to the keys that are `read`, averaged over the places `asked`, of the
    head that gives most; both are ``(texts, queries, keys)`` and ``(texts, queries)``."""
    return max((each * read).sum(-1)[asked].mean().item() for each in weights.values())


@dataclass(frozen=True)
class OneAnswer(Task):
    """A task of whose texts one place `asks`, which has to read another one, `told`, of the only figure."""

    asks: ClassVar[int]
    told: ClassVar[int]

    def batch(self, ids: Tensor, counted: Tensor) -> Batch:
        """Return texts as a batch, of which one place asks."""
        asked = torch.zeros_like(counted)
        asked[:, self.asks] = True
        return Batch(ids, counted, asked)

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return how much the place that asks reads the other."""
        read = torch.zeros(len(batch.ids), self.length, self.length)
        read[:, self.asks, self.told] = 1
        return {self.figures[0]: most(weights, read, read.sum(-1) > 0)}


def is_held_out(orders: torch.Tensor, n: int) -> torch.Tensor:
    """The first n numbers of an order of all add up to a multiple of how many there are."""
    return orders[:, :n].sum(dim=1) % orders.shape[1] == 0


def learned_from(orders: torch.Tensor, n: int) -> torch.Tensor:
    """No order that is held out: another number in place of the nth makes another sum."""
    other = torch.cat([orders[:, : n - 1], orders[:, n : n + 1], orders[:, n - 1 : n], orders[:, n + 1 :]], dim=1)
    return torch.where(is_held_out(orders, n)[:, None], other, orders)


def settings_for(task: type[Task], **changed: Any) -> TrainingSettings:
    """Return the settings of a task, some of them changed."""
    return TrainingSettings(**{"task": task.name, **task.defaults, **changed})


def every(*kinds: int) -> tuple[Tensor, ...]:
    """Return every way to choose one of so many each, as a column of each choice.

    >>> every(2, 2)
    (tensor([0, 0, 1, 1]), tensor([0, 1, 0, 1]))
    """
    return tuple(each.flatten() for each in torch.meshgrid(*map(torch.arange, kinds), indexing="ij"))
