"""The limits of a computation, each stated once; the core enforces them with ``ValueError``."""

import operator

MAX_TOKENS = 1024
MAX_D = 1024
MAX_SEED = 2**32 - 1  # torch's CPU generator reads 32 bits of its seed: larger ones would repeat
MIN_TEMPERATURE = 0.01
MAX_TEMPERATURE = 100.0
MAX_EDITS = 4096

# A typed text is cut to this many tokens before it becomes a scenario (see tokens.shortened).
MAX_TEXT_TOKENS = 512
MAX_TEXT_CHARACTERS = 20_000


def check_whole(name: str, value: object, low: int, high: int) -> int:
    """Return `value`, of any integer type, as an int from `low` to `high`.

    Raises ``ValueError`` naming the value and the limits.

    >>> check_whole("d_in", 3, 1, MAX_D)
    3
    """
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = low - 1
    if isinstance(value, bool) or not low <= whole <= high:
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        raise ValueError(f"{name} is {shown}, expected a whole number from {low} to {high}")
    return whole


def check_temperature(value: object) -> float:
    """Return the temperature as a float, or raise ``ValueError`` naming it and its limits.

    >>> check_temperature(2)
    2.0
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not MIN_TEMPERATURE <= value <= MAX_TEMPERATURE:
        raise ValueError(f"temperature is {value!r}, expected a number from {MIN_TEMPERATURE} to {MAX_TEMPERATURE}")
    return float(value)
