"""Check my numbers, and exercises: what people computed by hand, marked."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "check",
    pages=(Page("check", door="checking"), Page("exercises", door="checking")),
    fills={
        "parameters": "parameters:rows",
        "moved_to": "moved:moved_to",
        "fills_controls": "page.opening:fills_controls",
    },
)
