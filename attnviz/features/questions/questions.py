"""Questions about self-attention, each with an answer and an example."""

from attnviz.features.questions.about.in_models import IN_MODELS
from attnviz.features.questions.about.inputs import INPUTS
from attnviz.features.questions.about.masks_and_heads import MASKS_AND_HEADS
from attnviz.features.questions.about.matching import MATCHING
from attnviz.features.questions.about.mixing import MIXING
from attnviz.features.questions.about.numerics import NUMBERS, ROOT, WHERE
from attnviz.features.questions.about.order import ORDER
from attnviz.features.questions.about.products import PRODUCTS
from attnviz.features.questions.about.shares import SHARES
from attnviz.features.questions.about.sizes import SIZES, WHICH_D
from attnviz.features.questions.asking import SUBJECTS, Question
from attnviz.features.questions.offered import Control, Exponent, Option, Preset
from attnviz.features.questions.seeing import Now, QuestionView

_ALL = (
    *MIXING, SIZES, ROOT, WHICH_D, WHERE, *MATCHING, *ORDER, *MASKS_AND_HEADS, *PRODUCTS, *NUMBERS, *IN_MODELS,
    *SHARES, *INPUTS,
)  # fmt: skip
# The questions for newcomers, in this order.
FIRST = ("values", "self", "axis", "root")
# Within each subject, from easy to hard.
_FROM_EASY = (
    "values", "self", "symmetry", "sum", "keys_first", "one_matrix", "cached",
    "sizes", "linear", "cross", "heads", "reshape", "averaged", "shared_keys", "packed",
    "root", "which_d", "where", "multiply", "cosine",
    "axis", "late_mask", "query_key", "padding", "biases", "twice", "numerics",
    "order", "parts", "factor", "turned_values",
    "learned", "next_word", "dropout", "slope",
)  # fmt: skip
# In the order of the list: subject after subject.
QUESTIONS: tuple[Question, ...] = tuple(
    sorted(_ALL, key=lambda question: (SUBJECTS.index(question.subject), _FROM_EASY.index(question.name)))
)

__all__ = [
    "FIRST", "QUESTIONS", "SUBJECTS", "Control", "Exponent", "Now", "Option", "Preset", "Question", "QuestionView",
]  # fmt: skip
