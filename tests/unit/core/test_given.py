"""What a set-up gives: each matrix's row of the table says of it what its numbers show."""

from dataclasses import replace

import torch
from hypothesis import example, given

from attnviz import Scenario
from attnviz.core.given import GIVEN
from attnviz.core.layers import placed
from attnviz.core.seeding import second_seed
from attnviz.explanation import before_edits
from tests.unit.helpers import every_way

SEED, OTHER = 98_765_432, 98_765_433


@given(every_way(seed=SEED))
@example(Scenario(d_out=3, n_layers=2, norm="pre", bias=True, d_ff=3, seed=SEED))
def test_numbers_are_said_to_be_from_the_seed_exactly_if_another_seed_makes_others(scenario: Scenario) -> None:
    """In each layer: a gain of a later one is 1, too, and a bias that nothing draws is 0."""
    plain, other = replace(scenario, edits=()), replace(scenario, edits=(), seed=OTHER)
    for name in plain.editable:
        for row, (own, of_other) in enumerate(zip(plain.matrix(name), other.matrix(name), strict=True)):
            told = before_edits(plain, name, row)
            says_so = any(str(seed) in told for seed in (SEED, second_seed(SEED)))
            assert says_so != torch.equal(own, of_other), (name, row, told)


@given(every_way())
def test_each_matrix_has_the_shape_of_its_row_and_stands_in_the_layers_it_says(scenario: Scenario) -> None:
    for name in scenario.editable:
        layer, own = placed(name)
        assert GIVEN[own].shape(scenario) == tuple(scenario.matrix(name).shape)
        assert GIVEN[own].is_vector == scenario.stage(name).is_vector
        assert not (layer and GIVEN[own].once)
