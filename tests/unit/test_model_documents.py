"""A model's heads as a figure, a page, a report, in a notebook and on the command line: the model's own numbers."""

import base64
import io
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import attnviz
from attnviz import ModelTrace, documents, figures, look_into
from attnviz.commands import main as command_line
from attnviz.commands.main import main
from attnviz.documents import model_pages
from attnviz.explanation import head_figures
from attnviz.explanation.head_figures import ALL_SHARES, figures_in_words
from attnviz.export import trace_json
from attnviz.figures import model_grid
from attnviz.models import load
from attnviz.words import say
from attnviz.words.numbers import written
from attnviz.words.shares import percent
from tests.unit.small_models import MODELS, TEXT, bart, tokenizer
from tests.unit.test_documents import HOSTILE, Read


@cache
def view_of(name: str) -> ModelTrace:
    return look_into(MODELS[name](), tokenizer(), TEXT)


@cache
def small_folder(folder: Path) -> Path:
    """The files of a small model, as people keep theirs."""
    MODELS["GPT-2"]().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return folder


@pytest.mark.parametrize("name", ["BERT", "Mistral"])
def test_the_grid_holds_every_weight_of_every_head_at_its_place(name: str) -> None:
    view = view_of(name)
    figure = view.figure()
    (trace,) = figure.data
    n = len(view.tokens)
    assert trace.zmax == np.nanmax(trace.z)
    assert len(set(trace.x)) == len(trace.x) == trace.z.shape[1]
    assert len(set(trace.y)) == len(trace.y) == trace.z.shape[0]
    for (layer, head), one in view.heads.items():
        top, left = layer * (n + 1), head * (n + 1)
        assert np.array_equal(trace.z[top : top + n, left : left + n], one.attention_weights.numpy())
        assert trace.y[top + 2] == say("models.reads", layer=say("models.layer", layer=layer), token=view.tokens[2])
        assert trace.x[left + 3] == say("models.is_read", head=say("models.head", head=head), token=view.tokens[3])
    assert np.isnan(trace.z).sum() == trace.z.size - len(view.heads) * n * n


def test_of_very_many_weights_a_cell_shows_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of("BERT")
    n = len(view.tokens)
    monkeypatch.setattr(model_grid, "MOST_CELLS", 8 * n * n // 4)
    grid = model_grid.grid_of(view)
    assert grid.step == 2
    weights = view.heads[0, 0].attention_weights.numpy()
    assert grid.z[0, 1] == weights[:2, 2:4].max()
    assert say("models.blocks", rows=2, columns=2) in view.figure().layout.title.text


def test_an_encoder_with_a_decoder_is_a_figure_for_each_kind() -> None:
    view = look_into(bart(), tokenizer(), TEXT, target="der kater")
    with pytest.raises(ValueError, match="of the kinds encoder, decoder, cross, expected one"):
        view.figure()
    assert view.only("cross").figure().data[0].z.shape == (2 * 3 + 1, 4 * 12 + 3)
    assert view._repr_html_().count("<img") == 3


def test_the_page_and_the_report_need_nothing_else_and_run_nothing_of_a_text() -> None:
    hostile = tokenizer()
    view = look_into(MODELS["BERT"](), hostile, f"the {HOSTILE} cat")
    renamed = ModelTrace(
        HOSTILE, view.text, (HOSTILE, *view.tokens[1:]), tuple(
            type(layer)(layer.attended, layer.kind, (HOSTILE, *layer.tokens[1:]), (HOSTILE, *layer.read[1:]))
            for layer in view.layers
        ),
    )  # fmt: skip
    for page in (documents.model_page(renamed), documents.head_report(renamed, 1, 2), renamed._repr_html_()):
        assert "alert(1)</script>" not in page
        assert page.startswith("<div>") or "default-src 'none'" in page
    assert set(Read(documents.head_report(renamed, 1, 2)).tags).isdisjoint({"script", "link", "iframe"})


def test_the_page_holds_every_weight_and_every_figure() -> None:
    view = look_into(bart(), tokenizer(), TEXT, target="der kater")
    with pytest.raises(ValueError, match="of the kinds encoder, decoder, cross, expected one"):
        documents.model_page(view)
    for part in (view_of("GPT-NeoX"), view.only("cross")):
        page = documents.model_page(part)
        given, numbers = (
            json.loads(text)
            for name in ("given", "numbers")
            for text in re.findall(rf'<script id="{name}" type="application/json">(.*)</script>', page)
        )
        data = given | numbers
        for (layer, head), one in part.heads.items():
            sent = np.frombuffer(base64.b64decode(data["weights"][layer][head]), dtype="<f4")
            assert np.array_equal(sent, one.attention_weights.flatten().numpy())
        assert data["same"] == (part.kinds != ("cross",))
        assert [len(row) for row in data["told"]] == [4, 4]
    assert documents.model_page(part, dark=True) != documents.model_page(part)


def test_a_page_of_very_many_weights_has_the_strongest_and_says_so() -> None:
    view = view_of("BERT")
    assert say("models.strongest", most=model_pages.STRONGEST) not in documents.model_page(view)
    n_rows, weights = len(view.tokens), view.heads[1, 2].attention_weights.numpy()
    data = model_pages.grid_data(view, most=weights.size)
    assert data["weights"] is None
    sent = data["strongest"][1][2]
    keys, shares = (
        np.frombuffer(base64.b64decode(sent[key]), dtype=kind).reshape(n_rows, -1)
        for key, kind in (("keys", "<u2"), ("shares", "<f4"))
    )
    assert np.array_equal(shares, -np.sort(-weights, axis=1)[:, : model_pages.STRONGEST])
    assert np.array_equal(np.take_along_axis(weights, keys.astype(int), 1), shares)


def test_a_notebook_shows_the_weights_in_their_colours() -> None:
    view = view_of("BERT")
    (data,) = re.findall(r"base64,([^\"]+)\"", view._repr_html_())
    drawn = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"))
    assert (drawn == model_grid.grid_shades(model_grid.grid_of(view))).all()
    one = view.heads[1, 1]._repr_html_()
    assert all(f"{one_of} " in one for one_of in ("W_q", "Q", "A"))


def test_the_measured_figures_are_averages_of_the_weights() -> None:
    view = look_into("all-MiniLM-L6-v2", text="the cat saw the cat")
    measured, weights = view.measured(2, 5), view.heads[2, 5].attention_weights.double()
    assert measured is not None
    assert measured.special is not None
    n = len(weights)
    assert measured.special == pytest.approx((weights[:, 0] + weights[:, n - 1]).mean().item())
    assert measured.after == pytest.approx(np.mean([weights[i, i + 1] for i in range(n - 1)]))
    assert measured.same == pytest.approx(((weights[4, 1] + weights[5, 2]) / 2).item())
    said = figures_in_words(measured, 5, ALL_SHARES)["full"]
    assert say("heads.full.special", share=percent(measured.special)) in said
    causal = view_of("GPT-2").measured(0, 0)
    assert causal is not None
    assert causal.after is None  # no token may read a later one


def test_figures_of_many_weights_are_worked_out_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = view_of("Mistral").layers[1]  # a window: the mask is one for all heads
    masks = torch.stack([layer.weights[0] > 0, *(torch.rand(layer.weights[1:].shape) > 0.5)])
    for readable in (None, masks[:1], masks):
        at_once = head_figures.figures_of_heads(layer.weights, layer.tokens, readable)
        monkeypatch.setattr(head_figures, "_AT_ONCE", 1)
        assert head_figures.figures_of_heads(layer.weights, layer.tokens, readable) == at_once
        assert len(at_once) == layer.n_heads
        monkeypatch.undo()


def test_the_command_prints_one_head(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_folder(tmp_path / "small")
    asked = ["model", TEXT, "--model", str(folder)]
    view = look_into(*load(str(folder)), TEXT)
    assert main([*asked, "--layer", "1", "--head", "3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["tokens"] == list(view.tokens)
    assert said == json.loads(trace_json(view.layers[1].whole(3)))
    changed = look_into(*load(str(folder)), TEXT, edits=["0.2.off", "1.3.mask.2.5=0"])
    edits = ["--edit", "0.2.off", "--edit", "1.3.mask.2.5=0"]
    assert main([*asked, *edits, "--layer", "1", "--head", "3", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads(trace_json(changed.layers[1].whole(3))) != said
    assert "comes later" in printed.err
    assert main([*asked, "--layer", "1", "--head", "3"]) == 0
    assert "Attention weights = softmax" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    heads = json.loads(capsys.readouterr().out)["heads"]
    measured = view.measured(1, 2)
    assert measured is not None
    assert heads[6] == {"layer": 1, "head": 2, **measured.__dict__}
    assert main(asked) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9
    for more in ([], ["--layer", "0", "--head", "2"]):
        file = tmp_path / "page.html"
        assert main([*asked, *more, "--html", str(file)]) == 0
        assert file.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["a cat", "--layer", "1"], "--layer and --head go together"),
        (["a cat", "--layer", "6", "--head", "0"], "there is no layer 6 with a head 0, expected them up to 5 and 11"),
        (["", "--layer", "0", "--head", "0"], "text is '', expected a sentence"),
        (["a cat", "--edit", "9.1.off"], "there is no layer 9 for 9.1.off"),
        (["a cat", "--edit", "q=1"], "expected 3.1.q.10.0=2.5, 3.1.off or 2.even"),
        (["a cat", "--digits", "9"], "--digits is 9"),
        (["a cat", "--model", "/no/such/folder"], "the model '/no/such/folder' can't be had"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", *arguments]) == 2
    said = capsys.readouterr()
    assert why in said.err
    assert not said.out
    assert "Traceback" not in said.err


def test_a_folder_of_another_kind_is_refused_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-kind"}))
    with pytest.raises(ValueError, match=r"can't be had, expected a folder or a name: .*no-such-kind"):
        load(str(tmp_path))
    folder = small_folder(tmp_path / "other")
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match="can't be had"):  # it would have to be unpickled
        load(str(folder))


def test_the_figure_is_a_public_name() -> None:
    assert figures.model_figure(view_of("BERT")).to_dict() == view_of("BERT").figure().to_dict()
    assert attnviz.ModelTrace is ModelTrace
    settings: dict[str, Any] = view_of("BERT").figure(dark=True).to_dict()
    assert settings["layout"]["font"]["color"] != view_of("BERT").figure().layout.font.color


def test_a_weight_reads_in_the_figure_of_all_heads_as_everywhere() -> None:
    layer = torch.nn.TransformerEncoderLayer(8, nhead=2, batch_first=True).eval()
    layer.self_attn.in_proj_weight.data *= 30  # so that some weights are far smaller than four digits show
    view = look_into(layer, torch.randn(12, 8, generator=torch.Generator().manual_seed(0)))
    said: dict[tuple[int, int], str] = {}
    for drawn in figures.model_spec(view)["data"]:
        for place, weight in np.ndenumerate(drawn["z"]):
            if not np.isnan(weight):
                assert place not in said
                of_plotly = format(weight, drawn.get("zhoverformat", ""))
                said[place] = drawn["text"][place[0]][place[1]] if "%{text}" in drawn["hovertemplate"] else of_plotly
    grid = model_grid.grid_of(view)
    wanted = {place: written(float(weight), 4) for place, weight in np.ndenumerate(grid.z) if not np.isnan(weight)}
    assert said == wanted
    assert any("e" in text for text in said.values())


def test_the_command_shows_a_model_with_an_encoder_and_a_decoder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bart().save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    asked = ["model", TEXT, "--model", str(tmp_path), "--target", "der kater"]
    capsys.readouterr()
    assert main(asked) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + 6 * 4
    assert lines[-1] == f"  5   3  cross    {say('models.reads_encoder')}"
    assert main([*asked, "--json"]) == 0
    kinds = [head["kind"] for head in json.loads(capsys.readouterr().out)["heads"]]
    assert [kinds.count(kind) for kind in ("encoder", "decoder", "cross")] == [8, 8, 8]
    page = tmp_path / "page.html"
    assert main([*asked, "--html", str(page)]) == 2
    assert "expected one: --kind cross" in capsys.readouterr().err
    for kind in ("encoder", "decoder", "cross"):
        assert main([*asked, "--html", str(page), "--kind", kind]) == 0
        assert "<h1>" in page.read_text(encoding="utf-8")


def test_whoever_has_read_enough_of_a_command_hears_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError

    away: list[bool] = []

    def seen() -> int:
        away.append(True)
        return 0

    monkeypatch.setattr(sys, "stdout", Closed())
    monkeypatch.setattr(command_line, "_seen_enough", seen)
    assert main(["model", "a cat", "--layer", "0", "--head", "0", "--json"]) == 0
    assert away
