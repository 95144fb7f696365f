"""Questions that learners ask, each answered by what can be seen."""

from attnviz.app.questions.listing import show_list
from attnviz.app.questions.question import open_it, open_question, show_question

number = open_question()
if number is None:
    show_list(open_it)
else:
    show_question(number)
