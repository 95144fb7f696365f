"""Compares two pictures of a page: other edges of letters pass, a matrix that has moved doesn't.

A stored picture has a sixteenth of the screen's pixels. The new picture is reduced in the same way. A pixel has strayed
if it's far from the stored one, and would be so if everything were a pixel further left, right, up or down.
"""

from itertools import product

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageChops, ImageFilter

REDUCED = 4  # pixels of the screen for each stored one, in both directions
BLUR = 0.6  # in stored pixels
SHIFT = 1  # pixels of the screen by which another font, or other rounding, may move something
TOLERANCE = 28  # out of 255, in the channel that differs most
FEW = 5  # pixels that may stray, such as the end of a stroke or the corner of a box

Strayed = npt.NDArray[np.bool_]


def reduced(picture: Image.Image) -> Image.Image:
    """Return the reduced picture of the screen that is stored."""
    return picture.convert("RGB").reduce(REDUCED).filter(ImageFilter.GaussianBlur(BLUR))


def reduced_size(width: int, height: int) -> tuple[int, int]:
    """Return the size of a reduced picture of the screen.

    >>> reduced_size(1366, 768)
    (342, 192)
    """
    return -(-width // REDUCED), -(-height // REDUCED)


def strayed(kept: Image.Image, now: Image.Image) -> Strayed:
    """Return which pixels of a stored picture differ from a new picture of the screen."""
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
    """Whether a new picture of the screen is like the stored one."""
    return int(np.count_nonzero(strayed(kept, now))) <= FEW


def explained(kept: Image.Image, now: Image.Image) -> Image.Image:
    """Return the stored picture, the new one, and the new one with strayed pixels in red, below each other."""
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
    """Return blurred numbers, because storing a picture in few bytes changes its details."""
    return np.asarray(small.filter(ImageFilter.GaussianBlur(BLUR)), dtype=np.int16)
