"""Modules of torch under the glass: their own attention, and whatever calls F.scaled_dot_product_attention."""

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnviz import explain, look_into
from attnviz.core.rules import later


def vectors(n_tokens: int = 5, d: int = 8) -> Tensor:
    return torch.randn(n_tokens, d, generator=torch.Generator().manual_seed(n_tokens + d))


def made(kind: type[nn.Module], *sizes: int, **settings: Any) -> Any:
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
            assert torch.equal(torch.from_numpy(hidden), later(5, 5))
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
