"""Attention weights that somebody has as an array: shown like a model's."""

from attnviz.feature import Feature

FEATURE = Feature(
    "arrays",
    needs=("language_models", "models"),
    public={"show_attention": "showing:show_attention"},
    commands={"show": "commands:show"},
)
