"""Tables as programs and people write them: below a name, with some number of decimals, and −∞ in several forms."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

Array = np.ndarray
Write = Callable[[str, Array, int, str], str]
TOKENS = ("the", "cat", "sees", "a", "mouse", "today", "here", "I", "love", "AI", "and", "it", "loves", "me", "x1")
FULL = 15  # decimals: stands for the shortest text that identifies a float64


@dataclass(frozen=True)
class Form:
    """A form: how it writes a table, how it writes −∞, and its own decimals, if it has any."""

    name: str
    write: Write
    hidden: tuple[str, ...]
    decimals: int | None = None


def cell(value: float, decimals: int, hidden: str) -> str:
    if math.isinf(value):
        return hidden
    return repr(value) if decimals >= FULL else f"{value:.{decimals}f}"


def cells(table: Array, decimals: int, hidden: str) -> list[list[str]]:
    return [[cell(value, decimals, hidden) for value in row] for row in table.tolist()]


def _aligned(rows: list[list[str]], between: str) -> Iterable[str]:
    width = max(len(text) for row in rows for text in row)
    return (between.join(text.rjust(width) for text in row) for row in rows)


def _lines(title: str, between: str) -> Write:
    def write(name: str, table: Array, decimals: int, hidden: str) -> str:
        rows = cells(table, decimals, hidden)
        return title.format(name) + "\n" + "\n".join(between.join(row) for row in rows)

    return write


def _numpy(name: str, table: Array, decimals: int, hidden: str) -> str:
    digits = {"floatmode": "unique"} if decimals >= FULL else {"precision": decimals, "suppress_small": True}
    return f"{name} =\n{np.array2string(table, **digits)}"


def _array(name: str, table: Array, decimals: int, hidden: str) -> str:
    text = np.array2string(table.round(decimals), separator=", ", floatmode="unique", prefix="array(")
    return f"{name} = array({text})"


def _torch(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = _aligned(cells(table, decimals, hidden), ", ")
    return f"{name}:\ntensor([{(',' + chr(10) + ' ' * 8).join(f'[{row}]' for row in rows)}])"


def _list(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = cells(table, decimals, hidden)
    return f"{name} = [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]"


def _list_of_repr(name: str, table: Array, decimals: int, hidden: str) -> str:
    return f"{name} = {table.round(decimals).tolist()}".replace("-inf", hidden)


def _matlab(name: str, table: Array, decimals: int, hidden: str) -> str:
    return f"{name} =\n\n" + "\n".join("   " + row for row in _aligned(cells(table, decimals, hidden), "   ")) + "\n"


def _matlab_code(name: str, table: Array, decimals: int, hidden: str) -> str:
    return f"{name} = [{'; '.join(' '.join(row) for row in cells(table, decimals, hidden))}];"


def _r(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = cells(table, decimals, hidden)
    head = [f"[,{n}]" for n in range(1, table.shape[1] + 1)]
    lines = [["", *head], *([f"[{n},]", *row] for n, row in enumerate(rows, 1))]
    return f"{name}\n" + "\n".join(_aligned(lines, " "))


def _markdown(named: bool) -> Write:
    def write(name: str, table: Array, decimals: int, hidden: str) -> str:
        rows = cells(table, decimals, hidden)
        if named and len(rows) <= len(TOKENS):
            rows = [[token, *row] for token, row in zip(TOKENS, rows, strict=False)]
        width = len(rows[0])
        lines = [f"|{' |' * width}", f"|{'---|' * width}", *(f"| {' | '.join(row)} |" for row in rows)]
        return f"## {name}\n\n" + "\n".join(lines)

    return write


def _latex(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = " \\\\\n".join(" & ".join(row) for row in cells(table, decimals, hidden))
    return f"{name}\n$$\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}$$"


def _csv(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = cells(table, decimals, hidden)
    head = ",".join(["", *(f"c{n}" for n in range(table.shape[1]))])
    return f"{name}\n{head}\n" + "\n".join(",".join([token, *row]) for token, row in zip(TOKENS, rows, strict=False))


def _german_csv(name: str, table: Array, decimals: int, hidden: str) -> str:
    rows = cells(table, decimals, hidden)
    return f"{name}\n" + "\n".join(";".join(text.replace(".", ",") for text in row) for row in rows)


_PLAIN = (
    "-inf",
    "-Inf",
    "-INF",
    "−inf",
    "-∞",
    "−∞",
    "-Infinity",
    "-infinity",
    "-1e9",
    "-1e+09",
    "–∞",
    "—inf",
    "− ∞",
    "- inf",
    "−",
    "–",
    "—",
    "--",
    "‑",
)
FORMS = MappingProxyType({form.name: form for form in (
    Form("numpy", _numpy, ("-inf",)),
    Form("array", _array, ("-inf",)),
    Form("torch", _torch, ("-inf",), 4),
    Form("torch of any precision", _torch, ("-inf",)),
    Form("list", _list, ("-inf", "-Infinity", "float('-inf')", "-math.inf", "-np.inf", 'float("-inf")')),
    Form("list of repr", _list_of_repr, ("-inf", "-1e9", "float('-inf')")),
    Form("comma", _lines("{}", ", "), _PLAIN),
    Form("blank", _lines("{}:", " "), (*_PLAIN, "x", "-")),
    Form("blanks", _lines("### {}", "   "), _PLAIN),
    Form("tabs", _lines("{}", "\t"), (*_PLAIN, "x")),
    Form("matlab", _matlab, ("-Inf",)),
    Form("matlab of four", _matlab, ("-Inf",), 4),
    Form("matlab code", _matlab_code, ("-Inf", "-inf")),
    Form("r", _r, ("-Inf",)),
    Form("markdown", _markdown(named=False), (*_PLAIN, "x", "−", "$-\\infty$", "**-inf**")),
    Form("markdown with tokens", _markdown(named=True), (*_PLAIN, "x")),
    Form("latex", _latex, ("-\\infty", "-inf", "-\\infty ")),
    Form("csv", _csv, _PLAIN),
    Form("german csv", _german_csv, _PLAIN),
)})  # fmt: skip
