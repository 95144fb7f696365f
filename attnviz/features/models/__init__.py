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
        "way": "ways:way",
        "ready": "page.opening:load_first",
    },
    public={
        "ModelEdit": "public:ModelEdit",
        "ModelTrace": "public:ModelTrace",
        "look_into": "public:look_into",
        "models": "public:models",
        "documents.head_report": "public:head_report",
        "documents.model_markup": "public:model_markup",
        "documents.model_page": "public:model_page",
        "figures.model_figure": "public:model_figure",
    },
    commands={"model": "commands:model", "write": "commands:write"},
)
