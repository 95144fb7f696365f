"""Questions that learners ask, each answered by what can be seen."""

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario
from attnviz.app.questions.listing import show_list
from attnviz.app.questions.question import open_it, open_question, show_question

current_scenario()  # not needed here, but it makes sure that app.py runs around this page
number = open_question()
if number is None:
    show_list(open_it)
else:
    show_question(number)
