"""Data about tables for tests of the whole app."""

from collections.abc import Callable, Mapping
from typing import Any

# Files whose texts aren't in the catalogue, with the reason, for tests/unit/project/test_words.py.
NO_PAGE = {
    "attnviz/features/tables/foreign_names.py": "holds names that are read, and says none",
    "attnviz/features/tables/stage_names.py": "holds names that are read, and says none",
}
# Classes that functions return, arguments, and what the contract names, for tests/unit/project/public_calls.py.
RETURNED = {"Printed"}
OTHERWISE: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "read_matrix": {"name": lambda: "w_q"},
    "read_table": {"text": lambda: "1 2"},
}
NAMED = {"read_table"}
