"""A sweep that takes too long is ended where it says how far it is."""

from unittest.mock import Mock

import pytest

from attnviz.app.operations.run_queue import CLOCK, RunTooLongError
from attnviz.features.scaling.page import sweeps


def test_a_sweep_reports_to_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CLOCK, "_most", -1.0)
    told = sweeps._Told(Mock(), Mock())
    with CLOCK.timed(), pytest.raises(RunTooLongError):
        told.done(0.5)
