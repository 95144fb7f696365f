"""Models by a folder or a name: one copy for all, so many in memory, and in seconds a reason for what can't be had."""

import json
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from attnviz import look_into
from attnviz.core.errors import RefusedError
from attnviz.models import INCLUDED, included, loading
from attnviz.models.loading import Shelf, load, size_of
from attnviz.models.offering import offered, short_of
from attnviz.models.pretrained import watched
from attnviz.models.progress import Progress, fetching_bar, telling
from tests.unit.small_models import MODELS, TEXT, WRITTEN_OUT, tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("small")
    MODELS["GPT-2"]().save_pretrained(made)
    tokenizer().save_pretrained(made)
    return str(made)


@pytest.mark.parametrize("name", ["Falcon", "GPT-J", "Bloom"])
def test_a_model_whose_attention_is_written_out_is_loaded_and_looked_into(name: str, tmp_path: Path) -> None:
    WRITTEN_OUT[name]().save_pretrained(tmp_path)
    tokenizer().save_pretrained(tmp_path)
    loaded = load(str(tmp_path))
    own = look_into(WRITTEN_OUT[name](), tokenizer(), TEXT)
    torch.testing.assert_close(look_into(*loaded, TEXT).layers[1].weights, own.layers[1].weights)
    assert watched(loaded[0]) is loaded[0]  # and is in memory once


def why(name: str) -> str:
    with pytest.raises(RefusedError) as refused:
        load(name)
    assert str(refused.value).startswith("the model ")
    return refused.value.kind


def test_it_is_told_what_is_loaded_and_how_far_that_is(folder: str) -> None:
    told: list[Progress] = []
    model, _ = load(folder, told.append)
    assert list(dict.fromkeys(each.step for each in told)) == ["package", "settings", "tokenizer", "numbers"]
    wholes = [each.whole for each in told]
    assert wholes == sorted(wholes)
    assert wholes[-1] == 1.0
    # One step further with each matrix that is there.
    shares = [each.share for each in told if each.step == "numbers"]
    named = dict(model.named_parameters())
    assert len(shares) - 1 in (len(named), len(named) + 1)  # a matrix that is used twice may be counted twice
    assert shares == pytest.approx([at / (len(shares) - 1) for at in range(len(shares))])


def test_of_the_model_that_comes_along_it_is_told_too() -> None:
    included._loaded.cache_clear()
    told: list[Progress] = []
    load(INCLUDED, told.append)
    assert list(dict.fromkeys(each.step for each in told)) == ["package", "sum", "tokenizer", "numbers"]
    assert len([each for each in told if each.step == "numbers"]) > 100
    assert told[-1].whole == 1.0
    assert [each.whole for each in told] == sorted(each.whole for each in told)


def test_bytes_that_are_fetched_are_told() -> None:
    told: list[Progress] = []
    with telling(told.append):
        bar = fetching_bar()(total=200, initial=50, disable=True)
    for chunk in (50, 100):
        bar.update(chunk)  # as other threads do
    assert told == [Progress("fetched", 0.5), Progress("fetched", 1.0)]
    fetching_bar()(total=10, disable=True).update(5)  # nobody waits for it
    assert len(told) == 2


def test_all_who_wait_are_told_and_nobody_else_waits(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, shelf = threading.Event(), Shelf()
    shelf.get(folder)

    def slowly(name: str, tell: Any) -> tuple[Any, Any]:
        for at in (0.25, 0.75):
            tell(Progress("numbers", at))
            assert goes_on.wait(20)
        return load(folder, lambda _: None)

    monkeypatch.setattr(loading, "load", slowly)
    told: dict[int, list[Progress]] = {0: [], 1: []}
    waiting = [threading.Thread(target=shelf.get, args=("slow", told[each].append)) for each in told]
    for thread in waiting:
        thread.start()
    until = time.monotonic() + 20
    while not all(told.values()) and time.monotonic() < until:
        time.sleep(0.01)
    began = time.monotonic()
    shelf.get(folder)
    assert time.monotonic() - began < 0.1
    assert "slow" not in shelf
    goes_on.set()
    for thread in waiting:
        thread.join(20)
    assert "slow" in shelf
    assert all(each[0] == Progress("numbers", 0.25) for each in told.values())


def test_whoever_leaves_meanwhile_stops_nothing(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, shelf = threading.Event(), Shelf()

    def slowly(name: str, tell: Any) -> tuple[Any, Any]:
        assert goes_on.wait(20)
        return load(folder, tell)

    def leaves(_: Progress) -> None:
        raise InterruptedError

    monkeypatch.setattr(loading, "load", slowly)
    with pytest.raises(InterruptedError):
        shelf.get("slow", leaves)
    goes_on.set()
    assert shelf.get("slow")[0] is shelf.get("slow")[0]


def test_all_who_wait_are_told_why_it_cannot_be_had() -> None:
    shelf = Shelf()
    for _ in range(2):  # and it's tried anew
        with pytest.raises(RefusedError, match="there is no such folder"):
            shelf.get("/no/such/folder")


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
    monkeypatch.setattr(loading, "bytes_of_memory", lambda: 3000)  # whatever fits elsewhere, here it doesn't
    assert why(folder) == "model_too_large"
    assert Shelf()._kept.most_bytes == 1000
    monkeypatch.setattr(loading, "bytes_of_memory", lambda: None)
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


def test_models_are_offered_by_short_names_of_which_no_two_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    given = "/a/llama, /b/llama/,gpt2,/x/gpt2,/a/llama,org/gpt2,~/all-MiniLM-L6-v2,"
    monkeypatch.setenv("ATTNVIZ_MODELS", given)
    offered.cache_clear()
    try:
        expected = {
            INCLUDED: INCLUDED, "llama": "/a/llama", "llama (2)": "/b/llama/", "gpt2": "gpt2", "gpt2 (2)": "/x/gpt2",
            "org/gpt2": "org/gpt2", f"{INCLUDED} (2)": "~/all-MiniLM-L6-v2",
        }  # fmt: skip
        assert list(offered().items()) == list(expected.items())
        assert all(short_of(each) == short for short, loaded in expected.items() for each in (short, loaded))
        assert short_of("/c/llama") is short_of("") is None
    finally:
        offered.cache_clear()


def test_a_snapshot_is_offered_by_the_name_of_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {f"/hub/models--{name}/snapshots/{version}": called for name, version, called in (
        ("openai--gpt2", "607a30d7", "openai/gpt2"), ("openai--gpt2", "11c5a3d5", "openai/gpt2 (2)"),
        ("gpt2", "607a30d7", "gpt2"))}  # fmt: skip
    others = {"/hub/models--openai--gpt2/refs/main": "main", "/snapshots/607a30d7": "607a30d7", "/": "/"}
    monkeypatch.setenv("ATTNVIZ_MODELS", ",".join(kept | others))
    offered.cache_clear()
    try:
        assert list(offered().items()) == [
            (INCLUDED, INCLUDED),
            *((short, folder) for folder, short in (kept | others).items()),
        ]
    finally:
        offered.cache_clear()
