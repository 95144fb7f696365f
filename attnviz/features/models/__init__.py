"""Language models that people use: each head of one as a trace."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "models",
    pages=(Page("model", door="models"),),
    keeps=("model_text",),
    fills={
        "parameters": "parameters:rows",
        "bare_says": "address:bare_says",
        "arrived": "page.opening:arrived",
        "ready": "page.opening:load_first",
    },
)
