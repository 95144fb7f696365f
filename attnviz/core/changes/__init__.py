"""What lies over the drawn matrices of a scenario, how it is made, carried over and written."""

from attnviz.core.changes.carried import (
    bring_back,
    carry_over,
    edit_cells,
    edit_matrix,
    fits,
    random_replacement,
    replace_matrix,
)
from attnviz.core.changes.changes import (
    GIVEN,
    Changes,
    Replacement,
    change_texts,
    changes_of,
    name_from_text,
    name_in_text,
    renamed,
    with_changes,
)

__all__ = [
    "GIVEN",
    "Changes",
    "Replacement",
    "bring_back",
    "carry_over",
    "change_texts",
    "changes_of",
    "edit_cells",
    "edit_matrix",
    "fits",
    "name_from_text",
    "name_in_text",
    "random_replacement",
    "renamed",
    "replace_matrix",
    "with_changes",
]
