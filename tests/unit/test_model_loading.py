"""Models by a folder or a name: one copy for all, so many in memory, and in seconds a reason for what can't be had."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz.core.errors import RefusedError
from attnviz.models import loading
from attnviz.models.loading import STEPS, Shelf, load, size_of
from tests.unit.small_models import MODELS, tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("small")
    MODELS["GPT-2"]().save_pretrained(made)
    tokenizer().save_pretrained(made)
    return str(made)


def why(name: str) -> str:
    with pytest.raises(RefusedError) as refused:
        load(name)
    assert str(refused.value).startswith("the model ")
    return refused.value.kind


def test_it_is_told_what_is_loaded(folder: str) -> None:
    told: list[str] = []
    load(folder, told.append)
    assert tuple(told) == STEPS


def test_a_name_without_a_network_is_refused_in_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # where nobody listens
    began = time.monotonic()
    assert why("nobody/has-such-a-model") == "model_no_network"
    assert time.monotonic() - began < 10


def test_each_reason(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert why("/no/such/folder") == why("./no/such/folder") == "model_no_folder"
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-kind"}))
    assert why(str(tmp_path)) == "model_unknown"
    other = tmp_path / "other"
    MODELS["GPT-2"]().save_pretrained(other)
    tokenizer().save_pretrained(other)
    (other / "model.safetensors").unlink()
    assert why(str(other)) in ("model_no_safetensors", "model_damaged")
    torch.save({}, other / "pytorch_model.bin")  # it would have to be unpickled
    assert why(str(other)) in ("model_no_safetensors", "model_damaged")
    monkeypatch.setattr(loading, "MOST_BYTES", 1000)
    assert why(folder) == "model_too_large"
    (other / "pytorch_model.bin").unlink()  # nothing is there but what says how large it will be
    assert why(str(other)) == "model_too_large"


def test_no_code_of_a_model_is_run(tmp_path: Path) -> None:
    folder, ran = tmp_path / "theirs", tmp_path / "ran"
    MODELS["GPT-2"]().save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    theirs = {"AutoConfig": "theirs.Config", "AutoModel": "theirs.Model", "AutoModelForCausalLM": "theirs.Model"}
    (folder / "theirs.py").write_text(f"open({str(ran)!r}, 'w').close()\n")
    (folder / "config.json").write_text(json.dumps({"model_type": "theirs", "auto_map": theirs}))
    assert why(str(folder)) in ("model_unknown", "model_damaged")
    assert not ran.exists()


def test_one_copy_is_loaded_for_all_who_ask_at_once(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []

    def slowly(name: str, tell: Any) -> tuple[Any, Any]:
        loaded.append(name)
        time.sleep(0.2)
        return load(name, tell)

    shelf, found = Shelf(), []
    monkeypatch.setattr(loading, "load", slowly)
    threads = [threading.Thread(target=lambda: found.append(shelf.get(folder))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loaded == [folder]
    assert len({id(model) for model, _ in found}) == 1


def test_the_one_asked_for_longest_ago_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = MODELS["GPT-2"]()
    monkeypatch.setattr(loading, "load", lambda name, _: (model, name))
    shelf = Shelf(most=2)
    for name in ("a", "b", "a", "c"):
        shelf.get(name)
    assert [name in shelf for name in "abc"] == [True, False, True]
    by_size = Shelf(most=9, most_bytes=int(1.5 * size_of(model)))
    for name in "ab":
        by_size.get(name)
    assert [name in by_size for name in "ab"] == [False, True]
