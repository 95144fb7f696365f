"""The lesson: attention in nine steps, each asked before it is shown."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "lesson",
    pages=(Page("lesson", door="learning", sets_up=True, has_board=True),),
    fills={
        "parameters": "parameters:rows",
        "asks": "asks:OfSteps",
        "boards": "boards:boards",
        "places": "places:places",
        "opens": "page.ways:open_place",
        "way": "page.ways:way",
    },
)
