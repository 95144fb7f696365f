"""The rows of the table of links that it brings."""

from attnviz.link.rows.scaling import rows

__all__ = ["rows"]
