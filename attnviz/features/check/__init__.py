"""Check my numbers, and exercises: what people computed by hand, marked."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "check",
    needs=("tables",),
    pages=(Page("check", door="checking"), Page("exercises", door="checking")),
    fills={
        "parameters": "parameters:rows",
        "moved_to": "moved:moved_to",
        "fills_controls": "page.opening:fills_controls",
    },
    public={
        "mark": "marking:mark",
        "mark_pipeline": "marking:mark_pipeline",
        "documents.marking_csv": "marking_page:marking_csv",
        "documents.marking_markup": "marking_page:marking_markup",
        "documents.marking_page": "marking_page:marking_page",
    },
    commands={"mark": "commands.mark:mark", "exercise": "commands.exercise:exercise"},
)
