"""The page Check my numbers: the form, the published examples, the exercises."""

import json
import random
import re
from typing import Self
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attnviz import Scenario
from attnviz.app.entry import SCRIPT
from attnviz.colours.palette import ROLES
from attnviz.core.scenario import trace
from attnviz.core.stages import EVERY_STAGE, layer_table
from attnviz.features.check.exercises.exercise import Exercise, decoded, left_out
from attnviz.features.check.exercises.gradebook import keys_json, read_keys, sheet_to_hand_in
from attnviz.features.check.page import sample, typed
from attnviz.features.check.parameters import TABLE_NAMES
from attnviz.features.tables.printed_table import Printed, as_printed
from attnviz.features.tables.reading import write_table
from attnviz.published import worked_example, worked_examples
from attnviz.words import say
from tests.pages.reader import Reader, in_address, markup_in

SMALL = decoded("7.2.2.2.i.s.q")
HANDOUT_BUTTON = "Load a handout with mistakes"
HANDOUT_Q = "0.57  0.81  0.99\n1.25  1.35  1.53\n0.62  0.45  0.63"


class CheckPage(Reader):
    """A reader's session on the page."""

    def __init__(self, check: str = "", **address: str) -> None:
        page = "exercises" if check.startswith("exercise") else "check"  # as the server leads a link
        super().__init__(f"pages/{page}.py", **address | ({"check": check} if check else {}))

    def type(self, **tables: str) -> Self:
        for name, text in tables.items():
            self.at.text_area(key=f"check.table.{name}").set_value(text)
        return self.run()

    def paste(self, text: str) -> Self:
        self.at.text_area(key="check.paste").set_value(text)
        return self.run()

    def text_of(self, table: str) -> str:
        return self.at.text_area(key=f"check.table.{table}").value or ""

    @property
    def codes(self) -> list[str]:
        return [code.value for code in self.at.code]

    def cells(self, title: str) -> list[tuple[str, str]]:
        """The mark and the number of each cell of a marked table."""
        (page,) = [each.proto.body for each in self.at.get("html") if f"<caption>{title}, marked" in each.proto.body]
        table = page.partition(f"<caption>{title}, marked")[2].partition("</table>")[0]
        return re.findall(r'<td class="(\w+)"[^>]*><span[^>]*>.</span>([^<]*)', table)

    @property
    def check(self) -> str:
        """What the address carries."""
        return in_address(self.at, "check")


@pytest.fixture
def page() -> CheckPage:
    return CheckPage()


# The form


def test_a_marked_example_stands_in_an_empty_form_and_gives_way_to_tables(page: CheckPage) -> None:
    """Its one slip is of one product; all that follows is computed from it."""
    tables = {each: np.array(json.loads(rows)) for each, rows in re.findall(r"(\S+) += (\[\[.*)", sample.HANDOUT)}
    products = tables["Q"] @ tables["K"].T
    assert np.argwhere(products != tables["S"]).tolist() == [[1, 1]]
    scaled = tables["S"] / np.sqrt(2)
    weights = np.exp(scaled) / np.exp(scaled).sum(1, keepdims=True)
    for name, right in (("S'", scaled), ("A", weights), ("C", weights @ tables["V"])):
        assert np.abs(tables[name] - right).max() < 0.0051, name
    title = f"## {say('check.sample.title')}"
    assert title in [each.value for each in page.at.markdown]
    assert page.codes == [sample.HANDOUT]
    assert [mark for mark, _ in page.cells("Scores")] == ["right", "right", "right", "wrong"]
    assert [mark for mark, _ in page.cells("Context vectors")] == ["right", "right", "follows", "follows"]
    page.paste("Q =\n1 0\n0 1\n\nK =\n1 2\n3 4\n\nScores =\n1 3\n2 4")
    assert title not in [each.value for each in page.at.markdown]
    assert [mark for mark, _ in page.cells("Scores")] == ["right"] * 4
    page.press(say("check.form.clear"))
    assert page.codes == [sample.HANDOUT]


def test_an_empty_form_has_a_folded_field_for_each_matrix_of_a_layer_and_marks_can_be_kept_once_there_are_some(
    page: CheckPage,
) -> None:
    assert any("Paste your tables" in each.value for each in page.at.text)
    assert not page.errors
    keys = [area.key for area in page.at.text_area]
    assert keys == ["check.paste", *(f"check.table.{name}" for name in TABLE_NAMES)]
    (fold,) = (each for each in page.at.expander if each.label == say("check.form.fields"))
    assert [area.key for area in fold.text_area] == keys[1:]
    assert not fold.proto.expanded
    assert not page.at.get("download_button")
    page.type(q="1 0\n0 1", k="1 2\n3 4", scores="1 3\n2 5")
    labels = [button.proto.label for button in page.at.get("download_button")]
    assert labels == [say("check.form.download.html"), say("check.form.download.csv")]


def test_the_handout_is_loaded_and_marked(page: CheckPage) -> None:
    """Its verdict is read in tests/features/check/browser/test_check.py."""
    page.press(HANDOUT_BUTTON)
    assert page.text_of("q") == HANDOUT_Q
    assert page.codes[0].splitlines()[2:] == ["= 0.54 + 0.06 + 0.45", "= 1.05"]
    assert page.cells("Q, queries")[2] == ("wrong", "0.99")
    title = worked_example("three-words").title
    assert f"These are the numbers of “{title}”, as its source printed them. What's marked wrong is wrong" in page.says
    again = CheckPage(tables=in_address(page.at, "tables"))  # a link to it says so, too
    assert f"These are the numbers of “{title}”" in again.says
    assert "These are the numbers of" not in page.type(q="1 2 3\n4 5 6\n7 8 9").says


def test_other_examples_are_loaded_with_a_click(page: CheckPage) -> None:
    for name, summary in (
        ("love-ai", "✓ All 42 results are right: 40 to the last printed digit, 2 within rounding."),
        ("slide-row", "⚠ Wrong scale: the printed scores are about ten times too large."),
        ("softmax-times-8", "✓ All 10 results are right, to the last printed digit."),
    ):
        assert summary in page.press_key(f"check.load.{name}").says
        assert not page.errors


def layer_of(activation: str) -> dict[str, str]:
    """All tables of a small layer with positions, biases, W_o and a feed-forward step, as they would be typed."""
    scenario = Scenario(
        "a cat sat", d_in=2, d_out=2, d_ff=3, positions="learned", init="linear", bias=True, output=True,
        activation=activation,
    )  # fmt: skip
    matrices = trace(scenario).matrices
    return {name: write_table(Printed.of(matrix.reshape(-1, matrix.shape[-1]), 4)) for name, matrix in matrices.items()}


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_whole_layer_is_marked_and_a_wrong_hidden_number_is_found(page: CheckPage, activation: str) -> None:
    tables = layer_of(activation)
    page.type(**tables)
    if activation == "gelu":
        assert "wrong" in page.says
        page.set("check.activation", "gelu")
    results = sum(len(text.split()) for name, text in tables.items() if EVERY_STAGE[name].sources)
    assert not page.errors
    assert f"✓ All {results} results are right" in page.says
    for name in ("x", "preactivations", "hidden", "feed_forward"):
        title = {**EVERY_STAGE, **layer_table(activation=activation)}[name].title
        assert {mark for mark, _ in page.cells(title)} <= {"right", "carried", "hidden"}
    rows = [row.split() for row in tables["hidden"].splitlines()]
    rows[1][2] = f"{float(rows[1][2]) + 1:.4f}"
    page.type(hidden="\n".join(map(" ".join, rows)))
    assert say("marking.first.error", cell="\0", given=rows[1][2], right="\0").split("\0")[0] + "H[1, 2]" in page.says
    assert [mark for mark, _ in page.cells("H, hidden")].count("wrong") == 1
    again = CheckPage(tables=in_address(page.at, "tables"))
    assert {name: again.text_of(name) for name in TABLE_NAMES} == {name: page.text_of(name) for name in TABLE_NAMES}
    assert again.value("check.activation") == activation
    assert again.says == page.says
    again.press("Clear")
    assert again.value("check.activation") == "relu"


def test_a_residual_sum_is_called_by_what_is_added_and_tables_that_do_not_fit_are_told(page: CheckPage) -> None:
    tables = layer_of("relu")
    title = EVERY_STAGE["residual_1"].title
    for of in ("output", "context"):
        page.type(x=tables["x"], output="", context="").type(**{of: tables[of]}, residual_1=tables["output"])
        formula = f"X + {EVERY_STAGE[of].symbol}"
        assert say("check.form.made", title=title, formula=formula) in {area.label for area in page.at.text_area}
    page.type(x="1 2 3\n4 5 6\n7 8 9")
    said = say("refused.not_added", other="C", counted="3 columns", other_counted="2 columns")
    assert said in page.errors[0].replace("\\", "")


def test_tables_that_leave_nothing_to_mark_say_what_to_add(page: CheckPage) -> None:
    page.type(x="1 2\n3 4")
    (hint,) = [info.value for info in page.at.info]
    assert hint == (
        "There's nothing to mark yet: no table follows from the others. X alone can't be right or wrong. Add W_q and "
        "Q, queries, for example, and the result is marked."
    )
    assert "✓" not in page.says
    assert not page.at.get("download_button")
    assert "X and K alone can't be" in page.type(k="1 2\n3 4").at.info[0].value
    page.type(x="", k="", scores="1 2", attention_weights="0.3 0.7")
    assert "Type d\\_k under “More”, or choose “not divided”." in page.errors[0]
    assert not page.set("check.d_k", 2).errors


def test_what_is_no_table_is_told_and_stays(page: CheckPage) -> None:
    for text, message in (
        ("1 2\n3", "Q: Line 2 has 1 number, but the first line has 2."),
        ("1\n" * 100, "Q: The table is 100 by 1; at most 64 by 64 can be marked here."),
        ("1 <b>x</b>", "Q: Line 1: “<b>x</b>” isn't a number."),
        ("\x00\x01\u200b", "isn't a number."),
    ):
        (error,) = page.type(q=text, k="1 2").errors
        shown = re.sub(r"\\(.)", r"\1", error)
        assert message in shown
        assert not markup_in(error)
        assert (page.text_of("q"), page.text_of("k")) == (text, "1 2")


def test_the_address_carries_what_was_typed_which_stays_while_other_pages_are_seen(page: CheckPage) -> None:
    page.type(q="1 0", k="1 2", scores="5").set("check.scale", False).set("check.tokens", "<b>a</b>")
    assert "“<b>a</b>”" in page.says
    assert not any("<b>a</b>" in html.proto.body for html in page.at.get("html"))
    again = CheckPage(tables=in_address(page.type(k="1 2 oops").at, "tables"))
    seen = page.says, page.errors
    for other in (again, page.visit("pages/scaling.py").visit("pages/check.py")):
        assert (other.text_of("q"), other.text_of("k"), other.text_of("scores")) == ("1 0", "1 2 oops", "5")
        assert other.value("check.scale") is False
        assert (other.says, other.errors) == seen
    assert in_address(page.press("Clear").at, "tables") == ""


def test_back_that_another_run_cuts_short_takes_nothing_from_the_address(
    page: CheckPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form was emptied then, and what the next run found empty it took out of the address that led Forward."""
    tables = in_address(page.type(q="1 2").run().run().at, "tables")  # after that, the page has it
    with monkeypatch.context() as patch:
        patch.setattr(typed, "keep_in_address", st.stop)
        page.change(tables=None)
    page.change(tables=tables)
    assert (page.text_of("q"), in_address(page.at, "tables")) == ("1 2", tables)


def drawn_table(seed: int, rows: int, columns: int, decimals: int) -> str:
    draw = random.Random(seed)
    return "\n".join(" ".join(f"{draw.gauss(0, 1):.{decimals}f}" for _ in range(columns)) for _ in range(rows))


@pytest.mark.parametrize(("rows", "columns"), [(1000, 70), (1000, 300)], ids=["once packed", "before it is packed"])
def test_a_form_too_long_for_an_address_is_told_and_stays_in_the_session(
    page: CheckPage, rows: int, columns: int
) -> None:
    page.type(w_k="1 2")
    old = in_address(page.at, "tables")
    assert not page.at.warning
    text = drawn_table(0, rows, columns, 14)
    page.type(x=text)
    assert in_address(page.at, "tables") == ""
    assert ["too long for a link" in warning.value for warning in page.at.warning] == [True]
    assert page.visit("pages/scaling.py").visit("pages/check.py").text_of("x") == text
    page.type(x="1 2")
    assert not page.at.warning
    assert in_address(page.at, "tables") not in ("", old)


def test_what_was_typed_can_be_brought_back_after_the_form_was_filled_anew(page: CheckPage) -> None:
    page.press(HANDOUT_BUTTON).press("Clear")
    assert not any(button.label == "Bring back" for button in page.at.button)  # nothing was typed
    page.type(q="1 2 mine").set("check.scale", False).press(HANDOUT_BUTTON)
    page.at.button(key="check.load.love-ai").click()
    page.run().type(k="5 6 mine").press("Clear")
    page.press("Bring back")
    assert page.text_of("k") == "5 6 mine"
    page.press("Bring back")
    assert page.text_of("q") == "1 2 mine"
    assert page.value("check.scale") is False
    assert page.press("Bring back").text_of("k") == "5 6 mine"


def test_an_upload_fills_a_table_and_one_that_is_no_text_is_told(page: CheckPage) -> None:
    page.type(k="1 2")
    page.at.file_uploader(key="check.upload").set_value(("k.csv", b"1,2\n3,4", "text/csv"))
    page.run().set("check.name", "k")
    assert page.text_of("k") == "1,2\n3,4"
    assert page.press("Bring back").text_of("k") == "1 2"
    assert page.press("Bring back").text_of("k") == "1,2\n3,4"
    page.at.file_uploader(key="check.upload").set_value(("k.png", b"\x89PNG\r\n\x1a\n", "image/png"))
    page.run()
    assert page.text_of("k") == "1,2\n3,4"
    assert "wasn't used. This is a picture" in page.at.warning[0].value


def test_an_upload_that_the_server_holds_no_longer_is_no_table(
    page: CheckPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(page.at), "_register_uploaded_files", lambda *_: None)
    page.type(k="1 2")
    page.at.file_uploader(key="check.upload").set_value(("k.csv", b"1,2\n3,4", "text/csv"))
    assert not page.run().at.exception
    assert page.text_of("k") == "1 2"


def test_a_broken_byte_of_an_upload_is_told(page: CheckPage) -> None:
    page.at.file_uploader(key="check.upload").set_value(("k.csv", "clés é".encode() + b"\xff\n1,2\n3,4", "text/csv"))
    page.run()
    assert "Line 1 holds a byte that isn't UTF-8" in page.at.warning[0].value


# Published examples


def test_another_example_is_chosen_and_stands_in_the_address() -> None:
    page = CheckPage("examples").set("check.example", "three-words")
    assert page.check == "examples.three-words"
    assert "41 of 54 results differ" in page.says
    page.press("Load into the form")
    assert page.check == ""
    assert page.text_of("q") == HANDOUT_Q


# An example as the set-up of the other pages


def test_an_unknown_example_is_told_on_any_page() -> None:
    page = Reader("pages/lesson.py", example="no<b>body</b>")
    (message,) = page.messages
    assert message.startswith("Part of this link was ignored: there's no worked example `no<b>body</b>`, only one of ")
    assert all(name in message for name in worked_examples())
    assert page.value("text") == "Your journey starts with one step"
    assert in_address(page.at, "example") == "published"


@pytest.mark.parametrize("name", ["three-words", "slide-row"])
def test_a_link_to_an_example_opens_its_tables_on_this_page(name: str) -> None:
    page = CheckPage(example=name)
    assert page.at.selectbox(key="check.example").value == name
    assert not page.at.warning
    assert CheckPage("exercise.7", example=name).value("check.ex.seed") == 7


def test_an_example_is_the_set_up_with_one_click_and_gives_back_what_was_edited() -> None:
    page = Reader(edits="w_q.0.1.0.9").press_key("setup.worked.three-words")
    names = ("x", "w_q", "w_k", "w_v")
    assert in_address(page.at, "edits") == "*".join(f"{name}.example.three-words" for name in names)
    assert "1 change was dropped" in page.says


# Exercises


def test_answers_are_marked_stay_and_travel_in_the_link() -> None:
    page, key = CheckPage("exercise.7.2.2.2.i.s.q"), "check.answer.7.2.2.2.i.s.q.q"
    right = str(SMALL.table("q")[0, 0])
    for row, column, text in ((0, 0, right), (0, 1, "9"), (1, 0, "oops")):
        page.set(f"{key}.{row}.{column}", text)
    assert not page.at.code
    page.press("Mark my answers")
    assert [mark for mark, _ in page.cells("Q, queries")] == ["right", "wrong"]
    assert "The first error" not in page.says
    assert say("exercises.try_again") in page.says
    page.press("Show the right numbers")
    assert "The first error is a number of “the”, Q[0, 1]: 9.00 should be" in page.says
    assert "2 cells are still blank." in page.says
    assert any("`oops` isn't a number" in caption.value for caption in page.at.caption)
    assert page.visit("pages/check.py").check == ""
    assert page.value("check.mode") == "check"
    assert page.visit("pages/exercises.py").check == "exercise.7.2.2.2.i.s.q"
    assert page.value(f"{key}.0.1") == "9"
    assert page.at.text_input(key=f"{key}.0.1").placeholder.endswith(", 1")  # a box has a name
    again = CheckPage("exercise.7.2.2.2.i.s.q", answers=in_address(page.set(f"{key}.1.1", "−1/2").at, "answers"))
    assert [again.value(f"{key}.{at}") for at in ("0.0", "1.0", "1.1")] == [right, "oops", "−1/2"]
    for at in ("0.0", "0.1", "1.0", "1.1"):
        again.set(f"{key}.{at}", "")
    assert in_address(again.at, "answers") == ""


def test_a_first_marking_says_which_numbers_are_wrong_and_the_second_what_is_right() -> None:
    page, key = CheckPage("exercise.7.2.2.2.i.s.q"), "check.answer.7.2.2.2.i.s.q.q"
    exact = [f"{value:.2f}" for value in SMALL.table("q").flatten()]
    wrong = [str(float(value) + 5.25) for value in exact]  # no right number is hidden in it
    cells = [f"{key}.{row}.{column}" for row in range(2) for column in range(2)]
    for cell, text in zip(cells, wrong, strict=True):
        page.set(cell, text)
    for again in range(2):  # the same answers are no other try
        page.press("Mark my answers")
        tables = (each.proto.body for each in page.at.get("html"))
        shown = "\n".join(each for each in tables if "<caption>Q, queries, marked" in each)
        assert shown.count('class="wrong"') == 4
        assert not [value for value in exact if f">{value}" in shown or f" {value}" in shown + page.says], again
    page.set(cells[0], exact[0])
    assert say("exercises.try_again") in page.says
    page.press("Mark my answers")
    assert "The first error is a number of “the”, Q[0, 1]" in page.says
    for cell, text in zip(cells, exact, strict=True):
        page.set(cell, text)
    assert "✗" not in page.says


def test_hints_come_one_after_the_other() -> None:
    page = CheckPage("exercise.7.2.2.2.i.s.q").press("Hint")
    assert "which row of X goes with which column of W_q?" in page.codes[0]
    assert "=" not in page.codes[0]
    page.press("Next hint")
    assert "Q[0, 0] = X[0, :] · W_q[:, 0]" in page.codes[0]
    assert "×" not in page.codes[0]
    page.press("Next hint")
    assert page.codes[0].endswith(f"= {as_printed(SMALL.table('q')[0, 0], 2)}")
    assert say("exercises.hints", n=3) in [caption.value for caption in page.at.caption]
    assert next(button for button in page.at.button if button.label == "Next hint").disabled


def test_the_ladder_begins_with_all_given_and_asks_for_each_rule() -> None:
    page = CheckPage().visit("pages/exercises.py")
    assert all(not (each.key or "").startswith("check.answer") for each in page.at.text_input)
    page.at.button(key="check.next").click().run()
    assert decoded(page.check.removeprefix("exercise.")).rung == 1
    assert not any("A V" in text.value for text in page.at.markdown)  # the rule is asked for first
    page.press("Aᵀ V")
    assert "With Aᵀ V, C[" in page.says
    page.at.button(key="check.rule.skip").click().run()
    assert any("= A V" in text.value for text in page.at.markdown)
    assert not page.at.exception


@pytest.mark.parametrize(
    ("check", "named"),
    [
        ("rubbish", "rubbish"), ("examples.nobody", "nobody"), ("exercise.-1.99.x", "-1.99.x"),
        ("exercise.7.9.9.9.i.s.", "7.9.9.9.i.s."),
        ("exercise.7.99.<b>", "there's no exercise `7.99.<b>`; 7.3.2.2.i.s.qksdac is shown."),
    ],
)  # fmt: skip
def test_a_link_that_names_nothing_is_told_once(check: str, named: str) -> None:
    page = CheckPage(check)
    (message,) = page.messages
    assert named in message
    assert page.errors == []
    if "<b>" in check:
        assert not page.visit("pages/lesson.py").visit("pages/exercises.py").messages
        assert page.check == "exercise.7.3.2.2.i.s.qksdac"


def test_how_a_handout_was_read_is_said_and_can_be_changed(page: CheckPage) -> None:
    page.type(x="0.5 0.25\n1 0.75", w_q="0.56 0.87\n0.95 0.38", q="0.51 0.53\n1.27 1.16")
    assert "? 1 of 4 results" in page.says  # 0.5175 is no 0.51, if these are all the digits there are
    page.set("check.rounded", "exact as printed")
    assert "✗" in page.says
    page.set("check.carried", "cut")
    assert "✓" in page.says
    assert say("marking.reading.cut", n=1) in page.says


def test_several_tables_pasted_at_once_go_into_their_fields_and_one_without_a_name_waits(page: CheckPage) -> None:
    page.paste("Q:\n[[1, 0], [0, 1]]\n\nK = tensor([[1, 2],\n        [3, 4]])\n\nScores\n\n1 3\n2 5\n")
    assert page.value("check.paste") == ""
    assert page.text_of("scores") == "1 3\n2 5"
    assert page.text_of("q").endswith("[[1, 0], [0, 1]]")
    assert any("pasted: Q, K, S." in caption.value for caption in page.at.caption)
    assert page.cells("Scores") == [("right", "1"), ("right", "3"), ("right", "2"), ("wrong", "5")]
    assert page.paste("1 3\n9 4").value("check.paste") == "1 3\n9 4"
    page.set("check.name", "scores")
    assert (page.text_of("scores"), page.value("check.paste")) == ("1 3\n9 4", "")
    assert page.cells("Scores")[2] == ("wrong", "9")


def test_several_tables_pasted_at_once_are_all_that_is_marked(page: CheckPage) -> None:
    page.paste("Q\n1 0\n0 1\n\nK\n1 2\n3 4\n\nScores\n1 3\n2 4\n\nAttention weights\n0.5 0.5\n0.5 0.5")
    page.paste("Q\n1 0\n0 2\n\nK\n1 2\n3 4\n\nScores\n1 3\n4 8")
    assert page.text_of("attention_weights") == ""
    assert any(say("check.form.sorted_left", names="A") in caption.value for caption in page.at.caption)
    assert "✓" in page.says
    page.paste("Scores\n1 3\n4 9")  # one table alone belongs to those that stand there
    assert (page.text_of("q"), page.text_of("scores")) == ("1 0\n0 2", "1 3\n4 9")


def test_what_a_new_session_hears_of_as_it_draws_is_sorted_before_it_is_told(page: CheckPage) -> None:
    """Told as it was pasted, it was a step from which Back led forth again."""
    page.at.text_area(key="check.paste").set_value("Q\n1 2\n3 4")
    states, anew = page.at._tree.get_widget_states(), Reader()
    anew.at = AppTest.from_file(SCRIPT, default_timeout=60)
    anew.at.query_params.update({"example": "published"})
    anew.turn_to("pages/check.py").at._run(states)
    assert in_address(anew.at, "tables") == in_address(page.run().at, "tables") != ""


def test_a_link_for_students_has_no_button_for_the_teacher() -> None:
    def offered(page: CheckPage) -> list[str]:
        return [button.proto.label for button in page.at.get("download_button")]

    assert offered(CheckPage("exercise.7")) == [say("exercises.sheet")]
    page = CheckPage("exercise.7.3.2.2.i.s.qksdac.student")
    assert not offered(page)
    with pytest.raises(KeyError):  # what isn't blank is an answer
        page.at.get_by_key("check.ex.blank")
    page.press("Another one")
    assert page.check.endswith(".student")
    assert not offered(page)


def test_a_sheet_to_hand_in_has_no_marks_hints_or_answers_and_keeps_what_is_typed_in_its_link() -> None:
    sheet = sheet_to_hand_in(Exercise(7, blank=left_out(2)), b"a secret")
    page = CheckPage(f"exercise.{sheet.encoded()}")
    assert sheet.check_word in page.says
    labels = {button.label for button in page.at.button}
    assert not labels & {say("exercises.mark"), say("exercises.hint"), say("exercises.another")}
    assert [each.proto.label for each in page.at.get("download_button")] == [say("exercises.hand_in.keep")]
    page.set(f"check.answer.{sheet.encoded()}.context.0.1", "0.25")
    (link,) = page.codes
    query = {key: each[-1] for key, each in parse_qs(urlsplit(link).query).items()}
    assert page.check == query["check"] == f"exercise.{sheet.encoded()}"
    assert query["answers"] == in_address(page.at, "answers")
    again = CheckPage(**query)
    assert again.at.text_input(key=f"check.answer.{sheet.encoded()}.context.0.1").value == "0.25"
    assert say("exercises.practice") in [each.value for each in CheckPage("exercise.7").at.caption]


def test_a_teacher_makes_a_sheet_to_hand_in_on_the_page_and_takes_its_key_home() -> None:
    page = CheckPage("exercise.7.3.2.2.i.s.c")
    page.press(say("exercises.hand_in.make"))
    link = next(
        each.proto.url for each in page.at.get("link_button") if each.proto.label == say("exercises.hand_in.link")
    )
    query = {key: each[-1] for key, each in parse_qs(urlsplit(link).query).items()}
    assert say("exercises.hand_in.key") in [each.proto.label for each in page.at.get("download_button")]
    _, sheet, secret = page.at.session_state["check.hand_in.made"]
    assert read_keys(keys_json([sheet], secret)) == {7: sheet}
    assert secret not in str(page.at.query_params) + link
    students = CheckPage(**query)
    assert sheet.check_word in students.says
    assert say("exercises.hand_in.make") not in {button.label for button in students.at.button}
    page.press(say("exercises.another"))
    assert say("exercises.hand_in.make") in {button.label for button in page.at.button}  # of another exercise
    for kind, offered_ in (("1.2.i", False), ("1.1.d", False), ("1.2.d", True)):
        page = CheckPage(f"exercise.7.3.{kind}.s.c")
        assert (say("exercises.hand_in.none", n=2) in page.says) is not offered_
        if offered_:
            page.press(say("exercises.hand_in.make"))
            assert page.at.session_state["check.hand_in.made"][1].to_hand_in


def test_heads_are_pasted_stacked_marked_below_their_matrix_and_kept_in_the_address(page: CheckPage) -> None:
    made = trace(Scenario("a cat sat", d_in=2, d_out=4, n_heads=2, output=True))
    tables = {name: write_table(Printed.of(made[name].reshape(-1, made[name].shape[-1]), 4))
              for name in ("x", "w_q", "w_k", "w_v", "w_o", "b_o", "q", "k", "v", "output")}  # fmt: skip
    tables["scores"] = str(made["scores"])
    tables["attention_weights"] = "\n".join(
        f"Head {head + 1}\n{write_table(Printed.of(rows, 4))}" for head, rows in enumerate(made["attention_weights"])
    )
    page.type(**tables)
    assert not page.errors
    titles = [made.stages[f"heads.{head}.scores"].title for head in range(2)]
    assert all({mark for mark, _ in page.cells(title)} <= {"right", "carried", "hidden"} for title in titles)
    assert CheckPage(tables=in_address(page.at, "tables")).says == page.says
    page.set("check.n_heads", 3)
    assert any("The 4 columns of" in error.replace("\\", "") or "3 heads" in error for error in page.errors)


def test_heads_in_one_paste_go_into_the_fields_of_their_matrices(page: CheckPage) -> None:
    page.paste(
        "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\n\nHead 0\n\nScores:\n1 0\n0 0\n\nHead 1\n\nScores:\n0 0\n0 2\n"
    )
    assert page.text_of("scores") == "Head 0\n1 0\n0 0\n\nHead 1\n0 0\n0 2"
    assert "S[1, 1, 1]: 2 should be 1" in page.says


@pytest.mark.parametrize("blank", [(), ("context",), ("attention_weights", "context")])
def test_tables_of_an_exercise_have_the_colours_of_their_roles_and_none_tells_of_a_blank_one(
    blank: tuple[str, ...],
) -> None:
    exercise = Exercise(blank=blank, fair=True)
    page = CheckPage(f"exercise.{exercise.encoded()}")
    (tables,) = [each.proto.body for each in page.at.get("html") if "<caption>V, values" in each.proto.body]
    before, _, values = tables.partition("<caption>V, values")
    assert before.rpartition('class="inked ')[2].startswith('v">')
    cells = re.findall(
        r'<td style="background:light-dark\((rgb\([^)]*\)), [^"]*">([^<]*)', values.partition('"inked v"')[2]
    )
    cells = cells[: exercise.table("v").size]
    largest = max(float(np.abs(exercise.table(name)).max()) for name in ("v", "context") if name not in blank)
    for colour, number in cells:
        value = float(number.replace("−", "-"))
        if value == 0:
            assert colour == "rgb(255 255 255)"
        elif value == largest:
            assert colour == f"rgb({' '.join(str(each) for each in bytes.fromhex(ROLES['v'].light[1:]))})"
        elif value < 0:
            red, green, blue = map(int, colour[4:-1].split())
            assert max(red, green, blue) - min(red, green, blue) < 16, "no grey"
