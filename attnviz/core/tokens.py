"""Cutting texts into tokens, and writing tokens as visible labels."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise

from attnviz.core.limits import Kinds, RefusedError

ZERO_WIDTH_JOINER = "\u200d"
JOINERS = ("\u200c", ZERO_WIDTH_JOINER)
BLACK_FLAG = "\U0001f3f4"  # with tags after it, it's the flag of a region
TAG = re.compile("[\U000e0020-\U000e007f]")
VARIATION = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_KEPT_CHARACTERS = 2000  # longer texts aren't cached
# Letters and marks that show nothing: fillers, vowels that are not written, a blank Braille cell.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]")


def _clusters(text: str) -> Iterator[str]:
    """Split text into what readers call characters: accented letters, whole emoji.

    A small part of Unicode's text segmentation (UAX #29, section 3): combining marks, joiners,
    skin tones and flags stay with the character before them.
    """
    cluster = ""
    for char in text:
        if cluster and (_extends(char) or _joins(cluster, char)):
            cluster += char
        else:
            if cluster:
                yield cluster
            cluster = char
    if cluster:
        yield cluster


def _extends(char: str) -> bool:
    skin_tone = "\U0001f3fb" <= char <= "\U0001f3ff"
    return skin_tone or char in JOINERS or unicodedata.category(char)[0] == "M" or bool(TAG.match(char))


def _joins(cluster: str, char: str) -> bool:
    if cluster[-1] == ZERO_WIDTH_JOINER:
        return not char.isspace()
    half_flag = len(cluster) == 1 and _is_regional(cluster)
    return (half_flag and _is_regional(char)) or (cluster == "\r" and char == "\n")


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _words(text: str) -> Iterator[str]:
    """Split text into single signs and words, which may contain apostrophes."""
    word = ""
    for cluster, following in pairwise(chain(_clusters(text), [""])):
        inner_apostrophe = cluster in "'\u2019" and word and _is_word(following)
        if _is_word(cluster) or inner_apostrophe:
            word += cluster
            continue
        if word:
            yield word
            word = ""
        if not cluster.isspace():
            yield cluster
    if word:
        yield word


def _is_word(cluster: str) -> bool:
    return cluster[:1].isalnum() or cluster[:1] == "_"


@dataclass(frozen=True)
class Tokenizer:
    """How a text is cut into tokens, and how they are joined."""

    name: str
    split: Callable[[str], Iterator[str]]
    joint: str = " "


# To add a tokenizer, add a row here, and its line in the set-up's help.
TOKENIZERS: Kinds[Tokenizer] = Kinds("tokenizer", (
    Tokenizer("words", _words),
    Tokenizer("whitespace", lambda text: iter(text.split())),
    Tokenizer("characters", _clusters, joint=""),
))  # fmt: skip


def tokenize(text: str, tokenizer: str = "words") -> tuple[str, ...]:
    """Split a text into tokens.

    `tokenizer` is "words" (words and single punctuation marks), "whitespace" (whatever stands
    between blanks) or "characters" (what a reader calls one character, blanks included).
    Returns the ``n_tokens`` tokens in order, exactly as typed; a blank text has none.

    Raises ``ValueError`` for an unknown tokenizer, or if `text` isn't a text.

    >>> tokenize("Your journey starts with one step")
    ('Your', 'journey', 'starts', 'with', 'one', 'step')
    >>> tokenize("don't stop!")
    ("don't", 'stop', '!')
    """
    split = TOKENIZERS[tokenizer].split
    if not isinstance(text, str):
        raise RefusedError("text", name="text", value=text)
    # Cached, because each run of a page asks for its sentence's tokens a dozen times.
    return _split(text, split) if len(text) <= _KEPT_CHARACTERS else tuple(split(text))


@lru_cache(maxsize=128)
def _split(text: str, split: Callable[[str], Iterator[str]]) -> tuple[str, ...]:
    return tuple(split(text))


def is_whole_text(text: str) -> bool:
    """Whether a text can be sent and saved: no half surrogate pairs.

    >>> is_whole_text("caf\\u00e9"), is_whole_text("a \\ud83d")
    (True, False)
    """
    return text == text.encode(errors="ignore").decode()


def shortened(text: str, tokenizer: str, most: int) -> tuple[str, bool]:
    """Return a text cut to `most` tokens, and whether any were cut.

    >>> shortened("a b c", "words", 2)
    ('a b', True)
    """
    tokens = tuple(islice(TOKENIZERS[tokenizer].split(text), most + 1))
    if len(tokens) <= most:
        return text, False
    return TOKENIZERS[tokenizer].joint.join(tokens[:most]), True


def visible(token: str) -> str:
    """Return a token as a label, with blanks and controls written out.

    >>> visible(" "), visible("a\\x00b"), visible("\\u200b"), visible("cat")
    ('␣', 'a␀b', '⟨U+200B⟩', 'cat')
    """
    if token.isascii() and token.isprintable():
        return token.replace(" ", "␣")
    label = base = ""
    for char, following in pairwise(token + " "):
        if _shapes(char, base, label[-1:], following):
            label += char
            continue
        shown = _visible(char)
        label += shown
        if shown != char:
            base = ""
        elif not _extends(char):
            base = char
    return label


def _shapes(char: str, base: str, previous: str, following: str) -> bool:
    """Whether an invisible character shapes the sign before it."""
    kind = unicodedata.category(base) if base else "none"
    if char in JOINERS:
        joins = kind == "Lo" or (kind == "So" and char == ZERO_WIDTH_JOINER)
        return joins and previous not in JOINERS and _visible(following) == following
    if VARIATION.match(char):
        return (kind == "Lo" or kind[0] in "NPS") and not VARIATION.match(previous)
    return base == BLACK_FLAG and bool(TAG.match(char))


def _visible(char: str) -> str:
    if char == " ":
        return "␣"
    if char in "\r\n":
        return "⏎"
    if ord(char) < 0x20:
        return chr(0x2400 + ord(char))  # Unicode's control pictures
    category = unicodedata.category(char)
    if category[0] == "C" or category in ("Zs", "Zl", "Zp") or VARIATION.match(char) or BLANK.match(char):
        return f"⟨U+{ord(char):04X}⟩"
    return char


def axis_labels(tokens: tuple[str, ...], kind: str, n: int, most: int | None = None) -> tuple[str, ...]:
    """Return the labels of `n` rows or columns of a `kind`.

    They are the tokens, cut to `most` characters and made distinct, or numbers of features, or distances.

    >>> axis_labels(("a", "cat"), "query", 2), axis_labels(("a", "cat"), "feature", 2)
    (('a', 'cat'), ('0', '1'))
    """
    if kind == "distance":
        return tuple(distance_label(column, n) for column in range(n))
    if kind == "feature" or len(tokens) != n:
        return tuple(map(str, range(n)))
    return token_labels(tokens, most)


def distance_label(column: int, n: int) -> str:
    """Return a key's distance from its query, negative before it.

    >>> [distance_label(column, 3) for column in range(3)]
    ['−1', '0', '1']
    """
    return str(column - n // 2).replace("-", "−")


def token_labels(tokens: tuple[str, ...], most: int | None = None) -> tuple[str, ...]:
    """Return a label for each token, cut to `most` characters.

    Equal labels get the token's place in the sentence, counted from 0.

    >>> token_labels(("the", "cat", "on", "the"))
    ('the (0)', 'cat', 'on', 'the (3)')
    >>> token_labels(("incomprehensible", "cat"), most=6)
    ('incom…', 'cat')
    """
    labels = [visible(token) for token in tokens]
    if most is not None:
        labels = [label if len(label) <= most else label[: most - 1] + "…" for label in labels]
    totals: dict[str, int] = {}
    for label in labels:
        totals[label] = totals.get(label, 0) + 1
    return tuple(f"{label} ({place})" if totals[label] > 1 else label for place, label in enumerate(labels))
