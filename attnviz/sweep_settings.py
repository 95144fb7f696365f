"""What the scaling page sweeps, as one plain value, and its form in a URL.

``dims.2-8-64*trials.500*p.0.3`` sweeps three dimensions with 500 trials and a slider at p = 0.3; what is
not named has its default.
"""

from dataclasses import dataclass, fields, replace
from typing import Any

from attnviz.limits import MAX_SEED, check_whole
from attnviz.scaling_arguments import (
    EXPONENTS,
    MAX_DIM,
    MAX_KEYS,
    MAX_TRIALS,
    Scale,
    check_dims,
    parse_dims,
)
from attnviz.scaling_sources import SOURCES

OWN = "own p"  # the scale whose exponent the reader slides
MAX_P = 1.0
SCALE_CHOICES = (*EXPONENTS, OWN)


@dataclass(frozen=True)
class SweepSettings:
    """Dimensions, trials, keys, seed, source and scales of a sweep, the reader's own exponent `p`, and the
    one dimension `dim` looked at closely (0: none chosen).

    Raises ``ValueError`` for what :func:`attnviz.sweep_scaling` would not take.
    """

    dims: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    trials: int = 1000
    keys: int = 64
    seed: int = 0
    source: str = "normal"
    scales: tuple[str, ...] = ("none", "sqrt", "linear")
    p: float = 0.3
    dim: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", check_dims(self.dims))
        check_whole("trials", self.trials, 2, MAX_TRIALS)
        check_whole("keys", self.keys, 2, MAX_KEYS)
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("dim", self.dim, 0, MAX_DIM)
        if isinstance(self.p, bool) or not isinstance(self.p, int | float) or not 0 <= self.p <= MAX_P:
            raise ValueError(f"p is {self.p!r}, expected an exponent from 0 to {MAX_P:g}")
        if self.source not in SOURCES:
            raise ValueError(f"source is {self.source!r}, expected one of {', '.join(SOURCES)}")
        if not self.scales or len(set(self.scales) & set(SCALE_CHOICES)) < len(self.scales):
            raise ValueError(f"scales are {self.scales!r}, expected some of {', '.join(SCALE_CHOICES)}, each once")

    @property
    def picked(self) -> int:
        """The dimension looked at closely: the chosen one, or the one nearest to 64."""
        return self.dim if self.dim in self.dims else min(self.dims, key=lambda dim: abs(dim - 64))

    def swept_scales(self) -> tuple[Scale, ...]:
        """Return the scales as :func:`attnviz.sweep_scaling` takes them."""
        return tuple(self.p if scale == OWN else scale for scale in self.scales)


_DEFAULT = SweepSettings()


def encode_settings(settings: SweepSettings) -> str:
    """Write the settings that differ from the default as the text that a URL carries.

    >>> encode_settings(SweepSettings(dims=(2, 8), trials=500))
    'dims.2-8*trials.500'
    """
    parts = []
    for field in fields(SweepSettings):
        value = getattr(settings, field.name)
        if value != getattr(_DEFAULT, field.name):
            written = "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
            parts.append(f"{field.name}.{written.replace(' ', '_')}")
    return "*".join(parts)


def decode_settings(text: str) -> tuple[SweepSettings, list[str]]:
    """Read settings from the text of a URL; return also the parts that are none.

    >>> decode_settings("trials.500*keys.many")
    (SweepSettings(dims=(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024), trials=500, keys=64, seed=0, \
source='normal', scales=('none', 'sqrt', 'linear'), p=0.3, dim=0), ['keys.many'])
    """
    settings = _DEFAULT
    ignored = []
    for part in text[:2000].split("*") if text else []:
        name, _, written = part.partition(".")
        try:
            read: dict[str, Any] = {name: _read(name, written)}
            settings = replace(settings, **read)
        except (ValueError, TypeError):
            ignored.append(part)
    return settings, ignored


def _read(name: str, written: str) -> Any:
    match name:
        case "dims":
            return parse_dims(written.replace("-", " "))
        case "scales":
            return tuple(written.replace("_", " ").split("-"))
        case "source":
            return written
        case "p":
            return float(written)
        case _:
            return int(written)
