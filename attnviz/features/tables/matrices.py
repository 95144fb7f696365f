"""Files that hold one matrix: CSV and other texts, or safetensors."""

import csv
import io
import math
import re
from collections.abc import Sequence

import torch

from attnviz.core.given import HIDING
from attnviz.core.limits import MAX_D, MAX_FILE_BYTES, ReaderError, RefusedError, check_type, check_whole, in_short
from attnviz.core.matrix_input import finite_in_float32, wrong_shape
from attnviz.core.stages import ALL_STAGES
from attnviz.export.tensors import safetensors_module
from attnviz.features.tables.reading import parse_table, read_upload
from attnviz.words import say, thousands

_DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}


def read_tensor(data: bytes, name: str) -> torch.Tensor:
    """Return a file's tensor of this name, or its only one, float64.

    Raises ``ValueError`` if the data isn't such a file, if none of its several tensors has this name, or if its numbers
    aren't floats; raises ``ModuleNotFoundError`` if the package safetensors isn't installed.
    """
    safetensors = safetensors_module()
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
