"""A small model that is trained in seconds, and what its attention does at every moment of that."""

from attnviz.app.learn.view import show_learn

show_learn()
