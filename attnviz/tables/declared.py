"""Tables as a program declares them: R's matrix and dput, which list them by columns, and arrays of C and Java.

Each form has one function, from a text to one in brackets, row by row. Nothing is evaluated, and every pattern is
bounded.
"""

import re

from attnviz.core.errors import SaidError
from attnviz.words import plural, say

_ASSIGNED = r"\s*(?:[\w.]{1,30}\s*(?:<-|=)\s*)?"
_R_MATRIX = re.compile(rf"{_ASSIGNED}(?:t\(\s*)?(matrix|array|structure)\(")
_R_LIST = re.compile(r"\bc\(([^()]*)\)")
_R_DIM = re.compile(r"\.?\b[dD]im\s*=\s*c\(\s*([0-9]{1,4})L?\s*,\s*([0-9]{1,4})L?\s*\)")
_R_COUNT = re.compile(r"\b(nrow|ncol|nr|nc)\s*=\s*([0-9]{1,4})L?\b")
_R_PLACED = re.compile(r"\s*,\s*([0-9]{1,4})L?\s*(?:,\s*([0-9]{1,4})L?\s*)?(?:,\s*(TRUE|T|FALSE|F)\s*)?")
_R_BY_ROW = re.compile(r"\bbyrow\s*=\s*(TRUE|T|FALSE|F)\b")
_R_NUMBER = re.compile(r"[-+0-9.eEL]{1,40}|NA|NaN|-?Inf")
_DECLARED = re.compile(
    r"\s*(?:(?:static|const|constexpr|final|public|private|var|let|auto|new|unsigned|long|val)\s+){0,5}"
    r"(?:(?:double|float|int|decimal|f32|f64|Double|Float|std::\w{1,10}(?:<[^;={}]{0,60}>)?)\s*)?(?:\[\s*,?\s*\]\s*){0,3}"
    r"(\w{1,30})?\s*(?:\[[\w ]{0,20}\]\s*){0,3}(?::[^={}\n]{0,40})?=?\s*"
    r"(?:new\s+\w{1,10}\s*(?:\[\s*,?\s*\]\s*){1,3})?(?=\{)"
)
_COMMENTS = re.compile(r"//[^\n]{0,400}|/\*[^*]{0,400}\*/")
_IN_BRACES = re.compile(r"[\s{}\-+.,0-9eEfFdDL\u2212]*;?\s*")


def declared_in_r(text: str) -> str:
    """Return what R's matrix(c(...)), array(c(...), dim) or dput says in brackets: R fills a matrix by columns.

    >>> declared_in_r("q <- matrix(c(1, 2, 3, 4), nrow = 2)")
    '[[1, 3], [2, 4]]'
    """
    if "c(" not in text or not (found := _R_MATRIX.match(text)):
        return text
    turned = "t(" in found[0]
    inner = text[found.end() :]
    numbers = _R_LIST.search(inner)
    if numbers is None or inner[: numbers.start()].strip() not in ("", "data =", "data=", ".Data =", ".Data="):
        return text
    cells = [cell.strip() for cell in numbers[1].split(",")]
    if not all(_R_NUMBER.fullmatch(cell) for cell in cells):
        return text
    n_rows, n_columns, by_row = _shape_in_r(inner[numbers.end() :], len(cells))
    if n_rows * n_columns != len(cells):
        raise SaidError(say("tables.r_shape", numbers=plural(len(cells), "number"), rows=n_rows, columns=n_columns))
    cells = ["?" if cell == "NA" else cell.removesuffix("L") for cell in cells]
    if by_row:
        rows = [cells[i * n_columns : (i + 1) * n_columns] for i in range(n_rows)]
    else:
        rows = [cells[i::n_rows] for i in range(n_rows)]
    rows = [list(column) for column in zip(*rows, strict=True)] if turned else rows
    return "[" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"


def _shape_in_r(behind: str, n: int) -> tuple[int, int, bool]:
    """Return how many rows and columns there are, and whether the numbers stand row by row."""
    by_row = bool((stated := _R_BY_ROW.search(behind)) and stated[1].startswith("T"))
    if dim := _R_DIM.search(behind):
        return int(dim[1]), int(dim[2]), by_row
    counts = {each[1][:2]: int(each[2]) for each in _R_COUNT.finditer(behind)}
    if not counts and (placed := _R_PLACED.match(behind)):
        counts = {"nr": int(placed[1])} | ({"nc": int(placed[2])} if placed[2] else {})
        by_row |= (placed[3] or "").startswith("T")
    n_rows = counts.get("nr") or (n // counts["nc"] if counts.get("nc") else n)
    return n_rows, counts.get("nc") or max(1, n // max(n_rows, 1)), by_row


def declared_in_braces(text: str) -> str:
    """Return an array of C, Java and the like in brackets.

    >>> declared_in_braces("double q[2][2] = {{0.5f, 1}, {2, 3}};")
    '[[0.5, 1], [2, 3]]'
    """
    if "{" not in text or not (found := _DECLARED.match(text)) or not found[0].strip():
        return text
    inner = _COMMENTS.sub("", text[found.end() :])
    if not _IN_BRACES.fullmatch(inner):
        return text
    inner = re.sub(r"(?<=[0-9.])[fFdDL]\b", "", inner.strip().rstrip(";").rstrip())
    inner = re.sub(r",\s*(?=\})", "", inner)  # a closing comma
    return inner.replace("{", "[").replace("}", "]")
