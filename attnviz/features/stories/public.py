"""The public module of stories, as the package has it."""

from attnviz.features.stories import held_out as stories

__all__ = ["stories"]
