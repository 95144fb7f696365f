"""The page of a real model: all heads, one on the board."""

from attnviz.features.models.page.view import show_model

show_model()
