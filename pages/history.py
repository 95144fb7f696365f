"""How attention changed: the steps of its history, each a link that opens the board."""

from attnviz.app.history import show_history

show_history()
