"""Marking of printed tables, cell by cell and along the computation."""

from attnviz.features.check.marking.outcome import ENTERS, NOT_RIGHT, Mark, MarkedTable, Marking, mark
from attnviz.features.check.marking.pipeline import CARRIED, Misfit, mark_fitting, mark_pipeline
from attnviz.features.check.marking.settings import ROUNDED_FROM
from attnviz.features.check.marking.verdict import Verdict, in_a_sentence, place_of, verdict
from attnviz.features.check.marking.walk import UnknownDkError
from attnviz.features.tables.printed_table import Printed

__all__ = [
    "CARRIED", "ENTERS", "NOT_RIGHT", "ROUNDED_FROM", "Mark", "MarkedTable", "Marking", "Misfit", "Printed",
    "UnknownDkError", "Verdict", "mark", "mark_fitting", "mark_pipeline", "place_of", "verdict",
]  # fmt: skip

Marking._in_words = in_a_sentence  # set here, because verdict.py imports outcome.py, not the reverse
