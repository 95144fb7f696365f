"""Writing on: with the cache, every number is that of computing all anew, and `generate` draws what is drawn here."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attnviz import ModelTrace, look_into
from attnviz.commands.main import main
from attnviz.features.language_models.inside import load
from attnviz.features.language_models.inside.uses import Costs, costs_of
from attnviz.features.language_models.inside.writing import Sampling, appended
from tests.unit.small_models import DECODERS, MODELS, WORDS, bart, saved, tokenizer

SETTINGS = [{"temperature": 1.0}, {"temperature": 0.5, "top_k": 3}, {"temperature": 2.0, "top_p": 0.6},
            {"temperature": 1.3, "top_k": 7, "top_p": 0.8}]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(model_of("GPT-2"), tmp_path_factory.mktemp("gpt"))


@cache
def view_of(name: str) -> ModelTrace:
    return look_into(model_of(name), tokenizer(), "the cat sat")


@cache
def model_of(name: str) -> Any:
    model = DECODERS[name]()
    model.config.eos_token_id = model.generation_config.eos_token_id = None  # which nothing ends
    return model


each_decoder = pytest.mark.parametrize("name", DECODERS)


@each_decoder
def test_with_the_cache_every_matrix_is_that_of_computing_all_anew(name: str) -> None:
    """Mistral's tokens read a window of three, of which its cache keeps no more."""
    view = view_of(name)
    steps, anew = (view.write(5, seed=1, cache=cached) for cached in (True, False))
    assert [each.id for each in steps] == [each.id for each in anew]
    assert [each.view.computed_from for each in steps] == [0, 5, 6, 7, 8]
    assert {each.view.computed_from for each in anew} == {0}
    for step, other in zip(steps, anew, strict=True):
        mine, own = step.view, other.view
        assert (mine.text, mine.tokens, mine.spans, mine.special) == (own.text, own.tokens, own.spans, own.special)
        assert mine.written == own.written
        torch.testing.assert_close(mine.result.logits, own.result.logits, rtol=0, atol=1e-6)
        for layer, whole in zip(mine.layers, own.layers, strict=True):
            for head in range(layer.n_heads):
                trace, expected = layer.whole(head), whole.whole(head)
                assert list(trace.matrices) == list(expected.matrices)
                for matrix in expected.matrices:
                    torch.testing.assert_close(trace[matrix], expected[matrix], rtol=0, atol=1e-6)


@each_decoder
def test_what_was_computed_before_is_read_to_the_last_bit(name: str) -> None:
    view = view_of(name)
    longer = appended(view, [5])
    for before, after in zip(view.attending, longer.attending, strict=True):
        for part in ("query", "key", "value"):
            old, new = getattr(before.attended, part), getattr(after.attended, part)
            assert torch.equal(old, new[:, : old.shape[1]])
            assert new.shape[1] == old.shape[1] + 1
        assert torch.equal(before.weights, after.weights[:, :-1, :-1])
    assert view.result.past_key_values.get_seq_length() == len(view.tokens)  # its own cache isn't written into


@each_decoder
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_model_writes_what_generate_writes_with_the_same_probabilities(name: str, settings: dict[str, Any]) -> None:
    model, ids = model_of(name), torch.tensor([view_of(name).cut["input_ids"]])
    before = torch.get_rng_state()
    steps = view_of(name).write(4, seed=7, **settings)
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        own = model.generate(
            ids, do_sample=True, max_new_tokens=4, output_scores=True, output_logits=True,
            return_dict_in_generate=True, pad_token_id=0, **{"top_k": 0} | settings,
        )  # fmt: skip
    assert [each.id for each in steps] == own.sequences[0, ids.shape[1] :].tolist()
    for step, scores, logits in zip(steps, own.scores, own.logits, strict=True):
        torch.testing.assert_close(step.chances.logits, logits[0], rtol=0, atol=1e-6)
        torch.testing.assert_close(step.chances.probabilities, scores[0].softmax(-1), rtol=0, atol=1e-6)
        assert torch.equal(step.chances.probabilities == 0, scores[0] == -torch.inf)


@pytest.mark.parametrize("edit", ["0.1.off", "1.even", "0.0.w_q.2.1=3.0", "0.2.k.2.1=4.0", "1.3.mask.2.1=-inf"])
def test_a_changed_model_writes_on_with_its_changes(edit: str) -> None:
    """What was changed of the text is read from the cache; what was changed of the model holds for each new row."""
    view = look_into(model_of("GPT-2"), tokenizer(), "the cat sat", edits=[edit])
    steps, anew = (view.write(3, seed=2, cache=cached)[-1].view for cached in (True, False))
    torch.testing.assert_close(steps.result.logits, anew.result.logits, rtol=0, atol=1e-6)
    assert steps.original is not None
    assert anew.original is not None
    torch.testing.assert_close(steps.original.result.logits, anew.original.result.logits, rtol=0, atol=1e-6)
    for place, trace in steps.heads.items():
        torch.testing.assert_close(trace.context, anew.heads[place].context, rtol=0, atol=1e-6)
    assert not torch.equal(steps.result.logits, steps.original.result.logits)


@each_decoder
def test_at_temperature_0_the_likeliest_is_taken_whatever_the_seed(name: str) -> None:
    ids = torch.tensor([view_of(name).cut["input_ids"]])
    own = model_of(name).generate(ids, do_sample=False, max_new_tokens=4, pad_token_id=0)
    for seed in (0, 9):
        steps = view_of(name).write(4, temperature=0.0, seed=seed)
        assert [each.id for each in steps] == own[0, ids.shape[1] :].tolist()
        assert all(float(each.chances.probabilities[each.id]) == 1 for each in steps)
        assert all(float(each.chances.probabilities.sum()) == 1 for each in steps)


def test_writing_ends_where_the_model_ends_it_or_has_no_more_places() -> None:
    model = DECODERS["GPT-2"]()
    view = look_into(model, tokenizer(), "the cat sat")
    taken = view.write(1, top_k=1)[0]
    model.config.eos_token_id = taken.id
    assert len(look_into(model, tokenizer(), "the cat sat").write(5, top_k=1)) == 1
    model.config.eos_token_id = None
    full = look_into(model, tokenizer(), " ".join(["cat"] * 62))  # and the two around them
    assert len(full.write(1)) == 1
    with pytest.raises(ValueError, match="has 65 tokens, and up to 64 fit"):
        full.write(2)


def test_the_command_prints_what_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["write", "the cat sat", "--model", str(folder), "--tokens", "3", "--seed", "4", "--top-k", "5"]
    steps = look_into(*load(str(folder)), "the cat sat").write(3, seed=4, top_k=5)
    assert main(asked) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == steps[-1].text
    for line, step in zip(told[2:5], steps, strict=True):
        assert line.split()[:2] == [step.token, f"{float(step.chances.probabilities[step.id]):.4f}"]
    assert main([*asked, "--json", "--no-cache"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert [each["id"] for each in given["tokens"]] == [each.id for each in steps]
    assert [each["rows"] for each in given["tokens"]] == [5, 6, 7]
    assert main(["write", "the cat sat", "--model", str(folder), "--tokens", "90"]) == 2
    assert "up to 64 fit" in capsys.readouterr().err
    assert main(["write", " ", "--model", str(folder)]) == 2


def test_what_cant_write_and_settings_that_say_nothing_are_refused() -> None:
    for view in (look_into(bart(), tokenizer(), "the cat"), look_into(MODELS["BERT"](), tokenizer(), "the cat")):
        with pytest.raises(ValueError, match="can't write on, expected a decoder"):
            view.write()
    for wrong in ({"top_p": 0.0}, {"top_p": 1.5}, {"top_k": 0}, {"temperature": -1.0}, {"temperature": False}):
        with pytest.raises(ValueError, match=r"top_p|top_k|temperature"):
            Sampling(**wrong)
    with pytest.raises(ValueError, match="0 can't be n"):
        view_of("GPT-2").write(0)


@each_decoder
def test_multiplications_are_those_that_torch_counts(name: str) -> None:
    model, view = model_of(name), view_of(name)
    costs, ids = costs_of(view), view.cut["input_ids"]
    assert costs is not None
    with torch.no_grad(), FlopCounterMode(display=False) as anew:
        past = view.model(torch.tensor([ids])).past_key_values
    with torch.no_grad(), FlopCounterMode(display=False) as one:
        view.model(torch.tensor([[5]]), past_key_values=past)
    window = getattr(model.config, "sliding_window", None) or 99
    assert anew.get_total_flops() == 2 * costs.multiplied(5, 5)
    assert one.get_total_flops() == 2 * costs.multiplied(1, min(6, window))


def test_a_tiny_model_costs_what_a_hand_counts() -> None:
    """Two layers of four heads, 24 wide: W_q, W_k, W_v, W_o, and four times as wide between, and the output."""
    costs = costs_of(view_of("GPT-2"))
    weights = 2 * (4 * 24 * 24 + 2 * 24 * 96) + 24 * len(WORDS)
    assert costs == Costs(weights, 2 * 4 * (6 + 6), 2 * 4 * (6 + 6), 4)
    assert costs.multiplied(1, 10) == weights + 10 * 96
    assert costs.cached(10) == 10 * 2 * 2 * 24 * 4  # keys and values of two layers, 24 numbers of four bytes each
