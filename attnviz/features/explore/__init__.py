"""Explore: a sentence, its board, and two set-ups compared."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "explore",
    needs=("tables",),
    pages=(
        Page("playground", door="", sets_up=True, has_board=True),
        Page("compare", door="", sets_up=True, hidden=True),
    ),
    fills={
        "parameters": "parameters:rows",
        "boards": "boards:boards",
        "script": "page.heatmaps:heatmaps_file",
        "drawn_by": "page.heatmaps:drawn_by",
        "places": "places:places",
        "opens": "page.ways:open_place",
        "way": "page.ways:way",
    },
)
