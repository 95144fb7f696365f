"""The page that trains a small model and shows its attention meanwhile."""

from attnviz.app.learn.view import show_learn

show_learn()
