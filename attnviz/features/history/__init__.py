"""How attention changed: steps with boards, papers, and what linear attention costs."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "history",
    pages=(Page("history", door="models"),),
    fills={"places": "places:places", "opens": "page.opened:open_place"},
)
