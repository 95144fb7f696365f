"""The page Watch it learn: what it trains are the library's numbers, and whatever goes wrong is told in a sentence."""

import base64
import math
import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from attnviz.app.text import as_message
from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.core.tokens import visible
from attnviz.explanation import explain
from attnviz.explanation.numbers_from import projections_in_words
from attnviz.features.learn.page import controls, view
from attnviz.features.learn.page.extra_runs import STEP
from attnviz.features.learn.page.pool import LEFT, PAUSED
from attnviz.features.learn.page.running import Learning, shared
from attnviz.features.learn.page.step_details import saturation_in_words, update_in_words
from attnviz.features.learn.page.step_panels import followers
from attnviz.features.learn.parameters import MOST_OF_LEARNED
from attnviz.features.learn.training import Place, Training, scenario_of, train
from attnviz.link.set_up import scenario_from_query
from attnviz.words import plural, say
from attnviz.words.numbers import percent, written
from tests.pages.packed import numbers_in
from tests.pages.reader import Reader, in_address
from tests.unit.helpers import until

PAGE = "pages/learn.py"
SOON = 60.0
FEW = "task.agreement*seed.5*steps.20"


def own(reader: Reader) -> Learning:
    """What the session has of its trainings."""
    return reader.at.session_state["session"].part(Learning)


def job_in(reader: Reader) -> Any:
    return own(reader).job


def beside(reader: Reader, name: str) -> Any:
    return own(reader).beside[name]


def trained(reader: Reader) -> Reader:
    """Wait for what is under way, as the browser does, which asks again and again."""
    until(lambda: job_in(reader) is None or not job_in(reader).active)
    return reader.run().run()


def opened(**query: str) -> Reader:
    return trained(Reader(PAGE, **query))


def matches(reader: Reader, training: Training, step: int, text: str | None = None) -> bool:
    """Whether the page shows these numbers of a moment, and has those that were learned until then."""
    time_of, kept, trace = reader.sent("learn_time"), reader.sent("learn_kept"), training.trace(step, text)
    names = [head["name"] for head in time_of["model"]["heads"]]
    shown = [numbers_in(time_of["model"]["table"]["matrices"], name) for name in names]
    at = time_of["arrived"] - 1 if time_of["at"] is None else time_of["at"]
    numbers = np.frombuffer(base64.b64decode(kept["float32"]), "<f4").reshape(-1, kept["size"])[at - kept["since"]]
    learned = np.concatenate([each.numpy().ravel() for each in training.at(step).parameters.values()])
    return (
        time_of["steps"][at] == step
        and all(np.array_equal(each, trace[name].numpy().ravel()) for each, name in zip(shown, names, strict=True))
        and np.array_equal(numbers, learned)
    )


def test_a_training_shows_the_library_s_numbers_at_each_moment() -> None:
    reader = Reader(PAGE)
    assert matches(reader, train("agreement", seed=5), 0)  # before it starts, too
    reader.set("learn.steps", 20).press_key("learn.start")
    trained(reader)
    training = train("agreement", seed=5, steps=20)
    assert matches(reader, training, 20)
    time_of = reader.sent("learn_time")
    assert time_of["steps"] == [moment.step for moment in training.moments]
    held_out = [value for _, value in time_of["charts"]["loss"]["curves"][1]["points"]]
    assert held_out == [moment.loss for moment in training.moments]
    kept = reader.sent("learn_kept")
    assert kept["id"] == time_of["id"]
    assert in_address(reader.at, "learn") == FEW
    assert reader.messages == []


def test_a_link_opens_the_same_moment_of_the_same_training() -> None:
    reader = opened(learn=f"{FEW}*seed.3", learn_step="7", learn_sentence="the keys near the cat")
    assert matches(reader, train("agreement", steps=20, seed=3), 7, "the keys near the cat")
    assert reader.messages == []
    assert opened(learn=f"{FEW}*seed.3", learn_step="21").messages == [
        f"Part of this link was ignored: {say('learn.link.no_step', step=21, last=20)}"
    ]


@pytest.mark.parametrize("overtaken", ["name_in_address", "leave", "_start"])
def test_a_link_is_trained_though_its_first_run_is_overtaken(overtaken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run took it for begun, and the page stood at its random numbers until somebody pressed Start."""
    really, runs = getattr(view, overtaken), iter([1])

    def overtake(*given: Any) -> Any:
        for _ in runs:  # in the first run alone
            st.rerun()
        return really(*given)

    monkeypatch.setattr(view, overtaken, overtake)
    reader = opened(learn="task.agreement*seed.6*steps.4", learn_step="4")
    assert matches(reader, train("agreement", seed=6, steps=4), 4)


def test_one_step_pause_and_another_rate() -> None:
    reader = Reader(PAGE).set("learn.steps", 20)
    trained(reader.press(say("learn.one_step")))
    training = train("agreement", seed=5, steps=20)
    assert job_in(reader).state == PAUSED
    assert matches(reader, training, 1)
    assert say("learn.stopped", done=1, steps=plural(20, "step")) in reader.captions
    trained(reader.press(say("learn.one_step")))
    assert matches(reader, training, 2)
    reader.set("learn.rate", 0.5)
    assert reader.messages == [say("learn.rate_changed", rate="0.5")]
    trained(reader.press_key("learn.start"))
    faster = train("agreement", seed=5, steps=20, rates=((2, 0.5),))
    assert matches(reader, faster, 20)
    assert in_address(reader.at, "learn") == f"{FEW}*rates.2:0.5"
    assert say("learn.rate_since", step=2, rate="0.5") in reader.captions


def test_what_others_trained_is_shown_to_none_but_who_presses_start() -> None:
    trained(Reader(PAGE).set("learn.steps", 20).press_key("learn.start"))
    second = Reader(PAGE).set("learn.steps", 20)
    assert matches(second, train("agreement", seed=5, steps=20), 0)
    begun = second.sent("learn_time")["begun"]
    second.press_key("learn.start")  # which is done at once, for the numbers are the same
    assert own(second).job is None
    assert matches(second, train("agreement", seed=5, steps=20), 20)
    assert second.sent("learn_time")["begun"] == begun + 1  # and seen from its first moment on


def test_what_was_begun_with_the_usual_settings_stands_in_the_address_and_another_model_starts_anew() -> None:
    reader = Reader(PAGE)
    assert in_address(reader.at, "learn") == ""
    trained(reader.press(say("learn.one_step")))
    assert in_address(reader.at, "learn") == "task.agreement*seed.5*until.1"
    trained(reader.press_key("learn.start"))
    assert in_address(reader.at, "learn") == "task.agreement*seed.5"
    trained(reader.set("learn.steps", 20).press(say("learn.one_step")))
    assert reader.set("learn.d_k", 2).messages == [say("learn.anew")]
    assert own(reader).job is None


@pytest.mark.parametrize(("step", "told"), [("0", say("learn.board.random")), ("1", "in 1 step.")])
def test_the_board_says_how_long_its_numbers_were_learned(step: str, told: str) -> None:
    assert told in part(opened(learn=FEW, learn_step=step), "numbers").sent("board")["about"]


def test_a_field_left_without_a_number_keeps_the_one_it_had() -> None:
    reader = Reader(PAGE, learn=FEW)
    for name, least in (("learning_rate", 0.001), ("steps", 1), ("seed", 0), ("d_model", 1)):
        key = "learn.rate" if name == "learning_rate" else f"learn.{name}"
        before = reader.value(key)
        reader.set(key, None)
        assert reader.messages == [say("learn.no_value", name=say(f"learn.settings.{name}"))]
        assert reader.value(key) == before >= least


def test_who_opens_another_page_frees_the_place_and_finds_the_training_paused() -> None:
    reader = Reader(PAGE).set("learn.steps", 5000).press_key("learn.start")
    job = job_in(reader)
    assert job.active
    reader.visit("pages/scaling.py")
    assert job.state == LEFT
    assert shared().pool.settled(job, SOON)
    assert shared().pool.length == 0
    reader.visit(PAGE)
    done = f"{job.work.step:,}"
    assert say("learn.left_page", done=done, steps=plural(5000, "step")) in reader.captions


def test_a_loss_that_is_no_number_ends_in_a_sentence_and_the_curves_until_then() -> None:
    reader = opened(learn=f"{FEW}*learning_rate.1e9*optimizer.sgd")
    training = train("agreement", seed=5, steps=20, learning_rate=1e9, optimizer="sgd")
    assert training.stopped
    done = len(training.losses)
    assert reader.messages == [say("learn.no_number", steps=plural(done, "step"))]
    assert reader.sent("learn_time")["done"] == done


@pytest.mark.parametrize(
    ("text", "why"), [("", "no_token"), ("<b>unheard</b> *of*", "unknown_token"), ("the " * 20, "tokens_many")]
)
def test_a_sentence_that_the_model_cannot_read_is_told(text: str, why: str) -> None:
    reader = opened(learn=FEW, **({"learn_sentence": text} if text else {}))
    assert len(reader.messages) == (1 if text else 0), why
    assert matches(reader, train("agreement", seed=5, steps=20), 20)


def test_a_text_of_one_s_own_is_learned() -> None:
    text = "ab ba " * 30
    reader = opened(learn="task.text*steps.3", learn_text=text)
    assert matches_text(reader, train("text", steps=3, text=text))
    for given in ("", "word", "x" * (MAX_TEXT_CHARACTERS + 1)):
        told = Reader(PAGE).set("learn.task", "text").set("learn.typed", given)
        assert len(told.messages) == 1, given[:9]
        assert own(told).job is None
        assert told.value("learn.typed") == (given or say("learn.own.example"))  # what was typed stays, to be mended
        assert told.run().value("learn.typed") == (given or say("learn.own.example"))


def test_a_text_longer_than_a_link_is_said_to_be_in_none_and_its_link_trains_no_other() -> None:
    reader = Reader(PAGE).set("learn.task", "text").set("learn.steps", 3)
    text = "ab ba " * 1000
    reader.set("learn.typed", text)
    characters = plural(len(text), "character")
    told = say("learn.own.no_link", characters=characters, most=f"{MOST_OF_LEARNED:,}")
    assert told in [each.value for each in reader.at.info]
    trained(reader.press_key("learn.start"))
    assert matches_text(reader, train("text", steps=3, text=text))
    link = in_address(reader.at, "learn")
    assert re.fullmatch(rf"task\.text\*steps\.3\*text\.{len(text)}-[0-9a-f]{{12}}", link)
    other = opened(learn=link)
    assert other.messages == [say("learn.own.lost", characters=characters)]
    assert own(other).job is None
    other.set("learn.typed", text.replace("ba", "ca"))  # as long, and another: that of the link stays lost
    assert matches_text(trained(other.press_key("learn.start")), train("text", steps=3, text=text.replace("ba", "ca")))
    other = opened(learn=link)
    trained(other.set("learn.typed", text))
    assert other.messages == []
    assert matches_text(other, train("text", steps=3, text=text))


def test_a_file_is_learned_from_and_one_that_is_no_text_is_told() -> None:
    reader = Reader(PAGE).set("learn.task", "text")
    text = "a file\nof words " * 300  # longer than a link carries: the session has it
    file = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()  # as Windows writes it
    reader.at.file_uploader(key="learn.file").set_value(("a.txt", file, "text/plain"))
    assert reader.run().value("learn.typed") == text
    assert reader.run().messages == []
    assert in_address(reader.at, "learn_text") == ""
    for name, data in (("a.png", b"\x89PNG\r\n\x1a\n"), ("a.bin", b"a\0b" * 9)):
        reader.at.file_uploader(key="learn.file").set_value((name, data, "image/png"))
        assert reader.run().messages == [say("learn.own.no_text")]
        assert reader.value("learn.typed") == text
    reader.at.file_uploader(key="learn.file").set_value(("long.txt", b"x" * (MAX_TEXT_CHARACTERS + 1), "text/plain"))
    assert len(reader.run().messages) == 1
    assert reader.value("learn.typed") == text


def test_a_file_that_the_server_holds_no_longer_is_nothing_to_learn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(PAGE).set("learn.task", "text")
    before = reader.value("learn.typed")
    monkeypatch.setattr(type(reader.at), "_register_uploaded_files", lambda *_: None)
    reader.at.file_uploader(key="learn.file").set_value(("a.txt", b"a file of words " * 300, "text/plain"))
    assert not reader.run().at.exception
    assert reader.value("learn.typed") == before


def matches_text(reader: Reader, training: Training) -> bool:
    return reader.sent("learn_time")["model"]["entries"] == [visible(token) for token in training.model.task.vocabulary]


@pytest.mark.parametrize("name", ["sticks", "saturated"])
def test_what_teaches_by_going_otherwise_is_one_click_away(name: str) -> None:
    reader = Reader(PAGE).press_key(f"learn.variation.{name}")
    for setting, value in controls.VARIATIONS["agreement"][name].items():
        assert f"{setting}.{value}" in in_address(reader.at, "learn")
    assert own(reader).begun == 1, "it trains at once"


def part(reader: Reader, name: str) -> Reader:
    own(reader).part = name
    return reader.run()


def codes(reader: Reader) -> str:
    return "\n".join(each.value for each in reader.at.code)


def test_the_gradient_of_a_number_stands_beside_its_finite_difference_and_the_optimizer() -> None:
    reader = part(opened(learn=FEW, learn_step="7"), "glass")
    training = train("agreement", seed=5, steps=20)
    gradients = training.gradients(7)
    assert f"Their loss J is {written(gradients.loss, 4)}." in reader.says
    for name in ("w_q", "w_k", "w_v"):
        assert written(gradients.of[name].norm().item(), 4) in reader.says
    own = training.gradients_of(7)["w_q"]
    row, column = divmod(int(own.abs().argmax()), own.shape[1])
    assert f"∂J/∂W_q[{row}, {column}]" in codes(reader)
    reader.press(say("learn.glass.look"))
    until(lambda: not beside(reader, STEP).active)
    reader.run()
    taken = training.step_taken(7).updates["w_q"]
    for matrix in (taken.before, taken.gradient, taken.after):
        assert f"{matrix[row, column].item():.6g}".replace("-", "−") in codes(reader)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_what_is_said_of_the_optimizer_is_its_arithmetic(optimizer: str) -> None:
    training = train("agreement", steps=8, optimizer=optimizer)
    taken = training.step_taken(7)
    said = update_in_words(training, taken, Place("w_v", 2, 1))
    *_, new = said[-1].split(" = ")
    expression = said[-1].split(" = ")[1].replace("−", "-").replace("×", "*").replace("√", "math.sqrt(", 1)
    expression = expression.replace(" + 1e-08)", ") + 1e-08)")
    assert float(new.replace("−", "-")) == pytest.approx(eval(expression, {"math": math}), rel=1e-4)
    assert float(new.replace("−", "-")) == pytest.approx(taken.updates["w_v"].after[2, 1].item(), rel=1e-5)


def test_where_softmax_is_saturated_the_gradients_of_queries_and_keys_are_said_to_vanish() -> None:
    """That they do is held in tests/features/learn/unit/test_training_taught.py."""
    training = train("agreement", **controls.VARIATIONS["agreement"]["saturated"])
    for at, is_it in ((len(training.losses), True), (0, False)):
        told = saturation_in_words(training, training.trace(at), training.gradients(at).of, 0)
        assert (say("learn.glass.saturated", share="", w_q="", w_k="", w_v="")[:28] in told) is is_it


def weights_of(board: dict[str, Any], name: str = "attention_weights") -> np.ndarray:
    """The numbers of a matrix as a board is sent them."""
    return numbers_in(board["matrices"], name)


def test_heads_are_switched_off_at_a_moment_board_and_probabilities_follow_and_a_link_says_so() -> None:
    """Layer 1 reads what layer 0 passes on: without that, its attention weights are others."""
    asked = {"learn": "task.repeat*steps.3", "learn_step": "2", "learn_head": "1.0"}
    reader = part(opened(**asked), "numbers")
    training = train("repeat", steps=3)
    (whole,) = reader.boards
    assert np.array_equal(weights_of(whole), training.trace(2).layers[1].attention_weights.numpy().ravel())
    part(reader, "off").set("learn.off.2.1", [(0, 0)])
    worth, without = training.without(2, [(0, 0)]), training.trace(2, without=[(0, 0)])
    told = say("learn.off.worth", heads="layer 0", loss=written(worth.loss, 3), without=written(worth.loss_without, 3),
               right=percent(worth.accuracy), right_without=percent(worth.accuracy_without))  # fmt: skip
    link = in_address(reader.at, "learn_off")
    assert link == "0-0"
    for each in (reader, other := opened(**asked, learn_off=link)):
        (board,) = part(each, "numbers").boards
        assert [info.value for info in each.at.info] == [as_message(told)]
        assert each.messages == []
        assert np.array_equal(weights_of(board), without.layers[1].attention_weights.numpy().ravel())
        assert not np.array_equal(weights_of(board), weights_of(whole))
        assert board["numbersOf"] != whole["numbersOf"]
        assert board["about"].endswith(say("learn.board.without", heads="layer 0"))
        assert board["limits"].keys() >= whole["limits"].keys()
        model = each.sent("learn_time")["model"]
        assert model["off"] == [{"name": "layers.0.w_o", "first": 0, "after": training.settings.d_k}]
        assert [head["off"] for head in model["heads"]] == [True, False]
        shares = numbers_in(model["table"]["matrices"], "probabilities")
        assert np.array_equal(shares, without.probabilities.numpy().ravel())
    for each in (reader, other):
        (again,) = each.press(say("learn.off.on")).boards
        assert again["matrices"] == whole["matrices"]
        assert each.sent("learn_time")["model"]["off"] == []
        assert (in_address(each.at, "learn_off"), [info.value for info in each.at.info]) == ("", [])


def test_a_frozen_matrix_keeps_its_numbers_on_the_page_too() -> None:
    reader = Reader(PAGE).set("learn.steps", 20).set("learn.frozen", ["w_q", "w_e"])
    assert in_address(reader.at, "learn") == f"{FEW}*frozen.w_q,w_e"
    assert matches(
        trained(reader.press_key("learn.start")), train("agreement", seed=5, steps=20, frozen=("w_q", "w_e")), 20
    )


def shown(reader: Reader) -> str:
    """All that a part says of a number, in formulas and texts."""
    return "\n".join(
        [*(each.value for each in reader.at.latex), *reader.texts, *(each.value for each in reader.at.code)]
    )


@pytest.mark.parametrize("name", ["agreement", "repeat"])
def test_probabilities_and_losses_are_explained_cell_by_cell(name: str) -> None:
    reader = part(opened(learn=f"task.{name}*steps.2"), "why")
    training = train(name, steps=2)
    trace = training.trace(2)
    query = max(at for at in range(len(trace.tokens) - 1) if training.model.task.law(trace.tokens[: at + 1]))
    likely = int(trace.probabilities[query].argmax())
    assert explain(trace, "probabilities", query, likely).text in shown(reader)
    names = followers(training, trace)
    assert {"logits", "probabilities", "losses", "loss"} < set(names)
    for matrix in names:
        reader.set(f"learn.why.matrix.{len(names)}", matrix)
        assert reader.messages == []
    loss = explain(trace, "loss", 0, 0)
    assert loss.text in shown(reader) or loss.words in shown(reader)


@pytest.mark.parametrize("learn", [FEW, "task.repeat*steps.2"])
def test_all_layers_of_a_moment_open_in_the_playground(learn: str) -> None:
    """That they make the same numbers there is held in tests/features/learn/unit/test_training_at_home.py."""
    reader = part(opened(learn=learn), "home")
    training = train("repeat", steps=2) if "repeat" in learn else train("agreement", seed=5, steps=20)
    (button,) = [each.proto for each in reader.at.get("link_button")]
    assert button.label == say("learn.home.playground", layers=plural(training.settings.n_layers, "layer"))
    assert say("learn.home.ends") in " ".join(reader.captions)
    assert (say("learn.home.zeros") in " ".join(reader.captions)) == ("repeat" not in learn)
    link, scenario = button.url.removeprefix("./?"), scenario_of(training, training.trace(len(training.losses)))
    assert scenario_from_query(link) == (scenario, [])
    assert Reader(**dict(parse_qsl(link))).messages == []
    assert len(reader.at.get("download_button")) == 3
    assert "set by hand" not in projections_in_words(scenario)
    assert say("learn.home.address") in reader.captions


@pytest.mark.parametrize(
    ("learn", "told", "offered"),
    [
        ("task.agreement*d_k.16", "no_room", ["learn.home.layer"]),
        ("task.repeat*n_layers.3", "too_long", ["learn.home.layer", "learn.home.scenario"]),
        ("task.agreement*d_model.64*d_k.64*n_layers.3", "too_many", ["learn.home.recipe"]),
    ],
)
def test_what_the_playground_cannot_open_at_once_is_said(learn: str, told: str, offered: list[str]) -> None:
    reader = part(opened(learn=f"{learn}*steps.2*batch_size.2"), "home")
    n_layers = int(learn.partition("n_layers.")[2] or 1)
    layers = plural(n_layers, "layer")
    said = say(f"learn.home.{told}", layers=layers, numbers="…", most="…", characters="…").partition("…")[0]
    assert any(each.startswith(said) for each in reader.texts)
    links = [each.proto.label for each in reader.at.get("link_button")]
    files = [each.proto.label for each in reader.at.get("download_button")]
    for key in offered:
        label = say(key, layer=0, layers=layers)
        assert label in (reader.texts if key == "learn.home.recipe" else [*links, *files])
    assert len(links) + len(files) + (offered == ["learn.home.recipe"]) == 3 + len(offered)


def _replaced_field() -> None:
    import streamlit as st

    from attnviz.features.learn.page.address import held

    taken: list[int] = []
    fields = [held("steps", steps, taken.append) for steps in (2, 600)]  # a variation sets another number
    for field in fields:
        field["on_change"]()
    st.text(str(taken))


def test_what_the_page_still_sends_of_a_field_that_was_replaced_is_not_taken() -> None:
    assert AppTest.from_function(_replaced_field).run().text[0].value == "[600]"
