"""Models by a folder or a name: one copy for all, so many in memory, and in seconds a reason for what can't be had."""

import json
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import look_into
from attnviz.commands.main import main
from attnviz.core.limits import RefusedError
from attnviz.features.language_models.inside import loading
from attnviz.features.language_models.inside.files.outline import TooLargeError, outline_of
from attnviz.features.language_models.inside.loading import Progress, load
from attnviz.features.language_models.inside.pretrained import watched
from attnviz.features.language_models.inside.shelf import Shelf
from tests.unit.helpers import until
from tests.unit.small_models import DECODERS, MODELS, TEXT, WRITTEN_OUT, saved, tokenizer


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
            assert goes_on.wait(60)
        return load(folder, lambda _: None)

    monkeypatch.setattr("attnviz.features.language_models.inside.shelf.load", slowly)
    told: dict[int, list[Progress]] = {0: [], 1: []}
    waiting = [threading.Thread(target=shelf.get, args=("slow", told[each].append)) for each in told]
    for thread in waiting:
        thread.start()
    until(lambda: all(told.values()))
    shelf.get(folder)
    assert all(thread.is_alive() for thread in waiting)
    assert "slow" not in shelf
    goes_on.set()
    for thread in waiting:
        thread.join(60)
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


def test_a_damaged_file_of_any_kind_ends_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = saved(DECODERS["Llama"](), tmp_path)
    weights, settings = folder / "model.safetensors", folder / "config.json"
    good, config = weights.read_bytes(), json.loads(settings.read_text())
    for bad in (b"", good[:4], good[:100], good[:-100], b"x" * 1000, good + b"xx", good[:50] + b"\xff" + good[51:]):
        weights.write_bytes(bad)
        assert why(str(folder)) == "model_damaged"
    assert main(["model", TEXT, "--model", str(folder)]) == 2
    assert "damaged" in capsys.readouterr().err
    weights.write_bytes(good)
    for wrong in ({"num_attention_heads": 0}, {"hidden_size": "a"}, {"dtype": "zz"}, {"rope_parameters": 5}):
        settings.write_text(json.dumps(config | wrong))
        assert why(str(folder)) == "model_damaged"
    settings.write_text("5")
    assert why(str(folder)) == "model_damaged"


@pytest.mark.parametrize("wrong", [{"hidden_size": 48}, {"vocab_size": 99}, {"num_hidden_layers": 3}])
def test_weights_that_dont_fit_their_settings_are_refused(wrong: dict[str, int], tmp_path: Path) -> None:
    """What a file lacks would be random numbers, silently another model."""
    folder = saved(DECODERS["Llama"](), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | wrong))
    assert why(str(folder)) == "model_other_weights"


def test_a_file_without_what_stands_behind_the_last_vectors_is_read(tmp_path: Path) -> None:
    model = MODELS["BERT"]()
    saved(type(model)(model.config, add_pooling_layer=False), tmp_path)
    assert load(str(tmp_path))[0].pooler is not None


@pytest.mark.parametrize("name", ["Llama", "GPT-2", "Bloom"])
def test_sizes_times_2000_are_refused_at_once(name: str, tmp_path: Path) -> None:
    """A model of 4,000 layers took two minutes to be made, before its file was looked into."""
    folder = saved(DECODERS[name](), tmp_path)
    config = json.loads((folder / "config.json").read_text())
    sizes = {key: value for key, value in config.items() if type(value) is int and value > 1 and "token" not in key}
    large = {key: {key: value * 2000} for key, value in sizes.items()} | {
        "all": {k: v * 2000 for k, v in sizes.items()}
    }
    large = {key: each for key, each in large.items() if "head" not in key and key != "max_position_embeddings"}
    assert len(large) >= 4
    for changed in large.values():
        (folder / "config.json").write_text(json.dumps(config | changed))
        assert why(str(folder)) in ("model_other_weights", "model_too_large")


def test_a_model_that_is_too_large_is_refused_while_its_outline_is_made() -> None:
    """Nothing but its settings is known of one that would be fetched."""
    made: list[int] = []

    def layers(n: int, size: int) -> torch.nn.ModuleList:
        made.clear()
        return torch.nn.ModuleList(layer(i, size) for i in range(n))

    def layer(i: int, size: int) -> torch.nn.Module:
        made.append(i)
        return torch.nn.Linear(size, size)

    outline = outline_of(lambda: layers(3, 100), 40_000, None)
    assert sum(each.numel() for each in outline.parameters()) == 3 * 10_100
    assert {each.device.type for each in outline.parameters()} == {"meta"}
    for most, size in ((40_000, 100), (10**15, 1)):
        with pytest.raises(TooLargeError):
            outline_of(partial(layers, 100_000, size), most, None)
        assert len(made) < 2**14
    with pytest.raises(TooLargeError, match="its files have 10,000") as refused:
        outline_of(lambda: layers(1000, 100), 10**15, 10_000)
    assert refused.value.beyond_files
