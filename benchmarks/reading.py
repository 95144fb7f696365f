"""How fast pasted texts are read: a megabyte of each form in two seconds of a processor."""

import time
from collections.abc import Callable, Iterator

import numpy as np

from attnviz.tables.reading import read_table
from benchmarks.rows import Row

SHAPE = (240, 330)
ROUNDS = 3


def _forms() -> Iterator[tuple[str, str]]:
    numbers = np.random.default_rng(0).normal(size=SHAPE)
    cells = [[f"{value:.4f}" for value in row] for row in numbers.tolist()]

    def lines(between: str, change: Callable[[str], str] = str, end: str = "\n") -> str:
        return end.join(between.join(map(change, row)) for row in cells)

    yield "blanks", lines("  ")
    yield "tabs", lines("\t")
    yield "CSV", lines(",")
    yield "decimal commas", lines(";", lambda cell: cell.replace(".", ","))
    yield "digits", "\n".join(" ".join(cell[-1] for cell in row) for row in cells)
    yield "powers of ten", "\n".join(" ".join(f"{value:.3e}" for value in row) for row in numbers.tolist())
    yield "typeset minus signs", lines(" ", lambda cell: cell.replace("-", "−"))
    yield "fractions", lines(" ", lambda cell: f"{cell[-2:].lstrip('0') or '1'}/7")
    yield "percent", lines("\t", "{} %".format)
    yield "units", lines("\t", "{} cm".format)
    yield "margins", lines("\t", "{} ± 0.02".format)
    yield "numpy", f"[[{lines(' ', end=']' + chr(10) + ' [')}]]"
    yield "torch", f"tensor([[{lines(', ', end='],' + chr(10) + '        [')}]])"
    yield "np.float64", f"[[{lines(', ', 'np.float64({})'.format, end='], [')}]]"
    yield "tuples", f"(({lines(', ', end='), (')}))"
    yield "Markdown", "\n".join(f"| {' | '.join(row)} |" for row in cells)
    yield "bold Markdown", "\n".join(f"| **{'** | **'.join(row)}** |" for row in cells)
    yield "LaTeX", f"\\begin{{pmatrix}}{lines(' & ', end=' ' + chr(92) * 2 + chr(10))}\\end{{pmatrix}}"
    yield "HTML", f"<table><tr><td>{lines('</td><td>', end='</td></tr><tr><td>')}</td></tr></table>"


def _seconds(text: str) -> float:
    started = time.process_time()
    read_table(text)
    return time.process_time() - started


def run() -> list[Row]:
    """Return the slowest of the forms, and the slowest of all."""
    forms = {name: min(_seconds(text) for _ in range(ROUNDS)) / len(text) * 1e6 for name, text in _forms()}
    slowest, usual = max(forms, key=lambda name: forms[name]), sorted(forms.values())[len(forms) // 2]
    return [
        Row("reading: a megabyte of the slowest form, s of a processor", f"{forms[slowest]:.2f} ({slowest})", "<= 2"),
        Row(f"reading: a megabyte of the middle one of {len(forms)} forms, s", f"{usual:.2f}", "<= 2"),
    ]
