"""Checked uploads: matrices as CSV or safetensors, scenarios as JSON."""

import csv
import io
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import ModuleType
from typing import Any, NoReturn

import torch

from attnviz.core.given import HIDING
from attnviz.core.limits import MAX_D, MAX_FILE_BYTES, ReaderError, RefusedError, check_type, check_whole, in_short
from attnviz.core.matrix_input import finite_in_float32, wrong_shape
from attnviz.core.scenario import Scenario
from attnviz.core.stages import ALL_STAGES
from attnviz.core.tokens import is_whole_text
from attnviz.tables.reading import parse_table, read_upload
from attnviz.words import say, thousands
from attnviz.words.numbers import for_json

_DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}


def _safetensors() -> ModuleType:
    """Return the package safetensors, which only its files need."""
    try:
        import safetensors.torch
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "files of tensors need the package safetensors, which attnviz[app] brings: pip install 'attnviz[app]'",
            name=error.name,
        ) from None
    return safetensors


def write_tensors(tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> bytes:
    """Return a file of tensors.

    Raises ``ModuleNotFoundError`` if the package safetensors isn't installed.
    """
    return bytes(_safetensors().torch.save(dict(tensors), dict(metadata)))


def read_tensor(data: bytes, name: str) -> torch.Tensor:
    """Return a file's tensor of this name, or its only one, float64.

    Raises ``ValueError`` if the data isn't such a file, if none of its several tensors has this name, or if its numbers
    aren't floats; raises ``ModuleNotFoundError`` if the package safetensors isn't installed.
    """
    safetensors = _safetensors()
    try:
        tensors = dict(safetensors.deserialize(data))
    except (safetensors.SafetensorError, ValueError):
        raise RefusedError("no_tensors") from None
    if name not in tensors and len(tensors) != 1:
        raise RefusedError("tensors", tensors=len(tensors), called=tuple(sorted(tensors)[:4]), matrix=name)
    found = tensors.get(name) or next(iter(tensors.values()))
    if found["dtype"] not in _DTYPES:
        raise RefusedError("tensor_type", value=str(found["dtype"]))
    values = torch.frombuffer(bytearray(found["data"]) or bytearray(8), dtype=_DTYPES[found["dtype"]])
    return values[: math.prod(found["shape"])].reshape(found["shape"]).double()


_SYMBOLS = {stage.symbol for stage in ALL_STAGES.values()}


def read_matrix(file_name: str, data: bytes, name: str, shape: tuple[int, int]) -> torch.Tensor:
    """Read the matrix `name` from a file, ``(rows, columns)`` float64.

    The file's name tells its kind: ``.safetensors``, or else a table of numbers that :func:`parse_table` reads, or one
    that :func:`attnviz.export.matrix_csv` wrote, with the names of rows and columns. If a file has several tensors, the
    one called `name` is taken. A bias may have one dimension.

    Raises ``ValueError`` for a file that is too large or not of its kind, and for a matrix of another shape or with
    numbers that aren't finite.

    >>> read_matrix("w.csv", b"1,2\\n3,4", "w_q", (2, 2)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    check_type("file_name", file_name, str, "the file's name")
    check_type("data", data, bytes, "the file's bytes")
    shape = _checked_shape(shape)
    if len(data) > MAX_FILE_BYTES:
        said = say("tables.file_too_long", size=thousands(len(data)), most=thousands(MAX_FILE_BYTES))
        raise ReaderError(said)
    is_tensors = file_name.lower().endswith(".safetensors")
    if is_tensors:
        tensor = read_tensor(data, name)
    else:
        text = _without_names(read_upload(data), shape)
        tensor = parse_table(text, columns=shape[1], infinite=name in HIDING)
    matrix = tensor[None] if tensor.dim() == 1 and shape[0] == 1 else tensor
    if tuple(matrix.shape) != shape:
        raise wrong_shape(name, tuple(tensor.shape), shape)
    return torch.from_numpy(finite_in_float32(name, matrix.numpy()))


def _checked_shape(shape: object) -> tuple[int, int]:
    """Return the rows and columns; ``ValueError`` for anything else."""
    if not isinstance(shape, Sequence) or isinstance(shape, str) or len(shape) != 2:
        raise ValueError(f"shape is {in_short(shape)}, expected (rows, columns)")
    rows, columns = (check_whole("shape", size, 0, 2 * MAX_D) for size in shape)
    return rows, columns


def _without_names(text: str, shape: tuple[int, int]) -> str:
    """Drop the row and column names that :func:`attnviz.export.matrix_csv` writes.

    The corner holds the matrix's symbol. A symbol that no table of stages has, such as that of a model's matrix, counts
    if the table has one row and one column more than `shape`. A spreadsheet may have saved the file again, with
    semicolons or tabs, and with decimal commas.
    """
    corner = re.match(r'("?)([^\W\d][^\s,;"]*)\1([,;\t])', text)
    if not corner:
        return text
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=corner[3]))
    except csv.Error as error:
        raise ReaderError(say("tables.no_csv", error=error)) from None
    sizes = [len(row) - 1 for row in rows if row]
    if corner[2] not in _SYMBOLS and sizes != [shape[1]] * (shape[0] + 1):
        return text
    return "\n".join(["", *(corner[3].join(row[1:]) for row in rows[1:])])


FORMAT = "attnviz scenario"
VERSION = 1
_MOST_DIGITS = 400  # digits of a whole number; the largest float has fewer
_DEFAULTS = {field.name: field.default for field in fields(Scenario)}


def scenario_json(scenario: Scenario) -> str:
    """Return a scenario as JSON: its text and non-default settings.

    Where a mask hides a key, the JSON has "-Infinity", as that of a trace does.

    >>> print(scenario_json(Scenario("a cat", edits=[("w_q", 0, 1, 0.9)])))
    {
     "format": "attnviz scenario",
     "version": 1,
     "text": "a cat",
     "edits": [["w_q", 0, 1, 0.9]]
    }
    """
    check_type("scenario", scenario, Scenario, "a Scenario")
    set_here = {
        name: getattr(scenario, name)
        for name, default in _DEFAULTS.items()
        if name == "text" or getattr(scenario, name) != default
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in _head().items()]
    lines += [f" {json.dumps(name)}: {json.dumps(_plain(value), allow_nan=False)}" for name, value in set_here.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


def _plain(value: Any) -> Any:
    """Return a setting in a form that JSON can hold."""
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return for_json(value) if isinstance(value, float) else value


def _head() -> dict[str, Any]:
    return {"format": FORMAT, "version": VERSION}


def scenario_from_json(text: str) -> Scenario:
    """Return the scenario that a JSON text holds.

    Raises ``ValueError`` for other JSON, another version, an unknown name, or settings that no scenario may have.

    >>> scenario_from_json(scenario_json(Scenario("a cat", seed=7))) == Scenario("a cat", seed=7)
    True
    """
    check_type("text", text, str, "the text of a JSON file")
    if len(text) > MAX_FILE_BYTES:
        raise RefusedError("file_long", characters=len(text), most=MAX_FILE_BYTES)
    try:
        held = json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse, parse_int=_whole)
    except RecursionError:
        raise RefusedError("nested") from None
    except json.JSONDecodeError as error:
        raise RefusedError("no_json", line=error.lineno) from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise RefusedError("no_scenario")
    if held.get("version") != VERSION:
        raise RefusedError("version", value=held.get("version"))
    settings = {name: value for name, value in held.items() if name not in _head()}
    unknown = [name for name in settings if name not in _DEFAULTS]
    if unknown:
        raise RefusedError("unknown_setting", value=unknown[0])
    for name in ("text", "second"):
        sentence = settings.get(name)
        if isinstance(sentence, str) and not is_whole_text(sentence):
            raise RefusedError("half_character", value=sentence)
    return Scenario(**settings)


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise RefusedError("digits", digits=len(digits), most=_MOST_DIGITS)
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise RefusedError("constant", value=constant)
