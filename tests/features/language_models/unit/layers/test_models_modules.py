"""Modules of torch under the glass: their own attention, and whatever calls F.scaled_dot_product_attention."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnviz import ModelTrace, explain, look_into
from attnviz.core.rules import causal_mask


def vectors(n_tokens: int = 5, d: int = 8) -> Tensor:
    return torch.randn(n_tokens, d, generator=torch.Generator().manual_seed(n_tokens + d))


def made(kind: type[nn.Module], *sizes: Any, **settings: Any) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        return kind(*sizes, **settings).eval()


class Attending(nn.Module):
    """As people write it: one product for all three, two heads, a causal mask."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.qkv, self.out, self.causal = nn.Linear(8, 24), nn.Linear(8, 8), causal

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.unflatten(-1, (2, 4)).transpose(-3, -2) for part in self.qkv(x).chunk(3, -1))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(mixed.transpose(-3, -2).flatten(-2))


@pytest.mark.parametrize("batch_first", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_torchs_own_attention(batch_first: bool, bias: bool) -> None:
    module, x = made(nn.MultiheadAttention, 8, 2, batch_first=batch_first, bias=bias), vectors()
    view = look_into(module, x, tokens=("the", "cat", "on", "the", "mat"))
    with torch.no_grad():
        out, weights = module(x, x, x, average_attn_weights=False)
    torch.testing.assert_close(view.layers[0].weights, weights, rtol=1e-6, atol=1e-7)
    assert torch.equal(view.result[0], out)
    contexts = torch.cat([view.heads[0, head].context for head in range(2)], dim=-1)
    torch.testing.assert_close(module.out_proj(contexts).detach(), out, rtol=1e-5, atol=1e-6)
    for (_, head), trace in view.heads.items():
        assert trace.tokens == ("the", "cat", "on", "the", "mat")
        assert torch.equal(trace.x, x)
        assert torch.equal(trace.w_q, module.in_proj_weight[4 * head : 4 * head + 4].mT)
        assert ("b_q" in trace.stages) == bias
        for name in ("q", "scores", "attention_weights", "context"):
            assert not explain(trace, name, 3, 1).notes


@pytest.mark.parametrize("module", [
    made(nn.TransformerEncoderLayer, 8, 2, batch_first=True),
    made(nn.TransformerEncoderLayer, 8, 2, norm_first=True),
    nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, batch_first=True), 3, enable_nested_tensor=False).eval(),
])  # fmt: skip
def test_torchs_own_layers_compute_the_same_while_they_are_looked_into(module: nn.Module) -> None:
    x = vectors()
    view = look_into(module, x)
    with torch.no_grad():
        torch.testing.assert_close(view.result, module(x), rtol=1e-5, atol=1e-6)
    assert view.n_layers == (3 if isinstance(module, nn.TransformerEncoder) else 1)
    assert all(trace.stages["q"].rule is not None for trace in view.heads.values())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batched", [False, True])
def test_a_module_that_calls_torchs_function(causal: bool, batched: bool) -> None:
    module = Attending(causal).eval()
    x = vectors()
    view = look_into(module, x[None] if batched else x)
    with torch.no_grad():
        assert torch.equal(view.result, module(x[None] if batched else x))
        q, k, v = module.qkv(x).unflatten(-1, (3, 2, 4)).movedim(0, 2)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    for (_, head), trace in view.heads.items():
        torch.testing.assert_close(trace.q, q[head].detach())
        torch.testing.assert_close(trace.context, mixed[head].detach(), rtol=1e-5, atol=1e-6)
        assert trace.causal == causal
        hidden = trace.masked_in("attention_weights")
        assert (hidden is not None) == causal
        if hidden is not None:
            assert torch.equal(torch.from_numpy(hidden), causal_mask(5, 5))
        assert not explain(trace, "k", 2, 3).notes


def test_what_cannot_be_looked_into_is_refused() -> None:
    with pytest.raises(ValueError, match="Linear attended to nothing that can be seen, expected one that calls"):
        look_into(nn.Linear(8, 8), vectors())
    layer = made(nn.TransformerEncoderLayer, 8, 2, batch_first=True)
    for x in (torch.ones(2, 5, 8), torch.ones(8), torch.ones(0, 8), "text", None):
        with pytest.raises(ValueError, match="expected one sequence as a tensor"):
            look_into(layer, x)
    with pytest.raises(ValueError, match="tokens are 2, expected 5"):
        look_into(layer, vectors(), tokens=("a", "b"))
    with pytest.raises(ValueError, match="attention weights of layer 0 aren't all finite numbers"):
        look_into(layer, torch.full((5, 8), torch.nan))
    with pytest.raises(ValueError, match="add_bias_kv"):
        look_into(nn.MultiheadAttention(8, 2, add_bias_kv=True), vectors())


class Causal(nn.Module):
    """Two of torch's own layers with a mask, as a model that writes text has them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x, mask=nn.Transformer.generate_square_subsequent_mask(x.shape[-2]))


MODULES: dict[str, Callable[[], Any]] = {
    "nn.MultiheadAttention": lambda: made(nn.MultiheadAttention, 8, 2, batch_first=True),
    "nn.TransformerEncoder": lambda: nn.TransformerEncoder(
        made(nn.TransformerEncoderLayer, 8, 2, 16, batch_first=True), 2, enable_nested_tensor=False
    ).eval(),
    "with a mask": lambda: made(Causal),
    "F.scaled_dot_product_attention": lambda: made(Attending, False),
    "F.scaled_dot_product_attention, causal": lambda: made(Attending, True),
}


def vector_of(view: ModelTrace) -> Tensor:
    """What the module returned; torch's own attention returns its weights beside it."""
    result: Tensor = view.result[0] if isinstance(view.result, tuple) else view.result
    return result


@pytest.mark.parametrize("name", MODULES)
def test_a_changed_number_stands_and_torch_computes_the_rest(name: str) -> None:
    """Each change lands on its cell; what comes of it is what a softmax in float64 makes of the changed matrices."""
    module, x = MODULES[name](), vectors()
    before = {key: tensor.clone() for key, tensor in module.state_dict().items()}
    for edit, cell in (("0.1.q.3.2=1.5", ("q", 3, 2)), ("0.0.v.1.3=-2", ("v", 1, 3)), ("0.1.k.2.0=0.5", ("k", 2, 0)),
                       ("0.1.w_k.4.1=2", ("w_k", 4, 1)), ("0.0.b_v.0.2=3", ("b_v", 2))):  # fmt: skip
        view = look_into(module, x, edits=[edit])
        trace = view.heads[0, int(edit[2])]
        assert view.original is not None
        assert trace[cell[0]][cell[1:]] == float(edit.partition("=")[2])
        scores = trace.q.double() @ trace.k.double().mT * trace.q.shape[1] ** -0.5
        if "mask" in trace.stages:
            scores = scores + trace["mask"]
        weights = torch.softmax(scores, -1)
        torch.testing.assert_close(trace.attention_weights.double(), weights, rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(trace.context.double(), weights @ trace.v.double(), rtol=1e-5, atol=1e-6)
        assert not torch.equal(vector_of(view), vector_of(view.original))
    assert all(torch.equal(before[key], tensor) for key, tensor in module.state_dict().items())
    again = look_into(module, x)
    assert torch.equal(again.layers[0].weights, look_into(module, x, edits=["0.1.off"]).layers[0].weights)


class EagerRecorder(nn.Module):
    """As people write it who call none of torch's functions of attention; two heads, and a way to take the softmax."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.ask, self.offer, self.give = how, *(nn.Linear(8, 8, bias=how != "bare") for _ in range(3))
        self.out, self.qkv = nn.Linear(8, 8), nn.Linear(8, 24)
        self.w = nn.ParameterList(nn.Parameter(torch.randn(8, 8)) for _ in range(3))

    def parts(self, x: Tensor) -> tuple[Tensor, ...]:
        if self.how == "parameters":
            return tuple(x @ weight for weight in self.w)
        return self.qkv(x).chunk(3, -1) if self.how == "together" else (self.ask(x), self.offer(x), self.give(x))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.reshape(*part.shape[:-1], 2, 4).transpose(-3, -2) for part in self.parts(x))
        if self.how == "queries scaled":
            scores = (q / 2) @ k.mT
        elif self.how == "d_model":
            scores = q @ k.mT / 8**0.5
        else:
            scores = q @ k.mT * 4**-0.5
        hidden = causal_mask(x.shape[-2], x.shape[-2])
        if self.how == "causal":
            scores = scores.masked_fill(hidden, -torch.inf)
        elif self.how == "causal, added":
            scores = scores + hidden * -1e4
        elif self.how == "causal, put":
            scores[..., hidden] = -1e9
        elif self.how == "causal, where":
            scores = torch.where(hidden, -torch.finfo(scores.dtype).max, scores)
        weights = torch.softmax(scores, -1)
        mixed = (weights @ v).transpose(-3, -2).flatten(-2)
        return mixed if self.how == "bare" else self.out(mixed)


WAYS = (
    "plain",
    "causal",
    "causal, added",
    "causal, put",
    "causal, where",
    "parameters",
    "together",
    "queries scaled",
    "d_model",
    "bare",
)


def weights_in(module: Any, x: Tensor) -> tuple[Tensor, Tensor]:
    """The attention weights and contexts ``(2, n_tokens, ...)`` by torch's own function, in float64."""
    with torch.no_grad():
        q, k, v = (part.reshape(len(x), 2, 4).transpose(0, 1).double() for part in module.parts(x))
    scale, causal = (8 if module.how == "d_model" else 4) ** -0.5, module.how.startswith("causal")
    weights = F.scaled_dot_product_attention(
        q, k, torch.eye(len(x)).double().expand(2, -1, -1), scale=scale, is_causal=causal
    )
    return weights, F.scaled_dot_product_attention(q, k, v, scale=scale, is_causal=causal)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("batched", [False, True])
def test_attention_that_is_written_out_is_seen_by_its_operations(way: str, *, batched: bool) -> None:
    module, x = made(EagerRecorder, way), vectors()
    view = look_into(module, x[None] if batched else x)
    weights, contexts = weights_in(module, x)
    torch.testing.assert_close(view.layers[0].weights.double(), weights, rtol=1e-5, atol=1e-6)
    with torch.no_grad():
        assert torch.equal(view.result, module(x[None] if batched else x))
    for (_, head), trace in view.heads.items():
        torch.testing.assert_close(trace.context.double(), contexts[head], rtol=1e-5, atol=1e-6)
        torch.testing.assert_close(trace.scaled_scores.softmax(-1), trace.attention_weights)
        assert not explain(trace, "attention_weights", 3, 1).notes
        assert ("mask" in trace.stages) == way.startswith("causal")
        assert (trace.stages["q"].rule is not None) == (way != "queries scaled")
    off = look_into(module, x, edits=["0.1.off", "0.0.mask.4.2=-inf"])
    assert not off.heads[0, 1].context.any()
    assert off.heads[0, 0].attention_weights[4, 2] == 0
