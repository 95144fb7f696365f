"""How numbers are written in cells, captions and sentences.

There is one policy, :func:`written`: a fixed number of digits after the point, or a power of ten if these would all be
zeros, or if there would be more than four digits before the point. So a number looks the same everywhere, only 0 reads
as 0, and 0 has no sign. ``board/values/numbers.js`` writes numbers in the same way. A setting, such as a temperature or
a factor, is written by :func:`significant`: 2 stays 2.
"""

import math

from attnviz.words import Later, later

MIN_DIGITS, MAX_DIGITS, DEFAULT_DIGITS = 1, 6, 4
LARGEST_FIXED = 1e4  # numbers that round to this or more are written as powers of ten


def number_format(largest: float, digits: int) -> str:
    """Return the format for numbers of this size, for Python and d3.

    >>> number_format(2.5, 4), number_format(1e30, 4), number_format(2e-7, 4)
    ('.4f', '.2e', '.2e')
    """
    if largest == 0 or (largest >= 10.0**-digits and float(f"{largest:.{digits}f}") < LARGEST_FIXED):
        return f".{digits}f"
    return f".{min(digits, 2)}e"


def written(value: float, digits: int) -> str:
    """Write a number with a true minus, NaN and ∞ as signs.

    >>> written(-0.5, 2), written(2.13e-7, 4), written(-0.0, 1), written(float("-inf"), 2), written(float("nan"), 2)
    ('−0.50', '2.13e−07', '0.0', '−∞', 'NaN')
    """
    if not math.isfinite(value):
        return not_finite(value)
    return in_format(value, number_format(abs(value), digits))


def in_cell(value: float, digits: int) -> str:
    """Write a number as a cell does: ≈0 if rounded to 0.

    >>> in_cell(0.007, 2), in_cell(-2e-7, 2), in_cell(0.0, 2), in_cell(1e30, 2)
    ('0.01', '≈0', '0.00', '1.00e+30')
    """
    fixed = f"{abs(value):.{digits}f}"
    if not float(fixed) < LARGEST_FIXED:
        return written(value, digits)
    return "≈0" if value != 0 and float(fixed) == 0 else in_format(value, f".{digits}f")


def significant(value: float, digits: int = 6) -> str:
    """Write a chosen number as shortly as its `digits` allow.

    >>> significant(0.25), significant(-1e-5), significant(-0.0), significant(1234.5678, 3), significant(float("inf"))
    ('0.25', '−1e−05', '0', '1.23e+03', '∞')
    """
    return in_format(value, f".{digits}g") if math.isfinite(value) else not_finite(value)


def equals(value: float, digits: int) -> str:
    """Return the sign before what `significant` writes: "≈" if rounded.

    >>> equals(8.0, 3), equals(2**0.5, 3)
    ('=', '≈')
    """
    return "=" if float(f"{value:.{digits}g}") == value else "≈"


def not_finite(value: float) -> str:
    """Return the sign for an infinity or NaN.

    >>> not_finite(-math.inf), not_finite(math.nan)
    ('−∞', 'NaN')
    """
    return "NaN" if math.isnan(value) else "∞" if value > 0 else "−∞"


def for_json(value: float) -> float | str:
    """Return a number for JSON; infinities and NaN as JavaScript's words.

    >>> for_json(0.5), for_json(-math.inf), for_json(math.nan)
    (0.5, '-Infinity', 'NaN')
    """
    return value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def in_format(value: float, number: str) -> str:
    """Write a number in a format, with a true minus, except zero.

    >>> in_format(-0.5, "+.2f"), in_format(-0.0, ".2f")
    ('−0.50', '0.00')
    """
    return format(value + 0.0, number).replace("-", "−")


def percent(share: float) -> str:
    """Write a share in percent, without rounding to 0 or 100.

    >>> percent(0.125), percent(3e-5), percent(0.9994), percent(1.0), percent(0.0), percent(float("nan"))
    ('12 %', '< 1 %', '> 99 %', '100 %', '0 %', 'NaN')
    """
    return str(share_of(share))


def share_of(share: float) -> Later | str:
    """Return what :func:`percent` writes, as a sentence made when read."""
    if not math.isfinite(share):
        return written(share, 0)
    if 0 < 100 * share < 1:
        return later("board.share.less")
    whole = written(100 * share, 0)
    return later("board.share.more") if share < 1 and whole == "100" else later("board.share.percent", share=whole)
