"""Attention weights from any library and file stand as they were given."""

import io
import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save
from torch import Tensor, nn
from transformers import BertConfig, BertModel, T5Config, T5Model
from transformers.modeling_outputs import BaseModelOutput

import attnviz
from attnviz import show_attention
from attnviz.commands.main import main
from attnviz.documents import model_page
from attnviz.features.arrays import files
from attnviz.features.arrays.files import read_weights
from attnviz.features.arrays.layers_of import MOST_NUMBERS, layers_of
from tests.unit.small_models import tokenizer

LAYERS, HEADS, TOKENS = 2, 3, ("The", "cat", "sat", "down")
N = len(TOKENS)


def weights(*shape: int, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.softmax(torch.randn(*shape, N, N, generator=generator), -1)


ALL = weights(LAYERS, HEADS)


class Foreign:
    """An array of another library, as JAX's are seen from here."""

    def __init__(self, numbers: Tensor) -> None:
        self.numbers = numbers.numpy()

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numbers.astype(dtype or self.numbers.dtype)


class Cache:
    """A cache of activations, as TransformerLens has it: no Mapping, with a dimension of texts."""

    def __init__(self) -> None:
        self.cache_dict = {f"blocks.{i}.attn.hook_{what}": ALL[i : i + 1] * size for i in reversed(range(LAYERS))
                           for what, size in (("pattern", 1), ("attn_scores", 9))}  # fmt: skip


SOURCES: dict[str, Callable[[], Any]] = {
    "torch": lambda: ALL,
    "torch, with gradients": lambda: nn.Parameter(ALL),
    "numpy": ALL.numpy,
    "numpy, not in rows": lambda: np.asfortranarray(ALL.numpy()),
    "numpy, another order of bytes": lambda: ALL.numpy().astype(">f4"),
    "lists": ALL.tolist,
    "an array of JAX": lambda: Foreign(ALL),
    "a batch of one": lambda: ALL[:, None],
    "a layer each": lambda: list(ALL),
    "heads of layers": lambda: [list(layer) for layer in ALL],
    "transformers' attentions": lambda: tuple(layer[None] for layer in ALL),
    "transformers' output": lambda: BaseModelOutput(
        last_hidden_state=torch.zeros(1, N, 4),
        attentions=tuple(layer[None] for layer in ALL),
    ),
    "layers without attention": lambda: (ALL[:1], None, ALL[1:]),
    "a cache of TransformerLens": Cache,
    "by name": lambda: {f"layer_{i}": ALL[i] for i in reversed(range(LAYERS))},
}


@pytest.mark.parametrize("source", SOURCES)
def test_numbers_of_each_source_stand_as_they_were_given(source: str) -> None:
    view = show_attention(SOURCES[source](), TOKENS)
    assert (view.tokens, view.n_layers, view.n_heads) == (TOKENS, LAYERS, HEADS)
    for layer, head in view.heads:
        shown = view.heads[layer, head].attention_weights
        torch.testing.assert_close(shown, ALL[layer, head], rtol=0, atol=0)
        assert not shown.requires_grad
        assert view.heads[layer, head].notices == ()


@pytest.mark.parametrize("shape", [(), (HEADS,), (LAYERS, HEADS)])
def test_dimensions_that_are_missing_are_one(shape: tuple[int, ...]) -> None:
    given = weights(*shape)
    view = show_attention(given, TOKENS)
    shown = torch.stack([layer.weights for layer in view.attending])
    torch.testing.assert_close(shown.reshape(given.shape), given, rtol=0, atol=0)


@pytest.mark.parametrize("kind", [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_another_type_of_numbers_loses_nothing(kind: torch.dtype) -> None:
    given = (ALL * 3).to(kind)
    shown = show_attention(given, TOKENS).heads[1, 2].attention_weights
    assert torch.equal(shown.double(), given[1, 2].double())


def test_a_models_attentions_are_those_that_looking_into_it_shows() -> None:
    config = BertConfig(vocab_size=40, hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=8)
    model = BertModel._from_config(config, attn_implementation="eager").eval()
    own = tokenizer()
    looked = attnviz.look_into(model, own, "the cat sat")
    with torch.no_grad():
        output = model(**own("the cat sat", return_tensors="pt"), output_attentions=True)
    view = show_attention(output, looked.tokens)
    for place in looked.heads:
        torch.testing.assert_close(view.heads[place].attention_weights, looked.heads[place].attention_weights)
        ours, theirs = view.measured(*place), looked.measured(*place)
        assert ours is not None
        assert theirs is not None
        assert (ours.itself, ours.entropy) == pytest.approx((theirs.itself, theirs.entropy), rel=1e-5)


def test_an_encoder_with_a_decoder_asks_for_one_kind_and_shows_whom_the_decoder_reads() -> None:
    config = T5Config(vocab_size=20, d_model=8, d_kv=4, d_ff=8, num_layers=2, num_heads=2, decoder_start_token_id=0)
    model = T5Model._from_config(config, attn_implementation="eager").eval()
    with torch.no_grad():
        output = model(input_ids=torch.tensor([[1, 5, 7]]), decoder_input_ids=torch.tensor([[0, 4]]),
                       output_attentions=True)  # fmt: skip
    with pytest.raises(ValueError, match="expected one kind of attention"):
        show_attention(output, ("a", "b"))
    view = show_attention(output.cross_attentions, ("x", "y"), read_tokens=("a", "b", "c"))
    assert view.kinds == ("cross",)
    trace = view.heads[1, 1]
    torch.testing.assert_close(trace.attention_weights, output.cross_attentions[1][0, 1], rtol=0, atol=0)
    assert (trace.tokens, trace.read_tokens) == (("x", "y"), ("a", "b", "c"))
    assert "<h1>" in model_page(view)
    assert "reads" in view._repr_html_()


def test_rows_that_do_not_sum_to_1_are_said_and_stand_as_they_were_given() -> None:
    given = ALL.clone()
    given[0, 1, 2] *= 0.5
    given[1, 0, 3, 1] = -0.25
    view = show_attention(given, TOKENS)
    torch.testing.assert_close(view.layers[0].weights, given[0], rtol=0, atol=0)
    (half,) = view.heads[0, 1].notices
    assert half.startswith("Rows that don't sum to 1: 1 of 4, with sums from 0.500 to 1.000.")
    assert view.heads[0, 0].notices == ()
    assert "Attention weights below 0: 1." in view.heads[1, 0].notices
    assert view.row_notices[0].startswith("Rows that don't sum to 1: 2 of 24")
    assert all(notice in view._repr_html_() for notice in ("Attention weights below 0: 1.",))
    assert "2 of 24" in model_page(view)
    measured = view.measured(0, 1)
    assert measured is not None
    assert measured.most is None


def test_numbers_that_are_not_finite_are_said_and_drawn() -> None:
    given = ALL.clone()
    given[0, 0, 1, 1], given[0, 0, 2, 2] = torch.nan, torch.inf
    view = show_attention(given, TOKENS)
    assert view.measured(0, 0) is None
    assert view.row_notices == (
        "Attention weights that aren't finite numbers: 2. So nothing is measured of this head.",
    )
    assert "<h1>" in model_page(view)
    assert "<img" in view._repr_html_()
    assert not torch.isfinite(view.heads[0, 0].attention_weights).all()


def test_weights_that_read_nothing_later_are_a_decoders() -> None:
    assert show_attention(ALL, TOKENS).kinds == ("encoder",)
    view = show_attention(ALL.tril(), TOKENS)
    assert view.kinds == ("decoder",)
    assert '"masked": true' in model_page(view)


def test_one_head_is_a_trace_that_notebooks_and_files_show() -> None:
    trace = show_attention(ALL, TOKENS).heads[1, 0]
    assert {*trace._repr_mimebundle_()} == {"text/plain", "text/html", "text/latex"}
    exported = json.loads("".join(attnviz.export.json_pieces(trace)))
    assert exported["tokens"] == list(TOKENS)
    np.testing.assert_array_equal(np.float32(exported["matrices"]["attention_weights"]), ALL[1, 0].numpy())
    assert "0.2" in attnviz.documents.head_report(show_attention(ALL, TOKENS), 1, 0)
    assert attnviz.figures.heatmap(trace, "attention_weights").data


REFUSED: dict[str, tuple[Any, str]] = {
    "nothing": ([], r"weights has shape \(0,\), expected \(queries, keys\)"),
    "a vector": (np.ones(4), r"weights has shape \(4,\), expected \(queries, keys\)"),
    "no heads": (np.ones((0, 4, 4)), "expected at least one of each"),
    "lists of several lengths": ([[1.0], [0.5, 0.5]], "weights isn't an array of numbers"),
    "texts": (np.array([["a"]]), "weights holds <U1, expected real numbers"),
    "complex numbers": (np.ones((4, 4), complex), "weights holds complex128, expected real numbers"),
    "several texts": (torch.ones(2, 3, 2, 4, 4), "expected one text at a time, of 3"),
    "several texts of a layer": ((torch.ones(2, 3, 4, 4),), "expected one text at a time, of 2"),
    "layers of several sizes": ([torch.ones(1, 4, 4), torch.ones(1, 5, 5)], "expected one shape"),
    "heads of several sizes": ([torch.ones(4, 4), torch.ones(5, 5)], "expected one shape"),
    "names that tell nothing": ({"q": np.ones((4, 4)), "k": np.ones((4, 4))}, r"weights has the names \['k', 'q'\]"),
    "no names": ({}, "weights has no layer"),
    "more columns than rows": (np.ones((4, 5)), "4 rows and 5 columns, expected as many, or read_tokens"),
    "too many numbers": (torch.ones(1).expand(MOST_NUMBERS // 16 + 1, 4, 4), "expected at most"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_attention_is_refused_with_what_is_expected(what: str) -> None:
    given, told = REFUSED[what]
    with pytest.raises(ValueError, match=told):
        show_attention(given, TOKENS)


def test_tokens_fit_the_rows_and_the_columns() -> None:
    with pytest.raises(ValueError, match="tokens has 3 tokens, expected 4, as many as weights has rows"):
        show_attention(ALL, TOKENS[:3])
    with pytest.raises(ValueError, match="read_tokens has 1 tokens, expected 4, as many as weights has columns"):
        show_attention(ALL, TOKENS, read_tokens=("a",))


def saved(folder: pathlib.Path, kind: str) -> pathlib.Path:
    file = folder / f"mine{kind}"
    if kind == ".npy":
        np.save(file, ALL.numpy())
    elif kind == ".npz":
        np.savez_compressed(file, attentions=ALL.numpy(), tokens=np.array(TOKENS))
    elif kind == ".safetensors":
        file.write_bytes(save({f"layer.{i}": ALL[i].contiguous() for i in range(LAYERS)},
                              metadata={"tokens": json.dumps(TOKENS)}))  # fmt: skip
    else:
        file.write_text(json.dumps({"weights": ALL.tolist(), "tokens": TOKENS}), "utf-8")
    return file


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors", ".json"])
def test_a_file_holds_what_was_saved(kind: str, tmp_path: pathlib.Path) -> None:
    file = saved(tmp_path, kind)
    read = read_weights(file.name, file.read_bytes())
    torch.testing.assert_close(torch.stack(layers_of(read.weights)), ALL, rtol=0, atol=0)
    assert read.tokens == (None if kind == ".npy" else TOKENS)


@pytest.mark.parametrize("kind", [".npy", ".npz", ".safetensors", ".json"])
def test_the_command_shows_a_file(kind: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = saved(tmp_path, kind), tmp_path / "page.html"
    tokens = [] if kind != ".npy" else ["--tokens", " ".join(TOKENS)]
    assert main(["show", str(file), "--html", str(page), *tokens]) == 0
    assert f"<h1>mine{kind}: attention weights of every head" in page.read_text("utf-8")
    assert all(token in page.read_text("utf-8") for token in TOKENS)
    assert main(["show", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["tokens"] == (list(TOKENS) if tokens == [] else ["0", "1", "2", "3"])
    assert told["heads"][4]["itself"] == pytest.approx(float(ALL[1, 1].double().diagonal().mean()))
    assert main(["show", str(file)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + LAYERS * HEADS


def test_a_trace_that_was_exported_opens_again(tmp_path: pathlib.Path) -> None:
    trace = attnviz.trace(attnviz.Scenario("the cat sat", n_heads=2, d_out=4))
    for name, content in (
        ("trace.json", "".join(attnviz.export.json_pieces(trace)).encode()),
        ("trace.safetensors", attnviz.export.trace_safetensors(trace)),
    ):
        read = read_weights(name, content)
        assert read.tokens == trace.tokens
        torch.testing.assert_close(torch.stack(layers_of(read.weights))[0], trace.attention_weights, rtol=0, atol=0)


UNREADABLE = {
    "mine.txt": (b"1 2", r"expected \.npy, \.npz, \.safetensors, \.json"),
    "mine.json": (b"{", "can't be read"),
    "deep.json": (b"[" * 100_000, "can't be read"),
    "other.json": (b'{"q": 1}', "expected weights"),
    "tokens.json": (b'{"weights": [[1]], "tokens": [3]}', "tokens is .3., expected a list of texts"),
    "mine.npy": (b"nothing", "can't be read"),
    "mine.npz": (b"nothing", "can't be read"),
    "mine.safetensors": (b"nothing at all", "can't be read"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_that_can_not_be_read_is_refused(name: str) -> None:
    content, told = UNREADABLE[name]
    with pytest.raises(ValueError, match=told):
        read_weights(name, content)


def test_nothing_is_unpickled() -> None:
    held = io.BytesIO()
    np.save(held, np.array([[print]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="allow_pickle=False"):
        read_weights("mine.npy", held.getvalue())


def test_a_packed_file_that_unfolds_to_too_much_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10_000)
    held = io.BytesIO()
    np.savez_compressed(held, weights=np.zeros(2_500, dtype=np.float32))
    assert len(held.getvalue()) < 10_000
    with pytest.raises(ValueError, match="unpacked, it has"):
        read_weights("mine.npz", held.getvalue())
