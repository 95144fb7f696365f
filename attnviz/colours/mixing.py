"""Colours between the page and a role, mixed in OKLab, where equal steps look equal.

``board/cells/colours.js`` mixes alike.

Source: Björn Ottosson 2020, A perceptual color space for image processing; IEC 61966-2-1 for sRGB.
"""

from functools import lru_cache

import numpy as np

STEPS = 256  # of a ramp: neighbours differ by what can't be seen

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_FROM_LAB = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_FROM_CONES = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def channels(colour: str) -> np.ndarray:
    """Return a colour ``#rrggbb`` as three numbers from 0 to 255.

    >>> channels("#FFD84D").tolist()
    [255, 216, 77]
    """
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], np.uint8)


def linear(rgb: np.ndarray) -> np.ndarray:
    """Return sRGB channels ``(..., 3)`` from 0 to 255 as light, from 0 to 1."""
    part = np.asarray(rgb, np.float64) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def luminance(rgb: np.ndarray) -> np.ndarray:
    """Return the relative luminance of sRGB channels ``(..., 3)`` from 0 to 255 (WCAG 2.2)."""
    light: np.ndarray = linear(rgb) @ np.array([0.2126, 0.7152, 0.0722])
    return light


@lru_cache(maxsize=64)
def ramp(start: str, end: str) -> np.ndarray:
    """Return the steps from one colour ``#rrggbb`` to another, ``(STEPS, 3)`` from 0 to 255.

    >>> ramp("#ffffff", "#0067b0")[[0, 255]].tolist()
    [[255, 255, 255], [0, 103, 176]]
    """
    first, last = (np.cbrt(linear(channels(colour)) @ _TO_CONES.T) @ _TO_LAB.T for colour in (start, end))
    lab = first + np.linspace(0, 1, STEPS)[:, None] * (last - first)
    light = np.clip((lab @ _FROM_LAB.T) ** 3 @ _FROM_CONES.T, 0, 1)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    steps = np.floor(255 * encoded + 0.5).astype(np.uint8)
    steps.setflags(write=False)  # it is kept, and shared
    return steps


def takes_black(rgb: np.ndarray) -> np.ndarray:
    """Whether black can be read better than white on colours ``(..., 3)``: either way by at least 4.58 to 1."""
    # Contrast with black is (l + 0.05) / 0.05, with white 1.05 / (l + 0.05).
    better: np.ndarray = (luminance(rgb) + 0.05) ** 2 > 0.05 * 1.05
    return better
