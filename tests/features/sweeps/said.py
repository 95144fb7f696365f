"""Data about sweeps for tests of the whole app."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

import attnviz
from attnviz.features.sweeps.arguments import check_factor, log_steps, parse_dims
from attnviz.features.sweeps.experiment import sweep_scaling
from attnviz.features.sweeps.settings import SweepSettings

# Calls that raise a refusal, for tests/unit/core/test_refused.py.
RAISERS: Mapping[str, Callable[[], object]] = {
    "no dimension": lambda: parse_dims("2, 4, eight"),
    "a dimension twice": lambda: parse_dims("2 2"),
    "many dimensions": lambda: parse_dims(" ".join(map(str, range(1, 80)))),
    "no dimensions": lambda: parse_dims(" "),
    "steps the wrong way": lambda: log_steps(9, 3, 4),
    "too many steps": lambda: log_steps(1, 30, 999),
    "a factor": lambda: check_factor("times", 1e9),
    "no scales": lambda: SweepSettings(scales=()),
    "p": lambda: SweepSettings(p=99.0),
    "trials": lambda: SweepSettings(trials=1),
    "keys": lambda: SweepSettings(keys=10**50),
    "source": lambda: SweepSettings(source="nothing"),
    "a sweep of many scores": lambda: sweep_scaling((2,), 10_000, 0, source="normal-projections", x=torch.ones(300, 2)),
    "a sweep of large numbers": lambda: sweep_scaling((2,), 10, 0, source="normal-projections", x=[[1e9], [1.0]]),
}
# Component -> (type of its data, file that declares it), for tests/pages/session/test_sent_types.py.
TYPES = {"attnviz_row_bars": ("Data", "attnviz/features/sweeps/page/row_bars.js")}
# Public calls, for tests/unit/project/public_calls.py and test_wrong_types.py.
NAMED = {"sweep_scaling"}
WRONG: Mapping[str, Callable[[], Any]] = {
    "dims is 64, expected several whole numbers": lambda: attnviz.sweep_scaling(64, 10, 0),  # type: ignore[arg-type]
}
