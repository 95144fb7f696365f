"""The scaling page's settings as one value, and as a URL.

``dims.2-8-64*trials.500*p.0.3`` sweeps three dimensions with 500 trials and a slider at p = 0.3. Settings that
aren't named have their defaults; but unless the text is empty, the slider's line is drawn only if it's named.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, get_args

import torch

from attnviz.core.carry_over import bring_back, carry_over
from attnviz.core.changes import Changes, changes_of
from attnviz.core.limits import MAX_SEED, RefusedError, check_choice, check_number, check_whole
from attnviz.core.scenario import SETTINGS, Scenario, without_changes
from attnviz.core.settings import fitted
from attnviz.features.sweeps.arguments import (
    EXPONENTS,
    MAX_DIM,
    MAX_KEYS,
    MAX_TRIALS,
    Scale,
    Statistics,
    check_dims,
    check_factor,
    parse_dims,
)
from attnviz.features.sweeps.sources import OF_PROJECTIONS, SOURCES

OWN = "own p"  # the scale whose exponent the reader sets with a slider
MAX_P = 1.0
SCALE_CHOICES = (*EXPONENTS, OWN)
HEADS = (1, 2, 4, 8, 16, 32)  # how many heads the page's example model may have


@dataclass(frozen=True)
class SweepSettings:
    """What a sweep measures, and what the page shows of it.

    `p` is the reader's own exponent, `dim` the dimension shown in detail (0: none chosen), `times` the factor of the
    classic row, and `heads` the number of heads of the page's example model.

    Raises ``ValueError`` for settings that :func:`attnviz.sweep_scaling` would not take.
    """

    dims: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    trials: int = 1000
    keys: int = 64
    seed: int = 0
    source: str = "normal"
    scales: tuple[str, ...] = SCALE_CHOICES
    statistics: Statistics = "all"
    p: float = 0.3
    dim: int = 0
    times: float = 8.0
    heads: int = 8

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", check_dims(self.dims))
        check_whole("trials", self.trials, 2, MAX_TRIALS)
        check_whole("keys", self.keys, 2, MAX_KEYS)
        check_whole("seed", self.seed, 0, MAX_SEED)
        check_whole("dim", self.dim, 0, MAX_DIM)
        check_number("p", self.p, 0, MAX_P)
        check_factor("times", self.times)
        for name, allowed in (("heads", HEADS), ("statistics", get_args(Statistics)), ("source", SOURCES)):
            check_choice(name, getattr(self, name), allowed)
        if not self.scales or len(set(self.scales) & set(SCALE_CHOICES)) < len(self.scales):
            raise RefusedError("scales", detail=f"scales is {self.scales!r}")

    @property
    def picked(self) -> int:
        """The dimension shown in detail: the chosen one, or nearest to 64."""
        return self.dim if self.dim in self.dims else min(self.dims, key=lambda dim: abs(dim - 64))

    def swept_scales(self) -> tuple[Scale, ...]:
        """Return the scales as :func:`attnviz.sweep_scaling` takes them."""
        return tuple(self.p if scale == OWN else scale for scale in self.scales)

    @property
    def of_projections(self) -> bool:
        """Whether queries and keys come from a sentence, with random W's."""
        return self.source.endswith(OF_PROJECTIONS)


_OF_X = ("x", "e", "p")


def playground_scenario(scenario: Scenario, settings: SweepSettings) -> Scenario:
    """Return a scenario with the picked d_out, keeping changes that fit.

    If the sweep's queries and keys come from the sentence, the scenario has their init, and also their seed if X is
    the same with it. Its scores are then those of the row that the page shows.

    >>> playground_scenario(Scenario(d_out=2), SweepSettings(dims=(2, 16), dim=16)).d_out
    16
    """
    before = without_changes(scenario)
    wanted = {name: getattr(before, name) for name in SETTINGS} | {"d_out": settings.picked}
    after = Scenario(**fitted(wanted, len(before.tokens))[0])  # with as many heads and layers as fit d_out
    if settings.of_projections:
        after = replace(after, init=settings.source.removesuffix(OF_PROJECTIONS))
        seeded = replace(after, seed=settings.seed)
        if torch.equal(seeded.inputs, before.inputs):
            after = seeded
    changes = changes_of(scenario)
    kept, _ = carry_over(changes, before, after)
    # A new seed draws other projections, but X stayed the same, so changes of X are kept.
    of_x = Changes(
        tuple(edit for edit in changes.edits if edit.matrix in _OF_X),
        tuple(pair for pair in changes.replaced if pair[0] in _OF_X),
    )
    return bring_back(after, kept + of_x)[0]


_DEFAULT = SweepSettings()
# The defaults for a text that names some settings: when the first links were made, the line of the reader's p was off.
_OF_LINKS = replace(_DEFAULT, scales=("none", "sqrt", "linear"))


def encode_settings(settings: SweepSettings) -> str:
    """Write the settings that differ from the default for a URL.

    >>> encode_settings(SweepSettings(dims=(2, 8), trials=500))
    'dims.2-8*trials.500*scales.none-sqrt-linear-own_p'
    """
    if settings == _DEFAULT:
        return ""
    parts = []
    for field in fields(SweepSettings):
        value = getattr(settings, field.name)
        if value != getattr(_OF_LINKS, field.name):
            parts.append(f"{field.name}.{text_of(value)}")
    return "*".join(parts) or f"scales.{text_of(settings.scales)}"


def text_of(value: object) -> str:
    """Write one setting as it stands in a URL.

    >>> text_of((2, 8)), text_of("dot products"), text_of(0.3)
    ('2-8', 'dot_products', '0.3')
    """
    return ("-".join(map(str, value)) if isinstance(value, tuple) else str(value)).replace(" ", "_")


def decode_settings(text: str) -> tuple[SweepSettings, list[str]]:
    """Return settings from a URL's text, and the parts it can't read.

    >>> settings, ignored = decode_settings("trials.500*keys.many")
    >>> settings == SweepSettings(trials=500, scales=("none", "sqrt", "linear")), ignored
    (True, ['keys.many'])
    """
    settings = _OF_LINKS if text else _DEFAULT
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
        case "statistics":
            return written.replace("_", " ")
        case "p" | "times":
            return float(written)
        case _:
            return int(written)
