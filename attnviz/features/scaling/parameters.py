"""The sweep's parameter in links, `sweep`."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import get_args

from attnviz.core.limits import MAX_SEED
from attnviz.features.sweeps.arguments import MAX_DIM, MAX_DIMS, MAX_FACTOR, MAX_KEYS, MAX_TRIALS, Statistics
from attnviz.features.sweeps.settings import (
    HEADS,
    MAX_P,
    SCALE_CHOICES,
    SweepSettings,
    decode_settings,
    encode_settings,
    text_of,
)
from attnviz.features.sweeps.sources import SOURCES
from attnviz.link.codecs import Choice, FunctionCodec, Number, Part, Raw, UnreadableError, Whole
from attnviz.link.parameter import Parameter
from attnviz.words import say, thousands

SWEEP = "sweep"
_TOLD, _LONGEST_TOLD = 3, 40  # unusable parts that a message lists, and the characters of each
# The values that each setting of a sweep may have, in words.
_OF_SWEEP: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "dims": lambda: say("links.sweep.dims", most=MAX_DIMS, high=thousands(MAX_DIM)),
        "trials": Whole(2, MAX_TRIALS).expected,
        "keys": Whole(2, MAX_KEYS).expected,
        "seed": Whole(0, MAX_SEED).expected,
        "source": Choice(tuple(SOURCES)).expected,
        "scales": lambda: say("links.sweep.scales", choices=", ".join(map(text_of, SCALE_CHOICES))),
        "statistics": Choice(tuple(map(text_of, get_args(Statistics)))).expected,
        "p": Number(0, int(MAX_P)).expected,
        "dim": Whole(0, MAX_DIM).expected,
        "times": Number(-int(MAX_FACTOR), int(MAX_FACTOR)).expected,
        "heads": Choice(tuple(map(str, HEADS))).expected,
    }
)


def _not_of_a_sweep(part: str, settings: SweepSettings) -> Part:
    """Say which part of a sweep is unusable, and what replaces it."""
    name, _, raw = part.partition(".")
    if name not in _OF_SWEEP:
        return Part("links.sweep.unknown", {"name": _short(name), "names": ", ".join(_OF_SWEEP)})
    shown = _short(raw) if raw else say("links.sweep.nothing")
    used = text_of(getattr(settings, name))
    return Part("links.sweep.value", {"name": name, "raw": shown, "expected": _OF_SWEEP[name](), "used": used})


def _short(text: str) -> Raw:
    return Raw(text if len(text) <= _LONGEST_TOLD else text[:_LONGEST_TOLD] + "…")


def _sweep(raw: str) -> SweepSettings:
    settings, ignored = decode_settings(raw)
    if ignored:
        parts = [_not_of_a_sweep(part, settings) for part in ignored[:_TOLD]]
        if (more := len(ignored) - _TOLD) > 0:
            parts.append(Part("links.sweep.more", {"n": more}))
        raise UnreadableError("", settings, parts=parts)
    return settings


SWEEP_TEXT = FunctionCodec(_sweep, encode_settings, str)


def rows() -> tuple[Parameter, ...]:
    """Return the sweep's row of the table of parameters."""
    return (Parameter(SWEEP, SweepSettings(), SWEEP_TEXT, 2000, message="links.sweep.parts"),)
