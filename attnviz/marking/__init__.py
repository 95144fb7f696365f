"""Marks tables of numbers against the right ones: cell by cell, and along the whole computation."""

from attnviz.marking.marks import ENTERS, NOT_RIGHT, Mark, mark
from attnviz.marking.outcome import MarkedTable, Marking
from attnviz.marking.pipeline import CARRIED, mark_pipeline
from attnviz.marking.settings import ROUNDED_FROM, Reading, Results
from attnviz.marking.shapes import columns_shown, rows_shown
from attnviz.marking.verdict import Verdict, place_of, verdict
from attnviz.marking.walk import UnknownDkError
from attnviz.tables.printed_table import Printed

__all__ = [
    "CARRIED",
    "ENTERS",
    "NOT_RIGHT",
    "ROUNDED_FROM",
    "Mark",
    "MarkedTable",
    "Marking",
    "Printed",
    "Reading",
    "Results",
    "UnknownDkError",
    "Verdict",
    "columns_shown",
    "mark",
    "mark_pipeline",
    "place_of",
    "rows_shown",
    "verdict",
]
