"""A static site: a story, questions, history and examples, without a server."""

from attnviz.feature import Feature

FEATURE = Feature(
    "site",
    needs=("questions", "history", "learn", "language_models"),
    commands={"site": "commands:site"},
)
