"""The page Language model reads a second text: it travels in the link, and is told where it can't be read."""

from attnviz import look_into
from attnviz.features.language_models.inside import INCLUDED, STORIES
from attnviz.features.models import parameters as table
from attnviz.words import say
from tests.pages.reader import Reader, control_of, in_address

PAGE = "pages/model.py"
PAIR = ("a cat sat", "A *dog* <b>runs</b>.")


def test_a_second_text_is_read_as_a_pair_and_travels_in_the_link() -> None:
    reader = Reader(PAGE, model=INCLUDED, model_text=PAIR[0])
    reader.set("model.second", PAIR[1])
    assert in_address(reader.at, "model_second") == PAIR[1]
    linked = Reader(PAGE, model=INCLUDED, model_text=PAIR[0], model_second=PAIR[1], model_cell="attention_weights.1.2")
    assert linked.messages == []
    assert control_of(linked.at, "model.second").value == PAIR[1]
    (board,) = linked.boards
    assert board["tokens"] == list(look_into(INCLUDED, text=PAIR).tokens)


def test_a_pair_that_cant_be_read_is_told() -> None:
    reader = Reader(PAGE, model=STORIES, model_text="anna sings", model_second="ben sings")
    assert any("no pairs" in each.value for each in reader.at.warning)
    long = Reader(PAGE, model=INCLUDED, model_text="a", model_second="b")
    long.set("model.second", "b" * (table.MOST_OF_SENTENCE + 1))
    assert any("4,001" in each.value for each in long.at.warning)
    assert in_address(long.at, "model_second") == "b"
    blank = Reader(PAGE, model=INCLUDED, model_text="a cat", model_second=" ")
    assert not blank.at.warning
    assert say("models.page.pair") in blank.captions
