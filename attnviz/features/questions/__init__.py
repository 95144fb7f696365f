"""Questions that are asked of numbers, guessed first."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "questions",
    pages=(Page("questions", door="learning", has_board=True, part="question"),),
    fills={
        "asks": "asks:OfQuestions",
        "boards": "boards:boards",
        "beside": "ways:beside",
    },
)
