"""Watch it learn: models trained in seconds, each step kept."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "learn",
    pages=(Page("learn", door="models"),),
    fills={"parameters": "parameters:rows", "left": "page.leaving:left"},
    public={
        "Training": "public:Training",
        "TrainingSettings": "public:TrainingSettings",
        "train": "public:train",
        "train_many": "public:train_many",
    },
    commands={"train": "commands:learn"},
)
