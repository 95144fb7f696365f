"""The command that shows a file of attention weights."""

import json
from collections.abc import Sequence
from pathlib import Path

from attnviz.commands import Parser
from attnviz.features.arrays.files import read_weights, tokens_in
from attnviz.features.arrays.showing import show_file
from attnviz.features.models.commands import heads_in_lines, measured_heads
from attnviz.features.models.model_pages import model_page


def show(arguments: Sequence[str]) -> int:
    """Show a file of attention weights; return 0."""
    parser = Parser("show")
    parser.add("file", type=Path)
    parser.add("--tokens")
    parser.add("--read-tokens")
    form = parser.add_mutually_exclusive_group()
    parser.add("--json", form, action="store_true")
    parser.add("--html", form, type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    read = read_weights(given.file.name, given.file.read_bytes())
    view = show_file(read, given.file.name, tokens_in(given.tokens, "--tokens"),
                     tokens_in(given.read_tokens, "--read-tokens"))  # fmt: skip
    if given.html is not None:
        given.html.write_text(model_page(view), encoding="utf-8", errors="replace")
    elif given.json:
        print(json.dumps(measured_heads(view)))
    else:
        print("\n".join([*heads_in_lines(view), *view.row_notices]))
    return 0
