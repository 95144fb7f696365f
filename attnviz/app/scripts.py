"""The scripts of the app's components as browsers are sent them: names that nobody else sees have a letter or two."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import minify

from attnviz.scripts import joined


def script(entry: Path, sent: Mapping[str, Any] | None = None) -> str:
    """Return a script joined of its modules, see :func:`attnviz.scripts.joined`, and made short."""
    return shortened(joined(entry, sent))


def shortened(text: str) -> str:
    """Return a script that does the same in fewer letters.

    >>> shortened("const twice = (number) => { return 2 * number; };\\nexport default twice;")
    'const twice=e=>2*e;export default twice\\n;'
    """
    # Streamlit takes a script of a single line for the name of a file.
    return str(minify.string("text/javascript", text)) + "\n;"
