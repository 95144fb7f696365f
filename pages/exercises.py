"""Exercises: tables with blanks to fill in, marked cell by cell."""

from attnviz.features.check.page.exercises import show_exercise
from attnviz.features.check.page.verdict_panel import open_exercise

open_exercise()
show_exercise()
