"""Check my numbers: tables of one's own, published examples, and exercises, marked cell by cell."""

from attnviz.app.check.examples import show_examples
from attnviz.app.check.exercises import show_exercise
from attnviz.app.check.form import show_check
from attnviz.app.check.modes import chosen_mode
from attnviz.link.page_texts import EXAMPLES, EXERCISE

mode = chosen_mode()
if mode == EXAMPLES:
    show_examples()
elif mode == EXERCISE:
    show_exercise()
else:
    show_check()
