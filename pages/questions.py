"""Questions that learners ask, each answered by what can be seen."""

from attnviz.app.questions.listing import show_list
from attnviz.app.questions.panel import open_it
from attnviz.app.questions.question import open_question, show_question

question = open_question()
if question is None:
    show_list(open_it)
else:
    show_question(question)
