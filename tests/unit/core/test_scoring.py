"""Settings of attention itself: each does what it says, or is refused, whatever else is chosen."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import example, given

from attnviz import Scenario
from attnviz.core.limits import RefusedError
from attnviz.core.scenario import SETTINGS, traced
from attnviz.core.settings import CHOICES, NUMBERS
from attnviz.core.stages import ALL_STAGES, WEIGHTINGS, Scoring, layer_table
from attnviz.export import pytorch_script
from attnviz.words import say
from tests.unit.helpers import OF_SETUPS, WAYS, every_way

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


@given(every_way())
@example(Scenario("a b", what_if="softmax:sums"))
@example(Scenario("a b", what_if="softmax:whole"))
def test_what_a_script_says_of_sums_is_so(scenario: Scenario) -> None:
    script, weights = pytorch_script(scenario), traced(scenario).layers[0].attention_weights.double()
    over = {"rows": (-1,), "columns": (-2,), "whole": (-2, -1)}
    for axis, summed in over.items():
        if f"# {say(f'share.script.printed.{axis}')}" in script:
            sums = weights.nan_to_num(1 / weights.shape[-1]).sum(summed)
            torch.testing.assert_close(sums, torch.ones_like(sums))
