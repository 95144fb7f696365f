"""The page Check my numbers: marks one's own or published tables."""

from attnviz.app.check.examples import show_examples
from attnviz.app.check.form import show_check
from attnviz.app.check.showing import chosen_mode
from attnviz.link.rows.check import EXAMPLES

mode = chosen_mode()
if mode == EXAMPLES:
    show_examples()
else:
    show_check()
