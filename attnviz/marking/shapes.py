"""Whether tables of one computation fit together; if not, which one does not, and what was expected of it."""

from collections.abc import Mapping

from attnviz.core.errors import RefusedError
from attnviz.core.limits import MAX_D, check_whole
from attnviz.core.stages import EVERY_STAGE

# What the rows and the columns of each table count. Rows of X are both queries and keys.
_COUNTS: dict[str, tuple[str, str]] = {
    "x": ("tokens", "d_in"),
    "w_q": ("d_in", "d_k"), "w_k": ("d_in", "d_k"), "w_v": ("d_in", "d_v"),
    "b_q": ("1", "d_k"), "b_k": ("1", "d_k"), "b_v": ("1", "d_v"),
    "q": ("queries", "d_k"), "k": ("keys", "d_k"), "v": ("keys", "d_v"),
    "scores": ("queries", "keys"), "scaled_scores": ("queries", "keys"), "attention_weights": ("queries", "keys"),
    "context": ("queries", "d_v"),
    "w_1": ("d_v", "d_hidden"), "b_1": ("1", "d_hidden"), "w_2": ("d_hidden", "d_model"), "b_2": ("1", "d_model"),
    "preactivations": ("queries", "d_hidden"), "hidden": ("queries", "d_hidden"), "output": ("queries", "d_model"),
}  # fmt: skip
_TOKENS = ("tokens", "queries", "keys")


def check_shapes(shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raise ``ValueError`` for the first table whose shape does not fit those before it.

    >>> check_shapes({"x": (3, 2), "w_q": (4, 2)})
    Traceback (most recent call last):
    ...
    attnviz.core.errors.RefusedError: W_q has 4 rows and 2 columns, expected 2 rows: X has 2 columns (d_in)
    """
    known: dict[str, tuple[int, str]] = {}
    first: dict[str, tuple[str, str]] = {}  # which table showed it, and by its rows or its columns
    for name, shape in shapes.items():
        symbol = EVERY_STAGE[name].symbol
        for axis, counts in enumerate(_COUNTS[name]):
            line = ("row", "column")[axis]
            expected, reason = (1, "it is a bias") if counts == "1" else known.get(counts, (shape[axis], ""))
            if shape[axis] != expected:
                message = f"{symbol} has {_in_words(shape)}, expected {_counted(expected, line)}: {reason}"
                if counts == "1":
                    raise RefusedError(message, "fit_bias", table=name, counted=(shape[axis], line))
                other = first[counts]
                raise RefusedError(
                    message, "fit_one", table=name, counted=(shape[axis], line), other=other[0],
                    other_counted=(expected, other[1]), why=counts,
                )  # fmt: skip
            what = f" ({counts})" if counts.startswith("d_") else ""
            for each in _TOKENS if counts == "tokens" else (counts,):
                known.setdefault(each, (shape[axis], f"{symbol} has {_counted(shape[axis], line)}{what}"))
                first.setdefault(each, (name, line))


def columns_shown(name: str, shapes: Mapping[str, tuple[int, int | None]]) -> int | None:
    """Return how many columns a table has to have by the other tables, of which some show only their rows.

    >>> columns_shown("x", {"w_q": (2, None)}), columns_shown("w_k", {"q": (3, 4)}), columns_shown("w_v", {"q": (3, 4)})
    (2, 4, None)
    """
    wanted = {_COUNTS[name][1]}
    if "x" in shapes and wanted & set(_TOKENS):
        wanted = set(_TOKENS)
    counted = (
        (counts, number)
        for other, shape in shapes.items()
        for axis, (counts, number) in enumerate(zip(_COUNTS[other], shape, strict=True))
        if (other, axis) != (name, 1)
    )
    return next((number for counts, number in counted if counts in wanted and number is not None), None)


def _in_words(shape: tuple[int, ...]) -> str:
    return f"{_counted(shape[0], 'row')} and {_counted(shape[1], 'column')}"


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def known_d_k(shapes: Mapping[str, tuple[int, ...]], stated: int | None) -> int | None:
    """Return d_k, the length of a query: from the tables where one shows it, else as stated.

    Raises ``ValueError`` where both are there and differ.
    """
    if stated is not None:
        check_whole("d_k", stated, 1, MAX_D)
    for name in ("q", "k", "w_q", "w_k"):
        if name in shapes:
            shown = shapes[name][1]
            if stated not in (None, shown):
                symbol = EVERY_STAGE[name].symbol
                message = f"d_k is {stated}, expected {shown}: {symbol} has so many columns"
                raise RefusedError(message, "fit_d_k", value=stated, table=name, counted=(shown, "column"))
            return shown
    return stated
