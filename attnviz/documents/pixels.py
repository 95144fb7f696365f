"""Colours as an image, one pixel each, in HTML."""

import html
from base64 import b64encode
from io import BytesIO

import numpy as np
from PIL import Image


def png(rgb: np.ndarray) -> bytes:
    """Return pixels ``(rows, columns, 3)`` from 0 to 255 as a PNG.

    >>> png(np.zeros((2, 3, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    written = BytesIO()
    Image.fromarray(rgb).save(written, "PNG", compress_level=9)
    return written.getvalue()


def in_base64(rgb: np.ndarray) -> str:
    """Return these pixels as a PNG in base64."""
    return b64encode(png(rgb)).decode("ascii")


def image(rgb: np.ndarray, width: float, height: float, alt: str, style: str = "") -> str:
    """Return these pixels as an HTML image of this size.

    `width` and `height` are in pixels of the page, `alt` describes it in words, and `style` is further CSS.
    """
    size = f"width:{width:.0f}px;height:{height:.0f}px"
    return (
        f'<img alt="{html.escape(alt)}" style="image-rendering:pixelated;{style}{size}" '
        f'src="data:image/png;base64,{in_base64(rgb)}">'
    )
