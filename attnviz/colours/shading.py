"""Each cell's shade: the page's colour mixed with its role's, or grey.

Colours are mixed in OKLab, where equal steps look equal; board/cells/colours.js does the same. Matrices that readers
compare share their limits, and each figure states its own.

Source: Björn Ottosson 2020, A perceptual color space for image processing; IEC 61966-2-1 for sRGB.
"""

import math
from collections.abc import Container
from functools import lru_cache

import numpy as np
import torch

from attnviz.colours.palette import NEGATIVE, PAPER, ROLES
from attnviz.core.stages import Stage
from attnviz.core.trace import Trace

PALE = 1.25  # scores have the same hue as weights, but this much paler, so that the weights stand out


def colour_limits(trace: Trace, name: str) -> tuple[float, float]:
    """Return the numbers at which a matrix's colours end.

    For attention weights, they are 0 and the largest weight that tells something. A row that may read one token only
    gives it all: this 1 tells nothing, and would make all other weights pale. For other matrices, and for weights that
    may be negative, the limits are symmetric about 0, and cover every finite number of the matrices that share them.

    >>> from attnviz.core.scenario import Scenario, trace
    >>> colour_limits(trace(Scenario("one two", w_q="zeros", causal=True)), "attention_weights")
    (0.0, 0.5)
    """
    return _limits_of(trace, _families(trace)[_family(name, trace.stages[name])])


def all_limits(trace: Trace, held: Container[str] = ()) -> dict[str, tuple[float, float]]:
    """Return all matrices' colour limits; those in `held` don't count."""
    limits = dict.fromkeys(trace.stages, (0.0, 1.0))
    for members in _families(trace).values():
        if seen := [name for name in members if name not in held]:
            limits |= dict.fromkeys(seen, _limits_of(trace, seen))
    return limits


def _family(name: str, stage: Stage) -> tuple[str, ...]:
    """Return a key that matrices with common limits share."""
    if stage.colours == "vectors" and stage.role != "x":
        return stage.colours, name.rsplit(".", 1)[-1]
    return stage.colours, stage.role


def _families(trace: Trace) -> dict[tuple[str, ...], list[str]]:
    """Return the names of the matrices that share limits, family by family."""
    families: dict[tuple[str, ...], list[str]] = {}
    for name, stage in trace.stages.items():
        families.setdefault(_family(name, stage), []).append(name)
    return families


def _limits_of(trace: Trace, members: list[str]) -> tuple[float, float]:
    """Return the limits of matrices of one family."""
    colours = trace.stages[members[0]].colours
    if colours == "attention":
        largest = max(_largest_share(trace, other) for other in members) or 1.0
        signed = any(getattr(trace.stages[other].rule, "is_signed", False) for other in members)
        return (-largest if signed else 0.0), largest
    largest = max(_largest_finite(trace[other]) for other in members) * (PALE if colours == "scores" else 1)
    return (-largest, largest) if largest > 0 else (-1.0, 1.0)


def _largest_share(trace: Trace, name: str) -> float:
    """Return the largest weight, ignoring the 1 of a single readable token."""
    weights, hidden = trace[name], trace.masked_in(name)
    n_readable = np.full(weights.shape[-2], weights.shape[-1]) if hidden is None else (~hidden).sum(1)
    only = torch.from_numpy(n_readable <= 1).to(weights.device)[:, None] & (weights <= 1)
    return _largest_finite(weights.masked_fill(only, 0))


def _largest_finite(matrix: torch.Tensor) -> float:
    if not matrix.numel():
        return 0.0
    largest = float(matrix.abs().max())
    if math.isfinite(largest):  # nearly always true, and three times as fast as what follows
        return largest
    finite = matrix[torch.isfinite(matrix)]
    return float(finite.abs().max()) if finite.numel() else 0.0


STEPS = 256  # steps of a ramp; readers can't tell neighbouring steps apart

_TO_CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
_TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
_FROM_LAB = np.array(
    [[1.0, 0.3963377774, 0.2158037573], [1.0, -0.1055613458, -0.0638541728], [1.0, -0.0894841775, -1.2914855480]]
)
_FROM_CONES = np.array([
    [4.0767416621, -3.3077115913, 0.2309699292],
    [-1.2684380046, 2.6097574011, -0.3413193965],
    [-0.0041960863, -0.7034186147, 1.7076147010],
])  # fmt: skip


def channels(colour: str) -> np.ndarray:
    """Return a colour ``#rrggbb`` as three numbers from 0 to 255."""
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.uint8)


def linear(rgb: np.ndarray) -> np.ndarray:
    """Return sRGB ``(..., 3)``, 0 to 255, as light, 0 to 1."""
    part = np.asarray(rgb, np.float64) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def luminance(rgb: np.ndarray) -> np.ndarray:
    """Return the relative luminance (WCAG 2.2) of sRGB ``(..., 3)``."""
    light: np.ndarray = linear(rgb) @ np.array([0.2126, 0.7152, 0.0722])
    return light


@lru_cache(maxsize=64)
def ramp(start: str, end: str) -> np.ndarray:
    """Return the steps between two colours ``#rrggbb``: ``(STEPS, 3)``, 0 to 255.

    >>> ramp("#ffffff", "#0067b0")[[0, 255]].tolist()
    [[255, 255, 255], [0, 103, 176]]
    """
    first, last = (np.cbrt(linear(channels(colour)) @ _TO_CONES.T) @ _TO_LAB.T for colour in (start, end))
    lab = first + np.linspace(0, 1, STEPS)[:, None] * (last - first)
    light = np.clip((lab @ _FROM_LAB.T) ** 3 @ _FROM_CONES.T, 0, 1)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    steps = np.floor(255 * encoded + 0.5).astype(np.uint8)
    steps.setflags(write=False)  # the ramp is cached and shared
    return steps


def takes_black(rgb: np.ndarray) -> np.ndarray:
    """Whether black is more readable than white on colours ``(..., 3)``.

    The better one has a contrast of at least 4.58 to 1.
    """
    # Contrast with black is (l + 0.05) / 0.05, with white 1.05 / (l + 0.05).
    better: np.ndarray = (luminance(rgb) + 0.05) ** 2 > 0.05 * 1.05
    return better


Scale = tuple[tuple[float, str], ...]  # as Plotly reads it: positions from 0 to 1, colours as #rrggbb

# Every 15th step of a ramp is a stop of the scale. Plotly mixes in sRGB between two stops, which nobody can see.
_EVERY = 15


def shades(z: np.ndarray, limits: tuple[float, float], role: str, dark: bool) -> np.ndarray:
    """Return each finite number's colour, ``(..., 3)``; limits cap it.

    >>> shades(np.array([0.0, 2.0, 5.0, -2.0]), (-2.0, 2.0), "q", dark=False).tolist()
    [[255, 255, 255], [0, 103, 176], [0, 103, 176], [90, 95, 102]]
    """
    amounts = np.clip(np.abs(np.asarray(z, np.float64)) / limits[1], 0, 1)
    steps = np.floor(amounts * (STEPS - 1) + 0.5).astype(int)
    return np.where((np.asarray(z) < 0)[..., None], _ramp(None, dark)[steps], _ramp(role, dark)[steps])


def scale_of(limits: tuple[float, float], role: str, dark: bool) -> Scale:
    """Return the colours as a scale, from 0 or minus the limit."""
    up = _stops(_ramp(role, dark)[::_EVERY])
    if limits[0] == 0:
        return up
    down = _stops(_ramp(None, dark)[::_EVERY])
    return (
        *((round(0.5 - at / 2, 5), colour) for at, colour in reversed(down)),
        *((round(0.5 + at / 2, 5), colour) for at, colour in up[1:]),
    )


def _ramp(role: str | None, dark: bool) -> np.ndarray:
    return ramp(PAPER.on(dark), (NEGATIVE if role is None else ROLES[role]).on(dark))


def _stops(steps: np.ndarray) -> Scale:
    return tuple((round(i / (len(steps) - 1), 4), f"#{bytes(step).hex()}") for i, step in enumerate(steps))
