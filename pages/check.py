"""Check my numbers: tables of one's own and published examples, marked cell by cell."""

from attnviz.app.check.examples import show_examples
from attnviz.app.check.form import show_check
from attnviz.app.check.showing import chosen_mode
from attnviz.link.page_texts import EXAMPLES

mode = chosen_mode()
if mode == EXAMPLES:
    show_examples()
else:
    show_check()
