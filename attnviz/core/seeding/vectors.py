"""The vectors of tokens: drawn, or published in a book."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor

from attnviz.core.limits import Kinds
from attnviz.core.seeding.weights import FLOAT32_ON_CPU, generator_for
from attnviz.core.seeding.word_classes import rows_of
from attnviz.words import say

_FILE = files("attnviz").joinpath("published", "worked_examples.json")

Rows = tuple[tuple[float, ...], ...]


@cache
def published_data() -> Mapping[str, Any]:
    """Return the file of published examples; treat it as read-only."""
    return MappingProxyType(json.loads(_FILE.read_text(encoding="utf-8")))


@cache
def published_examples() -> Mapping[str, Mapping[str, Any]]:
    """Return the examples of the file by their id."""
    return MappingProxyType({example["id"]: example for example in published_data()["examples"]})


@cache
def examples_made_by_hand() -> Mapping[str, Mapping[str, Any]]:
    """Return the unpublished examples by id: their features have names.

    >>> examples_made_by_hand()["fluffy-cat"]["features"]
    ['noun', 'adjective', 'verb']
    """
    return MappingProxyType({example["id"]: example for example in published_data()["made_by_hand"]})


def stated_features(example: str) -> tuple[str, ...]:
    """Return an example's names for the columns of X, if any."""
    stated = examples_made_by_hand().get(example, {}).get("features", ())
    return tuple(say(f"published.{example}.feature.{feature}") for feature in stated)


def called(example: str) -> str:
    """Return what an example is called within a sentence."""
    return say(f"published.{example}.name")


def stated_matrix(example: str, name: str) -> Rows | None:
    """Return a matrix that an example states, or that gives its scores.

    E, to which positions are added, holds the words' vectors, as X does.

    >>> stated_matrix("love-ai", "w_k"), stated_matrix("journey-simple", "w_k")
    (((1.0, 1.0), (0.0, 1.0)), None)
    """
    name = "x" if name == "e" else name
    stated = _raw(example).get(name, chosen_matrices(example).get(name))
    return tuple(tuple(map(float, row)) for row in stated) if isinstance(stated, list | tuple) else None


def words_of(example: Mapping[str, Any]) -> tuple[str, ...]:
    """Return an example's tokens as words without blanks."""
    return tuple(token.replace(" ", "-") for token in example["tokens"])


@cache
def stated_vectors(example: str) -> Mapping[str, tuple[float, ...]]:
    """Return the vectors an example states, by word.

    >>> stated_vectors("love-ai")["AI"], dict(stated_vectors("slide-row"))
    ((1.0, 1.0), {})
    """
    stated = stated_matrix(example, "x")
    return MappingProxyType({} if stated is None else dict(zip(words_of(_raw(example)), stated, strict=True)))


def _raw(example: str) -> Mapping[str, Any]:
    return published_examples().get(example) or examples_made_by_hand().get(example, {})


@cache
def chosen_matrices(example: str) -> Mapping[str, Rows]:
    """Return W_q and W_k that give the scores an example prints.

    They are ``(n_tokens, d_k)``; an example that prints more than scores has none.

    With the identity as X, each query has the printed row of scores, or the multiple of it that the example prints.

    >>> chosen_matrices("slide-row")["w_k"][:2], dict(chosen_matrices("love-ai"))
    (((14.5, 0.0), (25.1, 0.0)), {})
    """
    raw = published_examples().get(example, {})
    row = raw.get("scores_row", raw.get("row"))
    if row is None:
        return MappingProxyType({})
    # An example with a "row" prints the softmax of that row and of 8 times it, so its second query is 8 times as large.
    times = [8.0 if "row" in raw and query == 1 else 1.0 for query in range(len(row))]
    rest = (0.0,) * (raw.get("d_k", 1) - 1)
    columns = {"w_q": times, "w_k": row}
    return MappingProxyType({name: tuple((each, *rest) for each in column) for name, column in columns.items()})


_JOURNEY = published_examples()["journey"]
PUBLISHED_TEXT: str = " ".join(_JOURNEY["tokens"])
PUBLISHED_D_IN = len(_JOURNEY["x"][0])
PUBLISHED_VECTORS: dict[str, tuple[float, ...]] = dict(zip(_JOURNEY["tokens"], map(tuple, _JOURNEY["x"]), strict=True))


def stable_embedding(token: str, d_in: int, seed: int) -> Tensor:
    """Return a token's vector ``(d_in,)`` from text, `d_in` and `seed` alone.

    It's the same in every process, whatever the other tokens are.
    """
    digest = hashlib.sha256(f"{seed}/{d_in}/{token}".encode("utf-8", "surrogatepass")).digest()
    generator = generator_for(int.from_bytes(digest[:4], "big"))
    return torch.randn(d_in, generator=generator, **FLOAT32_ON_CPU)


def _from_texts(tokens: tuple[str, ...], d_in: int, seed: int) -> Tensor:
    vectors = {token: stable_embedding(token, d_in, seed) for token in dict.fromkeys(tokens)}
    return torch.stack([vectors[token] for token in tokens])


def _from_table(tokens: tuple[str, ...], d_in: int, seed: int) -> Tensor:
    """Return rows of a seeded ``nn.Embedding``, by sorted distinct tokens."""
    ids = {token: i for i, token in enumerate(sorted(set(tokens)))}
    table = torch.empty(len(ids), d_in, **FLOAT32_ON_CPU).normal_(generator=generator_for(seed))
    return table[[ids[token] for token in tokens]]


@dataclass(frozen=True)
class Embedding:
    """A way to make the vectors of tokens.

    - `draw`: returns X ``(n_tokens, d_in)``, float32 on the CPU, for tokens, `d_in` and a seed.
    - `of_table`: whether X comes from a table with a row for each distinct token; a second sentence then has its own.
    - `published`: whether words that have a published vector get it.
    - `by_class`: whether a vector says what kind of word a token is; nothing is random then.
    """

    name: str
    draw: Callable[[tuple[str, ...], int, int], Tensor]
    of_table: bool = False
    published: bool = False
    by_class: bool = False

    def is_published(self, token: str, d_in: int) -> bool:
        """Whether a token's vector is a published one."""
        return self.published and d_in == PUBLISHED_D_IN and token in PUBLISHED_VECTORS

    def vectors(self, tokens: tuple[str, ...], d_in: int, seed: int, chosen: Mapping[str, str] | None = None) -> Tensor:
        """Return the tokens' vectors ``(n_tokens, d_in)``: published ones, else drawn.

        `chosen` holds classes of words that override those of the lists.

        >>> EMBEDDINGS["table"].vectors(("a", "b", "a"), 2, 1).shape
        torch.Size([3, 2])
        """
        if self.by_class:
            return torch.tensor(rows_of(tokens, chosen), **FLOAT32_ON_CPU)
        x = self.draw(tokens, d_in, seed)
        for row, token in enumerate(tokens):
            if self.is_published(token, d_in):
                x[row] = torch.tensor(PUBLISHED_VECTORS[token], **FLOAT32_ON_CPU)
        return x


# To add an embedding, add a row here, and its texts.
EMBEDDINGS: Kinds[Embedding] = Kinds("embedding", (
    Embedding("published", _from_texts, published=True),
    Embedding("stable", _from_texts),
    Embedding("table", _from_table, of_table=True),
    Embedding("class", _from_texts, by_class=True),
))  # fmt: skip


def second_seed(seed: int) -> int:
    """Return the seed of the second sentence's table, made from the set-up's."""
    return int.from_bytes(hashlib.sha256(f"{seed}/second".encode()).digest()[:4], "big")
