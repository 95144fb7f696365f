"""How numbers are written: in cells, captions and sentences alike."""

import math

MIN_DIGITS, MAX_DIGITS, DEFAULT_DIGITS = 1, 6, 4


def number_format(largest: float, digits: int) -> str:
    """Return the format, for Python and for d3, of numbers up to `largest`: fixed, or powers of ten
    where fixed digits would not fit a cell or would show nothing but zeros.

    >>> number_format(2.5, 4), number_format(1e30, 4)
    ('.4f', '.2e')
    """
    if largest == 0 or 10.0**-digits <= largest < 1e4:
        return f".{digits}f"
    return f".{min(digits, 2)}e"


def written(value: float, digits: int) -> str:
    """Write one number as the figures do, with a true minus sign and signs for what is no number.

    >>> written(-0.5, 2), written(float("-inf"), 2), written(float("nan"), 2)
    ('−0.50', '−∞', 'NaN')
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return in_format(value, number_format(abs(value), digits))


def in_format(value: float, number: str) -> str:
    """Write a number in a format, with a true minus sign.

    >>> in_format(-0.5, "+.2f")
    '−0.50'
    """
    return format(value, number).replace("-", "−")
