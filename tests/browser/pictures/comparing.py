"""Compares two pictures of a page: other letters' edges pass, a matrix that has moved does not.

What is kept of a picture is a sixteenth of its pixels. The picture of now is reduced in the same way: a pixel that is
far from the kept one, and would be far if everything were a pixel further left, right, up or down, has strayed.
"""

from itertools import product

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops, ImageFilter

REDUCED = 4  # pixels of the screen to a kept one, each way
BLUR = 0.6  # of kept pixels
SHIFT = 1  # pixels of the screen by which other letters, or other rounding, may move what is drawn
TOLERANCE = 28  # of 255, in the channel that differs most
FEW = 5  # pixels that may stray: the end of a stroke, the corner of a box

Strayed = npt.NDArray[np.bool_]


def reduced(picture: Image.Image) -> Image.Image:
    """Return what is kept of a picture of the screen."""
    return picture.convert("RGB").reduce(REDUCED).filter(ImageFilter.GaussianBlur(BLUR))


def reduced_size(width: int, height: int) -> tuple[int, int]:
    """Return the size of what is kept of a picture of the screen.

    >>> reduced_size(1366, 768)
    (342, 192)
    """
    return -(-width // REDUCED), -(-height // REDUCED)


def strayed(kept: Image.Image, now: Image.Image) -> Strayed:
    """Return which pixels of a kept picture are not what a picture of the screen of now has there."""
    now = now.convert("RGB")
    if kept.size != reduced(now).size:
        raise ValueError(f"a kept picture of {kept.size} pixels against one of {reduced(now).size} of now")
    wanted = _soft(kept.convert("RGB"))
    far = _far(wanted, now)
    for x, y in product(range(-SHIFT, SHIFT + 1), repeat=2):
        if np.count_nonzero(far) <= FEW:
            break
        far &= _far(wanted, ImageChops.offset(now, x, y))
    return far


def is_alike(kept: Image.Image, now: Image.Image) -> bool:
    """Whether a picture of the screen of now is as it was kept."""
    return int(np.count_nonzero(strayed(kept, now))) <= FEW


def explained(kept: Image.Image, now: Image.Image) -> Image.Image:
    """Return the kept picture, that of now, and that of now with all that strayed in red, below each other."""
    small = reduced(now)
    far = Image.fromarray(strayed(kept, now)).filter(ImageFilter.MaxFilter(3))
    marked = Image.blend(small, Image.new("RGB", small.size, "white"), 0.7)
    marked.paste("red", mask=far)
    width, height = small.size
    sheet = Image.new("RGB", (width, 3 * height + 2), "red")
    for at, each in enumerate((kept.convert("RGB"), small, marked)):
        sheet.paste(each, (0, at * (height + 1)))
    return sheet


def _far(wanted: npt.NDArray[np.int16], now: Image.Image) -> Strayed:
    return np.asarray(np.abs(_soft(reduced(now)) - wanted).max(axis=2) > TOLERANCE)


def _soft(small: Image.Image) -> npt.NDArray[np.int16]:
    """Return numbers that forgive what keeping a picture in few bytes has changed."""
    return np.asarray(small.filter(ImageFilter.GaussianBlur(BLUR)), dtype=np.int16)
