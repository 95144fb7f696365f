"""Two texts as a pair: a model reads them as its own tokenizer puts them together, and any other reading is refused."""

import json

import pytest
import torch

from attnviz import look_into
from attnviz.commands.main import main
from attnviz.core.limits import MAX_TEXT_CHARACTERS, RefusedError
from attnviz.features.language_models.inside import INCLUDED, STORIES, load
from attnviz.features.models.model_code import model_script
from tests.unit.small_models import MODELS, tokenizer

PAIR = ("a cat sat", "A dog runs, unfolded.")


def test_a_pair_is_read_with_the_tokenizers_own_segment_ids() -> None:
    """The referee is the model itself, called with what its tokenizer makes of both texts."""
    model, own = load(INCLUDED)
    view, given = look_into(INCLUDED, text=PAIR), own(*PAIR, return_tensors="pt")
    assert view.tokens == tuple(own.convert_ids_to_tokens(given["input_ids"][0]))
    assert view.cut["token_type_ids"] == given["token_type_ids"][0].tolist()
    assert set(view.cut["token_type_ids"]) == {0, 1}
    with torch.no_grad():
        expected = model(**given).last_hidden_state
    torch.testing.assert_close(view.result.last_hidden_state, expected, rtol=0, atol=1e-5)
    typed = look_into(INCLUDED, text="a cat sat [SEP] A dog runs, unfolded.")
    assert typed.tokens == view.tokens
    assert not torch.allclose(typed.result.last_hidden_state, expected, rtol=0, atol=1e-3)


def test_each_token_of_a_pair_says_what_was_typed_for_it() -> None:
    view = look_into(INCLUDED, text=PAIR)
    assert view.asked == PAIR
    assert [piece.typed for piece in view.pieces if piece.typed][:5] == ["a", "cat", "sat", "A", "dog"]
    assert {piece.word for piece in view.pieces} >= {"cat", "dog", "unfolded"}
    changed = look_into(INCLUDED, text=PAIR, edits=["0.1.off"])
    assert changed.asked == PAIR
    assert changed.original is not None
    assert changed.original.cut["token_type_ids"] == view.cut["token_type_ids"]


def test_the_script_of_a_head_reads_the_pair() -> None:
    """It prints the weights that are shown, computed by transformers alone."""
    view, made = look_into(INCLUDED, text=PAIR), dict[str, object]()
    exec(model_script(view, 2, 3, name=INCLUDED), made)
    weights = made["weights"]
    assert isinstance(weights, torch.Tensor)
    torch.testing.assert_close(weights, view.heads[2, 3].attention_weights, rtol=0, atol=1e-5)


def test_the_command_reads_a_second_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", PAIR[0], "--second", PAIR[1], "--json"]) == 0
    assert tuple(json.loads(capsys.readouterr().out)["tokens"]) == look_into(INCLUDED, text=PAIR).tokens
    assert main(["model", PAIR[0], "--second", " "]) == 2
    assert main(["model", "anna sings", "--second", "ben sings", "--model", STORIES]) == 2
    assert "no pairs" in capsys.readouterr().err


def test_what_is_no_pair_is_refused() -> None:
    with pytest.raises(RefusedError, match="no pairs"):
        look_into(STORIES, text=("anna sings", "ben sings"))
    for wrong in (("a", "b", "c"), ("a",) * 0, ("a", 5), ("a", ""), (" ", "b"), ("a", "b" * (MAX_TEXT_CHARACTERS + 1))):
        with pytest.raises(ValueError, match=r"text|token|word"):
            look_into(MODELS["BERT"](), tokenizer(), wrong)  # type: ignore[arg-type]
