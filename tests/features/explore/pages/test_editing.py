"""Edits of the matrices: typed, pasted, replaced, undone, dropped and brought back."""

import re
from dataclasses import replace
from typing import Any

import pytest
import torch

from attnviz import Scenario
from attnviz.app.parts.examples import example_sentences
from attnviz.core.carry_over import edit_matrix
from attnviz.core.stages import BIASES, STAGES
from attnviz.explanation.origins import filled_with
from attnviz.published.by_class import by_class
from attnviz.words import say
from tests.pages.playground import PUBLISHED, Playground

WEIGHTS = ("w_q", "w_k", "w_v")


def test_edits_change_what_depends_on_them_hold_and_are_undone_one_by_one(playground: Playground) -> None:
    edits = [("w_q", 0, 1, 0.9), ("w_q", 2, 0, -1.5), ("w_q", 1, 1, 4.0)]
    for count, edit in enumerate(edits, 1):
        playground.edit(*edit)
        assert playground.shows(Scenario(**PUBLISHED, edits=edits[:count]))
    playground.run().run()
    assert playground.shows(Scenario(**PUBLISHED, edits=edits))
    assert playground.changes == "w_q.0.1.0.9*w_q.1.1.4.0*w_q.2.0.-1.5"
    alt = say("editor.alt", title=STAGES["w_q"].title, meaning=STAGES["w_q"].meaning)
    assert playground.at.data_editor[0].proto.alt == alt
    playground.undo("W_q[0, 1]: 0.5166 → 0.9000")
    assert playground.shows(Scenario(**PUBLISHED, edits=edits[1:]))
    playground.edit("w_q", 1, 1, 5.0)
    assert playground.shows(Scenario(**PUBLISHED, edits=[edits[1], ("w_q", 1, 1, 5.0)]))
    playground.undo("W_q[2, 0]: 0.0740 → −1.5000").undo("W_q[1, 1]: 0.6886 → 5.0000")
    assert playground.shows(Scenario(**PUBLISHED))
    assert not playground.can_press("Undo")


@pytest.mark.parametrize(
    ("control", "value", "brought_back"), [("seed", 5, 2), ("init", "normal", 2), ("d_out", 3, 2), ("d_in", 2, 1)]
)
def test_another_draw_drops_the_edits_says_how_many_and_offers_them_back(
    playground: Playground, control: str, value: Any, brought_back: int
) -> None:
    edits = [("w_q", 0, 1, 0.9), ("w_k", 2, 1, -1.0)]
    for edit in edits:
        playground.edit(*edit)
    playground.set(control, value)
    drawn = PUBLISHED | {control: value}
    assert playground.shows(Scenario(**drawn))
    assert "2 changes were dropped, because their matrices became others." in playground.texts
    playground.press("Bring back")
    assert playground.shows(Scenario(**drawn, edits=edits[:brought_back]))
    assert not playground.can_press("Bring back")  # what does not fit is offered once it does


def test_every_matrix_has_its_whole_matrix_actions(playground: Playground) -> None:
    drawn = PUBLISHED | {"init": "linear", "bias": True}
    playground.set("init", "linear").set("bias", True)
    for name in ("x", *WEIGHTS, *BIASES):
        playground.edit(name, 0, 1, 0.9).press("Identity")
        assert playground.shows(Scenario(**drawn | {name: "identity"}))
        assert f"{STAGES[name].symbol}: {filled_with('identity')}" in playground.texts
        playground.press("Zeros")
        assert playground.shows(Scenario(**drawn | {name: "zeros"}))
        playground.press("Random")
        fill = playground.changes.removeprefix(f"{name}.").replace(".", ":")
        assert fill.startswith("random:")
        assert playground.shows(Scenario(**drawn | {name: fill}))
        playground.press("Random")
        assert playground.changes != f"{name}.{fill.replace(':', '.')}"
        playground.press("Reset")
        assert playground.shows(Scenario(**drawn))
        assert playground.changes == ""


def test_a_table_can_be_pasted_and_one_that_does_not_fit_changes_nothing_and_says_why(playground: Playground) -> None:
    playground.paste("w_v", "1\t2\r\n3\t4\r\n5\t6\r\n")
    assert playground.shows(Scenario(**PUBLISHED, w_v=[[1, 2], [3, 4], [5, 6]]))
    playground.press("Reset").edit("w_v", 0, 0, 9.0)
    for table, says in (
        ("1 2\n3 4", "W_v needs 3 rows and 2 columns, and this has 2 rows and 2 columns"),
        ("1 2\n3 <b>x</b>\n5 6", "Line 2: “<b>x</b>” isn't a number"),
    ):
        (message,) = playground.paste("w_v", table).messages
        assert playground.value("playground.paste") == table, "it stays, to be mended"
        assert message.startswith(f"The pasted table wasn't used. {says}")
        assert message.endswith(".")
        assert ".." not in message
        assert playground.shows(Scenario(**PUBLISHED, edits=[("w_v", 0, 0, 9.0)]))


def test_a_cell_without_a_number_is_named_and_keeps_what_it_held(playground: Playground) -> None:
    playground.edit("w_q", 1, 1, 3.0)
    for bad in (None, "abc", float("nan"), float("inf"), 1e400, -1e39):
        (message,) = playground.edit("w_q", 0, 1, bad).messages
        assert re.match(r"An empty cell isn't a number\. |`.+` (isn't a number|is too large)", message), bad
        assert message.endswith("W_q[0, 1] is still 0.5166.")
        assert playground.shows(Scenario(**PUBLISHED, edits=[("w_q", 1, 1, 3.0)]))
    playground.edit("w_q", 0, 1, 0.9)
    assert playground.messages == []
    assert playground.shows(Scenario(**PUBLISHED, edits=[("w_q", 0, 1, 0.9), ("w_q", 1, 1, 3.0)]))


def test_wide_matrices_are_edited_one_row_at_a_time(playground: Playground) -> None:
    playground.set("d_out", 40).look_at("w_q").set("playground.row", 2)
    assert playground.editor.shape == (40, 1)
    key = playground.at.data_editor[0].key or ""
    playground.at.session_state[key] = {"edited_rows": {17: {"row 2": 8.0}}, "added_rows": [], "deleted_rows": []}
    playground.run()
    assert playground.shows(Scenario(**PUBLISHED, d_out=40, edits=[("w_q", 2, 17, 8.0)]))
    playground.set("playground.row", 0).set("playground.row", 2)
    assert float(playground.editor.iloc[17, 0]) == 8.0


def test_beyond_a_dozen_edits_are_chosen_from_a_list_to_be_undone(playground: Playground) -> None:
    playground.set("d_in", 5).set("d_out", 4).paste("w_k", "\n".join(["1 2 3 4"] * 5))
    wanted = edit_matrix(Scenario(**PUBLISHED, d_in=5, d_out=4), "w_k", torch.tensor([[1.0, 2, 3, 4]] * 5))
    assert playground.shows(wanted)
    (rest,) = (box for box in playground.at.selectbox if box.label == "8 more edits")
    assert len(rest.options) == 8
    rest.select_index(7)
    playground.run()
    playground.press("Undo this one")
    assert playground.shows(replace(wanted, edits=wanted.edits[:-1]))


def test_a_cell_typed_just_before_another_undo_is_kept() -> None:
    playground = Playground(edits="w_q.0.0.0.5")
    key = playground.at.data_editor[0].key or ""
    playground.at.session_state[key] = {"edited_rows": {1: {"1": "0.77"}}, "added_rows": [], "deleted_rows": []}
    playground.press("Undo")
    assert playground.shows(Scenario(**PUBLISHED, edits=[("w_q", 1, 1, 0.77)]))


# What is dropped is offered back where it was dropped, and no longer than it makes sense


CAT = example_sentences().index("the cat sat on the mat")


def test_an_example_sentence_is_by_kind_of_word_and_offers_no_matrices_of_the_last_example() -> None:
    playground = Playground(example="love-ai").press_key(f"setup.example.{CAT}")
    assert playground.shows(by_class("the cat sat on the mat"))
    assert not playground.can_press("Bring back")


def test_only_what_fits_can_be_brought_back() -> None:
    playground = Playground(text="a cat", edits="x.given.1_2_3__4_5_6").type_sentence("a big dog")
    assert "1 change was dropped, because its matrix became another one." in playground.texts
    assert playground.can_press("Forget")
    assert not playground.can_press("Bring back")
    playground = Playground(text="a cat", edits="x.given.1_2_3__4_5_6").type_sentence("a dog")
    assert playground.press("Bring back").shows(Scenario("a dog", **PUBLISHED, x=[[1, 2, 3], [4, 5, 6]]))
    playground = Playground(bias="true", edits="b_q.0.1.2.5").set("bias", False)
    assert not playground.can_press("Bring back")  # there is no b_q to lay it over
    playground.set("bias", True).press("Bring back")
    assert playground.shows(Scenario(**PUBLISHED, bias=True, edits=[("b_q", 0, 1, 2.5)]))


def test_an_offer_ends_with_the_page_it_stands_on_and_waits_for_one_that_can_make_it() -> None:
    playground = Playground("pages/questions.py", edits="w_q.0.1.0.9").set("seed", 5)
    assert not playground.can_press("Bring back")
    assert playground.visit("pages/playground.py").can_press("Bring back")
    assert not playground.visit("pages/lesson.py").visit("pages/playground.py").can_press("Bring back")
    playground = Playground("pages/questions.py", edits="w_q.0.1.0.9").set("seed", 5).visit("pages/playground.py")
    assert playground.press("Bring back").shows(Scenario(**PUBLISHED, seed=5, edits=[("w_q", 0, 1, 0.9)]))
