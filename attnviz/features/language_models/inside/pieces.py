"""A tokenizer's cut of a text, and how many tokens fit."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnviz.core.limits import MAX_TEXT_CHARACTERS, RefusedError, in_short
from attnviz.core.tokens import is_whole_text

Cut = Mapping[str, list[Any]]  # a tokenizer's result by name, such as "input_ids"
Read = str | tuple[str, str]  # a text, or a pair of texts
MOST_WEIGHTS = 2**26  # attention weights of all heads together: 256 MiB of float32
_LOST = "\ufffd"  # decoding gives it for bytes that aren't a whole character
_METASPACE = "▁"  # SentencePiece's sign for a space
_MOST_TOGETHER = 8  # tokens: a character has up to four bytes, but a token may end within the next one


@dataclass(frozen=True)
class Piece:
    """The typed text of one token, and the `word` around it.

    The word begins at character `at`. Both texts are blank for a token that the tokenizer added.
    """

    typed: str
    word: str
    at: int = 0


def pieces_of(text: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Return each token's piece, by its place in the text.

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
    """Yield start and end of each word, and of each punctuation mark."""
    first, before = 0, " "
    for at, character in enumerate(text):
        category = unicodedata.category(character)
        # Accents, vowel signs and joiners belong to the character before them.
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
    """Raise ``ValueError`` for a text that is broken, or too long."""
    if not isinstance(text, str):
        raise RefusedError("text", name=name, value=text)
    if len(text) > MAX_TEXT_CHARACTERS:
        raise RefusedError("text_long", detail=name, characters=len(text), most=MAX_TEXT_CHARACTERS)
    if not is_whole_text(text):
        raise RefusedError("half_character", detail=name, value=text)


def joined(text: Read) -> str:
    """Return a text, or both texts of a pair as two lines."""
    return text if isinstance(text, str) else "\n".join(text)


def n_tokens_of(tokenizer: Any, text: Read) -> int:
    """Return how many tokens a text, or a pair, is cut into."""
    texts = (text,) if isinstance(text, str) else text
    return len(tokenizer(*texts, verbose=False)["input_ids"])


def cut_of(tokenizer: Any, text: Read) -> Cut:
    """Return a text, or a pair, as the tokenizer cuts it.

    For a pair, tokens' places are those in the :func:`joined` text, and "token_type_ids" are the tokenizer's own.
    Raises ``ValueError`` for a text that can't be cut.
    """
    texts = text if isinstance(text, tuple) else (text,)
    if not 1 <= len(texts) <= 2:
        raise ValueError(f"text is {in_short(text)}, expected a text, or two as a pair")
    for name, each in zip(("text", "second text"), texts, strict=False):
        check_sentence(name, each)
    more = {"return_offsets_mapping": True} if getattr(tokenizer, "is_fast", False) else {}
    encoded = tokenizer(*texts, return_special_tokens_mask=True, verbose=False, **more)
    cut = dict(encoded)
    if not all(each.strip() for each in texts) or not cut["input_ids"]:
        raise RefusedError("no_token")
    if more and len(texts) == 2:
        behind = len(texts[0]) + 1
        cut["offset_mapping"] = [
            (start + behind, end + behind) if of == 1 else (start, end)
            for (start, end), of in zip(cut["offset_mapping"], encoded.sequence_ids(0), strict=True)
        ]
    return cut


def _byte_names() -> dict[str, int]:
    """Return the byte that each character stands for in GPT-2's vocabulary.

    Source: ``bytes_to_unicode`` of openai/gpt-2, encoder.py.
    """
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    other = [each for each in range(256) if each not in plain]
    return {chr(each): each for each in plain} | {chr(256 + at): each for at, each in enumerate(other)}


_BYTES = _byte_names()


def text_of(tokenizer: Any, number: int) -> str:
    """Return a token's text; for half a character, its bytes ("<0xE6>")."""
    text = _decoded(tokenizer, [number])
    if text and _LOST not in text:
        return text
    name = str(tokenizer.convert_ids_to_tokens([number])[0] or number)
    if set(name) == {_METASPACE}:  # decoding a single token drops a leading space
        return " " * len(name)
    if text and all(character in _BYTES for character in name):
        told = bytes(map(_BYTES.__getitem__, name)).decode(errors="backslashreplace")
        return re.sub(r"\\x(..)", lambda found: f"<0x{found[1].upper()}>", told)
    return name


def pieces(tokenizer: Any, ids: Iterable[int]) -> tuple[str, ...]:
    """Return each token's text; part of a character is named "東(1/3)".

    Tokens that only together are whole characters are numbered in order. Incomplete characters, which occur while a
    model writes, are named by their bytes.
    """
    left, labels = list(ids), list[str]()
    while left:
        n = _n_together(tokenizer, left)
        if n == 1:
            labels.append(text_of(tokenizer, left[0]))
        else:
            text = _decoded(tokenizer, left[:n]).strip()
            labels += [f"{text}({at}/{n})" for at in range(1, n + 1)]
        del left[:n]
    return tuple(labels)


def _n_together(tokenizer: Any, ids: Sequence[int]) -> int:
    """Return how many of the next tokens together are whole characters."""
    for n in range(1, min(len(ids), _MOST_TOGETHER) + 1):
        text = _decoded(tokenizer, ids[:n])
        if _LOST not in text:
            return n
    return 1


def _decoded(tokenizer: Any, ids: Sequence[int]) -> str:
    return str(tokenizer.decode(list(ids), clean_up_tokenization_spaces=False))


def _added(tokenizer: Any, ids: Sequence[int], number: int) -> str:
    """Return the text that a token adds; U+FFFD for half a character."""
    after = _decoded(tokenizer, [*ids, number])
    if after.endswith(_LOST):
        return _LOST
    # After parts of a character, the token adds the whole character.
    for n in range(min(len(ids), _MOST_TOGETHER)):
        before = _decoded(tokenizer, ids[: len(ids) - n])
        if not before.endswith(_LOST):
            return after.removeprefix(before) if after.startswith(before) else text_of(tokenizer, number)
    return text_of(tokenizer, number)


def with_tokens(tokenizer: Any, text: str, cut: Cut, ids: Iterable[int]) -> tuple[str, Cut]:
    """Return a text and its cut, both with these tokens appended."""
    longer = {key: list(each) for key, each in cut.items()}
    rest = {"attention_mask": 1, "token_type_ids": 0, "special_tokens_mask": 0}
    for each in ids:
        added = _added(tokenizer, longer["input_ids"], each)
        if added and added != _LOST:
            text = text.rstrip(_LOST)  # replaced by the whole character, now that it's complete
        added = "" if added == _LOST and text.endswith(_LOST) else added
        longer["input_ids"].append(each)
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
    # A decoder beside an encoder attends to itself and to the encoder.
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
    except NotImplementedError:  # it has no table of vectors, but computes them
        return
    if most is not None and max(ids) >= most:
        raise ValueError(
            f"the tokenizer cuts token {max(ids):,} from the text, expected numbers below {most:,}, which are all that"
            f" {type(model).__name__} has vectors for: take the model's own tokenizer"
        )
