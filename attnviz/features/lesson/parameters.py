"""The rows of the table of links that it brings."""

from attnviz.link.rows.lesson import rows

__all__ = ["rows"]
