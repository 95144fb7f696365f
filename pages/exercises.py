"""Exercises: tables with blanks to fill in, marked cell by cell."""

from attnviz.app.check.exercises import show_exercise
from attnviz.app.check.showing import open_exercise

open_exercise()
show_exercise()
