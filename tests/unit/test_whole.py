"""What `make test` tries of crossed arguments: nothing that any of them can be is left to `make test-all`."""

from itertools import product

import pytest

from tests.whole import meeting_all


@pytest.mark.parametrize("sizes", [(1,), (5,), (2, 3), (3, 2), (11, 9), (4, 1, 3), (2, 2, 2, 2)])
def test_every_value_is_met_in_as_few_cases_as_the_largest_has(sizes: tuple[int, ...]) -> None:
    cases = [set(enumerate(case)) for case in product(*map(range, sizes))]
    kept = meeting_all(cases)
    assert set[tuple[int, int]]().union(*(cases[i] for i in kept)) == set[tuple[int, int]]().union(*cases)
    assert len(kept) <= sum(sizes) - len(sizes) + 1


def test_cases_that_are_not_crossed_are_all_there() -> None:
    assert meeting_all([{("a", i), ("b", -i)} for i in range(7)]) == {*range(7)}
