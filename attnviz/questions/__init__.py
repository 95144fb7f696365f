"""Questions that people ask about self-attention, each with an answer and a way to see it."""

from attnviz.questions.asking import Control, Exponent, Option, Points, Preset, Question, Seen, Table, question_number
from attnviz.questions.matching import MATCHING
from attnviz.questions.mixing import MIXING
from attnviz.questions.order import ORDER
from attnviz.questions.sizes import SIZES

# The order of the list: keys and values, sums, biases, sizes, divisors, scaling, axis, symmetry, self, learning, order.
QUESTIONS: tuple[Question, ...] = (*MIXING, *SIZES, *MATCHING, *ORDER)

__all__ = [
    "QUESTIONS",
    "Control",
    "Exponent",
    "Option",
    "Points",
    "Preset",
    "Question",
    "Seen",
    "Table",
    "question_number",
]
