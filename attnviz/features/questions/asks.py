"""The predictions of questions, for all pages that ask some."""

from collections.abc import Callable, Mapping
from typing import Any

from attnviz.features.questions.parameters import NUMBERS, QUESTION, Example, example_text, question_of
from attnviz.features.questions.questions import QUESTIONS, SUBJECTS, Question
from attnviz.link.page_texts import SKIPPED
from attnviz.link.parameter_table import PREDICTED
from attnviz.predicting.asks import Asks
from attnviz.predicting.choice_question import ChoiceQuestion
from attnviz.words import say


class OfQuestions(Asks):
    """The prediction of each question, about its own example."""

    def subjects(self) -> Mapping[str, Mapping[str, str]]:
        """Return the titles of all questions, by subject."""
        return {
            say(f"question_page.subject.{subject}"): {
                each.slug: each.title for each in QUESTIONS if each.subject == subject
            }
            for subject in SUBJECTS
        }

    def asked(self, about: str) -> ChoiceQuestion | None:
        """Return a question's prediction; None for other names."""
        question = question_of(about)
        return question.asked if question else None

    def here(self, page: str, take: Callable[[str], Any]) -> str:
        """Return the open question's name."""
        return str(take(QUESTION) or "") if page == "questions" else ""

    def drawn(self, about: str) -> Question | None:
        """Return the question."""
        return question_of(about)

    def has_board(self, about: str) -> bool:
        """Whether a question's example is shown on a board."""
        question = question_of(about)
        return question is not None and bool(question.board_matrices(question.defaults))

    def told(self, about: str) -> Mapping[str, str]:
        """Return the link parameters that show a question's answer."""
        question = question_of(about)
        if question is None:
            return {}
        acted = Example(*question.acted, question.first_followed(question.start))
        return {PREDICTED: f"{about}.{SKIPPED}", NUMBERS: example_text(question, acted)}
