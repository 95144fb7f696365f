"""The picture that other sites show with a link to this one."""

import base64
import math
from io import BytesIO

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from attnviz.colours.palette import LIGHT, ROLES
from attnviz.colours.shading import STEPS, ramp, takes_black
from attnviz.documents.page import packed_letters
from attnviz.features.site.story import FLUFFY, traces
from attnviz.words import say
from attnviz.words.numbers import percent, written

WIDTH, HEIGHT = 1200, 630
_LARGER = 2  # drawn so much larger and then scaled down, so that arcs have smooth edges
_LEFT, _WORDS, _TABLE, _ROW = 64, 292, 374, 36
_INK = ROLES["a"].light


def preview() -> bytes:
    """Return the picture as a PNG: ribbons over attention weights."""
    image = Image.new("RGB", (WIDTH * _LARGER, HEIGHT * _LARGER), LIGHT.paper)
    draw = ImageDraw.Draw(image)
    trace = traces()["cat"]
    shares = trace.attention_weights[FLUFFY].tolist()
    _text(draw, (_LEFT, 96), say("site.story.title"), 62, LIGHT.text, bold=True)
    _text(draw, (_LEFT, 142), say("site.name"), 30, LIGHT.muted)
    middles = [_LEFT + 190 + 150 * at for at in range(len(trace.tokens))]
    for at, share in enumerate(shares):
        _arc(draw, middles[FLUFFY], middles[at], share)
    for at, token in enumerate(trace.tokens):
        _chip(draw, middles[at], token, chosen=at == FLUFFY)
        _text(draw, (middles[at], _WORDS + 58), percent(shares[at]), 22, _INK, bold=True, middle=True)
    weights = trace.attention_weights.tolist()
    most = max(map(max, weights))
    for row, values in enumerate(weights):
        top = _TABLE + row * _ROW
        _text(draw, (middles[0] - 88, top + 24), trace.tokens[row], 20, LIGHT.text, bold=row == FLUFFY, right=True)
        for column, value in enumerate(values):
            _cell(draw, middles[column], top, value, most)
    kept = BytesIO()
    image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(kept, "PNG", compress_level=9)
    return kept.getvalue()


def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(BytesIO(base64.b64decode(packed_letters())), size * _LARGER)
    font.set_variation_by_axes([700 if bold else 400])
    return font


def _text(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], text: str, size: int, colour: str, *, bold: bool = False,
    middle: bool = False, right: bool = False,
) -> None:  # fmt: skip
    x, y = (each * _LARGER for each in at)
    draw.text((x, y), text, colour, _font(size, bold), anchor="ms" if middle else "rs" if right else "ls")


def _chip(draw: ImageDraw.ImageDraw, middle: float, token: str, *, chosen: bool) -> None:
    box = [each * _LARGER for each in (middle - 62, _WORDS - 22, middle + 62, _WORDS + 30)]
    ground, ink = (LIGHT.text, LIGHT.paper) if chosen else ("#f2f3f5", LIGHT.text)
    draw.rounded_rectangle(box, 12 * _LARGER, ground, LIGHT.grid, _LARGER)
    _text(draw, (middle, _WORDS + 13), token, 28, ink, bold=chosen, middle=True)


def _arc(draw: ImageDraw.ImageDraw, start: float, end: float, share: float) -> None:
    """Draw a ribbon, as thick as its share, above two words."""
    high = 40 if start == end else min(110, 36 + abs(end - start) * 0.18)
    wide = max(abs(end - start) / 2, 22)
    half = max(1.0, 22 * share)
    turns = np.linspace(0, math.pi, 90)
    outer, inner = (
        np.stack(((start + end) / 2 + (wide + by) * np.cos(turns), _WORDS - 22 - (high + by) * np.sin(turns)), 1)
        * _LARGER
        for by in (half, -half)
    )
    draw.polygon([*map(tuple, outer.tolist()), *map(tuple, inner[::-1].tolist())], _mixed(0.45))


def _cell(draw: ImageDraw.ImageDraw, middle: float, top: float, value: float, most: float) -> None:
    ground = _mixed(value / most)
    box = [each * _LARGER for each in (middle - 74, top, middle + 74, top + _ROW - 2)]
    draw.rectangle(box, ground)
    ink = "#000000" if takes_black(np.array(ground, np.uint8)) else "#ffffff"
    _text(draw, (middle, top + 24), written(value, 2), 20, ink, middle=True)


def _mixed(part: float) -> tuple[int, int, int]:
    """Return a colour between the page's and that of attention weights."""
    red, green, blue = ramp(LIGHT.paper, _INK)[round((STEPS - 1) * part)].tolist()
    return red, green, blue
