"""A small model that is trained in seconds, and what its attention does at every moment of that."""

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario
from attnviz.app.learn.view import show_learn

current_scenario()  # not needed here, but it makes sure that app.py runs around this page
show_learn()
