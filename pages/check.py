"""Check my numbers: tables of one's own, published examples, and exercises, marked cell by cell."""

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
