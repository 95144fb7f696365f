"""A text as a tokenizer cuts it, and how many tokens fit."""

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnviz.core.limits import MAX_TEXT_CHARACTERS, RefusedError
from attnviz.core.tokens import is_whole_text

Cut = Mapping[str, list[Any]]  # a text as a tokenizer cuts it
MOST_WEIGHTS = 2**26  # of all heads together: 256 MiB of float32


@dataclass(frozen=True)
class Piece:
    """What was typed for one token, and the `word` around it.

    The word begins at character `at`. Both are blank for a token that the tokenizer put there.
    """

    typed: str
    word: str
    at: int = 0


def pieces_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Return each token's piece, by where it stands in the text.

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
    """Yield start and end of each word, and of each other sign."""
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


def marks_of_cut(cut: Cut) -> tuple[tuple[tuple[int, int], ...], tuple[bool, ...]]:
    """Return each token's place in the text, and whether it's special."""
    spans = tuple((start, end) for start, end in cut.get("offset_mapping", ()))
    return spans, tuple(map(bool, cut.get("special_tokens_mask", ())))


def check_sentence(name: str, text: object) -> None:
    """Raise ``ValueError`` for what is no whole text, or too long."""
    if not isinstance(text, str):
        raise RefusedError("text", name=name, value=text)
    if len(text) > MAX_TEXT_CHARACTERS:
        raise RefusedError("text_long", detail=name, characters=len(text), most=MAX_TEXT_CHARACTERS)
    if not is_whole_text(text):
        raise RefusedError("half_character", detail=name, value=text)


def cut_of(tokenizer: Any, text: str) -> Cut:
    """Return a text as the tokenizer cuts it, or raise ``ValueError``."""
    check_sentence("text", text)
    more = {"return_offsets_mapping": True} if getattr(tokenizer, "is_fast", False) else {}
    cut = dict(tokenizer(text, return_special_tokens_mask=True, verbose=False, **more))
    if not text.strip() or not cut["input_ids"]:
        raise RefusedError("no_token")
    return cut


def text_of(tokenizer: Any, number: int) -> str:
    """Return a token's text, or its name if it's half a character."""
    text = tokenizer.decode([number], clean_up_tokenization_spaces=False)
    name: str | None = tokenizer.convert_ids_to_tokens([number])[0]
    return name or str(number) if not text or "\ufffd" in text else str(text)


def pieces(tokenizer: Any, ids: Iterable[int]) -> tuple[str, ...]:
    """Return each token's text, as :func:`text_of` does."""
    return tuple(text_of(tokenizer, each) for each in ids)


def with_tokens(tokenizer: Any, text: str, cut: Cut, ids: Iterable[int]) -> tuple[str, Cut]:
    """Return a text and its cut, both with these tokens appended."""
    longer = {key: list(each) for key, each in cut.items()}
    rest = {"attention_mask": 1, "token_type_ids": 0, "special_tokens_mask": 0}
    for each in ids:
        before = tokenizer.decode(longer["input_ids"], clean_up_tokenization_spaces=False)
        longer["input_ids"].append(each)
        after = tokenizer.decode(longer["input_ids"], clean_up_tokenization_spaces=False)
        added = after.removeprefix(before) if after.startswith(before) else text_of(tokenizer, each)
        for key in rest.keys() & longer.keys():
            longer[key].append(rest[key])
        if "offset_mapping" in longer:
            longer["offset_mapping"].append((len(text), len(text) + len(added)))
        text += added
    return text, longer


def n_weights(model: Any, n_tokens: int) -> int:
    """Return roughly how many attention weights all heads have for these tokens."""
    config = model.config
    heads = getattr(config, "num_hidden_layers", 1) * getattr(config, "num_attention_heads", 1)
    # A decoder that reads an encoder attends to itself and to that, too.
    return int(heads * (3 if config.is_encoder_decoder else 1) * n_tokens**2)


def _places(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens a model takes; None if it doesn't say."""
    places = [getattr(model.config, "max_position_embeddings", None), getattr(tokenizer, "model_max_length", None)]
    return min((place for place in places if isinstance(place, int) and place > 0), default=None)


def most_tokens(model: Any, tokenizer: Any, most_weights: int = MOST_WEIGHTS) -> int:
    """Return how many tokens a model takes within this many attention weights."""
    places, fit = _places(model, tokenizer), math.isqrt(most_weights // n_weights(model, 1))
    return fit if places is None else min(places, fit)


def check_length(model: Any, tokenizer: Any, n_tokens: int) -> None:
    """Raise ``ValueError`` for more tokens than a model, or memory, takes."""
    if n_tokens > (most := most_tokens(model, tokenizer)):
        raise RefusedError("model_tokens", tokens=n_tokens, most=most)


def check_vocabulary(model: Any, ids: Sequence[int]) -> None:
    """Raise ``ValueError`` for a token that the model has no vector for."""
    try:
        most = getattr(model.get_input_embeddings(), "num_embeddings", None)
    except NotImplementedError:  # it has a vector for no token, but makes them otherwise
        return
    if most is not None and max(ids) >= most:
        raise ValueError(
            f"the tokenizer cuts token {max(ids):,} from the text, expected numbers below {most:,}, which are all that"
            f" {type(model).__name__} has vectors for: take the model's own tokenizer"
        )
