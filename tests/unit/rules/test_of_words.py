"""What is said of a typed sentence, whose vectors say what kind of words it has."""

from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, by_class, trace
from attnviz.app.parts.words import words_of
from attnviz.core.seeding.word_classes import class_of
from attnviz.explanation.of_words import changed_in_words, is_unknown_language, known_words, missing_verb, of_words
from attnviz.link.set_up import scenario_from_query
from attnviz.published import OPENING, starting_points

GERMAN = (
    "Die kleine Katze jagt eine graue Maus", "Der Hund schläft", "Ich lese ein gutes Buch", "Kinder spielen im Garten",
    "Das fröhliche Mädchen malt ein buntes Bild", "Der alte Baum steht vor dem Haus", "Die Sonne scheint hell",
)  # fmt: skip


def test_each_word_is_asked_about_where_its_kind_is_a_guess() -> None:
    told = of_words(by_class("the cat finds dreams and it sleeps"))
    assert [bool(each.note) for each in told] == [False, False, False, True, False, True, False]
    assert [len(each.choices) for each in told] == [0, 0, 0, 3, 0, 0, 0]


@given(st.sampled_from(("we grok it", "dreams rule", "a light breeze")), st.integers(0, 2))
def test_a_press_makes_a_word_what_it_says(text: str, which: int) -> None:
    scenario = by_class(text)
    for row, each in enumerate(of_words(scenario)):
        if each.choices:
            chosen = Scenario(**{**scenario.__getstate__(), "word_classes": each.choices[which].word_classes})
            assert chosen.matrix("x")[row].tolist() == [float(column == which) for column in range(3)]
            assert chosen.found_classes[row].by == "chosen"


def test_the_verb_is_asked_for_where_none_is_found() -> None:
    assert missing_verb(by_class("the king and the queen rule a rich country")).choices
    assert not missing_verb(by_class("the king rules a rich country and sleeps")).note
    assert not missing_verb(by_class("the cat is black")).note
    assert not missing_verb(Scenario("the king")).note


def test_another_language_is_noticed_and_english_is_not_taken_for_one() -> None:
    assert all(is_unknown_language(by_class(text)) for text in GERMAN)
    assert known_words(by_class("my dog is happy")) == "known"
    assert known_words(Scenario("my dog is happy")) == ""


def test_changes_are_counted() -> None:
    scenario = by_class("my dog")
    assert changed_in_words(scenario) == ""
    assert "1 number" in changed_in_words(scenario.with_edits([("w_q", 0, 0, 2)]))


def test_random_numbers_lead_to_classes_of_words() -> None:
    scenario = Scenario("my dog sleeps", embedding="stable", seed=7, n_heads=2)
    words = words_of(scenario, bool(trace(scenario).chance))
    assert words is not None
    patch = words["acts"][0]["patch"]
    found, ignored = scenario_from_query("&".join(f"{name}={text}" for name, text in patch.items() if text is not None))
    assert (found, ignored) == (by_class("my dog sleeps"), [])
    assert words["acts"][-1]["page"] == "model"


def test_numbers_made_by_hand_say_nothing_of_kinds() -> None:
    scenario = starting_points()[OPENING].scenario
    assert words_of(scenario, bool(trace(scenario).chance)) is None
    assert class_of("fluffy").kind.name == "adjective"


def test_of_a_pronoun_nothing_is_said_of_what_it_reads() -> None:
    """There may be no noun, and a mask or changed numbers may have it read anything."""
    for text in ("it sleeps", "he sees it", "who am I", "the cat saw it"):
        scenario = by_class(text)
        for found, told in zip(scenario.found_classes, of_words(scenario), strict=True):
            assert found.kind.name != "pronoun" or (told.note and " reads " not in told.note)
