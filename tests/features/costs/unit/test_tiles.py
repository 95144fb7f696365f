"""Attention by tiles is attention: PyTorch's own function and the plain softmax are the referees."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnviz import tiles
from tests.examples import examples

DOUBLE = torch.float64


def drawn(n: int, n_keys: int, d_v: int, seed: int) -> tuple[Tensor, Tensor]:
    """Scores far from even, and values."""
    generator = torch.Generator().manual_seed(seed)
    return (
        4 * torch.randn(n, n_keys, generator=generator, dtype=DOUBLE),
        torch.randn(n_keys, d_v, generator=generator, dtype=DOUBLE),
    )


def masked(kind: str, n: int, n_keys: int, seed: int) -> Tensor | None:
    """A mask of this kind, -∞ where it hides."""
    row, key = torch.arange(n)[:, None], torch.arange(n_keys)
    generator = torch.Generator().manual_seed(seed)
    hidden = {
        "none": None,
        "causal": key > row,
        "window": (key > row) | (key <= row - 2),
        "padding": (key >= n_keys - n_keys // 2).expand(n, -1),
        "random": torch.rand(n, n_keys, generator=generator) < 0.6,
        "everything": torch.ones(n, n_keys, dtype=torch.bool),
    }[kind]
    return None if hidden is None else torch.zeros(n, n_keys, dtype=DOUBLE).masked_fill(hidden, -math.inf)


MASKS = ("none", "causal", "window", "padding", "random", "everything")


@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4), st.integers(1, 12), st.sampled_from(MASKS),
       st.integers(0, 999))  # fmt: skip
@settings(max_examples=examples(60), deadline=None)
def test_the_last_step_is_what_pytorchs_attention_gives(
    n: int, n_keys: int, d_v: int, size: int, kind: str, seed: int
) -> None:
    """For sizes that don't divide, with masks, and with rows that may read nothing."""
    scores, values = drawn(n, n_keys, d_v, seed)
    mask = masked(kind, n, n_keys, seed)
    last = tiles(scores, values, size, mask)[-1]
    added = scores if mask is None else scores + mask
    # With the scores as queries, unit vectors as keys, and no scale, PyTorch's own scores are these.
    keys, added_mask = torch.eye(n_keys, dtype=DOUBLE)[None], None if mask is None else mask[None]
    referee = F.scaled_dot_product_attention(scores[None], keys, values[None], attn_mask=added_mask, scale=1.0)[0]
    torch.testing.assert_close(last.output, referee, rtol=0, atol=1e-12)
    readable = (added > -math.inf).any(-1)
    plain = torch.softmax(added[readable], -1) @ values
    torch.testing.assert_close(last.output[readable], plain, rtol=0, atol=1e-12)
    assert (last.output[~readable] == 0).all()
    assert (last.l[~readable] == 0).all()


@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 12), st.sampled_from(MASKS), st.integers(0, 999))
@settings(max_examples=examples(40), deadline=None)
def test_each_step_is_attention_to_the_keys_so_far(n: int, n_keys: int, size: int, kind: str, seed: int) -> None:
    scores, values = drawn(n, n_keys, 2, seed)
    mask = masked(kind, n, n_keys, seed)
    added = scores if mask is None else scores + mask
    steps = tiles(scores, values, size, mask)
    assert [step.start for step in steps] == [*range(0, n_keys, size)]
    assert [step.stop for step in steps] == [*range(size, n_keys, size), n_keys]
    for step in steps:
        read = added[:, : step.stop]
        torch.testing.assert_close(step.m, read.amax(-1), rtol=0, atol=0)
        some = step.m > -math.inf
        exponentials = (read - step.m[:, None]).exp()[some]
        torch.testing.assert_close(step.l[some], exponentials.sum(-1))
        torch.testing.assert_close(step.O[some], exponentials @ values[: step.stop])
        assert (step.l[some] >= 1 - 1e-12).all(), "the largest score adds e^0"


def test_before_a_larger_maximum_what_was_summed_is_multiplied_by_a_factor() -> None:
    """Numbers worked out by hand: e^(old m - m), and nothing else, changes the old l and O."""
    steps = tiles([[0.0, math.log(2), math.log(8), 0.0]], [[1.0], [4.0], [0.0], [8.0]], size=2)
    first, last = steps
    assert (first.m.exp().item(), first.l.item(), first.O.item()) == pytest.approx((2, 1.5, 4.5))
    assert last.factor.item() == pytest.approx(1 / 4)
    assert (last.m.exp().item(), last.l.item(), last.O.item()) == pytest.approx((8, 1.5, 2.125))
    assert last.weights.tolist() == [pytest.approx([1, 1 / 8])]


def test_heads_and_batches_go_through_at_once() -> None:
    generator = torch.Generator().manual_seed(0)
    scores, values = torch.randn(2, 3, 5, 7, generator=generator), torch.randn(2, 3, 7, 4, generator=generator)
    last = tiles(scores, values, 3)[-1]
    torch.testing.assert_close(last.output, torch.softmax(scores, -1) @ values)
    shared = tiles(scores, values[0, 0], 3)[-1]
    torch.testing.assert_close(shared.output, torch.softmax(scores, -1) @ values[0, 0])


def test_scores_beyond_what_an_exponential_holds_are_no_trouble() -> None:
    """In float32, e^1000 is infinite; below the running maximum nothing is."""
    scores, values = torch.tensor([[1000.0, -1000.0, 999.0]]), torch.eye(3)
    torch.testing.assert_close(tiles(scores, values, 1)[-1].output, torch.softmax(scores, -1))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scores": [1.0, 2.0]}, r"scores has shape \(2,\), expected \(..., n_queries, n_keys\)"),
        ({"values": [[1.0]]}, r"values has shape \(1, 1\), expected \(..., 2, d_v\) to fit scores \(1, 2\)"),
        ({"mask": [[0.0]]}, r"mask has shape \(1, 1\), expected \(1, 2\)"),
        ({"mask": [[True, False]]}, "mask holds bool values, expected real numbers"),
        ({"size": 0}, "0 can't be size"),
        (
            {"scores": torch.zeros(1).expand(9, 9000), "values": torch.zeros(1).expand(9000, 2000), "size": 1},
            "size is 1, which makes 9000 tiles whose outputs are 162000000 numbers",
        ),
    ],
)
def test_what_fits_nothing_is_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tiles(**{"scores": [[1.0, 2.0]], "values": [[1.0], [2.0]], **wrong})  # type: ignore[arg-type]
