"""Exports and imports: scripts, notebooks, data and scenarios."""

from typing import TYPE_CHECKING, Any

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
from attnviz.export.scenario_file import scenario_from_json, scenario_json
from attnviz.export.script import notebook, pytorch_script
from attnviz.feature import public, public_names

if TYPE_CHECKING:
    from attnviz.features.tables.matrices import read_matrix as read_matrix

__all__ = [
    "MAX_FILE_BYTES", "json_file", "json_pieces", "json_size", "matrix_csv", "matrix_names", "notebook",
    "pytorch_script", "safetensors_size", "scenario_from_json", "scenario_json", "trace_json",
    "trace_safetensors", *public_names(__name__),
]  # fmt: skip

if not TYPE_CHECKING:  # with `__getattr__`, a type checker would accept any name

    def __getattr__(name: str) -> Any:
        return public(__name__, name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
