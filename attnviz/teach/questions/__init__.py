"""Questions about self-attention, each with an answer and an example."""

from attnviz.teach.questions.asking import SUBJECTS, Control, Exponent, Option, Preset, Question
from attnviz.teach.questions.masks_and_heads import MASKS_AND_HEADS
from attnviz.teach.questions.matching import MATCHING
from attnviz.teach.questions.mixing import MIXING
from attnviz.teach.questions.numerics import NUMBERS, ROOT, WHERE
from attnviz.teach.questions.order import ORDER
from attnviz.teach.questions.products import PRODUCTS
from attnviz.teach.questions.seeing import Now, Points, Seen, Table
from attnviz.teach.questions.sizes import SIZES, WHICH_D

_ALL = (*MIXING, SIZES, ROOT, WHICH_D, WHERE, *MATCHING, *ORDER, *MASKS_AND_HEADS, *PRODUCTS, *NUMBERS)
# The order of the list: subject after subject.
QUESTIONS: tuple[Question, ...] = tuple(sorted(_ALL, key=lambda question: SUBJECTS.index(question.subject)))

__all__ = [
    "QUESTIONS", "SUBJECTS", "Control", "Exponent", "Now", "Option", "Points", "Preset", "Question", "Seen",
    "Table",
]  # fmt: skip
