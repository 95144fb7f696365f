"""Sentences by kind of word: each word's class, and what it reads with the numbers made by hand."""

import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, by_class, trace
from attnviz.core.seeding.places import near_right_first
from attnviz.core.seeding.word_classes import FEATURES, chosen_classes, class_of, classes_text

HERE = Path(__file__).parent
# The letters by which the annotated files call what they expect; all other letters are small words.
BIG = {"noun": "N", "adjective": "A", "verb": "V", "noun_or_verb": "NV", "noun_or_adjective": "NA",
       "adjective_or_verb": "AV"}  # fmt: skip
TIED = 1e-6


class Word(NamedTuple):
    """A word of an annotated sentence, its class, and the places that it may read."""

    text: str
    letter: str
    reads: frozenset[int]


def sentences() -> list[list[Word]]:
    """Read the 60 annotated sentences: `fluffy/A>cat` is an adjective that should read "cat"."""
    read = []
    for line in (HERE / "sentences_by_class.txt").read_text(encoding="utf-8").splitlines():
        parts = [re.fullmatch(r"(.+)/([A-Z])(?:>(.+))?", part) for part in line.split()]
        plain = [part[1].lower() for part in parts if part]
        words = []
        for place, part in enumerate(parts):
            assert part is not None
            wanted = set()
            for name in (part[3] or "").split(",") if part[3] else ():
                there = [other for other, word in enumerate(plain) if word == name.lower() and other != place]
                wanted.add(min(there, key=lambda other: abs(other - place)))
            words.append(Word(part[1], part[2], frozenset(wanted)))
        read.append(words)
    return read


def letters_of(word: str) -> str:
    """Return the letters of the classes that a word may have here."""
    return BIG.get(class_of(word).kind.name, "F")


def share_read_right(letter: str, *, word_order: bool) -> float:
    """Return how often words of a class read what they should most; of a tie, each has its part."""
    hits: list[float] = []
    for words in sentences():
        scenario = by_class(" ".join(word.text for word in words), word_order)
        assert len(scenario.tokens) == len(words)
        weights = trace(scenario).attention_weights
        for row, word in enumerate(words):
            if word.letter == letter and word.reads:
                most = [at for at, share in enumerate(weights[row].tolist()) if share > weights[row].max() - TIED]
                hits.append(sum(at in word.reads for at in most) / len(most))
    return sum(hits) / len(hits)


@pytest.mark.parametrize(("letter", "least"), [("A", 0.9), ("D", 0.95), ("V", 0.9)])
def test_words_read_what_they_belong_to(letter: str, least: float) -> None:
    assert share_read_right(letter, word_order=True) >= least


def test_without_word_order_an_adjective_doesnt_know_its_noun() -> None:
    assert share_read_right("A", word_order=False) < 0.6


def test_the_list_knows_the_classes_of_common_words() -> None:
    lines = (HERE / "words_by_class.txt").read_text(encoding="utf-8").splitlines()
    wrong = []
    for line in lines:
        if line and not line.startswith("#"):
            word, *classes = line.split()
            if not any((each if each in "NAV" else "F") in letters_of(word) for each in classes):
                wrong.append(word)
    assert not wrong, f"{wrong} of {len(lines)}"


def test_words_of_the_sentences_have_their_class() -> None:
    words = [word for sentence in sentences() for word in sentence]
    right = [(word.letter if word.letter in "NAV" else "F") in letters_of(word.text) for word in words]
    assert sum(right) / len(right) >= 0.97


@pytest.mark.parametrize(
    "word", ["embedded", "agreeing", "dying", "stopped", "carries", "happiest", "bigger", "Chased"]
)
def test_forms_of_listed_words_are_spelled_as_in_english(word: str) -> None:
    assert class_of(word).by == "list"


@pytest.mark.parametrize("word", ["admited", "agreing", "dutcher", "bester", "carrys", "stoped", "embeded", "quiting"])
def test_no_form_is_spelled_as_no_one_does(word: str) -> None:
    assert class_of(word).by != "list"


@pytest.mark.parametrize(("word", "name"), [
    ("grokking", "verb"), ("blurbify", "verb"), ("zorgness", "noun"), ("zorgful", "adjective"), ("zorgly", "adverb"),
    ("cat's", "determiner"), ("12", "determiner"), ("…", "function"), ("Don’t", "auxiliary"), ("grok", "noun"),
])  # fmt: skip
def test_endings_and_signs(word: str, name: str) -> None:
    assert class_of(word).kind.name == name


def test_a_chosen_class_goes_before_the_list_wherever_the_word_stands() -> None:
    scenario = by_class("Dreams dream of dreams")
    chosen = Scenario(**{**scenario.__getstate__(), "word_classes": "dreams:verb"})
    assert chosen.matrix("x")[[0, 3]].tolist() == [[0, 0, 1], [0, 0, 1]]
    assert chosen.matrix("x")[1].tolist() == scenario.matrix("x")[1].tolist()
    assert [found.by for found in chosen.found_classes] == ["chosen", "list", "list", "chosen"]


@given(st.dictionaries(st.from_regex(r"[a-zäé:'0-9]{1,8}", fullmatch=True), st.sampled_from(FEATURES), max_size=5))
def test_chosen_classes_are_read_as_they_are_written(chosen: dict[str, str]) -> None:
    plain = chosen_classes(classes_text(chosen))
    assert chosen_classes(classes_text(plain)) == plain
    assert set(plain.values()) <= set(chosen.values())


@pytest.mark.parametrize(
    "text", ["grok", "grok:adverb", ":noun", "x" * 5000, " ".join(f"w{n}:noun" for n in range(65)), 3]
)
def test_other_choices_are_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r"kind of words|Kinds"):
        Scenario("a cat", word_classes=text)  # type: ignore[arg-type]


def test_numbers_by_distance_are_the_stated_ones() -> None:
    def stated(distance: int) -> float:  # from the query to the key
        if distance == 0:
            return -0.5
        return 0.6 - 0.5 * (distance - 1) if distance > 0 else -0.2 * (-distance - 1)

    by_distance = near_right_first(2, 6)
    torch.testing.assert_close(by_distance, torch.tensor([[stated(d) for d in range(-5, 6)]] * 2))
    plain, ordered = trace(by_class("a b c d e f", False)), trace(by_class("a b c d e f"))
    added = ordered["biased_scores" if "biased_scores" in ordered.stages else "scaled_scores"] - plain.scaled_scores
    expected = torch.tensor([[stated(key - query) for key in range(6)] for query in range(6)])
    torch.testing.assert_close(added, expected)


def test_a_word_stands_in_one_list_and_among_the_verbs_for_its_forms_alone() -> None:
    """Of a word in two lists the first counts, silently: "fast" stood among adverbs and adjectives."""
    lists: dict[str, list[str]] = {}
    text = (files("attnviz") / "core" / "seeding" / "english_words.toml").read_text(encoding="utf-8")
    for name, words in tomllib.loads(text)["words"].items():
        for word in words.split():
            lists.setdefault(word, []).append(name)
    assert not {word: names for word, names in lists.items() if len(names) > 1 and names[1:] != ["verb"]}
    for word in ("fast", "hard", "naked", "sacred", "holy", "rugged"):
        assert class_of(word).kind.name == "adjective"
