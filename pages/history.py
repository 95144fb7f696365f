"""The page on the history of attention; each step opens a board."""

from attnviz.app.history import show_history

show_history()
