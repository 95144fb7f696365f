"""Sharing: links that hide controls, code and data of what is on screen, and files that are opened."""

import json
import pickle
import re
from dataclasses import replace
from string import printable
from typing import Self
from urllib.parse import quote

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import example, given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.app.components.script_file import app_letters
from attnviz.app.text import as_message
from attnviz.documents import heatmap_page
from attnviz.explanation.summary import described
from attnviz.export import matrix_csv, scenario_json, trace_safetensors
from attnviz.feature import pages
from attnviz.link.codecs import pack
from attnviz.link.set_up import MOST_GIVEN, parameters
from attnviz.words import say
from tests.pages.playground import PUBLISHED, Playground
from tests.pages.reader import Reader, markup_in, sent_to


class Sharing(Playground):
    """A reader who has the Share button open."""

    def run(self) -> Self:
        self.at.session_state["share"] = True  # AppTest knows no popovers and forgets the state of this
        return super().run()

    def part(self, name: str) -> Self:
        return self.set("share.part", name.lower())

    @property
    def downloads(self) -> list[str]:
        """The labels of the buttons that give a file."""
        return [button.proto.label for button in self.at.get("download_button")]

    def open_scenario(self, data: bytes) -> Self:
        self.part("Open").at.file_uploader[0].set_value(("s.json", data, "application/json"))
        return self.run().press("Open it")

    def upload(self, matrix: str, file_name: str, data: bytes) -> Self:
        self.part("Open").set("share.into", matrix)
        self.at.file_uploader[1].set_value((file_name, data, "application/octet-stream"))
        self.run()
        return self.press(
            next(button.label for button in self.at.button if button.label.startswith("Use these numbers for"))
        )


@pytest.fixture
def sharing() -> Sharing:
    return Sharing()


# Links


def test_a_lesson_link_hides_controls_and_keeps_their_values() -> None:
    playground = Playground(hide="seed.device.text", seed="7")
    styles = [html.proto.body for html in playground.at.get("html")]
    (style,) = [body for body in styles if "display: none" in body and "st-key-seed" in body]
    meant = {f".st-key-setup{of}{name}" for name in ("seed", "device", "text") for of in ("-", "_meaning_")}
    views = {f".st-key-{page.name}-{name}" for page in pages() for name in ("seed", "device", "text")}
    assert {".st-key-seed", ".st-key-device", ".st-key-sentence"} | meant | views == set(
        style.split("<style>")[1].split(" {")[0].split(", ")
    )
    assert say("setup.hidden", n=3) in playground.captions
    drawn = [getattr(each, "key", None) or each.type for each in playground.at.main]
    assert drawn.index("hiding.show") < drawn.index("playground.view")  # above the page, where it is seen
    assert playground.shows(Scenario(**PUBLISHED, seed=7))
    playground.press("Show all controls")
    assert not any("st-key-seed" in html.proto.body for html in playground.at.get("html"))
    assert playground.shows(Scenario(**PUBLISHED, seed=7))


def test_links_leave_predictions_off_and_hide_any_control_and_code_and_data_are_taken_home_from_every_page(
    sharing: Sharing,
) -> None:
    sharing.at.session_state["share"] = True
    sharing.at.checkbox(key="share.without").check().run()
    assert [each["adds"] for each in sent_to(sharing.at, "copy_link")] == [{}, {"predictions": "off"}]
    hide = sharing.run().at.multiselect(key="share.hide")
    assert hide.options == [parameter.label for parameter in parameters().values()]
    keys = {
        *(widget.key for kind in ("number_input", "selectbox", "toggle") for widget in sharing.at.get(kind)),
        *("text", "second"),
        *("what_if", "word_classes"),  # a panel of the page, and the board's buttons
    }
    assert set(parameters()) <= keys
    assert {"CSV", "JSON", "safetensors", "Scenario"} <= set(sharing.part("Data").downloads)
    for page in ("playground", "lesson", "scaling", "compare"):
        sharing.turn_to(f"pages/{page}.py").run().part("Code")
        assert sharing.at.code[0].value.startswith("# Self-attention in plain PyTorch.")
        assert {"Python script", "Notebook"} <= set(sharing.downloads)


# Files


def test_a_saved_scenario_is_opened_with_all_it_has(sharing: Sharing) -> None:
    saved = Scenario(
        "the cat sat", **PUBLISHED, d_out=3, seed=7, init="linear", bias=True, causal=True, temperature=0.5,
        w_v="identity", w_k=[[0.5, 1, 2], [3, 4, 5], [6, 7, 8.25]], edits=[("w_q", 0, 1, 0.9), ("b_q", 0, 2, -1.0)],
    )  # fmt: skip
    sharing.edit("w_q", 0, 0, 5.0).open_scenario(scenario_json(saved).encode())
    assert sharing.shows(saved)
    assert sharing.messages == []
    sharing.edit("w_q", 1, 1, 2.0)
    assert sharing.shows(replace(saved, edits=(*saved.edits, ("w_q", 1, 1, 2.0))))


MARKUP = (
    "![x](http://evil.example/x.png) [go](http://evil.example) :smile: **b** $x$ <b> www.evil.example `` ` a@b.example"
)


def test_nothing_in_what_is_refused_is_markup(sharing: Sharing) -> None:
    for field in ("init", "version", "x", "device", "tokenizer", "edits", MARKUP):
        sharing.open_scenario(json.dumps({"format": "attnviz scenario", "version": 1, field: MARKUP}).encode())
        assert_no_markup(sharing)
    sharing.upload("w_q", "w.csv", f"1,2\n3,{MARKUP}\n5,6".encode())
    assert_no_markup(sharing)
    assert_no_markup(Reader(init=MARKUP))
    for pinned in (MARKUP, pack("text=a&init=" + quote(MARKUP))):
        assert_no_markup(Reader("pages/compare.py", pinned=pinned))


@given(st.text(printable))
@example(f"{MARKUP} \\ ~ & a--b WWW.c !=\n*d")
def test_a_message_is_shown_as_it_is(text: str) -> None:
    shown = as_message(text)
    assert not markup_in(shown), shown
    plain = re.sub(r"\\([\\`*_\[\]<>&$~])", r"\1", shown)
    assert re.sub(r"[`\s]", "", plain) == re.sub(r"[`\s]", "", text)


def assert_no_markup(reader: Reader) -> None:
    (message,) = [warning.value for warning in reader.at.warning]
    assert not markup_in(message), message


def test_a_file_that_is_no_scenario_leaves_everything_as_it_was(sharing: Sharing) -> None:
    sharing.edit("w_q", 0, 1, 0.9)
    for data, problem in (
        (b"", "damaged or isn't JSON"),
        (pickle.dumps([1]), "the file isn't text"),
        (b'{"format": "attnviz scenario", "version": 1, "text": ""}', "0 can't be the number of tokens"),
    ):
        (message,) = sharing.open_scenario(data).messages
        assert message.startswith("The scenario wasn't opened")
        assert problem in message
        assert sharing.shows(Scenario(**PUBLISHED, edits=[("w_q", 0, 1, 0.9)]))


def test_a_matrix_is_taken_from_csv_and_safetensors_and_edited_on(sharing: Sharing) -> None:
    made = trace(Scenario(**PUBLISHED, seed=9))
    sharing.upload("w_q", "w.csv", matrix_csv(made, "w_q").encode())
    assert np.array_equal(sharing.matrix("q"), made.q.numpy())
    sharing.upload("w_k", "t.safetensors", trace_safetensors(made))
    assert np.array_equal(sharing.matrix("scores"), made.scores.numpy())
    sharing.edit("w_k", 0, 0, 2.0)
    w_q, w_k = made.w_q.tolist(), made.w_k.tolist()
    assert sharing.shows(Scenario(**PUBLISHED, w_q=w_q, w_k=w_k, edits=[("w_k", 0, 0, 2.0)]))
    elsewhere = Playground(edits=sharing.changes)
    assert elsewhere.shows(Scenario(**PUBLISHED, w_q=w_q, w_k=w_k, edits=[("w_k", 0, 0, 2.0)]))


def test_more_numbers_than_a_link_carries_are_refused(sharing: Sharing) -> None:
    sharing.set("d_in", 512).set("d_out", 64)
    numbers = np.random.default_rng(1).standard_normal((512, 64), np.float32)
    file = safetensors.numpy.save({"w_q": numbers, "w_k": numbers})
    sharing.upload("w_q", "w.safetensors", file)
    assert sharing.messages == []
    elsewhere = Sharing(d_in="512", d_out="64", edits=sharing.changes)
    assert elsewhere.messages == []
    wanted = trace(Scenario(**PUBLISHED, d_in=512, d_out=64, w_q=numbers)).q.numpy()
    np.testing.assert_array_equal(elsewhere.matrix("q"), wanted)
    sharing.upload("w_k", "w.safetensors", file)
    (message,) = sharing.messages
    has = r"W_q has 32,768 numbers, W_k has 32,768 numbers\. A link would need ([\d,]+) characters .* room for ([\d,]+)"
    said = re.search(has, message)
    assert said, message
    needed, room = (int(number.replace(",", "")) for number in said.groups())
    assert needed > room
    assert room == MOST_GIVEN, "nothing is kept as A"
    np.testing.assert_array_equal(sharing.matrix("q"), wanted)


# Pictures


def test_a_picture_is_the_page_of_the_matrix_light_and_on_white(sharing: Sharing) -> None:
    sharing.part("Pictures")
    for name in ("x", "w_q", "scores", "attention_weights"):
        (frame,) = sharing.set("share.picture", name).at.get("iframe")
        alt = described(made := trace(Scenario(**PUBLISHED)), name, 1, 4)
        assert frame.proto.srcdoc == heatmap_page(made, name, query=1, alt=alt, letters=app_letters())
        assert "background: #ffffff" in frame.proto.srcdoc.lower()


def test_the_whole_board_is_a_picture_where_its_numbers_have_room(sharing: Sharing) -> None:
    assert {say("share.download.board"), say("share.download.board_page")} <= set(sharing.part("Pictures").downloads)
    label = say("share.download.question_page")
    for question, offered in (("values", True), ("root", True), ("", False)):
        asked = Sharing("pages/questions.py", question=question).part("Pictures")
        assert (label in asked.downloads) == offered, "a question that is open is taken home"
    many = Sharing(text=" ".join("abcdefghijklmnopq")).part("Pictures")
    assert say("share.download.board") not in many.downloads
    assert say("share.pictures.board_no_room", most=16) in many.captions
