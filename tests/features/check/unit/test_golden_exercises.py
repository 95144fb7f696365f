"""Links of before restore their exercises."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from attnviz.features.check.exercises.exercise import decoded, is_exercise
from tests.golden import as_json, golden_links, parameters_of

LINKS = golden_links()


def _exercise(given: dict[str, str], expected: Any) -> None:
    text = given["check"].partition(".")[2]
    assert is_exercise(text)
    assert as_json(asdict(decoded(text))).items() >= expected.items()


def _given(given: dict[str, str], expected: Any) -> None:
    for matrix, rows in expected.items():
        np.testing.assert_array_equal(decoded(given["check"].partition(".")[2]).table(matrix), rows)


def _table(given: dict[str, str], expected: Any) -> None:
    made = decoded(given["check"].partition(".")[2]).table(expected["name"])
    np.testing.assert_allclose(made, expected["rows"], atol=0.0101)


RESTORED: dict[str, Callable[..., None]] = {"exercise": _exercise, "given": _given, "table": _table}


@pytest.mark.parametrize(
    ("part", "name"), [(part, name) for part in RESTORED for name in LINKS if part in LINKS[name]["restores"]]
)
def test_a_link_restores_each_part(part: str, name: str) -> None:
    RESTORED[part](parameters_of(LINKS[name]["query"]), LINKS[name]["restores"][part])
