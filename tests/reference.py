"""Writes the references of commands and public names in docs/: `python -m tests.reference`, or `make docs`.

It writes the text between two markers there: each command's help, and each name's signature and the first sentence of
its docstring.
"""

import contextlib
import inspect
import io
import os
import re
import textwrap
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from unittest import mock

from attnviz.commands.main import main
from attnviz.feature import features

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- written by make docs: begin -->\n", "<!-- written by make docs: end -->\n"
WIDTH = 110
MODULES = ("attnviz", "attnviz.documents", "attnviz.figures", "attnviz.export")
SENTENCE = "TEXT"  # stands for the command without a word of its own: attnviz TEXT


def commands() -> tuple[str, ...]:
    """Return the words after `attnviz`, in the order of the document."""
    return (SENTENCE, "app", "board", *(word for each in features() for word in each.commands))


def help_of(command: str) -> str:
    """Return a command's help, the same on each machine."""
    arguments = [] if command == SENTENCE else [command]
    output = io.StringIO()
    plain = {"COLUMNS": str(WIDTH + 2), "NO_COLOR": "1"}
    with mock.patch.dict(os.environ, plain), contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        main([*arguments, "--help"])
    return re.sub(r"--device [\w|:]+", "--device DEVICE", output.getvalue())


def beyond(text: str, known: str) -> str:
    """Return a help text without the options that the `known` one has, too."""
    usage, *rest = text.split("\n\n")
    flags = [flag for flag in re.findall(r"\[[^][]*\]", " ".join(usage.split())) if flag not in " ".join(known.split())]
    entry = r"(?m)^  -.*\n(?:      +.*\n?)*"
    have = {each.strip() for each in re.findall(entry, known)}
    options = [each for each in re.findall(entry, text) if each.strip() not in have]
    line = " ".join(["usage: attnviz board [the options of attnviz TEXT]", *flags, "[text]"])
    return "\n\n".join(["\n".join(textwrap.wrap(line, WIDTH)), rest[0], "options:\n" + "".join(options)])


def commands_reference() -> str:
    """Return the help of all commands as Markdown."""
    sentence = help_of(SENTENCE)
    parts = []
    for command in commands():
        text = beyond(help_of(command), sentence) if command == "board" else help_of(command)
        parts.append(f"## attnviz {command}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(parts)


def signature(called: str, thing: object) -> str:
    """Return a function's signature: its parameters and their defaults, without types."""
    if not inspect.isfunction(thing):
        return called
    taken = inspect.signature(thing).parameters.values()
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in taken if not each.name.startswith("_")]
    return called + re.sub(r"<.*?>", "...", str(inspect.Signature(bare)))


def about(thing: object) -> str:
    """Return the first sentence of a thing's docstring."""
    if not (inspect.isfunction(thing) or inspect.isclass(thing) or inspect.ismodule(thing)):
        return "A constant."
    return re.sub(r":\w+:", "", (inspect.getdoc(thing) or "").splitlines()[0]).replace("``", "`")


def names_reference() -> str:
    """Return all public names of the library as Markdown."""
    parts = []
    for module in map(import_module, MODULES):
        rows = []
        for name in sorted(module.__all__, key=str.lower):
            thing = getattr(module, name)
            rows.append(f"| `{signature(name, thing)}` | {about(thing)} |\n")
        parts.append(f"## {module.__name__}\n\n| name | what it is |\n|---|---|\n{''.join(rows)}")
    return "\n".join(parts)


WRITTEN: dict[str, Callable[[], str]] = {"COMMANDS.md": commands_reference, "LIBRARY.md": names_reference}


def between(text: str) -> tuple[str, str, str]:
    """Return the texts before, between and after the markers."""
    before, _, rest = text.partition(BEGIN)
    written, end, after = rest.partition(END)
    assert end, "the document has both markers"
    return before + BEGIN, written, end + after


if __name__ == "__main__":
    for document, reference in WRITTEN.items():
        before, _, after = between((DOCS / document).read_text("utf-8"))
        (DOCS / document).write_text(f"{before}\n{reference()}\n{after}", "utf-8")
