"""Rows whose mask hides every token: what torch's own call gave them is shown and told, or refused with the reason."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnviz import look_into
from attnviz.core.limits import RefusedError

N = 4
HIDES_ROW_2 = torch.ones(N, N, dtype=torch.bool).tril().index_fill(0, torch.tensor([2]), value=False)


class Sdpa(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.made = nn.Linear(8, 24)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (each.view(len(x), 2, 4).transpose(0, 1) for each in self.made(x).chunk(3, -1))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=HIDES_ROW_2).transpose(0, 1).flatten(1)


class Encoder(nn.Module):
    """A band of two tokens, of which padding hides both for row 2."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        band = ~torch.ones(N, N, dtype=torch.bool).tril().triu(-1)
        made: Tensor = self.layer(
            x[None], src_mask=band, src_key_padding_mask=torch.tensor([[False, True, True, False]])
        )
        return made[0]


class WrittenOutByHand(Sdpa):
    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.made(x).chunk(3, -1)
        return ((q @ k.mT / 8**0.5).masked_fill(~HIDES_ROW_2, -torch.inf)).softmax(-1) @ v


@pytest.mark.parametrize("kind", [Sdpa, Encoder])
def test_zeros_for_a_row_with_nothing_to_read_are_shown_and_told(kind: type[nn.Module]) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        module, x = kind().eval(), torch.randn(N, 8)
    expected = module(x)
    assert bool(expected.isfinite().all()), "this torch gives NaN: nothing to show"
    view = look_into(module, x)
    torch.testing.assert_close(view.result, expected, rtol=0, atol=1e-6)
    for place, trace in view.heads.items():
        assert not bool(trace.attention_weights[2].any())
        assert not bool(trace.context[2].any())
        torch.testing.assert_close(trace.attention_weights.sum(-1), torch.tensor([1.0, 1.0, 0.0, 1.0]))
        torch.testing.assert_close(trace.attention_weights @ trace.v, trace.context)
        assert any("from row 2" in note and "gave the row zeros" in note for note in trace.notices)
        figures = view.measured(*place)
        assert figures is not None
        assert figures.most is None
    if kind is Sdpa:
        together = torch.cat([view.heads[0, head].context for head in range(2)], -1)
        torch.testing.assert_close(together, expected)


def test_nan_for_a_row_with_nothing_to_read_is_refused_with_the_reason() -> None:
    with pytest.raises(RefusedError, match="hides every token from row 2") as refused:
        look_into(WrittenOutByHand().eval(), torch.randn(N, 8, generator=torch.Generator().manual_seed(1)))
    assert refused.value.kind == "model_nothing_to_read"
    assert "damaged" not in str(refused.value)
