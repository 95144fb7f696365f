"""The rows of the table of links that it brings."""

from attnviz.link.rows.check import rows

__all__ = ["rows"]
