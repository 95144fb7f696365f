"""Questions about attention, answered by numbers after a guess."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "questions",
    needs=("sweeps",),
    pages=(Page("questions", door="learning", has_board=True, parts=("question", "numbers")),),
    fills={
        "parameters": "parameters:rows",
        "asks": "asks:OfQuestions",
        "boards": "boards:boards",
        "places": "ways:places",
        "opens": "page.opened:open_place",
        "beside": "ways:beside",
    },
)
