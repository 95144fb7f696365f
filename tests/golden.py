"""The corpus of golden links: what each must restore, and the differences of a scenario from that.

The links of `golden_links.json` are in people's notes, slides and mails: once 0.1.0 is released, they open for ever,
and nothing in that file is changed to make a test pass. Versions of November 2026 wrote down what they restore; since
then, their steps, questions and choices have names instead of numbers, and links that named no set-up say
`example=published`. Numbers have six digits there, because torch draws and multiplies a bit differently on another
processor; numbers that a link itself states are compared exactly.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import torch

from attnviz import Scenario
from attnviz.core.layers import is_kept_for
from attnviz.core.scenario import traced
from attnviz.link.parameter_table import table
from attnviz.link.state import naming_its_example

FILE = Path(__file__).parent / "golden_links.json"
SETTINGS = ("text", "tokenizer", "embedding", "d_in", "d_out", "d_v", "init", "seed", "bias", "causal", "scale",
            "temperature", "device")  # fmt: skip
# Settings that the first links didn't have.
LATER = ("positions", "d_ff", "activation", "reads", "second", "embedding_factor", "n_layers", "same_layers")
MOST_LISTED = 60  # edits; more are recorded as a checksum
_CELLS = 6


def as_json(value: Any) -> Any:
    """Return a value as it comes back from JSON: a tuple becomes a list."""
    return json.loads(json.dumps(value))


@cache
def golden_links() -> Mapping[str, Mapping[str, Any]]:
    """Return every link by its name: its page, its query, and what it restores."""
    return {each["name"]: each for each in json.loads(FILE.read_text(encoding="utf-8"))["links"]}


def parameters_of(query: str) -> dict[str, str]:
    """Return the parameters of a link; if one occurs twice, the last counts."""
    return dict(parse_qsl(query, keep_blank_values=True))


# Parameters of places that tests open with the example that a bare address opens.
_PLACES = frozenset(
    ("step", "question", "numbers", "predicted", "predictions", "present", "open", "playlist", "moment")
)
_LOOKS = frozenset(("view", "query", "hide"))


def with_the_published(address: dict[str, Any]) -> dict[str, Any]:
    """Return an address that names the published example, unless it has a set-up, or only a place."""
    ours = address.keys() & table().keys()
    if address and (not ours or (ours & _PLACES and ours <= _PLACES | _LOOKS)):
        return address
    return {**address, "example": "published"} if naming_its_example(address) != address else address


# The record of a scenario


def record_of(scenario: Scenario) -> dict[str, Any]:
    """Return a scenario's record, as in the corpus."""
    return {
        "settings": {name: getattr(scenario, name) for name in (*SETTINGS, *LATER)},
        "replaced": {name: _replacement(by) for name, by in scenario.replaced.items()},
        "edits": _edits(scenario),
        "matrices": {name: _matrix(numbers) for name, numbers in _matrices(scenario)},
    }


def _replacement(by: Any) -> Any:
    return by if isinstance(by, str) else {"shape": [len(by), len(by[0])], "sha256": _checksum(by)}


def _edits(scenario: Scenario) -> Any:
    edits = sorted([list(edit) for edit in scenario.edits])
    return edits if len(edits) <= MOST_LISTED else {"n": len(edits), "sha256": _checksum(edits)}


def _checksum(rows: Sequence[Sequence[Any]]) -> str:
    return hashlib.sha256("\n".join(" ".join(map(str, row)) for row in rows).encode()).hexdigest()


def _matrices(scenario: Scenario) -> Iterator[tuple[str, torch.Tensor]]:
    for name in scenario.editable:
        yield name, scenario.matrix(name).double()
    made = traced(scenario)
    for name, kept in made.matrices.items():
        if is_kept_for(name):  # what a layer makes from a kept sentence alone
            yield name, kept.double()
    computed = made.layers[-1]
    yield "context", computed.context.double()
    if computed.feed_forward is not None:
        yield "feed_forward", computed.feed_forward.double()


def _matrix(numbers: torch.Tensor) -> dict[str, Any]:
    n_rows, n_columns = numbers.shape
    places = [(n_rows * i // _CELLS, n_columns * (i * i % _CELLS) // _CELLS) for i in range(_CELLS)]
    cells = [[row, column, _rounded(numbers[row, column].item())] for row, column in dict.fromkeys(places)]
    return {"shape": [n_rows, n_columns], "cells": cells, "sums": [_rounded(each) for each in _sums(numbers)[0]]}


def _sums(numbers: torch.Tensor) -> tuple[list[float], float]:
    """Return two sums, the second weighted by place, and the weighted sum of magnitudes."""
    finite = numbers.nan_to_num(neginf=0.0)  # what a mask hides
    row, column = (torch.arange(n, dtype=torch.float64) for n in numbers.shape)
    weights = (row[:, None] * 31 + column * 17) % 7 + 1
    return [float(finite.sum()), float((finite * weights).sum())], float((finite.abs() * weights).sum())


def _rounded(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


# Differences of a scenario from the corpus


def differences(expected: Mapping[str, Any], scenario: Scenario) -> list[str]:
    """Return in words how a scenario differs from the record in the corpus."""
    found = record_of(scenario)
    differing = [
        f"{name} is {found['settings'][name]!r}, expected {value!r}"
        for name, value in expected["settings"].items()
        if found["settings"][name] != value
    ]
    differing += [
        f"{part} are {str(found[part])[:200]}, expected {str(expected[part])[:200]}"
        for part in ("replaced", "edits")
        if json.loads(json.dumps(found[part])) != expected[part]
    ]
    matrices = dict(_matrices(scenario))
    if "mask" not in expected["matrices"]:  # in older links, it is a switch, not a matrix
        matrices.pop("mask", None)
    if list(matrices) != list(expected["matrices"]):
        return [*differing, f"the matrices are {list(matrices)}, expected {list(expected['matrices'])}"]
    return differing + [words for name, numbers in matrices.items()
                        for words in other_numbers(name, expected["matrices"][name], numbers)]  # fmt: skip


def other_numbers(name: str, expected: Mapping[str, Any], numbers: torch.Tensor) -> Iterator[str]:
    """Yield the cells and sums in which a matrix differs from the record in the corpus."""
    if list(numbers.shape) != expected["shape"]:
        yield f"{name} has shape {tuple(numbers.shape)}, expected {expected['shape']}"
        return
    largest = float(numbers.nan_to_num().abs().max())
    for row, column, wanted in expected["cells"]:
        value = numbers[row, column].item()
        same = not math.isfinite(value) if wanted is None else math.isclose(
            value, wanted, rel_tol=2e-5, abs_tol=2e-6 * largest)  # fmt: skip
        if not same:
            yield f"{name}[{row}, {column}] is {value}, expected {wanted}"
    sums, size = _sums(numbers)
    for total, wanted in zip(sums, expected["sums"], strict=True):
        if not math.isclose(total, wanted, rel_tol=2e-5, abs_tol=2e-6 * size):
            yield f"the numbers of {name} sum to {total}, expected {wanted}"
