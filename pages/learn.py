"""The page that trains a small model and shows its attention meanwhile."""

from attnviz.features.learn.page.view import show_learn

show_learn()
