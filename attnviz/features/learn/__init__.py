"""Watch it learn: models trained in seconds, each step kept."""

from attnviz.feature import Feature, Page

FEATURE = Feature(
    "learn",
    needs=("stories",),
    pages=(Page("learn", door="models"),),
    fills={"parameters": "parameters:rows", "left": "page.leaving:left"},
    public={
        "training": "public:training",
        "Training": "training:Training",
        "TrainingSettings": "training:TrainingSettings",
        "train": "training:train",
        "train_many": "training:train_many",
    },
    commands={"train": "commands:learn"},
)
