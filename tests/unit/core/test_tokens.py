"""Text to tokens to labels, for texts of all kinds."""

import unicodedata
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Scenario, tokenize, trace
from attnviz.core.tokens import TOKENIZERS, shortened, token_labels, visible
from tests.unit.helpers import HOSTILE

FAMILY, FLAG_DE, FLAG_FR = "👨‍👩‍👧‍👦", "🇩🇪", "🇫🇷"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
HARD = (
    *HOSTILE, FAMILY, FLAG_DE, SCOTLAND, "'", "’", " ", "\u200d", "\u200c", "\u0301", "\r", "\n", "\U0001f1e9",
    "\U0001f3fd", "\ud800", "\0", "a", "_", "1", "क्षि", "\u00a0",
)  # fmt: skip

# Characters that show nothing (Unicode: default ignorable) but whose category is that of a letter or mark.
IGNORABLE = "\u2800\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0\ufe00\ufe0f\U000e0100\U000e01ef"
Invisible = Literal["Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"]
INVISIBLE_CATEGORIES: tuple[Invisible, ...] = ("Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp")


def texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Any text, with what is hard more often: joiners, marks, flags, apostrophes, blanks, surrogates."""
    hard = st.sampled_from([*HARD, *IGNORABLE])
    any_character = st.characters(exclude_categories=()).map(str)
    return st.lists(hard | any_character, max_size=max_size).map("".join)


tokenizers = pytest.mark.parametrize("tokenizer", list(TOKENIZERS))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Your journey starts with one step", "Your|journey|starts|with|one|step"),
        ("Hello, world!", "Hello|,|world|!"),
        ("don't ’tis O’Brien's", "don't|’|tis|O’Brien's"),
        ("'quoted' rock 'n' roll", "'|quoted|'|rock|'|n|'|roll"),
        ("snake_case x2 3.14", "snake_case|x2|3|.|14"),
        ("e\u0301te\u0301 été", "e\u0301te\u0301|été"),
        ("שלום עולם", "שלום|עולם"),
        ("我爱AI。", "我爱AI|。"),
        (f"hi {FAMILY}{FLAG_DE}{FLAG_FR}👍🏽!", f"hi|{FAMILY}|{FLAG_DE}|{FLAG_FR}|👍🏽|!"),
        (f"go {SCOTLAND} go", f"go|{SCOTLAND}|go"),
        ("<b>x</b>", "<|b|>|x|<|/|b|>"),
        ("$\\frac12$", "$|\\|frac12|$"),
        ("a\0b", "a|\0|b"),
        ("", ""),
        (" \t\n\u3000", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    assert tokenize(text) == tuple(expected.split("|") if expected else ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab c", ["a", "b", " ", "c"]),
        ("e\u0301x", ["e\u0301", "x"]),
        (FAMILY + FLAG_DE + FLAG_FR + "👍🏽", [FAMILY, FLAG_DE, FLAG_FR, "👍🏽"]),
        (f"a{SCOTLAND}b", ["a", SCOTLAND, "b"]),
        ("a\r\nb", ["a", "\r\n", "b"]),
        ("我爱", ["我", "爱"]),
        ("🇩🇪🇫", ["🇩🇪", "🇫"]),
        ("a\0\ud800b", ["a", "\0", "\ud800", "b"]),
        ("\u0301a", ["\u0301", "a"]),
    ],
)
def test_characters_are_what_a_reader_calls_one(text: str, expected: list[str]) -> None:
    assert list(tokenize(text, "characters")) == expected


@tokenizers
@given(texts())
@example("\u200d b")
def test_no_token_is_empty_nothing_is_lost_but_blanks_and_any_can_be_traced(tokenizer: str, text: str) -> None:
    tokens = tokenize(text, tokenizer)
    assert all(tokens)
    assert "".join("".join(tokens).split()) == "".join(text.split())
    assert tokenizer != "characters" or "".join(tokens) == text
    if tokens:
        assert trace(Scenario(text, tokenizer=tokenizer)).tokens == tokens


# Long texts


@tokenizers
@given(texts(), st.integers(0, 12))
@example("a b c", 2)
@example("don't 'tis", 1)
@example("\u0301 \u0301a", 1)
@example("🇩🇪🇫 🇷", 3)
def test_a_shortened_text_has_exactly_the_first_tokens(tokenizer: str, text: str, most: int) -> None:
    tokens = tokenize(text, tokenizer)
    short, cut = shortened(text, tokenizer, most)
    assert tokenize(short, tokenizer) == tokens[:most]
    assert cut == (len(tokens) > most)
    if not cut:
        assert short == text


# Labels


@given(texts())
def test_a_label_hides_nothing(text: str) -> None:
    for token in (*tokenize(text), *tokenize(text, "whitespace"), *tokenize(text, "characters")):
        label = visible(token)
        shown = [char for char in label if unicodedata.category(char) not in INVISIBLE_CATEGORIES]
        shown = [char for char in shown if char not in IGNORABLE]
        assert shown, ascii(token)
        hidden = set(label) - set(shown)
        # Only what shapes the sign before it may stay: joiners, variants, the letters of a flag.
        assert all(unicodedata.category(char) in ("Mn", "Cf") for char in hidden), ascii(label)
        assert not label.isascii() or not hidden
        assert not hidden & set("\u034f\u115f\u1160\u3164\u200b\u00ad\ufeff\u202e"), ascii(label)


@pytest.mark.parametrize(
    "token", ["ca\u200dt", "\u200dcat", "cat\u200d", "a\ufe0f", "👩\u200d", "👩\u200d\u200d👩", "a\U000e0067"]
)
def test_what_shapes_nothing_is_written_out(token: str) -> None:
    assert "⟨U+" in visible(token)


@tokenizers
@given(texts())
@example("a a␣ (1) ␣ ␣")
def test_token_labels_are_unique(tokenizer: str, text: str) -> None:
    tokens = tokenize(text, tokenizer)
    labels = token_labels(tokens)
    assert len(set(labels)) == len(labels) == len(tokens)
