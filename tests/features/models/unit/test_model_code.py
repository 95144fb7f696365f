"""The script of a model's head: run alone, it prints the attention weights that were caught."""

import ast
import contextlib
import io
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnviz import look_into
from attnviz.features.language_models.inside import INCLUDED, ModelEdit, load, offered
from attnviz.features.language_models.inside.available_models import short_name
from attnviz.features.language_models.inside.writing import Sampling, appended
from attnviz.features.models.model_code import model_script
from tests.unit.small_models import MODELS, TEXT, bart, saved, tokenizer

ROOT = Path(__file__).parents[4]
HOSTILE = "a \"cat\" 'sat' \\n on {mat}"


def printed(script: str, folder: Path, alone: bool = False) -> tuple[list[str], np.ndarray]:
    """What a script prints: the tokens, and rows of numbers; run alone, or here, where transformers is loaded."""
    file = folder / "script.py"
    file.write_text(script)
    if alone:
        ran = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300, check=False,
                             cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)})  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        said = ran.stdout
    else:
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as told:
            runpy.run_path(str(file), run_name="__main__")
        said = told.getvalue()
    tokens, rows = said.split("\n", 1)
    return ast.literal_eval(tokens), np.array(ast.literal_eval(rows.strip().removeprefix("tensor(").removesuffix(")")))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    makes = {"GPT-2": MODELS["GPT-2"], "BART": bart}
    return {name: str(saved(make(), tmp_path_factory.mktemp("model"))) for name, make in makes.items()}


@pytest.mark.parametrize("edits", [(), ("3.1.off", "2.even", "3.1.q.2.0=2.5")])
def test_the_script_prints_a_heads_weights(edits: tuple[str, ...], tmp_path: Path) -> None:
    view = look_into(INCLUDED, text=HOSTILE, edits=edits)
    tokens, weights = printed(model_script(view.only("encoder"), 3, 1, name=INCLUDED, digits=6), tmp_path, alone=True)
    assert len(tokens) == len(view.tokens)
    np.testing.assert_allclose(weights, view.heads[3, 1].attention_weights.numpy(), atol=2e-6)


@pytest.mark.parametrize(("name", "kind"), [("GPT-2", "decoder"), ("BART", "cross"), ("BART", "encoder")])
def test_the_script_of_a_decoder_and_of_both(name: str, kind: Any, folders: dict[str, str], tmp_path: Path) -> None:
    target = "der kater" if name == "BART" else None
    view = look_into(*load(folders[name]), TEXT, target=target).only(kind)
    script = model_script(view, 1, 2, name=folders[name], target=target or "", digits=6)
    tokens, weights = printed(script, tmp_path)
    assert len(tokens) == len(view.tokens)
    np.testing.assert_allclose(weights, view.heads[1, 2].attention_weights.numpy(), atol=2e-6)


def test_the_script_writes_what_is_written(folders: dict[str, str], tmp_path: Path) -> None:
    """A head of the text with what was written, changed or not, and what is drawn by this seed from the start on."""
    start, sampling = look_into(*load(folders["GPT-2"]), HOSTILE), Sampling(0.7, 5, 0.9)
    steps = start.write(10, temperature=0.7, top_k=5, top_p=0.9, seed=6)
    view = steps[3].view
    script = model_script(view, 1, 2, name=folders["GPT-2"], digits=6, drawing=(sampling, 6))
    shown, _, writing = script.partition("\n# What the model writes")
    for made, own in ((shown, view), (None, appended(start, view.written, edits=(ModelEdit(1, 0, "off"),)))):
        script = made or model_script(own, 1, 2, name=folders["GPT-2"], digits=6)
        tokens, weights = printed(script, tmp_path)
        assert len(tokens) == len(own.tokens)
        np.testing.assert_allclose(weights, own.heads[1, 2].attention_weights.numpy(), atol=2e-6)
    (tmp_path / "writing.py").write_text(f"{shown}\n# What the model writes{writing}")
    with contextlib.redirect_stdout(io.StringIO()) as told:
        runpy.run_path(str(tmp_path / "writing.py"), run_name="__main__")
    names = tokenizer().convert_ids_to_tokens([step.id for step in steps])
    assert ast.literal_eval(told.getvalue().splitlines()[-1]) == names


def test_the_script_of_a_folder_of_a_server_looks_for_one_beside_it(
    folders: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATTNVIZ_MODELS", folders["GPT-2"])
    offered.cache_clear()
    try:
        called = short_name(folders["GPT-2"])
        (tmp_path / called).symlink_to(folders["GPT-2"])
        for edits in ((), ("1.0.off",)):
            view = look_into(*load(folders["GPT-2"]), TEXT, edits=edits)
            assert view.name == called
            script = model_script(view, 1, 2, name=called, digits=6)
            assert folders["GPT-2"] not in script
            assert "# The folder of the model, beside this script" in script
            _, weights = printed(script, tmp_path)
            np.testing.assert_allclose(weights, view.heads[1, 2].attention_weights.numpy(), atol=2e-6)
    finally:
        offered.cache_clear()
