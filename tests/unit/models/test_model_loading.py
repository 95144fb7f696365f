"""Models by a folder or a name: one copy for all, so many in memory, and in seconds a reason for what can't be had."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import look_into
from attnviz.core.limits import RefusedError
from attnviz.models import cache, loading
from attnviz.models.cache import Shelf
from attnviz.models.loading import Progress, load
from attnviz.models.pretrained import watched
from tests.unit.helpers import until
from tests.unit.small_models import MODELS, TEXT, WRITTEN_OUT, saved, tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(saved(MODELS["GPT-2"](), tmp_path_factory.mktemp("small")))


@pytest.mark.parametrize("name", ["Falcon", "GPT-J", "Bloom"])
def test_a_model_whose_attention_is_written_out_is_loaded_and_looked_into(name: str, tmp_path: Path) -> None:
    loaded = load(str(saved(WRITTEN_OUT[name](), tmp_path)))
    own = look_into(WRITTEN_OUT[name](), tokenizer(), TEXT)
    torch.testing.assert_close(look_into(*loaded, TEXT).layers[1].weights, own.layers[1].weights)
    assert watched(loaded[0]) is loaded[0]  # and is in memory once


def why(name: str) -> str:
    with pytest.raises(RefusedError) as refused:
        load(name)
    assert f"the model {name!r}"[:20] in str(refused.value)
    return refused.value.kind


def test_all_who_wait_are_told_and_nobody_else_waits(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, shelf = threading.Event(), Shelf()
    shelf.get(folder)

    def slowly(name: str, tell: Any) -> tuple[Any, Any]:
        for at in (0.25, 0.75):
            tell(Progress("numbers", at))
            assert goes_on.wait(20)
        return load(folder, lambda _: None)

    monkeypatch.setattr(cache, "load", slowly)
    told: dict[int, list[Progress]] = {0: [], 1: []}
    waiting = [threading.Thread(target=shelf.get, args=("slow", told[each].append)) for each in told]
    for thread in waiting:
        thread.start()
    until(lambda: all(told.values()))
    began = time.monotonic()
    shelf.get(folder)
    assert time.monotonic() - began < 0.1
    assert "slow" not in shelf
    goes_on.set()
    for thread in waiting:
        thread.join(20)
    assert "slow" in shelf
    assert all(each[0] == Progress("numbers", 0.25) for each in told.values())


def test_each_reason(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert why("/no/such/folder") == why("./no/such/folder") == "model_no_folder"
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-kind"}))
    assert why(str(tmp_path)) == "model_unknown"
    other = saved(MODELS["GPT-2"](), tmp_path / "other")
    (other / "model.safetensors").unlink()
    assert why(str(other)) in ("model_no_safetensors", "model_damaged")
    torch.save({}, other / "pytorch_model.bin")  # it would have to be unpickled
    assert why(str(other)) in ("model_no_safetensors", "model_damaged")
    monkeypatch.setattr(loading, "bytes_of_memory", lambda: 3000)  # whatever fits elsewhere, here it doesn't
    assert why(folder) == "model_too_large"
    assert Shelf()._kept.most_bytes == 1000
    monkeypatch.setattr(loading, "bytes_of_memory", lambda: None)
    monkeypatch.setattr(loading, "MOST_BYTES", 1000)
    assert why(folder) == "model_too_large"
    (other / "pytorch_model.bin").unlink()  # nothing is there but what says how large it will be
    assert why(str(other)) == "model_too_large"


def test_no_code_of_a_model_is_run(tmp_path: Path) -> None:
    folder, ran = saved(MODELS["GPT-2"](), tmp_path / "theirs"), tmp_path / "ran"
    theirs = {"AutoConfig": "theirs.Config", "AutoModel": "theirs.Model", "AutoModelForCausalLM": "theirs.Model"}
    (folder / "theirs.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    (folder / "config.json").write_text(json.dumps({"model_type": "theirs", "auto_map": theirs}))
    assert why(str(folder)) in ("model_unknown", "model_damaged")
    assert not ran.exists()
