"""How attention changed: the steps of its history, each a link that opens the board."""

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario
from attnviz.app.history.steps import show_history

current_scenario()  # not needed here, but it makes sure that app.py runs around this page
show_history()
