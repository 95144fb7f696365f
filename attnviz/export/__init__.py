"""Exports and imports: scripts, notebooks, data and scenarios."""

from attnviz.core.limits import MAX_FILE_BYTES
from attnviz.export.data import (
    json_file,
    json_pieces,
    json_size,
    matrix_csv,
    matrix_names,
    safetensors_size,
    trace_json,
    trace_safetensors,
)
from attnviz.export.reading import read_matrix, scenario_from_json, scenario_json
from attnviz.export.script import notebook, pytorch_script

__all__ = [
    "MAX_FILE_BYTES", "json_file", "json_pieces", "json_size", "matrix_csv", "matrix_names", "notebook",
    "pytorch_script", "read_matrix", "safetensors_size", "scenario_from_json", "scenario_json", "trace_json",
    "trace_safetensors",
]  # fmt: skip
