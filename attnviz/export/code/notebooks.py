"""A script as a Jupyter notebook, a cell for each of its parts."""

import json
from collections.abc import Sequence

Section = tuple[str, list[str]]  # what it does, and its lines


def as_notebook(heading: str, imports: str, sections: Sequence[Section]) -> str:
    """Return a Jupyter notebook (JSON, nbformat 4.5) with a cell for the imports and for each section."""
    cells = [_cell(0, "markdown", f"# {heading}"), _cell(1, "code", imports)]
    for title, lines in sections:
        cells += [_cell(len(cells), "markdown", title), _cell(len(cells) + 1, "code", "\n".join(lines))]
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}, indent=1)


def _cell(number: int, kind: str, source: str) -> dict[str, object]:
    cell: dict[str, object] = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": source}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})
