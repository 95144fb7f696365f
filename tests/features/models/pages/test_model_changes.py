"""The page Language model: a changed model beside the one without changes, decoders, and an encoder with a decoder."""

import base64
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnviz import ModelTrace, look_into
from attnviz.app.text import as_message
from attnviz.features.language_models.inside import INCLUDED, STORIES, ModelEdit, load, similarity
from attnviz.features.language_models.inside.available_models import short_name
from attnviz.features.language_models.inside.logit_attribution import moved, patched
from attnviz.features.language_models.inside.uses import costs_in_words
from attnviz.features.language_models.inside.writing import appended
from attnviz.features.models import parameters as table
from attnviz.features.models.model_code import model_script
from attnviz.features.models.model_pages import head_report, model_page
from attnviz.features.models.page.result_cache import looked
from attnviz.features.models.page.writing import law_of
from attnviz.features.stories.asked import JUDGED_BY
from attnviz.features.stories.grammar import ASKED, World, stories
from attnviz.words import say
from attnviz.words.numbers import percent, written
from benchmarks.stories import judged, without
from tests.features.models.pages.serving import forget_models, offering
from tests.features.models.pages.test_model import heads_of, helps, on_board, opened_as
from tests.pages.packed import numbers_in
from tests.pages.reader import Reader, control_of, in_address, pictures_of
from tests.unit.small_models import MODELS, TEXT, WORDS, bart, saved, t5

PAGE = "pages/model.py"
ANIMAL, OTHER = say("models.page.example"), say("models.use.example")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Small models in folders, which the server offers."""
    makes: dict[str, Callable[[], Any]] = {
        "gpt2": MODELS["GPT-2"], "bart": bart, "t5": partial(t5, "T5ForConditionalGeneration"),
        "t5bare": t5,
    }  # fmt: skip
    made = {name: str(saved(make(), tmp_path_factory.mktemp(name))) for name, make in makes.items()}
    with offering(*made.values()):
        yield made
    forget_models()


def metrics(reader: Reader) -> dict[str, str]:
    return {each.label: each.value for each in reader.at.metric}


def nexts(reader: Reader) -> dict[str, Any]:
    """What the bars of the next words are given to draw."""
    return reader.sent("model_next")


def most_probable(view: ModelTrace, temperature: float = 1.0, top: int = 10) -> dict[int, float]:
    """The tokens that may come next, with their probabilities."""
    found = torch.softmax(view.result.logits[0, -1].double() / temperature, dim=-1).topk(top)
    return dict(zip(found.indices.tolist(), found.values.tolist(), strict=True))


def column(reader: Reader, name: str) -> list[str]:
    at = [*nexts(reader)["columns"]].index(name)
    return [row["told"][at] for row in nexts(reader)["rows"]]


def test_an_encoder_says_how_alike_two_sentences_are() -> None:
    reader = Reader(PAGE, model=INCLUDED)
    expected = similarity(look_into(INCLUDED, text=ANIMAL), look_into(INCLUDED, text=OTHER))
    assert metrics(reader) == {say("models.use.similarity"): written(expected, 4)}
    reader.set("model.other", "A cat")
    assert in_address(reader.at, "model_other") == "A cat"
    expected = similarity(look_into(INCLUDED, text=ANIMAL), look_into(INCLUDED, text="A cat"))
    assert metrics(reader)[say("models.use.similarity")] == written(expected, 4)


def test_a_head_is_switched_off_and_everything_after_it_is_computed_anew() -> None:
    reader = Reader(PAGE, model=INCLUDED).set("model.3.1.off", True)
    changed, other = (look_into(INCLUDED, text=text, edits=["3.1.off"]) for text in (ANIMAL, OTHER))
    assert in_address(reader.at, "model_edits") == "3.1.off"
    assert changed.original is not None
    assert other.original is not None
    assert metrics(reader) == {
        say("models.use.similarity"): written(similarity(changed, other), 4),
        say("models.use.without"): written(similarity(changed.original, other.original), 4),
    }
    (board,) = opened_as(reader, "board").boards
    assert board["about"] == say("models.notices.off", matrix=changed.heads[3, 1].stages["context"].title)
    opened_as(reader, "heads")
    again = Reader(PAGE, model_edits="3.1.off")  # a link says the same
    assert metrics(again) == metrics(reader)
    assert again.value("model.3.1.off") is True
    reader.press_key("model.undo.3.1.off")
    assert in_address(reader.at, "model_edits") == ""
    assert list(metrics(reader)) == [say("models.use.similarity")]


def test_a_number_is_changed_and_its_layer_made_even() -> None:
    reader = on_board().set("model.change.row.('q', 0, 0)", 10)
    cell = (3, 1, "q", 10, 0)
    assert reader.value(f"model.change.value.{cell}") == pytest.approx(
        look_into(INCLUDED, text=ANIMAL).heads[3, 1].q[10, 0].item()
    )
    reader.set(f"model.change.value.{cell}", 2.5).press_key("model.change.do")
    assert in_address(reader.at, "model_edits") == "3.1.q.10.0=2.5"
    assert reader.boards[0]["about"].startswith(say("models.notices.changed", matrix="Q, queries"))
    reader.set("model.3.even", True)
    assert in_address(reader.at, "model_edits") == "3.1.q.10.0=2.5*3.even"
    view = look_into(INCLUDED, text=ANIMAL, edits=["3.1.q.10.0=2.5", "3.even"])
    weights = reader.boards[0]["matrices"]["attention_weights"]["values"]
    assert np.allclose(weights, view.heads[3, 1].attention_weights.flatten())
    reader.press_key("model.undo")
    assert in_address(reader.at, "model_edits") == ""


def test_a_changed_number_is_marked_on_the_board_and_says_what_it_was() -> None:
    (board,) = on_board(model_edits="3.1.w_q.5.2=0.5*2.0.w_q.5.2=0.5*3.1.mask.2.1=-inf").boards
    before = look_into(INCLUDED, text=ANIMAL).heads[3, 1]
    assert board["before"] == {"w_q,5,2": pytest.approx(before.w_q[5, 2].item()), "mask,2,1": 0.0}
    assert board["origins"]["x"] == [say("models.given.input")]
    assert board["origins"]["w_q"] == board["origins"]["w_o"] == [say("models.given.weight")]
    assert board["origins"]["mask"] == [say("models.given.mask")]
    assert set(board["origins"]) == {"x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "mask", "w_o"}


def test_changes_without_a_place_are_told_and_dropped() -> None:
    reader = Reader(PAGE, model_text="a cat", model_head="3.1", model_edits="3.1.q.10.0=2.5*3.1.off")
    assert "Q[10, 0] = 2.50" in reader.messages[0]
    assert in_address(reader.at, "model_edits") == "3.1.off"
    assert Reader(PAGE, model_edits="everything").messages


def test_a_decoder_says_what_may_come_next(folders: dict[str, str]) -> None:
    asked = {"model": short_name(folders["gpt2"]), "model_text": TEXT, "model_head": "1.2"}
    reader = Reader(PAGE, **asked)
    assert reader.messages == []
    view = look_into(*load(folders["gpt2"]), TEXT)
    rows, found = nexts(reader)["rows"], most_probable(view)
    assert [row["token"] for row in rows] == [WORDS[each] for each in found]
    assert [row["probability"] for row in rows] == pytest.approx(list(found.values()))
    assert [row["drawn"] for row in rows] == pytest.approx([each / sum(found.values()) for each in found.values()])
    assert column(reader, "logit") == [written(float(view.result.logits[0, -1, each]), 4) for each in found]
    assert nexts(reader)["columns"]["drawn"] == say("write.column.drawn", top=10)  # the ten are not nearly all
    assert "drawn" not in nexts(Reader(PAGE, **asked, model_next="0.05*10"))["columns"]  # it nearly is the probability
    reader.set("model.temperature", 0.5).set("model.top", 3).set("model.top_p", 0.6).set("model.seed", 3)
    said = {"model_next": "0.5*3", "model_top_p": "0.6", "model_seed": "3"}
    assert {name: in_address(reader.at, name) for name in said} == said
    again = Reader(PAGE, **asked, **said)  # a link says the same
    assert nexts(again)["rows"] == nexts(reader)["rows"]
    (step,) = view.write(1, temperature=0.5, top_k=3, top_p=0.6, seed=3)
    assert nexts(reader)["drawn"] == step.id
    assert nexts(reader)["columns"]["drawn"] == say("write.column.drawn_of_both", top=3, top_p=0.6)
    shares = step.chances.probabilities
    assert [row["drawn"] for row in nexts(reader)["rows"]] == pytest.approx(sorted(shares.tolist())[:-4:-1])
    reader.set("model.1.2.off", True)
    changed = look_into(*load(folders["gpt2"]), TEXT, edits=["1.2.off"])
    found = most_probable(changed, 0.5, 3)
    assert [row["probability"] for row in nexts(reader)["rows"]] == pytest.approx(list(found.values()))
    before = most_probable(view, 0.5, len(WORDS))
    assert column(reader, "before") == [percent(before[each]) for each in found]


def test_a_word_is_appended_and_read_from_the_cache(folders: dict[str, str]) -> None:
    asked = {"model": short_name(folders["gpt2"]), "model_text": "the cat sat", "model_head": "1.2"}
    start = look_into(*load(folders["gpt2"]), "the cat sat")
    steps = start.write(4, seed=0, top_k=10)
    ids = [each.id for each in steps]
    for n in range(1, 4):  # as the page does it: what is drawn next is appended
        reader = Reader(PAGE, **asked, model_written=".".join(map(str, ids[:n])))
        assert reader.messages == []
        assert nexts(reader)["drawn"] == ids[n]
        grid, view = heads_of(reader), steps[n].view
        assert (grid["kept"], grid["rows"], grid["followed"]) == (4 + n, 5 + n, 4 + n)
        for sent_layer, own in zip(grid["weights"], view.layers, strict=True):
            weights = np.stack([np.frombuffer(base64.b64decode(head), "<f4") for head in sent_layer])
            assert np.allclose(weights, own.weights.flatten(1), atol=1e-6)
        assert set(costs_in_words(view)) <= {
            each.replace(short_name(folders["gpt2"]), view.name) for each in reader.captions
        }
    assert say("write.marks", kept=7, n=1) in reader.captions
    cached = nexts(reader)["rows"]
    opened = opened_as(Reader(PAGE, **asked, model_written=".".join(map(str, ids[:3]))), "board")
    (ages,) = [board["ages"] for board in opened.boards]
    assert (ages["from"], {name for name, age in ages["of"].items() if age == "cache"}) == (7, {"k", "v"})
    assert {name for name, age in ages["of"].items() if age == "before"} == {
        "x", "q", "mask", "scores", "scaled_scores", "attention_weights", "context", "output",
    }  # fmt: skip
    assert say("write.cells") in opened.captions
    reader.set("model.cache", True)
    assert in_address(reader.at, "model_cache") == "off"
    assert say("write.now", n=8) in reader.captions
    assert heads_of(reader)["kept"] == 0
    assert [row["told"] for row in nexts(reader)["rows"]] == [row["told"] for row in cached]
    reader.set("model.cache", False).set("model.1.2.off", True)
    changed = appended(start, ids[:3], edits=(ModelEdit(1, 2, "off"),))
    probabilities = [row["probability"] for row in nexts(reader)["rows"]]
    assert probabilities == pytest.approx(list(most_probable(changed).values()))
    reader.set("model.sentence", "the mat")  # another sentence, and nothing written after it
    assert in_address(reader.at, "model_written") == ""


def test_a_words_score_is_told_part_by_part(folders: dict[str, str]) -> None:
    asked = {"model": short_name(folders["gpt2"]), "model_text": TEXT, "model_why": "6"}
    reader = Reader(PAGE, **asked)
    assert reader.messages == []
    why = look_into(*load(folders["gpt2"]), TEXT).why(6)
    shown = nexts(reader)["reasons"]
    assert shown["title"] == say("write.why.title", token=WORDS[6], score=written(why.logit, 4))
    ordered = sorted(why.parts, key=lambda part: -abs(part.value))
    told = [written(part.value, 4) for part in ordered[:9]]
    assert [row["told"] for row in shown["rows"]] == [*told, written(sum(part.value for part in ordered[9:]), 4)]
    heads = [None if part.head is None else f"{part.layer}.{part.head}" for part in ordered[:9]]
    assert [row["head"] for row in shown["rows"]] == [*heads, None]
    assert nexts(reader)["why"] == 6
    (strongest,) = (each for each in shown["told"] if "read with" in each)
    shares = re.findall(r"read with ([^,;.]+)", strongest)
    assert shares
    assert all(re.fullmatch(r"(< |> )?\d+ %", share.replace("\N{NO-BREAK SPACE}", " ")) for share in shares), strongest
    assert nexts(Reader(PAGE, **asked | {"model_why": "999"}))["reasons"]["title"] == say("write.why.none")
    reader.set("model.sentence", "the mat")  # whose next words are others
    assert in_address(reader.at, "model_why") == ""
    assert nexts(reader)["reasons"] is None


def test_another_sentences_numbers_are_put_in_its_place(folders: dict[str, str]) -> None:
    other = "the mat was tired because the cat sat on it"
    asked = {"model": short_name(folders["gpt2"]), "model_text": TEXT}
    reader = Reader(PAGE, **asked, model_from=other, model_place="1.11")
    assert reader.messages == []
    view, from_b = (look_into(*load(folders["gpt2"]), text) for text in (TEXT, other))
    shown = nexts(reader)["places"]
    assert np.allclose(shown["shares"], moved(view, from_b), atol=1e-6)
    assert (shown["picked"], shown["tokens"][1][:2]) == ("1.11", ["[CLS]", "the (1)"])
    for name, frozen in (("put", False), ("frozen", True)):
        put = patched(view, from_b, 1, 11, frozen=frozen).softmax(-1)
        assert column(reader, name) == [percent(float(put[row["id"]])) for row in nexts(reader)["rows"]]
    reader.set("model.from", TEXT)  # into itself: nothing moves, to the last bit
    assert not np.any(nexts(reader)["places"]["shares"])
    assert in_address(reader.at, "model_place") == ""
    changed = Reader(PAGE, **asked, model_from=other, model_edits="1.2.off")
    off = look_into(*load(folders["gpt2"]), TEXT, edits=["1.2.off"])
    assert np.allclose(nexts(changed)["places"]["shares"], moved(off, from_b), atol=1e-6)


def test_the_true_probability_of_a_word_is_the_stories_law() -> None:
    ((words, places),) = stories(1, torch.Generator().manual_seed(0), World(), 96)
    vocabulary = [*World().vocabulary, "<unk>"]
    for at, place in enumerate(places):
        law = law_of(words[:at], vocabulary)
        assert law == place.law
        assert words[at] in law
    assert law_of([*words[:5], "<unk>"], vocabulary) is None  # no story goes on so
    assert law_of(words[:5], WORDS) is None  # nor does this model know the world


def test_a_changed_model_of_stories_says_what_it_has_right_of_others() -> None:
    """A head that is off gives what it does where its rows of W_o are zeros."""
    (told,) = [each for each in Reader(PAGE, model=STORIES, model_edits="0.1.off").captions if "never seen" in each]
    drawn = stories(50, torch.Generator().manual_seed(JUDGED_BY), World(), 96, held_out=True)
    model = load(STORIES)[0]
    before = judged(model, drawn, World()).shares
    with without(model, (0, 1)):
        now = judged(model, drawn, World()).shares
    assert now["recall"] < 0.95 < before["recall"]
    told_now = {each: percent(now[each]) for each in ASKED}
    assert told == say(
        "write.held_out", n=50, **told_now, **{f"{each}_before": percent(before[each]) for each in ASKED}
    )


def test_what_cant_be_written_is_told_and_nothing_is_lost(folders: dict[str, str]) -> None:
    asked = {"model": short_name(folders["gpt2"]), "model_text": "the cat sat"}
    reader = Reader(PAGE, **asked, model_written="3.999.4")
    assert "999.4" in reader.messages[0]
    assert in_address(reader.at, "model_written") == "3"
    full = Reader(PAGE, model=STORIES, model_text="anna paints", model_written=".".join(["5"] * 95))
    assert say("write.unknown", ids="5.5") in full.messages[0]
    assert in_address(full.at, "model_written") == ".".join(["5"] * 93)  # behind <s> and two words
    assert say("write.full", n=96) in [each.value for each in full.at.info]
    assert not nexts(full)["writes"]
    assert nexts(full)["ids"] == ".".join(["5"] * 93)
    reading = Reader(PAGE, model=short_name(folders["t5"]), model_text=TEXT, model_written="4")
    assert say("write.cant") in reading.captions
    assert in_address(reading.at, "model_written") == ""
    reader.set("model.sentence", "the zebra sat")
    lost = say("models.page.unknown", token="[UNK]", typed="“zebra”")
    assert as_message(say("write.unknown_word", what=lost)) in [each.value for each in reader.at.info]
    reader.set("model.sentence", " ")
    assert say("models.page.blank") in [each.value for each in reader.at.info]


def test_each_kind_of_attention_of_an_encoder_with_a_decoder(folders: dict[str, str]) -> None:
    asked = {"model": short_name(folders["bart"]), "model_text": TEXT, "model_target": "der kater", "model_head": "1.2"}
    view = look_into(*load(folders["bart"]), TEXT, target="der kater")
    for kind in ("encoder", "decoder"):
        reader = Reader(PAGE, **asked, model_kind=kind)
        assert reader.messages == []
        (board,) = opened_as(reader, "board").boards
        assert board["tokens"] == list(view.only(kind).tokens)
    reader.set("model.kind", "cross")
    assert in_address(reader.at, "model_kind") == "cross"
    cross = view.only("cross")
    (board,) = reader.boards
    assert (board["tokens"], board["others"]) == (list(cross.tokens), True)
    assert board["labels"] == ["[SEP]", "der", "kater"]
    assert board["keys"][1:4] == ["the (1)", "cat", "sat"]
    own = cross.heads[1, 2]
    for name in ("attention_weights", "q", "k", "v", "context", "x", "y", "w_k"):
        assert np.array_equal(numbers_in(board["matrices"], name), own[name].numpy().flatten())
    assert say("models.page.cross") in reader.captions
    read = cross.layers[0].read
    assert as_message(say("models.look.cross", first=read[0], last=read[-1])) in helps(opened_as(reader, "heads"))
    reader.set("model.target", "der")
    assert reader.messages == []
    reader.set("model.5.2.off", True)  # the second of the decoder's that read the encoder is the sixth of all
    assert in_address(reader.at, "model_edits") == "5.2.off"
    told = say("models.change.is_off", layer=1, head=2)
    label = say("models.change.of_kind", kind=say("models.page.kinds.cross"), change=told)
    assert reader.can_press(label)


@pytest.mark.parametrize("part", ["link", "code", "data", "pictures"])
def test_what_is_shared_is_the_models(part: str) -> None:
    reader = Reader(PAGE, model_text="a cat sat", model_edits="3.1.off")
    reader.at.session_state["share"] = True
    reader.at.session_state["share.part"] = part
    reader.run()
    assert reader.errors == []
    labels = [each.proto.label for each in reader.at.get("download_button")]
    view = look_into(INCLUDED, text="a cat sat", edits=["3.1.off"])
    if part == "code":
        script = model_script(view.only("encoder"), 3, 1, name=INCLUDED)
        assert [each.value for each in reader.at.code] == [script.rstrip("\n")] or reader.at.code[0].value == script
        assert labels == [say("share.download.script")]
    if part == "data":
        assert labels == [say(f"share.download.{each}") for each in ("csv", "json", "safetensors")]
        assert "Attention weights" in control_of(reader.at, "share.matrix").options
    if part == "pictures":
        assert labels == [
            *(say(f"share.download.{each}") for each in ("figure", "report", "page")),
            say("share.download.board_page"),
        ]


@pytest.mark.parametrize("page", ["questions", "check"])
def test_elsewhere_it_is_said_that_the_playgrounds_is_shared(page: str) -> None:
    reader = Reader(f"pages/{page}.py")
    reader.at.session_state["share"] = True
    reader.at.session_state["share.part"] = "code"
    reader.run()
    assert say("share.of_set_up") in [each.value for each in reader.at.info]


def drawn(reader: Reader) -> dict[str, np.ndarray]:
    """The compared heads by their names; a masked cell is 0."""
    return {name: np.nan_to_num(each) for name, each in pictures_of(reader.at, "model.compare.pictures").items()}


def test_another_head_stands_beside_this_one_in_one_scale() -> None:
    reader = (
        Reader(PAGE, model=INCLUDED)
        .press_key("model.beside")
        .set("model.compare.layer", 5)
        .set("model.compare.head", 11)
    )
    view = look_into(INCLUDED, text=ANIMAL)
    one, other = (view.heads[place].attention_weights.numpy() for place in ((3, 1), (5, 11)))
    figures = drawn(reader)
    for label, own in (("A", one), ("B", other), ("B − A", other - one)):
        assert np.allclose(figures[label], own)
    row, column = np.unravel_index(np.abs(other - one).argmax(), one.shape)
    (said,) = [text for text in reader.texts if text.startswith("A is this head, B is: Layer 5, head 11.")]
    assert written(float(one[row, column]), 4) in said
    assert written(float(other[row, column]), 4) in said
    assert in_address(reader.at, "model_compare") == "head.5.11"
    assert list(drawn(Reader(PAGE, model_compare="head.5.11"))) == list(figures)
    reader.set("model.compare", "sentence").set("model.compare.sentence", "A dog ran home")
    assert [in_address(reader.at, f"model_compare{more}") for more in ("", "d")] == ["sentence", "A dog ran home"]
    own = look_into(INCLUDED, text="A dog ran home").heads[3, 1].attention_weights.numpy()
    assert np.allclose(drawn(reader)["B"], own)
    assert "B − A" not in drawn(reader)


def test_a_changed_head_stands_beside_what_it_was() -> None:
    reader = Reader(PAGE, model_edits="2.even").press_key("model.beside").set("model.compare", "before")
    view = look_into(INCLUDED, text=ANIMAL, edits=["2.even"])
    assert view.original is not None
    for label, each in (("A", view), ("B", view.original)):
        own = each.heads[3, 1].attention_weights.numpy()
        assert np.allclose(drawn(reader)[label], own)


def test_another_model_stands_beside_this_one(folders: dict[str, str]) -> None:
    reader = Reader(PAGE, model_text=TEXT, model_head="1.2").press_key("model.beside").set("model.compare", "model")
    reader.set("model.compare.model", short_name(folders["gpt2"]))
    own = look_into(*load(folders["gpt2"]), TEXT).heads[1, 2].attention_weights.numpy()
    link = in_address(reader.at, "model_compare")
    assert link == f"model.{short_name(folders['gpt2'])}"
    asked = {"model_text": TEXT, "model_head": "1.2"}
    again = Reader(PAGE, **asked, model_compare=link)
    assert in_address(again.at, "model_compare") == link
    for each in (reader, again):
        assert np.allclose(drawn(each)["B"], own)


def test_no_visitor_learns_where_the_server_keeps_its_models(folders: dict[str, str]) -> None:
    folder, called = folders["gpt2"], short_name(folders["gpt2"])
    reader = Reader(PAGE, model=called, model_text=TEXT, model_head="1.2", model_edits="1.0.off")
    assert reader.messages == []
    assert control_of(reader.at, "model.name").options == [STORIES, INCLUDED, *map(short_name, folders.values())]
    assert in_address(reader.at, "model") == called
    assert heads_of(reader)["rows"] == len(TEXT.split()) + 2
    reader.at.session_state["share"] = True
    for part, edits in (("code", "1.0.off"), ("code", ""), ("pictures", ""), ("link", "")):
        if not edits and reader.can_press(say("models.change.is_off", layer=1, head=0)):
            reader.press_key("model.undo.1.0.off")
        reader.at.session_state["share.part"] = part
        reader.run()
        if part == "code":
            assert f"'./{called}'" in reader.at.code[0].value
        assert str(Path(folder).parent) not in "".join(str(element.proto) for element in reader.at.main)
    view = looked(called, TEXT)
    for made in (model_page(view), head_report(view, 1, 2), model_script(view, 1, 2, name=called)):
        assert called in made
        assert str(Path(folder).parent) not in made


def test_heads_that_find_what_a_word_stands_for_are_a_press_away() -> None:
    reader = Reader(PAGE, model=INCLUDED).press_key("model.worked.5.11")
    assert in_address(reader.at, "model_head") == "5.11"
    assert reader.can_press(say("models.page.worked", layer=3, head=1))
    view = look_into(INCLUDED, text=ANIMAL)
    it, animal = view.tokens.index("it"), view.tokens.index("animal")
    for place in table.WORKED_HEADS[INCLUDED]:
        assert int(view.heads[place].attention_weights[it].argmax()) == animal
