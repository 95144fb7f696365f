"""What lies over the drawn matrices of a scenario, how it is made, carried over and written."""

from attnviz.core.changes.carried import bring_back, carry_over, fits
from attnviz.core.changes.lying import Changes, Replacement, changes_of, renamed, with_changes
from attnviz.core.changes.making import edit_cells, edit_matrix, random_replacement, replace_matrix
from attnviz.core.changes.texts import GIVEN, change_texts, name_from_text, name_in_text

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
