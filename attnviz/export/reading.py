"""Matrices from files that someone uploads: CSV and safetensors, checked before they count."""

import csv
import io
import math

import torch

from attnviz.stages import STAGES
from attnviz.tables import parse_table

MAX_FILE_BYTES = 5 * 2**20  # as server.maxUploadSize in .streamlit/config.toml
_DTYPES = {"F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64}
_SYMBOLS = {stage.symbol for stage in STAGES.values()}


def read_matrix(file_name: str, data: bytes, name: str, shape: tuple[int, int]) -> torch.Tensor:
    """Read the matrix `name` from a file, ``(rows, columns)`` float64.

    The kind is that of the file's name: ``.safetensors``, else a table of numbers as :func:`parse_table` reads
    it, or as :func:`attnviz.export.matrix_csv` writes it, with the names of rows and columns. Of several tensors
    in a file the one called `name` is taken. A bias may be one dimension.

    Raises ``ValueError`` for what is too large, not of its kind, of another shape, or not finite.

    >>> read_matrix("w.csv", b"1,2\\n3,4", "w_q", (2, 2)).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    if len(data) > MAX_FILE_BYTES:
        raise ValueError(f"the file has {len(data)} bytes, expected at most {MAX_FILE_BYTES}")
    tensor = _safetensors(data, name) if file_name.lower().endswith(".safetensors") else _table(data)
    matrix = tensor[None] if tensor.dim() == 1 and shape[0] == 1 else tensor
    if tuple(matrix.shape) != shape:
        raise ValueError(f"{name} in the file has shape {tuple(tensor.shape)}, expected {shape}")
    bad = (~(matrix.abs() <= torch.finfo(torch.float32).max)).nonzero()
    if len(bad):
        row, column = bad[0].tolist()
        raise ValueError(f"{name}[{row}, {column}] is {matrix[row, column].item()}, expected a finite float32")
    return matrix


def _table(data: bytes) -> torch.Tensor:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"the file is no text: byte {error.start} is {data[error.start]:#04x}, expected UTF-8"
        ) from None
    return parse_table(_without_names(text))


def _without_names(text: str) -> str:
    """Drop the names that :func:`attnviz.export.matrix_csv` writes; the first line stays, empty, to be counted."""
    if text.split(",", 1)[0] not in _SYMBOLS:
        return text
    try:
        rows = [row[1:] for row in csv.reader(io.StringIO(text))]
    except csv.Error as error:
        raise ValueError(f"the file is no CSV: {error}") from None
    return "\n".join(["", *(",".join(row) for row in rows[1:])])


def _safetensors(data: bytes, name: str) -> torch.Tensor:
    import safetensors  # only those who read such a file need it

    try:
        tensors = dict(safetensors.deserialize(data))  # type: ignore[no-untyped-call]
    except (safetensors.SafetensorError, ValueError) as error:
        raise ValueError(f"the file is no safetensors file: {error}") from None
    if name not in tensors and len(tensors) != 1:
        listed = ", ".join(repr(key[:40]) for key in sorted(tensors)[:8])
        raise ValueError(f"the file holds {len(tensors)} tensors ({listed}), expected one called {name!r}")
    found = tensors.get(name) or next(iter(tensors.values()))
    if found["dtype"] not in _DTYPES:
        raise ValueError(f"{name} in the file is of type {found['dtype']}, expected one of {', '.join(_DTYPES)}")
    values = torch.frombuffer(bytearray(found["data"]) or bytearray(8), dtype=_DTYPES[found["dtype"]])
    return values[: math.prod(found["shape"])].reshape(found["shape"]).double()
