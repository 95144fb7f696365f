"""Questions that learners ask, each answered by what can be seen."""

from attnviz.features.questions.page.question import open_question, show_list, show_question

question = open_question()
if question is None:
    show_list()
else:
    show_question(question)
