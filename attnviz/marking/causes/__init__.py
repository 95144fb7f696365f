"""Why a table is wrong: each known slip is tried on it as a hypothesis, and named only if it explains what is wrong."""

from attnviz.marking.causes.judging import Cause, causes_of

__all__ = ["Cause", "causes_of"]
