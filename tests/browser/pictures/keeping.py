"""Stored pictures: a sheet for each state, with a column for each size and a row for each theme."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from PIL import Image

from tests.browser.pictures.comparing import reduced, reduced_size
from tests.browser.serving import ROOT

SIZES = ((1920, 1080), (1366, 768), (1366, 650), (390, 844))
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
KEPT = Path(__file__).parent / "kept"
RESULTS = ROOT / "test-results" / "pictures"  # folder for full pictures, which aren't stored
MOST_BYTES = 1_500_000  # of all sheets
_QUALITY = 60
_GAP = 2  # pixels of a sheet between pictures


@dataclass(frozen=True)
class Look:
    """A size of the screen and a theme."""

    width: int
    height: int
    scheme: Literal["light", "dark"]

    def __str__(self) -> str:
        return f"{self.width}x{self.height}-{self.scheme}"


# Ordered so that only the size or only the theme changes from one to the next.
LOOKS = (*(Look(*size, "light") for size in SIZES), *(Look(*size, "dark") for size in reversed(SIZES)))
Pictures = dict[Look, Image.Image]


def path_of(state: str) -> Path:
    return KEPT / f"{state}.avif"


def kept(state: str) -> Pictures:
    """Return the reduced pictures of a state; none if there are none yet, or only of other sizes."""
    path = path_of(state)
    if not path.exists():
        return {}
    sheet = Image.open(path).convert("RGB")
    return {look: sheet.crop(_place(look)) for look in LOOKS} if sheet.size == _sheet_size() else {}


def keep(state: str, pictures: Pictures) -> int:
    """Store reduced pictures of the screen; return the bytes that they take."""
    sheet = Image.new("RGB", _sheet_size(), "grey")
    for look, picture in pictures.items():
        sheet.paste(reduced(picture), _place(look))
    KEPT.mkdir(exist_ok=True)
    sheet.save(path_of(state), quality=_QUALITY, subsampling="4:4:4")
    return path_of(state).stat().st_size


def _place(look: Look) -> tuple[int, int, int, int]:
    left = sum(reduced_size(*size)[0] + _GAP for size in SIZES[: SIZES.index((look.width, look.height))])
    top = SCHEMES.index(look.scheme) * (_highest() + _GAP)
    width, height = reduced_size(look.width, look.height)
    return left, top, left + width, top + height


def _sheet_size() -> tuple[int, int]:
    width = sum(reduced_size(*size)[0] + _GAP for size in SIZES) - _GAP
    return width, len(SCHEMES) * (_highest() + _GAP) - _GAP


def _highest() -> int:
    return max(reduced_size(*size)[1] for size in SIZES)
