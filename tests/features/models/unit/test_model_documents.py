"""A model's heads as a figure, a page, a report, in a notebook and on the command line: the model's own numbers."""

import base64
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from attnviz import ModelTrace, documents, look_into
from attnviz.commands.main import main
from attnviz.export import trace_json
from attnviz.features.language_models.inside import load
from attnviz.words import say
from tests.unit.board.test_documents import HOSTILE, Read
from tests.unit.small_models import MODELS, TEXT, bart, saved, tokenizer


@cache
def view_of(name: str) -> ModelTrace:
    return look_into(MODELS[name](), tokenizer(), TEXT)


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


def test_the_page_and_the_report_need_nothing_else_and_run_nothing_of_a_text() -> None:
    hostile = tokenizer()
    view = look_into(MODELS["BERT"](), hostile, f"the {HOSTILE} cat")
    renamed = ModelTrace(
        HOSTILE, view.text, (HOSTILE, *view.tokens[1:]), tuple(
            replace(layer, tokens=(HOSTILE, *layer.tokens[1:]), read=(HOSTILE, *layer.read[1:]))
            for layer in view.attending
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


def test_the_command_prints_one_head(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = saved(MODELS["GPT-2"](), tmp_path / "small")
    asked = ["model", TEXT, "--model", str(folder)]
    view = look_into(*load(str(folder)), TEXT)
    assert main([*asked, "--layer", "1", "--head", "3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["tokens"] == list(view.tokens)
    assert said == json.loads(trace_json(view.attending_at(1).whole(3)))
    changed = look_into(*load(str(folder)), TEXT, edits=["0.2.off", "1.3.mask.2.5=0"])
    edits = ["--edit", "0.2.off", "--edit", "1.3.mask.2.5=0"]
    assert main([*asked, *edits, "--layer", "1", "--head", "3", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads(trace_json(changed.attending_at(1).whole(3))) != said
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
