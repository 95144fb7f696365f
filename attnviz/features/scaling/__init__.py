"""Why scores are divided by √d_k: a sweep over the dimension."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "scaling",
    needs=("sweeps",),
    pages=(Page("scaling", door="learning", sets_up=True),),
    fills={"parameters": "parameters:rows", "fills_controls": "page.opening:fills_controls", "way": "ways:way"},
)
