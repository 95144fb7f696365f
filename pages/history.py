"""The page on the history of attention; each step opens a board."""

from attnviz.features.history.page.history import show_history

show_history()
