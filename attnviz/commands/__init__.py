"""The command line: `attnviz`, and the parser of its commands."""

import argparse
from typing import Any

from attnviz.words import say


class Parser(argparse.ArgumentParser):
    """A command's parser, whose texts come from the catalogue."""

    def __init__(self, command: str = "", **places: object) -> None:
        self._command, self._places = command or "sentence", places
        super().__init__(prog=f"attnviz {command}".rstrip(), description=say(f"commands.{self._command}.about"))

    def add(self, flag: str, group: Any = None, of: str = "", **more: Any) -> None:
        """Add an argument with its help text and default.

        The text is that of the same argument `of` another command, if one is named.
        """
        told = say(f"commands.{of or self._command}.{flag.lstrip('-').replace('-', '_')}", **self._places)
        default = more.get("default")
        if isinstance(default, (str, int, float)) and not isinstance(default, bool) and default != "":
            told = say("commands.default", about=told, default=default)
        (group or self).add_argument(flag, help=told.replace("%", "%%"), **more)
