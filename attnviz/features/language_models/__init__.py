"""Models that people use, each head of one as a trace."""

from attnviz.feature import Feature

FEATURE = Feature(
    "language_models",
    public={
        "ModelEdit": "inside:ModelEdit",
        "ModelTrace": "inside:ModelTrace",
        "look_into": "inside:look_into",
        "models": "public:models",
    },
)
