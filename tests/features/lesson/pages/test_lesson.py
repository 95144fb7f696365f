"""The lesson page: its steps, its link, its challenges."""

from typing import Any
from urllib.parse import urlencode

import pytest

from attnviz.core.scenario import traced
from attnviz.features.lesson.steps import STEPS, about_the_numbers
from attnviz.link.set_up import scenario_from_query
from attnviz.words import say
from attnviz.words.numbers import DEFAULT_DIGITS
from tests.pages.reader import Reader


def lesson(**address: str) -> Reader:
    return Reader("pages/lesson.py", **({"predictions": "off"} | address))


def title(reader: Reader) -> str:
    return next(
        markdown.value for markdown in reader.at.markdown if markdown.value.startswith("## ") and "." in markdown.value
    )


def tells(reader: Reader) -> dict[str, Any]:
    """What the board is given to tell beside the step's new stage."""
    (board,) = reader.boards
    return dict(board["tells"])


def test_what_nobody_predicted_is_told_before_next_leads_on() -> None:
    """Through all steps it leads in tests/features/lesson/browser/test_lesson.py."""
    reader = lesson(step="mix", predictions="on")
    for told in (8, 9):
        reader.press("Next")
        assert title(reader).startswith(f"## {told}.")
        assert tells(reader)["outcome"]
        assert reader.at.button(key="lesson.next").disabled == (told == 9)
        if told == 8:
            reader.press("Next")


def test_next_has_its_own_part_played_once_and_back_and_a_link_have_none() -> None:
    assert lesson(step="softmax").boards[0]["play"] is None
    reader = lesson()
    numbers = []
    for step in STEPS[1:]:
        reader.press("Next")
        play = reader.boards[0]["play"]
        assert (play or {}).get("part", "") == step.plays
        numbers += [play["number"]] if play else []
        reader.run()
        assert reader.boards[0]["play"] == play, "which is the same wish, and not another one"
    assert numbers == sorted(set(numbers))
    reader.press("Back")
    assert reader.boards[0]["play"] is None


def test_while_words_become_vectors_nothing_else_has_a_place_on_the_screen() -> None:
    """From the third step on, every matrix keeps its own."""
    (first,), (second,), (third,) = (lesson(step=step.name).boards for step in STEPS[:3])
    assert ([*first["shown"]], [*first["ghosts"]]) == ([], ["x"])
    assert ([*second["shown"]], [*second["ghosts"]]) == (["x"], [])
    assert {"scores", "attention_weights", "context"} <= {*third["ghosts"]}
    (positions,) = lesson(step="embeddings", positions="sinusoidal").boards
    assert {"e", "p", "x"} == {*positions["shown"]}


def test_a_challenge_is_marked_as_done_when_it_is() -> None:
    reader = lesson(step="context")
    assert "✓ Done: Make every token" not in reader.says
    assert "✓ Done: Make every token" in lesson(step="context", edits="w_q.zeros").says


@pytest.mark.parametrize("address", [{"d_in": "40"}, {"edits": "w_q.0.0.1e30*w_k.0.0.1e30"}, {"text": "one"}])
def test_every_step_frames_what_is_new_and_sends_its_sentences_with_the_places_of_their_numbers(
    address: dict[str, str],
) -> None:
    scenario, ignored = scenario_from_query(urlencode(address))
    assert not ignored
    query = min(1, len(scenario.tokens) - 1)
    for number, step in enumerate(STEPS, 1):
        reader = lesson(step=step.name, **address)
        assert title(reader) == f"## {number}. {step.title}"
        (board,) = reader.boards
        assert set(board["fresh"]) == set(step.new)
        told = tells(reader)
        of_step = [each.sent() for each in step.tells(traced(scenario), query, DEFAULT_DIGITS)]
        about = about_the_numbers(step, scenario)
        assert told["sentences"][-len(of_step) :] == of_step
        assert told["analogy"] == step.analogy
        first = [each["places"]["said"] for each in told["sentences"][: -len(of_step)]]
        assert (first, told["about"]) == (([about], "") if step.finding else ([], about))
    assert about_the_numbers(STEPS[2], scenario)


@pytest.mark.parametrize("present", ["", "1"])
@pytest.mark.parametrize("step", ["softmax", "context"])
def test_random_numbers_are_called_so_before_what_they_come_to(step: str, present: str) -> None:
    """In a presentation, too; the example's numbers were chosen, and are told of behind."""
    random = tells(lesson(step=step, text="the ship sank", seed="4", predictions="off", present=present))
    assert "random" in random["sentences"][0]["places"]["said"]
    (chosen,) = lesson(step=step, example="fluffy-cat", predictions="off", present=present).boards
    assert "said" not in chosen["tells"]["sentences"][0]["places"]


def test_a_blank_sentence_leaves_each_step_its_title_and_asks_for_a_word() -> None:
    for number, step in enumerate(STEPS, 1):
        reader = lesson(step=str(number), text=" ")
        assert [each.value for each in reader.at.info] == [say("lesson.blank")], step.title
