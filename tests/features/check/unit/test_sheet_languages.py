"""A sheet is in the language of who makes it."""

from pathlib import Path

from attnviz.features.check.exercises.answer_sheet import answer_sheet
from attnviz.features.check.exercises.exercise import Exercise
from tests.languages import assert_all_is_said_otherwise, made_up


def test_a_sheet_is_said_in_the_language_of_the_session(tmp_path: Path) -> None:
    """Said in English before, so that nothing remembers that."""
    english = {"sheet": answer_sheet(Exercise(3))}
    assert_all_is_said_otherwise(english, made_up(tmp_path).run(lambda: {"sheet": answer_sheet(Exercise(3))}))
