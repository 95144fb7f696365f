"""What tells places by distance: ALiBi's slopes are those of the paper, T5's a number for each, turned pairs too."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.carry_over import bring_back, carry_over
from attnviz.core.changes import changes_of
from attnviz.core.seeding import POSITIONS
from tests.unit.helpers import edits_of

WORDS = ("the", "cat", "sat", "on", "a", "mat", "again")


biased = st.builds(
    lambda n, n_heads, positions: Scenario(" ".join(WORDS[:n]), d_out=n_heads, n_heads=n_heads, positions=positions),
    st.integers(1, 7), st.integers(1, 4), st.sampled_from(["alibi", "relative"]),
)  # fmt: skip


def slopes_of_the_paper(n: int) -> list[float]:
    """The slopes as the code of the paper makes them: get_slopes of Press et al., attention_with_linear_biases."""

    def of_power(n: int) -> list[float]:
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]

    if math.log2(n).is_integer():
        return of_power(n)
    closest = 2 ** math.floor(math.log2(n))
    return of_power(closest) + slopes_of_the_paper(2 * closest)[0::2][: n - closest]


@pytest.mark.parametrize("n", range(1, 17))
def test_alibis_slopes_are_those_of_the_papers_code(n: int) -> None:
    made = trace(Scenario("a b", d_in=n, d_out=n, n_heads=n, positions="alibi"))
    assert made.by_distance is not None
    wanted = torch.tensor(slopes_of_the_paper(n), dtype=torch.float64)
    torch.testing.assert_close(-made.by_distance[:, 0].double(), wanted)


@given(biased, st.data(), st.integers(1, 7))
def test_an_edit_stays_with_its_distance(scenario: Scenario, data: st.DataObject, n: int) -> None:
    edited = data.draw(edits_of(scenario))
    of_distances = [edit for edit in edited if edit.matrix == "by_distance"]
    text = " ".join(WORDS[:n])
    old = replace(scenario, edits=of_distances)
    plain = replace(scenario, text=text)
    kept, dropped = carry_over(changes_of(old), old, plain)
    assert len(kept.edits) + len(dropped.edits) == len(of_distances)
    new, left = bring_back(plain, kept)
    assert not left
    more = n - len(scenario.tokens)
    for edit in old.edits:
        at = edit.column + more
        assert (0 <= at < 2 * n - 1) == (edit not in dropped.edits)
        if 0 <= at < 2 * n - 1:
            assert new.matrix("by_distance")[edit.row, at] == old.matrix("by_distance")[edit.row, edit.column]


@pytest.mark.parametrize("positions", POSITIONS)
def test_every_matrix_of_every_way_to_tell_positions_has_its_texts(positions: str) -> None:
    for stage in Scenario("a cat sat", d_in=2, d_out=2, positions=positions).table.values():
        assert all((stage.title, stage.plain, stage.axes, stage.meaning))
