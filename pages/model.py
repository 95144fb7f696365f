"""A model that people use, while it reads a sentence: all its heads, and one of them on the board."""

from attnviz.app.model.view import show_model

show_model()
