"""The scaling experiment's arguments: their limits, and how they are read."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from attnviz.core.limits import RefusedError, check_number, check_whole, in_short

MAX_DIM = 4096
MAX_DIMS = 64
MAX_TRIALS = 10_000
MAX_KEYS = 256
MAX_SCALES = 16
MAX_EXPONENT = 2.0
MAX_FACTOR = 1000  # the classic row's softmax is all or nothing from much smaller factors on
MAX_SCORES = MAX_TRIALS * MAX_KEYS  # trials x queries x keys, all in memory at once, in float64
MAX_ENTRY = 1e6  # for |x|: its fourth power, times any dimension, stays far below overflow

# The exponent p of each scale, which divides the scores by d^p.
EXPONENTS = {"none": 0.0, "sqrt": 0.5, "linear": 1.0}

Scale = str | float
Statistics = Literal["all", "dot products"]


def parse_dims(text: str) -> tuple[int, ...]:
    """Read dimensions separated by commas, semicolons or spaces, and return them ascending.

    Raises ValueError naming the first entry that is not a whole number from 1 to MAX_DIM or is repeated, or
    if there are none or more than MAX_DIMS.

    >>> parse_dims("8, 2 4")
    (2, 4, 8)
    >>> parse_dims("2, 4, eight")
    Traceback (most recent call last):
    ...
    attnviz.core.limits.RefusedError: 'eight' can't be dimension: take a whole number from 1 to 4096.
    """
    entries = [entry for entry in re.split(r"[\s,;]+", text) if entry]
    # An entry of very many digits stays text, because int() would refuse it with a message of its own.
    return check_dims(int(entry) if re.fullmatch(r"[+-]?[0-9]{1,40}", entry) else entry for entry in entries)


def check_dims(dims: Iterable[object]) -> tuple[int, ...]:
    """Return dimensions ascending, as ints.

    Raises ValueError naming the first that is not a whole number from 1 to MAX_DIM or is repeated, or if
    there are none or more than MAX_DIMS.
    """
    if isinstance(dims, str) or not isinstance(dims, Iterable):
        raise ValueError(f"dims is {in_short(dims)}, expected several whole numbers, such as (2, 64, 1024)")
    checked: set[int] = set()
    for value in dims:
        dim = check_whole("dimension", value, 1, MAX_DIM)
        if dim in checked:
            raise RefusedError("dims_twice", dim=dim)
        if len(checked) == MAX_DIMS:
            raise RefusedError("dims_many", most=MAX_DIMS)
        checked.add(dim)
    if not checked:
        raise RefusedError("dims_none")
    return tuple(sorted(checked))


def log_steps(first: object, last: object, how_many: object) -> tuple[int, ...]:
    """Return whole dimensions between two, equally far apart on a log axis.

    They are fewer than `how_many` where rounding makes several the same.

    Raises ValueError naming a bound that isn't a dimension, a number of steps that isn't from 2 to MAX_DIMS, or bounds
    that leave nothing between them.

    >>> log_steps(1, 4096, 7)
    (1, 4, 16, 64, 256, 1024, 4096)
    """
    low = check_whole("the first dimension", first, 1, MAX_DIM)
    high = check_whole("the last dimension", last, 1, MAX_DIM)
    n = check_whole("number of dimensions", how_many, 2, MAX_DIMS)
    if low >= high:
        raise RefusedError("steps_order", low=low, high=high)
    return tuple(sorted({round(low * (high / low) ** (i / (n - 1))) for i in range(n)}))


def check_factor(name: str, factor: object) -> float:
    """Return a factor of scores, or raise ValueError naming its limits."""
    return check_number(name, factor, -MAX_FACTOR, MAX_FACTOR)


def check_scales(scales: Sequence[Scale]) -> dict[str, float]:
    """Return each scale's exponent by its label: a name or a number.

    Raises ValueError naming a scale that is unknown, out of range or repeated, or if there are none or more
    than MAX_SCALES.

    >>> check_scales(("sqrt", 0.3))
    {'sqrt': 0.5, '0.3': 0.3}
    """
    if isinstance(scales, str) or not isinstance(scales, Sequence):
        raise ValueError(f"scales is {in_short(scales)}, expected a sequence such as ('none', 'sqrt')")
    if not scales:
        raise RefusedError("scales")
    if len(scales) > MAX_SCALES:
        raise ValueError(f"scales are {in_short(scales)}, expected a sequence of at most {MAX_SCALES} of them")
    exponents: dict[str, float] = {}
    for scale in scales:
        exponent = check_exponent(scale)
        label = scale if isinstance(scale, str) else f"{exponent:g}"
        if label in exponents:
            raise ValueError(f"scale {label!r} is repeated")
        exponents[label] = exponent
    return exponents


def check_exponent(scale: object) -> float:
    """Return a scale's exponent, given its name or the exponent itself.

    Raises ValueError naming a scale that is unknown or out of range.
    """
    exponent = EXPONENTS.get(scale) if isinstance(scale, str) else scale
    if isinstance(exponent, int | float) and not isinstance(exponent, bool) and 0 <= exponent <= MAX_EXPONENT:
        return float(exponent)
    names = ", ".join(EXPONENTS)
    raise ValueError(f"scale is {scale!r}, expected {names}, or an exponent from 0 to {MAX_EXPONENT:g}")
