"""Files that hold one matrix: they come back as they were written, and what is no such file is refused."""

import csv
import io
import math
import pickle
import struct
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnviz import Scenario, trace
from attnviz.core.limits import RefusedError
from attnviz.core.scenario import traced
from attnviz.core.stages import EDITABLE, EVERY_STAGE
from attnviz.export import MAX_FILE_BYTES, matrix_csv, matrix_names, pytorch_script
from attnviz.features.tables.handout import sorted_tables
from attnviz.features.tables.matrices import read_matrix
from attnviz.features.tables.reading import read_table
from tests.examples import examples
from tests.languages import made_up
from tests.unit.core.test_refused import assert_for_readers, refusal_of
from tests.unit.helpers import HOSTILE, anything
from tests.unit.project.test_exported_data import BEYOND, OVERFLOWN

# Written and read back


@given(anything())
@settings(max_examples=examples(150))
def test_each_matrix_of_any_set_up_comes_back_from_its_csv(scenario: Scenario) -> None:
    """With the separators of another country's spreadsheet, too."""
    made = traced(scenario)
    for name in matrix_names(made):
        matrix = made[name].reshape(-1, made[name].shape[-1])
        written_out = matrix_csv(made, name)
        for text in (written_out, with_semicolons(written_out)) if name == "mask" or matrix.isfinite().all() else ():
            read = read_matrix("m.csv", text.encode(), name, (matrix.shape[0], matrix.shape[1]))
            assert torch.equal(read.float(), matrix)


def with_semicolons(text: str) -> str:
    first, *rows = csv.reader(io.StringIO(text))
    out = io.StringIO()
    decimals = ([label, *(cell.replace(".", ",") for cell in cells)] for label, *cells in rows)
    csv.writer(out, delimiter=";").writerows([first, *decimals])
    return out.getvalue()


@pytest.mark.parametrize("text", [*HOSTILE, '"quoted", and; more\ttoo', "=1+1", "a;=1+1 b,+1 c|-1 d\t@A1 e;＝1"])
def test_names_of_a_csv_that_could_be_formulas_are_left_out(text: str) -> None:
    made = trace(Scenario(text))
    for name in ("x", "scores"):
        read = read_matrix("m.csv", matrix_csv(made, name).encode(), name, getattr(made, name).shape)
        assert torch.equal(read.float(), getattr(made, name))


SETTINGS: tuple[dict[str, Any], ...] = (
    {"weighting": "linear"}, {"reads": "kept", "second": "c d e", "n_layers": 2, "d_out": 3},
    {"reads": "second", "second": "c d e"}, {"positions": "alibi"}, {"positions": "sinusoidal", "d_in": 4},
    {"positions": "rotary", "d_out": 4}, {"bias": True, "n_heads": 2, "d_out": 4, "output": True}, {"causal": True},
    {"norm": "pre", "n_layers": 2, "d_out": 3, "output": True, "d_ff": 4}, {"embedding_factor": True},
    {"norm": "post", "n_layers": 2, "d_out": 3, "output": True, "d_ff": 4}, {"what_if": "projections:exchanged"},
    {"what_if": "cut:view", "n_heads": 2, "d_out": 4},
)  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_each_matrix_s_csv_is_read_as_it_was_written(setting: dict[str, Any]) -> None:
    """Whatever stands in its corner: φ(Q), Y_o⁽⁰⁾, Q″, γ₁ or a distance's D."""
    made = trace(Scenario("a cat sat", **setting))
    for name in matrix_names(made):
        read = read_table(matrix_csv(made, name), infinite=True)
        matrix = made[name]
        torch.testing.assert_close(torch.tensor(read.rows), matrix.reshape(-1, matrix.shape[-1]), rtol=1e-6, atol=1e-9)


@given(anything())
@settings(max_examples=examples(150))
def test_what_a_script_prints_is_read(scenario: Scenario) -> None:
    """Of the first layer, each table under its name; one of which no number is finite may be left out."""
    printed = list[Any]()
    exec(pytorch_script(scenario), {"print": lambda *told, **_: printed.extend(told)})
    read = sorted_tables("\n".join(map(str, printed))).tables
    names = list[str]()
    for title, matrix in pairwise(printed):
        if isinstance(title, torch.Tensor) and isinstance(matrix, str) and matrix.startswith("layers."):
            break
        if isinstance(title, str) and isinstance(matrix, torch.Tensor) and title in EVERY_STAGE:
            names.append(title)
            assert not matrix.isfinite().any() or read[title].split() == str(matrix).split()
    assert names
    assert {*read} <= {*names}


def test_what_a_script_prints_in_another_language_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    context = made_up(tmp_path)
    exec(context.run(pytorch_script, Scenario("a cat sat", causal=True)), {})
    assert {"attention_weights", "context"} <= {*context.run(sorted_tables, capsys.readouterr().out).tables}


# Uploads that are refused


@given(st.text(max_size=30), st.sampled_from(EDITABLE))
def test_any_text_is_a_table_or_is_refused_in_a_readers_words(text: str, name: str) -> None:
    shape = Scenario(bias=True, d_ff=4, positions="none" if name == "x" else "learned").shape_of(name)
    error = refusal_of(lambda: read_matrix("w.csv", text.encode(errors="replace"), name, shape))
    if error is not None and not isinstance(error, RefusedError):
        assert "expected" not in str(error).replace(text, "")
    elif error is not None:
        assert_for_readers(error)


def tensors(**given_: torch.Tensor) -> bytes:
    return bytes(safetensors.torch.save(given_))


REFUSED: list[tuple[str, bytes, str]] = [
    ("w.safetensors", pickle.dumps({"w_q": [[1.0]]}), "isn't a safetensors file"),
    ("w.safetensors", b"", "isn't a safetensors file"),
    ("w.safetensors", b"\xff" * 64, "isn't a safetensors file"),
    ("w.safetensors", struct.pack("<Q", 2**60) + b"{}", "isn't a safetensors file"),
    ("w.safetensors", tensors(a=torch.ones(2, 2), b=torch.ones(2, 2)), "2 tensors .a, b., and none of them"),
    ("w.safetensors", tensors(w_q=torch.ones(2, 3)), "needs 2 rows and 2 columns, and this has 2 rows and 3 columns"),
    ("w.safetensors", tensors(w_q=torch.ones(4)), r"needs 2 rows and 2 columns, and the tensor .* number of axes"),
    ("w.safetensors", tensors(w_q=torch.ones(2, 2, dtype=torch.int64)), "are of the type .I64"),
    ("w.safetensors", tensors(w_q=torch.full((2, 2), math.nan)), r"w_q\[0, 0\] would be nan. Numbers here go from"),
    ("w.safetensors", tensors(w_q=torch.full((2, 2), 1e39, dtype=torch.float64)), r"w_q\[0, 0\] would be 1e\+39"),
    ("w.safetensors", tensors(w_q=torch.full((2, 2), BEYOND, dtype=torch.float64)), "Numbers here go from"),
    ("w.csv", f"1,2\n3,{BEYOND}".encode(), r"w_q\[1, 1\] would be 3.40282356.*. Numbers here go from"),
    ("w.safetensors", tensors(w_q=torch.ones(0, 2)), "needs 2 rows and 2 columns, and this has 0 rows and 2 columns"),
    ("w.csv", b"1,2\n3,inf", "Line 2: “inf” isn't a number"),
    ("w.csv", b"1,2\n3,=1+1", "Line 2: “=1.1” isn't a number"),
    ("w.csv", b"W_q,0,1\n0,1,2\n1,3,=cmd()", "Line 3: “=cmd..” isn't a number"),
    ("w.csv", b"1,2\n3", "Line 2 has 1 number, but the first line has 2"),
    ("w.csv", b"1,2,3\n3,4,5", "needs 2 rows and 2 columns, and this has 2 rows and 3 columns"),
    ("w.csv", b"", "no table here"),
    ("w.csv", b"\x80\x04\x95", "isn't a text with numbers: line 1, character 1 is the byte 0x80"),
    ("w.pt", pickle.dumps([1, 2]), "isn't a text with numbers"),
    ("w.csv", b"1" * (MAX_FILE_BYTES + 1), f"at most {MAX_FILE_BYTES:,} fit"),
]


@pytest.mark.parametrize(("file_name", "data", "problem"), REFUSED, ids=range(len(REFUSED)))
def test_a_file_that_does_not_fit_is_refused_by_name(file_name: str, data: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        read_matrix(file_name, data, "w_q", (2, 2))
    assert_for_readers(caught.value)


@settings(max_examples=examples(300))
@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_a_damaged_safetensors_file_is_read_or_refused(at: int, by: bytes) -> None:
    whole = tensors(w_q=torch.ones(2, 2))
    with suppress(ValueError):
        assert read_matrix("w.safetensors", whole[:at] + by + whole[at + len(by) :], "w_q", (2, 2)).isfinite().all()


def test_an_infinite_number_is_refused_where_only_a_mask_may_hold_it() -> None:
    with pytest.raises(ValueError, match="Line 2: “Infinity” isn't a number here"):
        read_matrix("m.csv", matrix_csv(traced(OVERFLOWN), "scaled_scores").encode(), "x", (3, 3))
