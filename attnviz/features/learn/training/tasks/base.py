"""The base of tasks: vocabulary, examples, their law, and heads' figures."""

import ast
import inspect
import tokenize
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from attnviz.core.arguments import typed
from attnviz.core.limits import RefusedError
from attnviz.features.learn.training.settings import TrainingSettings

START = "<s>"  # begins every sentence


class Batch(NamedTuple):
    """Texts as ids ``(texts, tokens)``, and which places count.

    Both masks are ``(texts, tokens - 1)``. `counted` places count in the loss; at `foretold` ones, the law determines
    the next token.
    """

    ids: Tensor
    counted: Tensor
    foretold: Tensor


Weights = Mapping[tuple[int, int], Tensor]  # (layer, head) -> (texts, queries, keys)


@dataclass(frozen=True)
class Task(ABC):
    """Something to learn, with texts of `length` tokens of the `vocabulary`."""

    name: ClassVar[str]
    defaults: ClassVar[Mapping[str, Any]]  # settings with which it is learned, the seed included
    figures: ClassVar[tuple[str, ...]]  # names of heads' figures; the page's texts speak of the first
    joined: ClassVar[str] = " "  # stands between the tokens of a text
    functions: ClassVar[tuple[Callable[..., Any], ...]] = ()  # functions that draw texts: the last one calls the others

    vocabulary: tuple[str, ...]
    length: int

    def draw(self, n: int, generator: torch.Generator) -> Batch:
        """Return `n` texts to learn from."""
        return self.batch(*self.functions[-1](n, generator))

    def batch(self, ids: Tensor, counted: Tensor) -> Batch:
        """Return texts as a batch whose counted tokens all follow a law."""
        return Batch(ids, counted, counted)

    @abstractmethod
    def held_out(self) -> Batch:
        """Return texts that are never learned from, always the same."""

    @abstractmethod
    def law(self, tokens: Sequence[str]) -> str | None:
        """Return the token that must follow, or None if several may."""

    def counts(self, tokens: Sequence[str], place: int) -> bool:
        """Whether the token after a place counts in the loss."""
        return True

    def right(self, guessed: Tensor, following: Tensor) -> Tensor:
        """Return which guesses of the next token are right."""
        return guessed == following

    @abstractmethod
    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return a batch's figures, each for its best head."""

    def code(self) -> str:
        """Return the Python lines that define `VOCABULARY` and `draw(n, generator)`."""
        return "\n\n\n".join([f"VOCABULARY = {self.vocabulary!r}", *map(bare_source, self.functions)])

    @property
    def example(self) -> str:
        """The text that is shown first, one of the held-out ones."""
        return self.joined.join(self.vocabulary[i] for i in self.held_out().ids[0].tolist())

    def tokens_of(self, text: str) -> tuple[str, ...]:
        """Return a text's tokens; ``START`` may be missing.

        Raises ``ValueError`` for none, too many, or one outside the vocabulary.
        """
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
        """The memory that the task's own data take, in bytes."""
        return 0

    @property
    def between(self) -> str:
        """The text between its tokens, where they're written as a text."""
        return self.joined

    def ids_of(self, tokens: Sequence[str]) -> tuple[int, ...]:
        """Return tokens' ids, which are their rows in the token table."""
        places = {token: i for i, token in enumerate(self.vocabulary)}
        return tuple(places[token] for token in tokens)


def bare_source(of: Any) -> str:
    """Return source code for a script, without our docstrings and comments."""
    source = inspect.getsource(of)
    lines, left_out = source.splitlines(), set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno, node.body[0].end_lineno or 0
            left_out.update(range(first, last + (2 if last < len(lines) and not lines[last] else 1)))
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "\n".join(line for row, line in enumerate(lines, 1) if row not in left_out)


def most(weights: Weights, read: Tensor, asked: Tensor) -> float:
    """Return the best head's average attention to marked keys.

    `read` marks the keys, ``(texts, queries, keys)``, and `asked` the queries, ``(texts, queries)``.
    """
    return max((each * read).sum(-1)[asked].mean().item() for each in weights.values())


@dataclass(frozen=True)
class OneAnswer(Task):
    """A task where the place `asks` must read the place `told`."""

    asks: ClassVar[int]
    told: ClassVar[int]

    def batch(self, ids: Tensor, counted: Tensor) -> Batch:
        """Return texts as a batch; the law determines one place each."""
        asked = torch.zeros_like(counted)
        asked[:, self.asks] = True
        return Batch(ids, counted, asked)

    def measured(self, batch: Batch, weights: Weights) -> dict[str, float]:
        """Return the attention from the place that asks to the told one."""
        read = torch.zeros(len(batch.ids), self.length, self.length)
        read[:, self.asks, self.told] = 1
        return {self.figures[0]: most(weights, read, read.sum(-1) > 0)}


def is_held_out(orders: torch.Tensor, n: int) -> torch.Tensor:
    """Whether an order's first n numbers sum to 0 modulo its length."""
    return orders[:, :n].sum(dim=1) % orders.shape[1] == 0


def learned_from(orders: torch.Tensor, n: int) -> torch.Tensor:
    """Return the orders, with the nth number exchanged in held-out ones."""
    other = torch.cat([orders[:, : n - 1], orders[:, n : n + 1], orders[:, n - 1 : n], orders[:, n + 1 :]], dim=1)
    return torch.where(is_held_out(orders, n)[:, None], other, orders)


@typed
def settings_for(task: type[Task], **changed: Any) -> TrainingSettings:
    """Return the settings of a task, some of them changed."""
    return TrainingSettings(**{"task": task.name, **task.defaults, **changed})


def every(*kinds: int) -> tuple[Tensor, ...]:
    """Return all combinations of choices, one column for each choice.

    >>> every(2, 2)
    (tensor([0, 0, 1, 1]), tensor([0, 1, 0, 1]))
    """
    return tuple(each.flatten() for each in torch.meshgrid(*map(torch.arange, kinds), indexing="ij"))
