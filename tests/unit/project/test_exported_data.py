"""Files of a trace and a scenario: they come back as they were, and what is no such file is refused."""

import csv
import io
import json
import math
import re
import tracemalloc
import unicodedata
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.limits import MAX_TEXT_CHARACTERS
from attnviz.core.scenario import traced
from attnviz.core.stages import EDITABLE
from attnviz.export import (
    MAX_FILE_BYTES,
    json_file,
    json_pieces,
    matrix_csv,
    scenario_from_json,
    scenario_json,
    trace_json,
)
from tests.examples import examples
from tests.unit.core.test_refused import assert_for_readers
from tests.unit.helpers import HOSTILE

BEYOND = (2 - 2**-24) * 2.0**127  # the first number that float32 rounds to infinity
OVERFLOWN = Scenario("a b c", causal=True, edits=[("w_q", 0, 0, 1e30), ("w_k", 0, 0, 1e30)])


# CSV


@pytest.mark.parametrize(
    "text", [*HOSTILE, '"quoted", and; more\ttoo', "=1+1", "@SUM(A1)", "+1", "-1", "=cmd|' /C calc'!A0",
             "＝1+1 ＋1 －1 ＠A1 ﹦1", "a;=1+1 b,+1 c|-1 d\t@A1 e;＝1", '"=1 a"=1 ";=1" ",=1', "a;;=1 ;=1 ,,+1",
             "x\r=1\ny\n=2"]
)  # fmt: skip
@pytest.mark.parametrize("tokenizer", ["whitespace", "characters"])
def test_no_name_in_a_csv_is_run_by_a_spreadsheet(text: str, tokenizer: str) -> None:
    made = trace(Scenario(text, tokenizer=tokenizer))
    for name in ("x", "scores"):
        rows = list(csv.reader(io.StringIO(matrix_csv(made, name))))
        assert len(rows) == len(made.tokens) + 1
        n_columns = getattr(made, name).shape[1]
        assert all(len(row) == n_columns + 1 for row in rows)
        for row in rows[1:]:
            assert all(math.isfinite(float(cell)) for cell in row[1:])
        _runs_nothing(matrix_csv(made, name))


def _runs_nothing(text: str) -> None:
    """Whatever parts the cells where the file is opened, and however wide its signs are: none begins a formula."""
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(text), delimiter=separator):
            for cell in row:
                sign = unicodedata.normalize("NFKC", cell.strip()[:1])
                assert sign not in ("=", "+", "-", "@") or re.fullmatch(r"-[0-9.]+(e[-+]\d+)?", cell), cell


def test_what_is_no_finite_number_is_a_word_in_a_csv() -> None:
    cells = list(csv.reader(io.StringIO(matrix_csv(traced(OVERFLOWN), "scaled_scores"))))
    written = torch.tensor([[float(cell) for cell in row[1:]] for row in cells[1:]])
    torch.testing.assert_close(written, traced(OVERFLOWN).scaled_scores, rtol=0, atol=0, equal_nan=True)
    assert "-Infinity" in cells[1]


# Scenarios


@given(st.data())
@settings(max_examples=30)
def test_a_mask_that_hides_comes_back_from_json_which_has_no_infinity(data: st.DataObject) -> None:
    entries = st.sampled_from([0.0, -math.inf, -1e4, 0.5])
    cells = data.draw(st.dictionaries(st.tuples(st.integers(0, 1), st.integers(0, 1)), entries))
    painted = Scenario("the cat", mask="painted", edits=[("mask", *at, value) for at, value in cells.items()])
    rows = st.lists(entries, min_size=2, max_size=2)
    numbers = Scenario("the cat", mask=data.draw(st.lists(rows, min_size=2, max_size=2)))
    for scenario in (painted, numbers):
        text = scenario_json(scenario)
        json.loads(text, parse_constant=pytest.fail)
        assert scenario_from_json(text) == scenario
        assert torch.equal(scenario_from_json(text).matrix("mask"), scenario.matrix("mask"))
    hides = scenario_json(Scenario("the cat", mask=[[0, -math.inf], [0, 0]]))
    assert '"mask": [[0.0, "-Infinity"], [0.0, 0.0]]' in hides


HEAD = '"format": "attnviz scenario", "version": 1'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "isn't JSON"),
        ("[" * 100_000, "isn't a scenario"),
        ("{}", "isn't a scenario"),
        ("[1]", "isn't a scenario"),
        ('{"format": "attnviz scenario", "version": 2}', "another version of attnviz, 2"),
        (f'{{{HEAD}, "__class__": "os"}}', "'__class__', which attnviz doesn't know"),
        (f'{{{HEAD}, "w_q": [[NaN]]}}', "holds 'NaN'. Every number in it has to be finite"),
        (f'{{{HEAD}, "edits": [["w_q", 0, 0, -Infinity]]}}', "holds '-Infinity'. Every number in it has to be finite"),
        (f'{{{HEAD}, "edits": [["w_q", 0, 0, "-Infinity"]]}}', r"w_q\[0, 0\] would be -inf. Numbers here go from"),
        (f'{{{HEAD}, "mask": [["Infinity"]]}}', r"mask\[0, 0\] would be inf. Numbers here go from"),
        (f'{{{HEAD}, "edits": [["w_q", 0, 0, 1e999]]}}', r"w_q\[0, 0\] would be inf. Numbers here go from"),
        (f'{{{HEAD}, "d_in": "3"}}', "'3' can't be d_in: take a whole number"),
        (f'{{{HEAD}, "d_in": 1e999}}', "inf can't be d_in"),
        (f'{{{HEAD}, "text": 3}}', "3 is no text"),
        (f'{{{HEAD}, "w_q": [[1, 2], [3]]}}', "w_q has to be a table"),
        (f'{{{HEAD}, "w_q": {{"a": 1}}}}', "w_q"),
        (f'{{{HEAD}, "seed": {"9" * 5000}}}', "holds a number of 5000 digits, and 400 is the most"),
        (f'{{{HEAD}, "seed": {"9" * 350}}}', "999.* can't be seed: take a whole number"),
        (f'{{{HEAD}, "x": [[1{"0" * 390}, 1, 1]]}}', "x has to be a table of numbers"),
        (f'{{{HEAD}, "edits": [["w_q", 0, 0, 1{"0" * 390}]]}}', "needs a matrix, a row, a column and a number"),
        (f'{{{HEAD}, "edits": [["w_q", 1{"0" * 390}, 0, 1]]}}', "There's no cell"),
        (f'{{{HEAD}, "edits": [[["w_q"], 0, 0, 1]]}}', "'w_q'. is no matrix"),
        (f'{{{HEAD}, "text": "\\ud800 a"}}', "holds half of a character"),
        (f'{{{HEAD}, "text": "{"z" * (MAX_TEXT_CHARACTERS + 1)}"}}', "has 20,001 characters, and at most 20000 fit"),
        (" " * (MAX_FILE_BYTES + 1), "characters, and at most 5242880 fit"),
    ],
    ids=range(25),
)
def test_what_is_no_scenario_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        scenario_from_json(text)
    assert_for_readers(caught.value)


values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 2000)
    | st.sampled_from((10**400, -(10**400), 10**309, BEYOND))
    | st.floats(allow_nan=False)
    | st.text(st.characters() | st.just("\ud800"), max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from((*EDITABLE, "text", "d_in", "d_out", "d_v", "edits", "seed", "temperature", "causal", "device"))


@settings(max_examples=examples(500))
@given(st.dictionaries(names, values, max_size=4))
def test_any_json_is_a_scenario_or_refused(held: dict[str, Any]) -> None:
    text = json.dumps({"format": "attnviz scenario", "version": 1} | held)
    try:
        scenario = scenario_from_json(text)
    except ValueError as error:
        assert_for_readers(error)
    else:
        assert scenario_from_json(scenario_json(scenario)) == scenario
        assert scenario.text.encode()  # a browser can be sent it
        assert np.isfinite(scenario.matrix("w_q").numpy()).all()


# Memory


def test_json_is_made_piece_by_piece_and_a_file_of_it_holds_it_once() -> None:
    made = trace(Scenario("the cat sat on " * 24, causal=True))
    size = len(trace_json(made))
    tracemalloc.start()
    try:
        assert sum(map(len, json_pieces(made))) == size
        assert tracemalloc.get_traced_memory()[1] < size / 5
        tracemalloc.reset_peak()
        assert json_file(made).read(20) == trace_json(made)[:20].encode()
        tracemalloc.reset_peak()
        file = json_file(made)
        assert tracemalloc.get_traced_memory()[1] < 1.5 * size
        assert file.read() == trace_json(made).encode()
    finally:
        tracemalloc.stop()
