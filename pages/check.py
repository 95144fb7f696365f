"""Check my numbers: tables of one's own, published examples, and exercises, marked cell by cell."""

import attnviz.ui  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.ui.check_form import show_check
from attnviz.ui.check_modes import EXAMPLES, EXERCISE, chosen_mode
from attnviz.ui.example_views import show_examples
from attnviz.ui.exercise_views import show_exercise

mode = chosen_mode()
if mode == EXAMPLES:
    show_examples()
elif mode == EXERCISE:
    show_exercise()
else:
    show_check()
