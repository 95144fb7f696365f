"""Settings of attention itself: each does what it says, or is refused, whatever else is chosen."""

from dataclasses import replace
from typing import Any

import pytest

from attnviz import Scenario
from attnviz.core.limits import RefusedError
from attnviz.core.scenario import SETTINGS
from attnviz.core.settings import CHOICES, NUMBERS
from attnviz.core.stages import ALL_STAGES, WEIGHTINGS, Scoring, layer_table
from tests.unit.helpers import OF_SETUPS, WAYS

OPTIONAL = [name for name in NUMBERS if Scoring.__dataclass_fields__[name].default is None]


def test_every_setting_is_drawn_by_the_laws() -> None:
    assert {*SETTINGS} == {*WAYS} | {*OF_SETUPS}
    assert all({*CHOICES[name]} <= {*values} for name, values in WAYS.items() if name in CHOICES)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_a_setting_that_a_way_to_weigh_knows_nothing_of_is_refused(weighting: str) -> None:
    """It would stand in a link and change nothing."""
    plain = Scenario(weighting=weighting)
    for name in OPTIONAL:
        changed: dict[str, Any] = {name: NUMBERS[name][0]}
        try:
            asked = replace(plain, **changed)
        except RefusedError:
            continue
        assert asked.table != plain.table, f"{name} changes nothing with {weighting}"


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_all_stages_know_each_way_to_weigh_by_its_names(weighting: str) -> None:
    assert {*layer_table(scoring=Scoring(weighting=weighting))} <= {*ALL_STAGES}
