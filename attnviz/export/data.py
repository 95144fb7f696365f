"""A trace as files: matrices as CSV, all as JSON or safetensors."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
import torch

from attnviz.core.attention import AttentionTrace
from attnviz.core.heads import gathered, without_head
from attnviz.core.limits import check_type
from attnviz.core.rules import in_rows
from attnviz.export.tensors import write_tensors
from attnviz.words.numbers import for_json

# Positions where a spreadsheet may begin a cell: the start of a name, or after a character that separates cells in some
# country or program. The characters that begin a formula there are the signs themselves, and those that an East Asian
# spreadsheet reads as these signs.
_BEFORE_FORMULA = re.compile('(^|[;,|\t\r\n"])(?=[=+\\-@＝＋－＠﹦﹢﹣﹫⁼⁺₌₊\t\r])')


def matrix_names(trace: AttentionTrace) -> tuple[str, ...]:
    """Return the names of a trace's matrices, separately for each head."""
    check_type("trace", trace, AttentionTrace, "what attnviz.trace or attnviz.attend returns")
    return tuple(
        name
        for name in trace.matrices
        if (whole := without_head(name)) == name
        or whole not in trace.matrices
        or ((rule := trace.stages[name].rule) and rule.cuts_rows)
    )


def matrix_csv(trace: AttentionTrace, name: str) -> str:
    """Return one matrix as CSV, with the names of rows and columns.

    Numbers are written with all digits that float32 needs. If a spreadsheet would run a token, or the part of it after
    a separator, as a formula (CWE-1236), an apostrophe is put before it. :func:`attnviz.export.read_matrix` reads the
    file back.

    Raises ``ValueError`` for a name that no matrix of the trace has.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> print(matrix_csv(trace(Scenario("=1+1 cat", x="zeros", d_in=2, tokenizer="whitespace")), "x"))
    X,0,1
    '=1+1,0.0,0.0
    cat,0.0,0.0
    <BLANKLINE>
    """
    if name not in matrix_names(trace):
        raise trace.no_matrix(name)
    stage, rows = trace.stages[name], _arrays(trace[name])
    lines = zip(_names(stage.labels("rows", trace.tokens, len(rows))), rows, strict=True)
    heads = [stage.symbol, *_names(stage.labels("columns", trace.tokens, len(rows[0])))]
    return csv_of([heads, *([label, *map(_digits, row)] for label, row in lines)])


def csv_of(lines: Iterable[Iterable[object]]) -> str:
    """Return lines of cells as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def _names(labels: tuple[str, ...]) -> list[str]:
    return [for_spreadsheet(label) for label in labels]


def for_spreadsheet(name: str) -> str:
    """Return a name with an apostrophe before anything that begins a formula."""
    return _BEFORE_FORMULA.sub(r"\1'", name)


def _digits(value: np.float32) -> str:
    """Write a float32 in the fewest digits that identify it."""
    return str(value) if math.isfinite(value) else str(for_json(float(value)))


def trace_json(trace: AttentionTrace) -> str:
    """Return a trace's settings, tokens and matrices as JSON.

    Numbers have all digits that float32 needs. JSON has no infinite numbers and no NaN, so these are written as
    "Infinity", "-Infinity" or "NaN".

    >>> from attnviz.core.scenario import Scenario, trace
    >>> json.loads(trace_json(trace(Scenario("a cat"))))["tokens"]
    ['a', 'cat']
    """
    return "".join(json_pieces(trace))


def json_pieces(trace: AttentionTrace) -> Iterator[str]:
    """Yield a trace's JSON in pieces of one row at most."""
    check_type("trace", trace, AttentionTrace, "what attnviz.trace or attnviz.attend returns")
    head = json.dumps(_settings(trace) | _tokens(trace), allow_nan=False)
    yield f'{head[:-1]}, "matrices": {{'
    for i, (name, matrix) in enumerate(gathered(trace.stages, trace.matrices).items()):
        yield f'{", " if i else ""}"{name}": ['
        yield from _json_rows(matrix)
        yield "]"
    yield "}}"


def _json_rows(matrix: torch.Tensor) -> Iterator[str]:
    """Yield a matrix's rows as JSON, in brackets by head if several."""
    if matrix.dim() > 2:
        for head, each in enumerate(matrix):
            yield ", [" if head else "["
            yield from _json_rows(each)
            yield "]"
        return
    for row, numbers in enumerate(_arrays(matrix)):
        yield f"{', ' if row else ''}[{', '.join(map(_json_number, numbers))}]"


def json_file(trace: AttentionTrace) -> BinaryIO:
    """Return a trace's JSON as a file in memory."""
    file = io.BytesIO()
    for piece in json_pieces(trace):
        file.write(piece.encode("ascii"))
    file.seek(0)
    return file


def json_size(trace: AttentionTrace) -> int:
    """Return the approximate size of a trace's JSON, in bytes."""
    size = 0
    for name in matrix_names(trace):
        rows = _arrays(trace[name])
        seen = rows[:: max(1, len(rows) // 4)]
        size += len(rows) * sum(len(_json_number(each)) + 2 for row in seen for each in row) // len(seen)
    return size


def _arrays(matrix: torch.Tensor) -> np.ndarray:
    """Return the rows of a matrix, float32; a bias is one row."""
    return in_rows(matrix.detach().cpu()).numpy()


def _json_number(value: np.float32) -> str:
    return str(value) if math.isfinite(value) else f'"{for_json(float(value))}"'


def _tokens(trace: AttentionTrace) -> dict[str, list[str]]:
    """Return the tokens, and the tokens that they read if these differ."""
    return {"tokens": list(trace.tokens)} | (
        {"read_tokens": list(trace.read_tokens)} if trace.layers[0].y is not None else {}
    )


def _settings(trace: AttentionTrace) -> dict[str, Any]:
    if trace.layers[-1].get("scores") is None:  # a trace of attention weights alone
        return {}
    return {"causal": trace.causal, "scale": trace.scale, "temperature": trace.temperature}


def trace_safetensors(trace: AttentionTrace) -> bytes:
    """Return a trace's matrices as safetensors, settings and tokens as metadata.

    Raises ``ModuleNotFoundError`` if the package safetensors isn't installed.

    >>> import safetensors.torch
    >>> from attnviz.core.scenario import Scenario, trace
    >>> safetensors.torch.load(trace_safetensors(trace(Scenario("a cat"))))["context"].shape
    torch.Size([2, 2])
    """
    check_type("trace", trace, AttentionTrace, "what attnviz.trace or attnviz.attend returns")
    # The format doesn't allow two names for the same memory, so each matrix is copied.
    own = {name: matrix.detach().cpu().contiguous() for name, matrix in gathered(trace.stages, trace.matrices).items()}
    matrices = {name: matrix.clone() for name, matrix in own.items()}
    metadata = {name: json.dumps(value) for name, value in (_settings(trace) | _tokens(trace)).items()}
    return write_tensors(matrices, metadata)


def safetensors_size(trace: AttentionTrace) -> int:
    """Return how many bytes a trace's numbers take as safetensors."""
    return sum(trace[name].nbytes for name in matrix_names(trace))
