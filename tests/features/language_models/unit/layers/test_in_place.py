"""What a model changes in place after it was made isn't explained as if it hadn't been."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnviz import look_into
from attnviz.core.attention import AttentionTrace
from attnviz.features.language_models.inside.layers.layer import Layer
from attnviz.features.language_models.inside.recording import Watch
from tests.families.building import built, families
from tests.families.checking import beyond
from tests.unit.small_models import TEXT, tokenizer


def small(kind: str, **settings: Any) -> Any:
    return built(next(each for each in families() if each.kind == kind), **settings)


def test_clipped_queries_stand_as_given_with_the_reason() -> None:
    view = look_into(small("olmo", clip_qkv=0.5), tokenizer(), TEXT)
    for trace in view.heads.values():
        assert trace.v.abs().max() == 0.5
        assert not list(beyond(trace))
        assert all(trace.stages[part].rule is None for part in ("q", "k", "v"))
        told = " ".join(trace.notices)
        assert all(f"{name} stand here" in told and "by clipping it" in told for name in ("queries", "keys", "values"))
        torch.testing.assert_close(trace.attention_weights @ trace.v, trace.context, rtol=1e-4, atol=1e-6)
    plain = look_into(small("olmo", clip_qkv=None), tokenizer(), TEXT)
    for trace in plain.heads.values():
        assert trace.stages["q"].rule is not None
        assert not trace.notices


def test_what_is_added_into_a_context_afterwards_is_told_and_no_context_shows_it() -> None:
    model = small("nystromformer")
    view = look_into(model, tokenizer(), TEXT)
    off = look_into(model, tokenizer(), TEXT, edits=["0.1.off"])
    assert not off.heads[0, 1].context.any()
    for trace in view.heads.values():
        assert trace.stages["context"].rule is not None
        torch.testing.assert_close(trace.attention_weights @ trace.v, trace.context, rtol=1e-4, atol=1e-5)
        assert any("changes these numbers in place afterwards" in each for each in trace.notices)
        assert not list(beyond(trace))


class _Own(nn.Module):
    """One that changes in place whatever it made before."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: Tensor) -> Any:
        q, k, v = self.q(x), self.k(x), self.v(x)
        q += 1.0
        k[0] = 2.0
        torch.mul(v, 3.0, out=v)
        context = torch.softmax(q @ k.mT, -1) @ v
        q.zero_()
        nn.functional.relu(k, inplace=True)
        return context.mul_(5.0)


def test_what_is_kept_is_what_it_was_before_it_was_changed_in_place() -> None:
    torch.manual_seed(0)
    model, x = _Own(), torch.randn(4, 8)
    with torch.no_grad():
        q, k, v = model.q(x) + 1.0, model.k(x), model.v(x) * 3.0
        k[0] = 2.0
    trace = look_into(model, x).heads[0, 0]
    assert isinstance(trace, AttentionTrace)
    for made, expected in ((trace.q, q), (trace.k, k), (trace.v, v), (trace.context, torch.softmax(q @ k.mT, -1) @ v)):
        torch.testing.assert_close(made, expected)
    assert not list(beyond(trace))
    with Watch() as watch, torch.no_grad():
        made = model.q(x)
        made.clamp_(-0.1, 0.1)
    (projection,) = watch.products
    torch.testing.assert_close(projection.product, nn.functional.linear(x, model.q.weight, model.q.bias))
    assert projection.rewritten is made or torch.equal(projection.rewritten, made)  # type: ignore[arg-type]


@pytest.mark.parametrize("cell", [(0, 3), (5, 1)])
def test_a_product_that_is_no_product_is_given(cell: tuple[int, int]) -> None:
    """Whatever way a number came in, as long as it isn't what the weights make."""
    view = look_into(small("llama"), tokenizer(), TEXT)
    layer = view.layers[0]
    assert isinstance(layer, Layer)
    made = layer.projected["q"](0)
    assert made is not None
    with torch.no_grad():
        made.product[cell] += 0.5
    trace = view.heads[0, 0]
    assert trace.stages["q"].rule is None
    assert "Q, queries stand here as the model gave them: they aren't the product" in " ".join(trace.notices)
    assert not [each for each in beyond(trace) if each.startswith("q[")]
