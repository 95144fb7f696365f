"""Check my numbers, and exercises: what people computed by hand, marked."""

from attnviz.feature import Feature, Page

FEATURE = Feature("check", pages=(Page("check", door="checking"), Page("exercises", door="checking")))
