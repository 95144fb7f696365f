"""Costs in words: bytes, counts, and sentences about a model."""

import math

from attnviz.features.costs.counting import Costs
from attnviz.words import plural, say, thousands
from attnviz.words.numbers import significant

_BYTES = ("B", "KiB", "MiB", "GiB", "TiB")  # each 1024 times the one before
_COUNTS = ("", "thousand", "million", "billion", "trillion")
_DIGITS = 3


def bytes_in_words(n: float) -> str:
    """Write a number of bytes with its unit.

    >>> bytes_in_words(48), bytes_in_words(131072), bytes_in_words(1.5 * 2**30)
    ('48 B', '128 KiB', '1.5 GiB')
    """
    unit = min(len(_BYTES) - 1, max(0, int(math.log2(max(n, 1)) // 10)))
    return f"{shortly(n / 1024**unit)} {_BYTES[unit]}"


def count_in_words(n: float) -> str:
    """Write a large count shortly.

    >>> count_in_words(950), count_in_words(3.288e9)
    ('950', '3.29 billion')
    """
    power = min(len(_COUNTS) - 1, max(0, int(math.log10(max(n, 1)) // 3)))
    number = shortly(n / 1000**power)
    return say(f"costs.count.{_COUNTS[power]}", number=number) if power else number


def shortly(number: float) -> str:
    """Write a number with three digits, or as a whole one.

    >>> shortly(0.12345), shortly(1281.5)
    ('0.123', '1282')
    """
    return f"{number:.0f}" if number >= 100 else significant(number, _DIGITS)


def of_model(costs: Costs, n: int) -> str:
    """Say what a model keeps and multiplies at a length."""
    grows = costs.cached_bytes(2 * n) / costs.cached_bytes(n)
    cache = bytes_in_words(costs.cached_bytes(n))
    return say("costs.curve.of_model", model=costs.name, n=plural_tokens(n), cache=cache,
               multiplications=count_in_words(costs.multiplications(n)), times=significant(grows, 2))  # fmt: skip


def of_own(costs: Costs, n: int, length: int) -> str:
    """Say what the reader's set-up keeps and multiplies."""
    return say("costs.curve.of_own", n=plural_tokens(n), numbers=plural(costs.cached(n), "number"),
               cache=bytes_in_words(costs.cached_bytes(n)), multiplications=count_in_words(costs.multiplications(n)),
               length=thousands(length), later=bytes_in_words(costs.cached_bytes(length)))  # fmt: skip


def plural_tokens(n: int) -> str:
    """Write a number of tokens.

    >>> plural_tokens(1), plural_tokens(8192)
    ('1 token', '8,192 tokens')
    """
    return plural(n, "token") if n == 1 else say("costs.tokens", count=thousands(n))
