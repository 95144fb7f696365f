"""The page Language model: the heads of a model that people use."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "models",
    needs=("language_models", "stories"),
    pages=(Page("model", door="models"),),
    keeps=("model_text",),
    fills={
        "parameters": "parameters:rows",
        "bare_says": "address:bare_says",
        "arrived": "page.opening:arrived",
        "way": "ways:way",
        "beside": "ways:beside",
        "ready": "page.opening:load_first",
    },
    public={
        "documents.head_report": "model_pages:head_report",
        "documents.model_markup": "model_pages:model_markup",
        "documents.model_page": "model_pages:model_page",
        "figures.model_figure": "model_grid:model_figure",
    },
    commands={"model": "commands:model", "write": "commands:write"},
)
