"""The page Language model: its numbers are the model's own, and what can't be shown is said."""

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from streamlit.delta_generator import DeltaGenerator

from attnviz import look_into
from attnviz.app.text import as_message
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_words
from attnviz.features.language_models.inside import INCLUDED, STORIES, loading, offered
from attnviz.features.language_models.inside.loading import Progress, load
from attnviz.features.models import parameters as table
from attnviz.features.models.model_pages import STRONGEST
from attnviz.features.models.page.typing import ModelSession
from attnviz.link.state import as_the_app_opens
from attnviz.words import plural, say
from attnviz.words.numbers import percent, written
from tests.features.models.pages.serving import forget_models, offering
from tests.pages.reader import Reader, heatmap_of, in_address
from tests.unit import small_models

PAGE = "pages/model.py"
ANIMAL = say("models.page.example")


def heads_of(reader: Reader) -> dict[str, Any]:
    """What the grid of all heads is given to draw."""
    data = reader.sent("model_heads")
    return dict(data["grid"] | data)


def helps(reader: Reader) -> str:
    """What is told beside the choice of the model."""
    return "\n".join(reader.captions)


def opened_as(reader: Reader, what: str) -> Reader:
    """A reader who has opened this: "board", "compare" or "heads"."""
    reader.at.session_state["session"].part(ModelSession).opened = what
    return reader.run()


def on_board(**address: str) -> Reader:
    """A reader who has opened every number of a head."""
    return opened_as(Reader(PAGE, **address), "board")


def numbers_in(text: str, kind: str) -> np.ndarray:
    """The numbers of a text in base64."""
    return np.frombuffer(base64.b64decode(text), dtype=kind)


@pytest.fixture(scope="module")
def opened() -> Reader:
    return Reader(PAGE, model=INCLUDED)


def test_the_page_opens_on_a_head_of_the_model_of_stories_and_links_of_before_on_theirs() -> None:
    reader = Reader().visit(PAGE)  # from another page: none of its address is of this one
    assert {name: in_address(reader.at, name) for name in table.first_model()} == table.first_model()
    assert heads_of(reader)["layers"] == 3
    assert in_address(Reader(PAGE, utm_source="mail").at, "model") == STORIES  # an address that says nothing of ours
    reader.set("model.name", INCLUDED)
    assert in_address(reader.at, "model_text") in ("", None)  # its own example, which a link needn't say
    assert heads_of(reader)["layers"] == 6
    for before in ({"model_head": "3.1"}, {"model_text": "a cat"}, as_the_app_opens({})):
        assert heads_of(Reader(PAGE, **before))["layers"] == 6


@pytest.fixture(scope="module")
def board_of() -> Reader:
    return on_board()


def test_the_page_opens_with_the_head_that_finds_what_it_stands_for(opened: Reader, board_of: Reader) -> None:
    seen = look_into(INCLUDED, text=ANIMAL)
    trace, query = seen.heads[3, 1], seen.tokens.index("it")
    assert heads_of(opened)["picked"] == {"layer": 3, "head": 1}
    assert heads_of(opened)["followed"] == query
    assert heads_of(Reader(PAGE, model=INCLUDED, model_text="cat"))["followed"] == 1  # a word, and no mark around it
    length = trace.v[2].norm()
    both = trace.attention_weights[query, 2] * length
    reads = say("board.reads.most", token="it", names="“animal”", weight="0.6397")
    assert say("models.page.value", reads=reads, key="animal", of="animal",
               length=written(length.item(), 4), both=written(both.item(), 4),
               most=written(both.item(), 4)) in board_of.texts  # fmt: skip
    assert figures_in_words(seen.measured(3, 1), 1, ALL_SHARES)["full"] in board_of.texts
    assert opened.messages == []


def test_all_heads_are_sent_with_their_own_numbers(opened: Reader) -> None:
    seen, data = look_into(INCLUDED, text=ANIMAL), heads_of(opened)
    for sent, own in zip(data["weights"], seen.layers, strict=True):
        assert np.array_equal(np.stack([numbers_in(head, "<f4") for head in sent]), own.weights.flatten(1).numpy())
    shades = numbers_in(data["shades"], "u1").reshape(6, 12, 15, 15)
    weights = np.stack([layer.weights.numpy() for layer in seen.layers])
    assert np.abs(shades / 255 - weights / weights.max()).max() <= 0.51 / 255
    assert (data["step"], data["strongest"]) == (1, None)
    assert data["picked"] == {"layer": 3, "head": 1}


def test_the_board_explains_a_query_down_to_the_weights_and_can_change_none(board_of: Reader) -> None:
    (board,) = board_of.boards
    assert board["fixed"]
    assert board["labels"][10] == "it"
    assert set(board["shown"]) == {
        "x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "q", "k", "v", "scores", "scaled_scores", "attention_weights",
        "context", "w_o", "output",
    }  # fmt: skip
    whole = look_into(INCLUDED, text=ANIMAL).attending_at(3).output(1)
    assert whole is not None
    for name in ("x", "w_q", "w_o", "output"):
        assert np.array_equal(numbers_in(board["matrices"][name]["float32"], "<f4"), whole[name].numpy().flatten())
    shapes = {name: (board["matrices"][name]["rows"], board["matrices"][name]["columns"]) for name in ("w_o", "output")}
    assert shapes == {"w_o": (32, 384), "output": (15, 384)}
    made = say(
        "models.page.made", numbers=plural(3 * (384 + 1) * 32, "number"), matrices="W_q, W_k, W_v, b_q, b_k, b_v"
    )
    assert made in board_of.captions
    assert say("models.page.no_output") not in board_of.captions


def test_a_link_opens_a_sentence_and_a_head() -> None:
    reader = Reader(PAGE, model_text="a cat sat", model_head="5.11")
    seen = look_into(INCLUDED, text="a cat sat")
    assert heads_of(reader)["picked"] == {"layer": 5, "head": 11}
    assert len(heads_of(reader)["tokens"]) == len(seen.tokens)
    assert (in_address(reader.at, "model_text"), in_address(reader.at, "model_head")) == ("a cat sat", "5.11")
    assert reader.messages == []
    reader.set("model.sentence", "a dog ran")
    assert in_address(reader.at, "model_text") == "a dog ran"
    assert heads_of(reader)["tokens"][1:4] == ["a", "dog", "ran"]
    reader.visit("pages/playground.py").visit(PAGE)
    assert heads_of(reader)["tokens"][1:4] == ["a", "dog", "ran"]
    (board,) = opened_as(reader, "board").boards
    assert board["tokens"][1:4] == ["a", "dog", "ran"]
    pinned = Reader(PAGE, model_cell="attention_weights.1.2")  # what is pinned stands on the board
    assert len(pinned.boards) == 1
    assert len(heads_of(pinned.press_key("model.all"))["told"]) == 6
    assert in_address(pinned.at, "model_cell") == ""


def test_heads_are_sorted_and_filtered_by_what_is_measured_with_its_definition_shown() -> None:
    seen = look_into(INCLUDED, text=ANIMAL)
    before = {place: torch.diagonal(seen.heads[place].attention_weights, -1).mean().item() for place in seen.heads}
    reader = Reader(PAGE, model=INCLUDED).set("model.order", "before")
    order = [tuple(place) for place in heads_of(reader)["order"]]
    assert sorted(order) == list(before)
    assert [before[place] for place in order] == sorted(before.values(), reverse=True)
    above = {tuple(place) for place in heads_of(reader.set("model.above", 30))["order"]}
    assert above == {place for place, share in before.items() if share > 0.3}
    assert 0 < len(above) < 72
    assert say("models.page.measures.before") in reader.captions
    assert say("models.page.shown", shown=len(above), heads=plural(72, "head"), above=30) in reader.captions
    reader.set("model.order", "itself").set("model.above", 99)
    largest = percent(max(torch.diagonal(trace.attention_weights).mean().item() for trace in seen.heads.values()))
    assert [each.value for each in reader.at.info] == [say("models.page.none_above", above=99, largest=largest)]
    link = in_address(reader.at, "model_order")
    assert link == "itself.99"
    again = Reader(PAGE, model_order=link)
    assert (again.value("model.order"), again.value("model.above")) == ("itself", 99)
    assert heads_of(reader.set("model.order", "layers"))["order"] is None
    assert in_address(reader.at, "model_order") == ""


def test_what_a_token_was_cut_from_is_told_and_what_the_model_does_not_know() -> None:
    reader = Reader(PAGE, model_text="Unbelievably hot \U0001f600")
    tokens, typed = heads_of(reader)["tokens"], heads_of(reader)["typed"]
    assert typed[tokens.index("[UNK]")] == say("models.pieces.typed", typed="\U0001f600")
    first = typed[1]
    assert first.endswith("of “Unbelievably”")
    assert typed[tokens.index("hot")] == ""
    assert typed[0] == typed[-1] == say("models.pieces.special")
    marks = heads_of(reader)["marks"]
    assert (marks[0], marks[1], marks[-1]) == ("special", "", "special")
    pieces = [at for at, of in enumerate(typed) if of.endswith("of “Unbelievably”")]
    assert len(pieces) > 1
    assert [at for at, mark in enumerate(marks) if mark == "joined"] == pieces[1:]
    assert as_message(say("models.page.unknown", token="[UNK]", typed="“\U0001f600”")) in helps(reader)
    cut = " · ".join(token for token, of in zip(tokens, typed, strict=True) if of.endswith("of “Unbelievably”"))
    said = say("models.page.pieces", words=say("models.page.piece", word="Unbelievably", tokens=cut))
    assert as_message(said) in helps(reader)


def test_the_average_over_heads_comes_with_a_warning_and_a_heads_output_with_its_share() -> None:
    reader = on_board().set("model.average", True)
    layer = look_into(INCLUDED, text=ANIMAL).attending_at(3)
    assert say("models.page.average_warning") in reader.captions
    charts = [each.proto for each in reader.at.get("plotly_chart")]
    (drawn,) = [each.spec for each in charts if each.id.endswith("model.input.attention_weights")]
    assert np.allclose(heatmap_of(json.loads(drawn)), layer.average()["attention_weights"])
    made, whole = layer.output(1), layer.attended.output
    assert made is not None
    assert whole is not None
    part, every = (written(each[10].norm().item(), 4) for each in (made["output"], whole.product))
    assert say("models.page.output_told_bias", token="it", part=part, whole=every) in reader.texts


LONGEST = " ".join(["the cat saw a dog that ran"] * 73)[: -len(" that ran")]  # 509 words, and two tokens around them


def test_a_text_of_as_many_tokens_as_the_model_has_places_is_read_and_one_more_is_refused() -> None:
    text = f"{LONGEST} now"
    reader = Reader(PAGE, model_text=text)
    assert reader.messages == []
    seen, data = look_into(INCLUDED, text=text), heads_of(reader)
    assert len(seen.tokens) == 512
    assert (data["rows"], data["columns"], data["weights"]) == (512, 512, None)
    # Each cell of a picture stands for the largest of a block, and each token's strongest are the model's own.
    step = data["step"]
    assert as_message(say("models.page.blocks", rows=step, columns=step, most=STRONGEST)) in helps(reader)
    weights = seen.layers[2].weights[7].numpy()
    size = -(-512 // step)
    shades = numbers_in(data["shades"], "u1").reshape(6, 12, size, size)[2, 7]
    for row, column in ((0, 0), (5, 9), (size - 1, 2)):
        largest = weights[row * step : (row + 1) * step, column * step : (column + 1) * step].max()
        assert shades[row, column] == pytest.approx(255 * largest / data["limit"], abs=0.51)
    strongest = data["strongest"][2][7]
    keys = numbers_in(strongest["keys"], "<u2").reshape(512, STRONGEST)
    shares = numbers_in(strongest["shares"], "<f4").reshape(512, STRONGEST)
    assert np.array_equal(shares, -np.sort(-weights, axis=1)[:, :STRONGEST])
    assert np.array_equal(np.take_along_axis(weights, keys.astype(int), 1), shares)
    (board,) = opened_as(reader, "board").boards
    assert len(board["tokens"]) == 512
    own = numbers_in(board["matrices"]["attention_weights"]["float32"], "<f4")
    assert np.array_equal(own, seen.heads[3, 1].attention_weights.flatten().numpy())
    opened_as(reader, "heads")
    said = say("refused.model_tokens", tokens=plural(513, "token"), most=512)
    reader.set("model.sentence", f"{text} now")
    assert reader.messages == [said]
    assert reader.value("model.sentence") == f"{text} now"
    reader.set("model.sentence", "a cat")
    assert reader.messages == []
    assert heads_of(reader)["rows"] == 4


def test_a_model_that_cannot_be_had_says_why_and_the_page_goes_on() -> None:
    with offering("/no/such/folder"):
        assert offered() == {STORIES: STORIES, INCLUDED: INCLUDED, "folder": "/no/such/folder"}
        reader = Reader(PAGE, model=INCLUDED).set("model.name", "folder")
        assert reader.messages == [say("models.page.no_model", model="`folder`", why=say("refused.model_no_folder"))]
        assert reader.set("model.name", INCLUDED).messages == []
        assert heads_of(reader)["layers"] == 6


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[str]:
    """A model that is offered, of which one weight isn't a number."""
    model = small_models.MODELS["BERT"]()
    with torch.no_grad():
        model.encoder.layer[1].attention.self.query.weight[0, 0] = torch.nan
    with offering(small_models.saved(model, tmp_path / "damaged")):
        yield "damaged"


def test_a_model_that_yields_no_numbers_is_told_and_nothing_is_lost(damaged: str) -> None:
    said = say("refused.model_not_finite", layer=1)
    reader = Reader(PAGE, model=damaged, model_text="the cat sat")
    assert reader.messages == [said]
    assert reader.boards == []
    assert reader.value("model.sentence") == "the cat sat"
    assert reader.set("model.name", INCLUDED).messages == []
    assert heads_of(reader)["tokens"][1:4] == ["the", "cat", "sat"]
    opened_as(reader, "compare").set("model.compare", "model").set("model.compare.model", "damaged")
    assert reader.messages == [said]


@pytest.fixture(scope="module")
def of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Models that are offered, each of which does something of its own to its scores."""
    folder = tmp_path_factory.mktemp("own")
    for name, make in {
        "sinks": small_models.gpt_oss, "capped *2*": small_models.gemma2, "written": small_models.WRITTEN_OUT["Bloom"],
        "otherwise": small_models.OTHERWISE["DeBERTa"][0],
    }.items():  # fmt: skip
        small_models.saved(make(), folder / name)
    with offering(*sorted(folder.iterdir())):
        yield


@pytest.mark.usefixtures("of_their_own")
@pytest.mark.parametrize(
    ("name", "stage"),
    [("sinks", "attention_weights"), ("capped *2*", "capped_scores"), ("written", "distance_bias"), ("otherwise", "")],
)
def test_a_model_that_does_something_of_its_own_to_its_scores_is_shown_or_says_so(name: str, stage: str) -> None:
    edits = "1.2.off*0.0.mask.3.1=-inf*0.even"
    reader = on_board(model=name, model_text=small_models.TEXT, model_head="1.1", model_edits=edits)
    assert reader.errors == []
    if not stage:
        assert reader.messages == [say("refused.model_otherwise", otherwise=say("models.otherwise.disentangled"))]
        return
    (board,) = reader.boards
    assert stage in board["shown"]
    assert reader.messages == []


@pytest.mark.usefixtures("of_their_own")
def test_a_models_name_is_no_markup() -> None:
    reader = Reader(PAGE, model="capped *2*", model_text=small_models.TEXT)
    assert any(r"capped \*2\*" in each.value for each in reader.at.markdown)


@pytest.mark.usefixtures("damaged")
@pytest.mark.parametrize(("parameter", "link"), [("model", "gpt2"), ("model_compare", "model.gpt2")])
def test_a_link_to_a_model_that_is_not_offered_tells_which_ones_are(parameter: str, link: str) -> None:
    reader = Reader(PAGE, model_text="the cat sat", **{parameter: link})
    (said,) = reader.messages
    assert "gpt2" in said
    assert f"{INCLUDED}, damaged" in said
    assert heads_of(reader)["rows"] == 5
    assert reader.value("model.sentence") == "the cat sat"


def test_while_a_model_loads_the_page_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    forget_models()
    loading._included.cache_clear()
    drawn: list[tuple[float, str]] = []
    plain = DeltaGenerator.progress

    def progress(self: DeltaGenerator, value: float, text: str, **more: Any) -> DeltaGenerator:
        drawn.append((value, text))
        return plain(self, value, text, **more)

    def slowly(name: str, tell: Any) -> tuple[Any, Any]:
        def one_by_one(progress: Progress) -> None:
            tell(progress)
            time.sleep(0.25 if progress.step != "numbers" or 0.4 < progress.share < 0.42 else 0)

        return load(name, one_by_one)

    monkeypatch.setattr(DeltaGenerator, "progress", progress)
    monkeypatch.setattr("attnviz.features.language_models.inside.shelf.load", slowly)
    try:
        reader = Reader(PAGE, model_text="a cat that loads")
    finally:
        forget_models()
    assert heads_of(reader)["layers"] == 6
    assert reader.at.get("progress") == []  # it goes when the model is there
    said = [text for _, text in drawn]
    assert {say("models.loading.package"), say("models.loading.sum"), say("models.loading.tokenizer"),
            say("models.loading.numbers", share=41)} <= set(said)  # fmt: skip
    assert [value for value, _ in drawn] == sorted(value for value, _ in drawn)


@pytest.mark.parametrize("found", [True, False])
def test_what_is_not_found_of_a_head_is_absent_and_said(monkeypatch: pytest.MonkeyPatch, *, found: bool) -> None:
    if not found:  # as where a model takes its numbers through something that isn't seen
        monkeypatch.setattr("attnviz.features.language_models.inside.projections.found", lambda *_: None)
        monkeypatch.setattr("attnviz.features.language_models.inside.recording.Watch._keep_output", lambda *_: None)
    reader = on_board(model_text=f"a cat that is {found}")
    shown = set(reader.boards[0]["shown"])
    assert {"q", "k", "v", "attention_weights", "context"} <= shown
    assert ({"x", "w_q", "w_k", "w_v", "w_o", "output"} <= shown) is found
    if not found:
        assert not shown & {"x", "y", "w_q", "w_k", "w_v", "b_q", "w_o", "output"}
    missing = {say("models.page.given", matrices="Q, K, V"), say("models.page.no_output")}
    assert missing & set(reader.captions) == (set() if found else missing)


@pytest.mark.parametrize("blank", ["", "   "])
def test_a_blank_sentence_is_asked_for_and_no_other_comes_in_its_place(blank: str) -> None:
    reader = Reader(PAGE, model_text="a cat sat").set("model.sentence", blank)
    assert [each.value for each in reader.at.info] == [say("models.page.blank")]
    assert reader.value("model.sentence") == blank
    assert reader.boards == []
    assert heads_of(reader.set("model.sentence", "a dog"))["tokens"][1:3] == ["a", "dog"]
    reader.set("model.other", blank)
    assert [each.value for each in reader.at.info] == [say("models.use.blank")]
    assert reader.value("model.other") == blank


@pytest.mark.parametrize("field", ["model.sentence", "model.other", "model.compare.sentence"])
def test_a_text_that_no_link_can_carry_is_refused_in_a_sentence_and_stays(field: str) -> None:
    reader, text = Reader(PAGE, model=INCLUDED), "word " * 2048
    if "compare" in field:
        opened_as(reader, "compare").set("model.compare", "sentence")
    reader.set(field, text)
    said = say("models.page.too_many", characters=plural(len(text), "character"), most=f"{table.MOST_OF_SENTENCE:,}")
    assert reader.messages == [said]
    assert reader.value(field) == text
    assert reader.run().value(field) == text
    assert reader.set(field, "a dog").messages == []


@pytest.mark.parametrize("head", ["6.0", "0.12", "999.999"])
def test_a_head_that_is_not_there_is_told(head: str) -> None:
    reader = Reader(PAGE, model_head=head)
    layer, number = head.split(".")
    assert say("models.page.none", layer=layer, head=number) in reader.messages[0]
    assert heads_of(reader)["picked"] == {"layer": 0, "head": 0}
