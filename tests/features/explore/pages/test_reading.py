"""A second sentence on the pages: its text, its matrix, and what is said where a page is of one sentence alone."""

from attnviz import Scenario
from attnviz.words import say
from tests.pages.playground import Playground

CROSS = {"reads": "second", "second": "der Hund"}


def test_the_second_sentence_is_typed_beside_the_choice_to_read_it_and_its_vectors_are_edited(
    playground: Playground,
) -> None:
    playground.set("reads", "second").set("second", "la chatte dort")
    assert playground.shows(Scenario(embedding="published", reads="second", second="la chatte dort"))
    assert say("summary.second.drawn", n=3) in " ".join(caption.value for caption in playground.at.caption)
    playground.set("reads", "itself")
    assert playground.shows(Scenario(embedding="published"))
    assert playground.set("reads", "second").value("second") == "la chatte dort"
    playground.edit("y", 1, 0, "2.5")
    assert list(playground.editor.index) == ["la", "chatte", "dort"]
    edited = Scenario(embedding="published", reads="second", second="la chatte dort", edits=[("y", 1, 0, 2.5)])
    assert playground.shows(edited)


def test_what_does_not_fit_is_told_and_the_sentence_reads_itself() -> None:
    playground = Playground(**CROSS, causal="true")
    assert any("mask causal doesn" in message for message in playground.messages)
    assert playground.shows(Scenario(embedding="published", causal=True))
    playground.set("causal", False)
    assert playground.messages == []
    assert playground.shows(Scenario(embedding="published", reads="second", second="der Hund"))
    assert any("is blank" in message for message in playground.set("second", " ").messages)


def test_the_lesson_is_of_one_sentence_and_leads_back_to_it() -> None:
    lesson = Playground("pages/lesson.py", **CROSS)
    assert [info.value for info in lesson.at.info] == [say("lesson.second")]
    lesson.press(say("setup.reads.itself"))
    assert not lesson.at.info
    assert lesson.value("reads") == "itself"
    assert not lesson.at.exception


def test_what_if_is_tried_with_a_second_sentence_and_says_what_does_not_fit_it() -> None:
    playground = Playground(**CROSS, predictions="off")
    playground.at.session_state["playground.what_if"] = True
    playground.run().set("what_if.part", "typed")
    (keys,) = (box for box in playground.at.selectbox if box.key == "what_if.typed.key")
    assert keys.options == ["der", "Hund"]
    playground.set("what_if.part", "others")
    assert say("what_if.replaced.no_equal") in [text.value for text in playground.at.text]
    assert any("K Qᵀ has a row" in text for text in playground.captions), "why there's no chip for it"
    playground.set("what_if.softmax", "columns")
    switched = Scenario(embedding="published", reads="second", second="der Hund", what_if="softmax:columns")
    assert playground.shows(switched)
    assert not playground.at.exception
