"""Marks tables of numbers against the right ones: cell by cell, and along the whole computation."""

from attnviz.marking.marks import Mark, mark
from attnviz.marking.pipeline import ROUNDED_FROM, MarkedTable, Marking, UnknownDkError, mark_pipeline
from attnviz.marking.shapes import columns_shown
from attnviz.marking.verdict import Verdict, place_of, verdict
from attnviz.tables.printed_table import Printed

__all__ = [
    "ROUNDED_FROM",
    "Mark",
    "MarkedTable",
    "Marking",
    "Printed",
    "UnknownDkError",
    "Verdict",
    "columns_shown",
    "mark",
    "mark_pipeline",
    "place_of",
    "verdict",
]
