"""Matrices from files that someone uploads: CSV and safetensors, checked before they count."""

import csv
import io
import re

import torch

from attnviz.core.errors import SaidError
from attnviz.core.limits import MAX_FILE_BYTES
from attnviz.core.matrix_input import finite_in_float32, wrong_shape
from attnviz.core.stages import ALL_STAGES
from attnviz.export.tensor_files import read_tensor
from attnviz.tables.reading import parse_table, read_upload
from attnviz.words import say

_SYMBOLS = {stage.symbol for stage in ALL_STAGES.values()}


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
        said = say("tables.file_too_long", size=f"{len(data):,}", most=f"{MAX_FILE_BYTES:,}")
        raise SaidError(said)
    is_tensors = file_name.lower().endswith(".safetensors")
    tensor = read_tensor(data, name) if is_tensors else parse_table(_without_names(read_upload(data)), columns=shape[1])
    matrix = tensor[None] if tensor.dim() == 1 and shape[0] == 1 else tensor
    if tuple(matrix.shape) != shape:
        raise wrong_shape(name, tuple(tensor.shape), shape)
    return torch.from_numpy(finite_in_float32(name, matrix.numpy()))


def _without_names(text: str) -> str:
    """Drop the names that :func:`attnviz.export.matrix_csv` writes; the first line stays, empty, to be counted.

    A spreadsheet may have saved it anew, with semicolons or tabs, and with decimal commas.
    """
    symbol = re.match(r'("?)([\w′]{1,4})\1([,;\t])', text)
    if not symbol or symbol[2] not in _SYMBOLS:
        return text
    try:
        rows = [row[1:] for row in csv.reader(io.StringIO(text), delimiter=symbol[3])]
    except csv.Error as error:
        raise SaidError(say("tables.no_csv", error=error)) from None
    return "\n".join(["", *(symbol[3].join(row) for row in rows[1:])])
