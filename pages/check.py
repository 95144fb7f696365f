"""The page Check my numbers: marks the reader's own or published tables."""

from attnviz.features.check.page.examples import show_examples
from attnviz.features.check.page.form import show_check
from attnviz.features.check.page.verdict_panel import chosen_mode
from attnviz.features.check.parameters import EXAMPLES

mode = chosen_mode()
if mode == EXAMPLES:
    show_examples()
else:
    show_check()
