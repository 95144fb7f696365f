"""A model that people use, while it reads a sentence: all its heads, and one of them on the board."""

import attnviz.app  # noqa: F401  whole and first: several readers may open their first pages at once
from attnviz.app import current_scenario
from attnviz.app.model.view import show_model

current_scenario()  # not needed here, but it makes sure that app.py runs around this page
show_model()
