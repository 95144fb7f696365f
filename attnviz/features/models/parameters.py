"""The rows of the table of links that it brings."""

from attnviz.link.rows.models import rows

__all__ = ["rows"]
